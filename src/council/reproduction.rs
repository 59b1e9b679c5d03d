//! Tests of judges as they are recorded, and what their runs mean. Nothing here runs anything.
//!
//! A test that passes before the change and fails after it, three times each, proves its finding.

use council_protocol::reproduction::{ReproductionClaim, ReproductionFile, TestSuite};
use council_protocol::{JudgeId, Location};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a test runs on each side: runs that disagree prove nothing.
pub const RUNS: usize = 3;

/// A reproduction that the session is asked to run. Numbered from 1 within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReproductionId(pub u32);

/// On which terms judges are asked for reproductions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProofTerms {
    /// The commands that the user offers.
    pub suites: Vec<TestSuite>,
    /// How long all runs of one reproduction may take, in milliseconds.
    pub runs_ms: u64,
}

/// How one run of a test ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum TestRun {
    /// The command said that the test passes.
    Passed,
    /// The command said that it fails.
    Failed,
    /// Neither: the test did not get to run to its end.
    Broken {
        /// Why. Untrusted text.
        why: String,
    },
}

/// What came of a reproduction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum ReproductionResult {
    /// It was run on both sides.
    Ran {
        /// On the base.
        base: Vec<TestRun>,
        /// On the reviewed side.
        head: Vec<TestRun>,
        /// The end of what the command wrote in a run after the change that did not pass, or before it, where that did not
        /// get to its end. Untrusted text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        output: String,
        /// After the change, with the finding's suggestion in it; none: there was none to try, or nothing to mend.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mended: Option<MendedRuns>,
        /// After the change, with a statement before the finding's lines that ends the program, then with nothing in
        /// their place, then with another effect of them: passed if it passed with one of the first two, or whatever
        /// the effect. Of a test that would prove the finding: passed if it does not run the function of the finding's lines.
        /// None: it was not tried, or cannot be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        without: Option<TestRun>,
    },
    /// It was not run.
    NotRun {
        /// Why. Untrusted text.
        why: String,
        /// Whether this machine is why, and not the test or the change: another time it may run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        machine: bool,
    },
}

/// The lines that a judge would put in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The lines that it replaces, on the reviewed side.
    pub location: Location,
    /// What stands there, as it was quoted.
    pub quote: String,
    /// What is to stand there. Untrusted text.
    pub text: String,
}

/// What a test that proves a finding says of the finding's suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum MendedRuns {
    /// It was run.
    Ran {
        /// How often, and how each run ended.
        runs: Vec<TestRun>,
    },
    /// It was not run.
    NotRun { why: String },
}

/// Whether a suggestion mends what a test proved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum SuggestionCheck {
    /// With it the test passes, every time.
    Mends,
    /// With it the test still fails, at least once.
    StillFails,
    /// With it the test does not run, e.g. because the file cannot be read any more.
    Breaks { why: String },
    /// It could not be tried.
    Untried { why: String },
}

impl SuggestionCheck {
    /// Whether it was tried and the test did not pass: no button offers such a suggestion.
    pub fn is_unfit(&self) -> bool {
        matches!(self, Self::StillFails | Self::Breaks { .. })
    }
}

impl MendedRuns {
    /// What the runs say of the suggestion.
    pub fn check(&self) -> SuggestionCheck {
        let runs = match self {
            Self::NotRun { why } => return SuggestionCheck::Untried { why: why.clone() },
            Self::Ran { runs } => runs,
        };
        let broken = runs.iter().find_map(|run| match run {
            TestRun::Broken { why } => Some(why.clone()),
            TestRun::Passed | TestRun::Failed => None,
        });
        match (broken, agreed(runs)) {
            (Some(why), _) => SuggestionCheck::Breaks { why },
            (None, Some(true)) if runs.len() >= RUNS => SuggestionCheck::Mends,
            _ => SuggestionCheck::StillFails,
        }
    }
}

/// What that means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReproductionStanding {
    /// It passes before the change and fails after it: the finding is proved.
    Proved,
    /// The same, but it does not run the lines of the finding: what it shows is something else.
    Elsewhere,
    /// It passes on both sides: the finding is not proved by this.
    Passes,
    /// It fails on both sides: the finding is not proved by this.
    Fails,
    /// It fails before the change and passes after it: that was mended.
    Mended,
    /// Its runs disagree.
    Flaky,
    /// It did not run to its end.
    Broken,
    /// It was not run.
    NotRun,
}

