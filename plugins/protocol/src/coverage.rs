//! What of a change was seen, file by file.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RepoPath;

/// What became of one changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CoverageState {
    /// Every changed line was shown.
    Reviewed,
    /// The content stands outside of the change's text: a binary file, a pointer of git-lfs, a symbolic link, a
    /// submodule. What there is to see of it was shown, and nobody read what is behind it.
    Opaque {
        /// What it is, in words for a person, e.g. `binary`.
        what: String,
        /// Whether it lowers the coverage (`review.opaque = "inconclusive"`).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lowers: bool,
    },
    /// Left out on purpose, by a glob of a trusted layer or a built-in one; does not lower the coverage.
    Skipped {
        /// Why, in words for a person.
        reason: String,
    },
    /// Shown in part: lowers the coverage.
    Truncated {
        /// Changed lines that were shown.
        shown: u32,
        /// Changed lines that there are.
        total: u32,
    },
    /// Not shown because it did not fit the budget: lowers the coverage.
    OverBudget,
    /// Could not be read: lowers the coverage.
    Unreadable {
        /// Why, in words for a person.
        reason: String,
    },
    /// A tool does not look at files of this kind, and was not given it: it says nothing of the file, neither that it is
    /// right nor that it is wrong. Where too few others read it, the coverage is lower.
    NotAsked,
}

/// How much of a file was seen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct SeenPart {
    /// Changed lines that were shown.
    pub shown: u32,
    /// Changed lines that there are.
    pub total: u32,
}

/// How the reason begins of files that the user's or the trusted branch's configuration leaves out.
pub const LEFT_OUT_BY_USER: &str = "ignored by configuration";

impl CoverageState {
    /// Whether configuration leaves the file out: no model may be shown what is in it.
    pub fn is_left_out_by_user(&self) -> bool {
        matches!(self, Self::Skipped { reason } if reason.starts_with(LEFT_OUT_BY_USER))
    }

    /// Whether nothing that ought to be seen is missing.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Reviewed | Self::Skipped { .. } => true,
            Self::Opaque { lowers, .. } => !lowers,
            Self::Truncated { .. }
            | Self::OverBudget
            | Self::Unreadable { .. }
            | Self::NotAsked => false,
        }
    }

    /// Whether judges are to be shown what the packet holds of the file.
    pub fn is_shown(&self) -> bool {
        matches!(self, Self::Reviewed | Self::Opaque { .. })
    }

    /// Whether the file's hunks do not hold all lines that the change adds.
    pub fn is_withheld(&self) -> bool {
        matches!(
            self,
            Self::Skipped { .. } | Self::Opaque { .. } | Self::Unreadable { .. }
        )
    }
}

/// The coverage manifest: every changed file exactly once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// In the order of the packet's files.
    pub files: Vec<FileCoverage>,
}

/// One file of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    /// The file's path, as in the packet.
    pub path: RepoPath,
    /// What became of it.
    pub state: CoverageState,
}

impl Coverage {
    /// Whether nothing that ought to be seen is missing.
    pub fn is_complete(&self) -> bool {
        self.files.iter().all(|f| f.state.is_complete())
    }

    /// The same with files that a judge looked up: what did not fit into its brief, it has seen whole, or a larger part of it.
    #[must_use]
    pub fn with_looked_up(
        &self,
        paths: &BTreeSet<RepoPath>,
        parts: &BTreeMap<RepoPath, SeenPart>,
    ) -> Self {
        let mut seen = self.clone();
        for file in &mut seen.files {
            let was_cut = matches!(
                file.state,
                CoverageState::Truncated { .. } | CoverageState::OverBudget
            );
            if was_cut && paths.contains(&file.path) {
                file.state = CoverageState::Reviewed;
            } else if let (true, Some(part)) = (was_cut, parts.get(&file.path)) {
                let before = match file.state {
                    CoverageState::Truncated { shown, .. } => shown,
                    _ => 0,
                };
                // Who has seen all of it is told apart by its path.
                let most = part.total.saturating_sub(1);
                file.state = CoverageState::Truncated {
                    shown: part.shown.max(before).min(most),
                    total: part.total,
                };
            }
        }
        seen
    }

    /// The files that lower the coverage.
    pub fn gaps(&self) -> impl Iterator<Item = &FileCoverage> {
        self.files.iter().filter(|f| !f.state.is_complete())
    }

