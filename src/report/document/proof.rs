//! Tests that judges brought: what came of them, and how they are repeated.

use council_protocol::reproduction::ReproductionClaim;

use super::model::{Depth, Section};
use crate::council::reproduction::{
    RUNS, ReproductionRecord, ReproductionResult, ReproductionStanding, SuggestionCheck, TestRun,
};
use crate::report::whole::Report;
use crate::report::words::JudgeNames;

/// Every test, with its finding and what its runs say.
pub(super) fn tests(report: &Report, names: &JudgeNames<'_>) -> Section {
    let depth = match are_essential(report) {
        true => Depth::Essential,
        false => Depth::Detail,
    };
    let mut section = Section::new("Tests of judges", depth, 2);
    for brought in &report.outcome.ledger.reproductions {
        section.push_item(0, line(brought, names));
        if let ReproductionResult::Ran { mended, .. } = &brought.result {
            let tried = mended.as_ref().map(|runs| suggestion_words(&runs.check()));
            if let Some(words) = tried {
                section.push_item(2, format!("the suggestion: {words}"));
            }
            section.push_item(2, format!("repeat it: {}", brought.command));
            let files: Vec<_> = brought.files.iter().map(|f| f.path.display()).collect();
            section.push_item(2, format!("files: {}", files.join(", ")));
        }
    }
    section
}

/// Whether any test decides something, so that every reader sees them all.
fn are_essential(report: &Report) -> bool {
    // That a proof is about something else is no detail: without a word nobody would know why it does not count.
    let decides = |r: &ReproductionRecord| {
        use ReproductionStanding as S;
        r.refutes || matches!(r.standing, S::Proved | S::Elsewhere)
    };
    report.outcome.ledger.reproductions.iter().any(decides)
}

/// A line for each test that was run and decides nothing, where no section of every report has it: without one, a
/// finding whose own test went green looks like one for which nobody tried.
pub(super) fn undecided(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let tests = report.outcome.ledger.reproductions.iter();
    let has_run = |r: &&ReproductionRecord| matches!(r.result, ReproductionResult::Ran { .. });
    let told = tests.filter(|r| !are_essential(report) && has_run(r));
    told.map(|brought| format!("test {}", line(brought, names)))
        .collect()
}

/// Whose test it is, what it is about, and what it says.
fn line(brought: &ReproductionRecord, names: &JudgeNames<'_>) -> String {
    let about = brought.finding.as_deref().unwrap_or("no finding");
    let who = names.get(&brought.judge);
    format!(
        "{} by {who} about {about}: {}",
        brought.id,
        sentence(brought)
    )
}

/// What a test says of the suggestion of its finding.
pub(crate) fn suggestion_words(check: &SuggestionCheck) -> String {
    match check {
        SuggestionCheck::Mends => format!("with it the test passes ({RUNS} runs)"),
        SuggestionCheck::StillFails => "with it the test still fails".to_owned(),
        SuggestionCheck::Breaks { why } => format!("with it the test does not run: {why}"),
        SuggestionCheck::Untried { why } => format!("not tried: {why}"),
    }
}

/// What a test says of its finding.
pub(crate) fn sentence(brought: &ReproductionRecord) -> String {
    use ReproductionStanding as S;
    if let Some(why) = idle_doubt(brought) {
        return why;
    }
    let words = match brought.standing {
        S::Proved => "proved: it passes before the change and fails after it",
        S::Elsewhere => {
            "not proved by this: it passes before the change and fails after it, but it does not run the finding's lines, or \
             names nothing of them"
        }
        S::Passes if brought.refutes => "against it: it passes before the change and after it",
        S::Passes => "not proved by this: it passes before the change and after it",
        S::Fails => "not proved by this: it fails before the change and after it",
        S::Mended => "not proved by this: it fails before the change and passes after it",
        S::Flaky => "not proved by this: its runs disagree",
        S::Broken => return format!("not proved by this: {}", brought.result.obstacle()),
        S::NotRun => return format!("not run: {}", brought.result.obstacle()),
    };
    format!("{words} ({RUNS} runs each)")
}

/// Why a test that is brought against a finding, and passes, does not count against it.
fn idle_doubt(brought: &ReproductionRecord) -> Option<String> {
    use ReproductionStanding as S;
    let is_doubt = brought.shows == ReproductionClaim::NoDefect
        && matches!(brought.standing, S::Passes | S::Mended);
    if !is_doubt || brought.refutes {
        return None;
    }
    let id = brought.finding.as_deref().unwrap_or("the finding");
    let why = match &brought.result {
        _ if brought.standing == S::Mended => {
            "it fails before the change and passes after it, so what it asks for is what the change alters"
        }
        ReproductionResult::Ran { without, .. } => match without {
            Some(TestRun::Passed) => {
                "it passes after the change without running its lines, or asks for no result of them"
            }
            Some(_) => "its author does not disagree with the finding",
            None => "it cannot be shown that it runs its lines",
        },
        ReproductionResult::NotRun { .. } => return None,
    };
    Some(format!("proves nothing about {id}: {why}"))
}