/// A reproduction with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReproductionRecord {
    /// `P1`, `P2`, … in the order in which they were brought.
    pub id: String,
    /// Who brought it.
    pub judge: JudgeId,
    /// The finding of the report that it is about, e.g. `F1`; none: nobody knows which one was meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// What it was brought for.
    pub shows: ReproductionClaim,
    /// The command that repeats it, in a tree that has its files.
    pub command: String,
    pub files: Vec<ReproductionFile>,
    /// What came of it.
    pub result: ReproductionResult,
    /// What that means.
    pub standing: ReproductionStanding,
    /// Whether it counts against the finding.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refutes: bool,
}

impl ReproductionResult {
    /// Not run, and why.
    pub fn not_run(why: impl Into<String>) -> Self {
        Self::NotRun {
            why: why.into(),
            machine: false,
        }
    }

    /// Not run because of this machine, e.g. without the program of the command.
    pub fn held_up(why: impl Into<String>) -> Self {
        Self::NotRun {
            why: why.into(),
            machine: true,
        }
    }

    /// Whether another run of the same test may say something else: this machine could not run it, or not every time.
    /// What ran before the change and never after it is broken by the change.
    pub fn is_unsettled(&self) -> bool {
        let broken = |run: &&TestRun| matches!(run, TestRun::Broken { .. });
        match self {
            Self::NotRun { machine, .. } => *machine,
            Self::Ran { base, head, .. } => {
                let after = head.iter().filter(broken).count();
                base.iter().any(|run| broken(&run)) || (after > 0 && after < head.len())
            }
        }
    }

    /// What the runs mean.
    pub fn standing(&self) -> ReproductionStanding {
        use ReproductionStanding as S;
        let Self::Ran {
            base,
            head,
            without,
            ..
        } = self
        else {
            return S::NotRun;
        };
        let is_broken = |run: &TestRun| matches!(run, TestRun::Broken { .. });
        let short = base.len() < RUNS || head.len() < RUNS;
        if short || base.iter().chain(head).any(is_broken) {
            return S::Broken;
        }
        match (agreed(base), agreed(head)) {
            (Some(true), Some(false)) if *without == Some(TestRun::Passed) => S::Elsewhere,
            (Some(true), Some(false)) => S::Proved,
            (Some(true), Some(true)) => S::Passes,
            (Some(false), Some(false)) => S::Fails,
            (Some(false), Some(true)) => S::Mended,
            _ => S::Flaky,
        }
    }

    /// The same for a test of which nothing shows that it is about its finding: where nobody could tell whether it runs the
    /// finding's lines, its words have to.
    pub(super) fn unless_about(mut self, names_place: bool) -> Self {
        if self.standing() == ReproductionStanding::Proved
            && !names_place
            && let Self::Ran { without, .. } = &mut self
            && without.is_none()
        {
            *without = Some(TestRun::Passed);
        }
        self
    }

    /// Why it was not run, or not to its end.
    pub fn obstacle(&self) -> String {
        let (base, head) = match self {
            Self::NotRun { why, .. } => return why.clone(),
            Self::Ran { base, head, .. } => (base, head),
        };
        let sides = base.iter().map(|run| ("before", run));
        let mut sides = sides.chain(head.iter().map(|run| ("after", run)));
        let found = sides.find_map(|(side, run)| match run {
            TestRun::Broken { why } => Some(format!("{side} the change {why}")),
            _ => None,
        });
        found.unwrap_or_else(|| "it did not run to its end".to_owned())
    }

    /// Whether it passes before the change and after it, every time. A test that passes only after it shows that the
    /// change alters what the test asks for, which may be the very defect.
    pub fn passes_on_both_sides(&self) -> bool {
        self.standing() == ReproductionStanding::Passes
    }

    /// Whether it does not pass without the lines of its finding: a test that does has never run them, or asks for
    /// nothing that they decide, and says nothing of them.
    pub(super) fn needs_place(&self) -> bool {
        match self {
            Self::Ran { without, .. } => {
                without.as_ref().is_some_and(|run| *run != TestRun::Passed)
            }
            Self::NotRun { .. } => false,
        }
    }
}

/// Whether all of these runs passed, or all of them failed; none: they disagree.
fn agreed(runs: &[TestRun]) -> Option<bool> {
    let passed = runs.iter().filter(|run| **run == TestRun::Passed).count();
    match passed {
        0 => Some(false),
        all if all == runs.len() => Some(true),
        _ => None,
    }
}

