//! What a document is made of.

use crate::council::outcome::Verdict;

/// Text that somebody else may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) enum Text {
    Prose(String),
    /// A path, a name or a digest: shown letter by letter.
    Name(String),
}

/// The name of the last column where a table tells what judges say.
pub(in crate::report) const IN_ITS_WORDS: &str = "In its words";

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) enum Block {
    /// A line of a list; `indent` is 0 or a multiple of 2.
    Item { indent: usize, text: String },
    /// A table with one cell for each column of the header.
    Table {
        header: Vec<&'static str>,
        rows: Vec<Vec<Text>>,
    },
    /// Markdown that a judge wrote, shown as it was written.
    Written(String),
}

/// How soon a reader sees a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Depth {
    /// In every report.
    Essential,
    /// Folded away in a comment; at a terminal with `-v` and in `git council show`.
    Detail,
}

/// Blocks under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Section {
    pub(in crate::report) title: String,
    pub(in crate::report) depth: Depth,
    /// What is left out first where space is short: the highest number.
    pub(in crate::report) rank: u8,
    pub(in crate::report) blocks: Vec<Block>,
}

impl Section {
    pub(in crate::report) fn new(title: impl Into<String>, depth: Depth, rank: u8) -> Self {
        Self {
            title: title.into(),
            depth,
            rank,
            blocks: Vec::new(),
        }
    }

    /// Adds a line of a list.
    pub(in crate::report) fn push_item(&mut self, indent: usize, text: impl Into<String>) {
        self.blocks.push(Block::Item {
            indent,
            text: text.into(),
        });
    }
}

/// Which of the findings that fail a pull request have a conversation that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talks {
    /// Nobody looked at what is there.
    Unknown,
    /// None has one, and each would get one where comments on the diff are published.
    Possible,
    None,
    Some,
    All,
}

/// Where a report is read, and so what its reader can do about a finding from there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ReadingPlace {
    /// Where the program and the run are at hand.
    #[default]
    Clone,
    /// The same, where it is known what of a pull request's findings that fail it has a conversation.
    Desk(Talks),
    /// In a coding agent, which can only propose a dismissal.
    Agent,
    /// On a page of the forge: there is no run to name, and a dismissal in somebody's clone counts only if it is signed.
    Forge,
    /// The same, beside conversations about all findings that fail the change, which can be answered.
    Conversation,
    /// The same, where only some of these findings have one.
    SomeConversations,
}

impl ReadingPlace {
    /// The place alone.
    pub(in crate::report) fn without_talks(self) -> Self {
        match self {
            Self::Desk(_) => Self::Clone,
            other => other,
        }
    }
}

/// The answer, for whoever reads one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct VerdictView {
    pub(in crate::report) verdict: Verdict,
    /// The sentence that starts with the verdict. Ours.
    pub(in crate::report) headline: String,
    /// What has to happen for a better verdict; empty where there is nothing to do. Ours.
    pub(in crate::report) next_step: String,
    /// What was under review, as a name.
    pub(in crate::report) subject: String,
    /// How much that is, how long it took and what it cost.
    pub(in crate::report) measures: Vec<String>,
    /// Why in words, where the headline does not say it; may be empty.
    pub(in crate::report) detail: String,
    /// Who voted how, on one line; empty where nobody voted.
    pub(in crate::report) votes: String,
    /// Whether every judge that counts voted PASS, and none abstained.
    pub(in crate::report) is_unanimous: bool,
    /// What was not read, on one line; empty when everything was.
    pub(in crate::report) not_read: String,
    /// What some of its readers read, and too few, in the same way.
    pub(in crate::report) read_by_few: String,
}