    /// The files whose content nobody could read as text, each with what it is.
    pub fn opaque_files(&self) -> impl Iterator<Item = (&FileCoverage, &str)> {
        self.files.iter().filter_map(|file| match &file.state {
            CoverageState::Opaque { what, .. } => Some((file, what.as_str())),
            _ => None,
        })
    }

    /// The same manifest of a tool that was given these files and no others.
    #[must_use]
    pub fn of_tool(&self, given: &BTreeSet<RepoPath>) -> Self {
        let mut seen = self.clone();
        for file in &mut seen.files {
            let is_skipped = matches!(file.state, CoverageState::Skipped { .. });
            if !is_skipped && !given.contains(&file.path) {
                file.state = CoverageState::NotAsked;
            }
        }
        seen
    }

    /// What a quorum saw, where some judges are not asked about some files: of such a file as many must have seen it as
    /// the quorum, or all of `planned` that are asked about it, and at least one. Nobody's silence stands for a reader.
    pub fn of_asked_quorum(seen: &[&Self], planned: &[&Self], quorum: usize) -> Self {
        let mut covered = Self::of_quorum(seen, quorum);
        for (at, file) in covered.files.iter_mut().enumerate() {
            let states = |manifests: &[&'_ Self]| -> Vec<FileCoverage> {
                let at_place = manifests.iter().filter_map(|m| m.files.get(at));
                at_place.filter(|f| f.path == file.path).cloned().collect()
            };
            let is_asked = |f: &FileCoverage| f.state != CoverageState::NotAsked;
            let asked = states(planned);
            let passed = asked.iter().filter(|f| !is_asked(f)).count();
            if passed == 0 {
                continue;
            }
            let needed = (planned.len() - passed).min(quorum).max(1);
            let readers = states(seen).into_iter().filter(is_asked);
            let readers: Vec<Self> = readers.map(|f| Self { files: vec![f] }).collect();
            let read = Self::of_quorum(&readers.iter().collect::<Vec<_>>(), needed);
            let state = read.files.into_iter().next().map(|f| f.state);
            let is_enough = readers.len() >= needed;
            let state = state.filter(|state| is_enough || !state.is_complete());
            file.state = state.unwrap_or(CoverageState::NotAsked);
        }
        covered
    }

