//! A change of which it is known, more or less surely, whether it is defective and where.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// How a change came by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LabelSet {
    /// A later fix changed lines that this change brought (Śliwerski, Zimmermann, Zeller: "When do changes induce
    /// fixes?", 2005), or named it as the culprit.
    Szz,
    /// A later commit reverted it.
    Reverts,
    /// A person dismissed findings about it: a judge that raises them again raises a false alarm.
    Dismissals,
    /// A real change without a part that it needed: true by construction.
    Omission,
    /// A real change with one defect put in: true by construction.
    Mutation,
    /// Nothing that it brought was mended or reverted for half a year.
    Clean,
}

impl LabelSet {
    /// All of them, in the order in which they are listed.
    pub(crate) const ALL: [Self; 6] = [
        Self::Szz,
        Self::Reverts,
        Self::Dismissals,
        Self::Omission,
        Self::Mutation,
        Self::Clean,
    ];

    /// Its name in files and on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Szz => "szz",
            Self::Reverts => "reverts",
            Self::Dismissals => "dismissals",
            Self::Omission => "omission",
            Self::Mutation => "mutation",
            Self::Clean => "clean",
        }
    }

    /// Whether its changes are defective.
    pub(crate) fn is_defective(self) -> bool {
        !matches!(self, Self::Dismissals | Self::Clean)
    }
}

/// How sure a label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LabelConfidence {
    /// A guess that is often wrong: look before you count it (`git council eval label`).
    Low,
    /// Blame of a small fix, or a long silence.
    Medium,
    /// By construction, or somebody named the culprit.
    High,
}

/// Lines of the reviewed side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LabelledPlace {
    pub(crate) path: String,
    /// The first line, from 1; 0: the file as a whole.
    pub(crate) first: u32,
    /// The last line.
    pub(crate) last: u32,
}

/// A finding so many lines beside the defect still shows it.
const NEAR_LINES: u32 = 3;

impl LabelledPlace {
    pub(crate) fn is_whole_file(&self) -> bool {
        self.first == 0
    }

    /// Whether these lines of its file lie in it or right beside it.
    pub(crate) fn is_near(&self, first: u32, last: u32) -> bool {
        let reaches = first <= self.last.saturating_add(NEAR_LINES);
        self.is_whole_file() || reaches && self.first <= last.saturating_add(NEAR_LINES)
    }
}

/// What is done to the commit before it is reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Alteration {
    /// These files stay as they were before the commit.
    Leave { paths: Vec<String> },
    /// A line of the commit's side is replaced, or removed.
    EditLine {
        path: String,
        line: u32,
        /// What stands there, so that an edit of another text is refused.
        was: String,
        /// None: the line is removed.
        becomes: Option<String>,
    },
}

/// A file of the change, for the baselines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileWeight {
    pub(crate) path: String,
    /// The lines that the change adds to it, as runs of first and last line on the reviewed side.
    pub(crate) added: Vec<(u32, u32)>,
}

impl FileWeight {
    /// How many lines are added.
    pub(crate) fn added_lines(&self) -> u32 {
        self.added
            .iter()
            .map(|(first, last)| last + 1 - first)
            .sum()
    }
}

/// A line of the file that `git council eval collect` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelledChange {
    /// Its name: the set and the commit's first digits, and a number where one commit makes several.
    pub(crate) id: String,
    pub(crate) set: LabelSet,
    pub(crate) confidence: LabelConfidence,
    /// In words: by what it was labelled.
    pub(crate) how: String,
    /// The commit that mended it or took it back, in full; none: nobody did, or an earlier version did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mended_by: Option<String>,
    /// The reviewed commit.
    pub(crate) commit: String,
    /// When it was committed, in seconds since 1970: judges see nothing younger.
    pub(crate) seconds: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) alteration: Option<Alteration>,
    /// Where the defect is. Empty for a clean change, and for a defective one of which only that is known.
    pub(crate) places: Vec<LabelledPlace>,
    pub(crate) files: Vec<FileWeight>,
}

impl LabelledChange {
    /// Whether the same is reviewed under both labels: a commit may have several.
    pub(crate) fn is_same_change(&self, other: &Self) -> bool {
        (&self.commit, &self.alteration) == (&other.commit, &other.alteration)
    }

    /// Whether it is defective, and it is known where.
    pub(crate) fn has_known_place(&self) -> bool {
        self.set.is_defective() && !self.places.is_empty()
    }
}

/// How many changes these labels are of: a commit may have several, and they say nothing independent of each other.
pub(crate) fn count_commits<'a>(items: impl Iterator<Item = &'a LabelledChange>) -> usize {
    let commits: BTreeSet<&str> = items.map(|item| item.commit.as_str()).collect();
    commits.len()
}