/// The marks of a command replaced by what they stand for.
pub fn fill_in(argument: &str, path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let folder = if folder == "." {
        ".".to_owned()
    } else {
        format!("./{folder}")
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    argument
        .replace("{file}", &format!("./{path}"))
        .replace("{dir}", &folder)
        .replace("{name}", stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(base: [&TestRun; 3], head: [&TestRun; 3]) -> ReproductionStanding {
        let owned = |runs: [&TestRun; 3]| runs.into_iter().cloned().collect();
        let result = ReproductionResult::Ran {
            base: owned(base),
            head: owned(head),
            output: String::new(),
            mended: None,
            without: None,
        };
        result.standing()
    }

    #[test]
    fn three_runs_of_each_side_decide() {
        use ReproductionStanding as S;
        let (p, f) = (&TestRun::Passed, &TestRun::Failed);
        let b = &TestRun::Broken {
            why: "it was ended by signal 9".to_owned(),
        };
        assert_eq!(ran([p; 3], [f; 3]), S::Proved);
        assert_eq!(ran([p; 3], [p; 3]), S::Passes);
        assert_eq!(ran([f; 3], [f; 3]), S::Fails);
        assert_eq!(ran([f; 3], [p; 3]), S::Mended);
        for mixed in [[p, p, f], [f, p, p], [f, f, p]] {
            assert_eq!(ran([p; 3], mixed), S::Flaky);
            assert_eq!(ran(mixed, [f; 3]), S::Flaky);
        }
        for side in [[b, f, f], [f, f, b], [b; 3]] {
            assert_eq!(
                ran([p; 3], side),
                S::Broken,
                "a broken run is no failed one"
            );
            assert_eq!(ran(side, [f; 3]), S::Broken);
        }
        assert_eq!(ReproductionResult::not_run("no").standing(), S::NotRun);
        let short = ReproductionResult::Ran {
            base: vec![TestRun::Passed],
            head: vec![TestRun::Failed],
            output: String::new(),
            mended: None,
            without: None,
        };
        assert_eq!(short.standing(), S::Broken, "one run is not three");
    }

    #[test]
    fn a_suggestion_mends_only_where_every_run_passes() {
        let (p, f) = (TestRun::Passed, TestRun::Failed);
        let check = |runs: &[&TestRun]| {
            let runs = runs.iter().map(|run| (*run).clone()).collect();
            MendedRuns::Ran { runs }.check()
        };
        assert_eq!(check(&[&p, &p, &p]), SuggestionCheck::Mends);
        for runs in [&[&f, &f, &f][..], &[&p, &p, &f], &[&p, &p], &[]] {
            assert_eq!(check(runs), SuggestionCheck::StillFails, "{runs:?}");
        }
        let b = TestRun::Broken {
            why: "it does not compile".to_owned(),
        };
        let broken = check(&[&p, &b, &p]);
        assert!(broken.is_unfit());
        assert!(matches!(broken, SuggestionCheck::Breaks { why } if why.contains("compile")));
        let untried = MendedRuns::NotRun {
            why: "x".to_owned(),
        };
        assert!(!untried.check().is_unfit());
    }

    #[test]
    fn what_this_machine_could_not_run_is_unsettled() {
        let (p, b) = (
            TestRun::Passed,
            TestRun::Broken {
                why: "it took more than 60 s".to_owned(),
            },
        );
        let ran = |base: [&TestRun; 3], head: [&TestRun; 3]| ReproductionResult::Ran {
            base: base.map(Clone::clone).into(),
            head: head.map(Clone::clone).into(),
            output: String::new(),
            mended: None,
            without: None,
        };
        assert!(ReproductionResult::held_up("no program").is_unsettled());
        assert!(!ReproductionResult::not_run("it has no file").is_unsettled());
        assert!(ran([&b; 3], [&b; 3]).is_unsettled());
        assert!(ran([&p; 3], [&p, &b, &p]).is_unsettled());
        assert!(!ran([&p; 3], [&b; 3]).is_unsettled());
        assert!(!ran([&p; 3], [&p; 3]).is_unsettled());
    }

    #[test]
    fn a_command_is_filled_in() {
        assert_eq!(fill_in("{file}", "tests/test_a.py"), "./tests/test_a.py");
        assert_eq!(fill_in("{dir}", "pkg/a_test.go"), "./pkg");
        assert_eq!(fill_in("{dir}", "a_test.go"), ".");
        assert_eq!(
            fill_in("--test={name}", "tests/regress.rs"),
            "--test=regress"
        );
    }
}