    /// What at least `quorum` of the given manifests saw: a file that fewer saw whole takes the worst state that
    /// any of them reports: a verdict covers what a quorum of judges saw. Empty without manifests.
    pub fn of_quorum(seen: &[&Self], quorum: usize) -> Self {
        let Some(first) = seen.first() else {
            return Self::default();
        };
        let mut gaps: BTreeMap<&RepoPath, Vec<&CoverageState>> = BTreeMap::new();
        for file in seen.iter().flat_map(|coverage| coverage.gaps()) {
            gaps.entry(&file.path).or_default().push(&file.state);
        }
        // Nobody saw more of an opaque file than that it is one.
        let files = seen.iter().flat_map(|coverage| &coverage.files);
        let opaque: BTreeMap<&RepoPath, &CoverageState> = files
            .filter(|f| matches!(f.state, CoverageState::Opaque { lowers: false, .. }))
            .map(|f| (&f.path, &f.state))
            .collect();
        let seen_as = |path: &RepoPath| {
            opaque
                .get(path)
                .map_or(CoverageState::Reviewed, |&s| s.clone())
        };
        let state = |file: &FileCoverage| match gaps.get(&file.path) {
            Some(states) if seen.len() - states.len() < quorum.max(1) => states[0].clone(),
            Some(_) => seen_as(&file.path),
            None => file.state.clone(),
        };
        let files = first.files.iter().map(|f| FileCoverage {
            path: f.path.clone(),
            state: state(f),
        });
        Self {
            files: files.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(state: CoverageState) -> Coverage {
        Coverage {
            files: vec![FileCoverage {
                path: "a".into(),
                state,
            }],
        }
    }

    #[test]
    fn a_file_that_was_looked_up_counts_as_seen_and_nothing_else_does() {
        let looked_up = BTreeSet::from(["a".into()]);
        let cut = CoverageState::Truncated { shown: 1, total: 9 };
        for state in [CoverageState::OverBudget, cut] {
            let seen = manifest(state.clone());
            let nothing = BTreeMap::new();
            assert!(seen.with_looked_up(&looked_up, &nothing).is_complete());
            assert!(
                !seen
                    .with_looked_up(&BTreeSet::new(), &nothing)
                    .is_complete()
            );
            let part = |shown| BTreeMap::from([("a".into(), SeenPart { shown, total: 9 })]);
            for (shown, told) in [(4, 4), (8, 8), (9, 8)] {
                let seen = seen.with_looked_up(&BTreeSet::new(), &part(shown));
                let told = CoverageState::Truncated {
                    shown: told,
                    total: 9,
                };
                assert_eq!(
                    seen,
                    manifest(told),
                    "it is never whole, and never less than before"
                );
            }
        }
        let unreadable = manifest(CoverageState::Unreadable { reason: "r".into() });
        let seen = unreadable.with_looked_up(&looked_up, &BTreeMap::new());
        assert!(!seen.is_complete());
    }

    #[test]
    fn a_tool_that_was_not_given_a_file_is_no_reader_of_it() {
        let (read, cut) = (
            manifest(CoverageState::Reviewed),
            manifest(CoverageState::OverBudget),
        );
        let tool = read.of_tool(&BTreeSet::new());
        assert_eq!(tool.files[0].state, CoverageState::NotAsked);
        assert_eq!(read.of_tool(&BTreeSet::from(["a".into()])), read);
        let skipped = manifest(CoverageState::Skipped { reason: "r".into() });
        assert_eq!(skipped.of_tool(&BTreeSet::new()), skipped);
        // Beside a tool that is not asked, all who are have to read it, as many as the quorum.
        let of = |seen: &[&Coverage], planned: &[&Coverage]| {
            Coverage::of_asked_quorum(seen, planned, 2).is_complete()
        };
        assert!(of(&[&read, &tool], &[&read, &tool]));
        assert!(!of(&[&tool, &tool], &[&read, &tool, &tool]));
        assert!(!of(&[&tool], &[&tool]));
        assert!(
            !of(&[&read, &tool], &[&read, &read, &tool]),
            "one of two models"
        );
        assert!(
            !of(&[&read, &cut, &tool], &[&read, &cut, &tool]),
            "one saw a part"
        );
        // Where everybody is asked, too few answers are the quorum's affair, as without tools.
        assert_eq!(
            of(&[&read], &[&read, &read]),
            Coverage::of_quorum(&[&read], 2).is_complete()
        );
    }

    #[test]
    fn a_quorum_that_saw_a_file_is_enough_and_fewer_are_not() {
        let whole = manifest(CoverageState::Reviewed);
        let part = manifest(CoverageState::OverBudget);
        assert!(Coverage::of_quorum(&[&whole, &whole, &part], 2).is_complete());
        assert!(!Coverage::of_quorum(&[&whole, &part, &part], 2).is_complete());
        assert!(!Coverage::of_quorum(&[&whole, &part], 2).is_complete());
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;

    fn one_file(state: CoverageState) -> Coverage {
        Coverage {
            files: vec![FileCoverage {
                path: "a".into(),
                state,
            }],
        }
    }

    fn state() -> impl Strategy<Value = CoverageState> {
        prop_oneof![
            Just(CoverageState::Reviewed),
            Just(CoverageState::OverBudget),
            Just(CoverageState::NotAsked)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whoever was not given a file neither covers it nor, by being there, makes fewer readers enough.
        #[test]
        fn tools_that_were_not_given_a_file_change_nothing(
            judges in prop::collection::vec((state(), any::<bool>()), 1..6), idle in 0usize..4, quorum in 1usize..4,
        ) {
            let planned: Vec<Coverage> = judges.iter().map(|(state, _)| one_file(state.clone())).collect();
            let counted = |bench: &[Coverage]| -> bool {
                let all: Vec<&Coverage> = bench.iter().collect();
                let answered = |at: usize| judges.get(at).is_none_or(|(_, answered)| *answered);
                let seen: Vec<&Coverage> = all.iter().copied().enumerate()
                    .filter(|(at, _)| answered(*at)).map(|(_, m)| m).collect();
                let covered = Coverage::of_asked_quorum(&seen, &all, quorum);
                !covered.files.is_empty() && covered.is_complete()
            };
            let mut more = planned.clone();
            more.extend((0..idle).map(|_| one_file(CoverageState::NotAsked)));
            let readers = judges.iter().filter(|(state, answered)| *answered && *state == CoverageState::Reviewed);
            let asked = judges.iter().filter(|(state, _)| *state != CoverageState::NotAsked).count();
            let (readers, tools) = (readers.count(), judges.len() - asked + idle);
            if tools > 0 {
                prop_assert_eq!(counted(&more), readers >= asked.min(quorum).max(1));
            }
        }
    }
}
