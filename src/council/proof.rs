//! Proof by running: which tests of judges are run, and what is recorded of them.

use council_protocol::answer::{Answer, Stance};
use council_protocol::reproduction::{
    MAX_REPRODUCTIONS, Reproduction, ReproductionClaim, TestSuite,
};
use council_protocol::{Finding, Location, RoundNumber, Severity};

use super::anonymity;
use super::brought::BroughtReproduction;
use super::disposition::{FindingCluster, FindingVersion};
use super::exchange::Action;
use super::findings::shown_finding;
use super::judges::{Judges, SeatIndex};
use super::like_words::is_alike;
use super::meant_ids::only_finding;
use super::outcome::JudgedFinding;
use super::reproduction::{
    ProofTerms, ReproductionId, ReproductionRecord, ReproductionResult, Suggestion,
    SuggestionCheck, fill_in,
};
use super::state::DebateState;

/// What is left to the session beyond the time of the runs themselves, in milliseconds for each reproduction.
const EXPORT_MS: u64 = 120_000;

/// Takes up what the judges brought in the rounds after R1, and asks for what can be run.
pub(super) fn take_up(state: &mut DebateState) {
    let Some(terms) = state.plan.options.proof.clone() else {
        return;
    };
    let clusters = state.clusters();
    for seat in state.judges.counted_seats() {
        for (&round, answer) in state.judges[seat].answers.range(RoundNumber::SECOND..) {
            for (index, brought) in answer.reproductions.iter().enumerate() {
                let brought = &with_suite(&terms, brought);
                let about = meant_finding(&state.judges, seat, round, &brought.finding);
                let why = match index {
                    0..MAX_REPRODUCTIONS => obstacle(&clusters, &terms, about, brought),
                    _ => Some(format!("an answer may bring {MAX_REPRODUCTIONS} tests")),
                };
                state.reproductions.push(BroughtReproduction {
                    author: seat,
                    about,
                    disagrees: about
                        .is_some_and(|about| is_against(&state.judges, seat, round, answer, about)),
                    brought: brought.clone(),
                    suggestion: about.and_then(|about| suggestion_of(&clusters, about)),
                    place: about.and_then(|about| place_of(&clusters, about, brought)),
                    names_place: about.is_some_and(|(seat, number)| {
                        let version = version_of(&clusters, seat, number);
                        version.is_some_and(|(_, v)| brought.names_place_of(&v.finding))
                    }),
                    result: why.map(ReproductionResult::not_run),
                });
            }
        }
    }
    let open = state.reproductions.iter().enumerate();
    let open = open.filter(|(_, brought)| brought.result.is_none());
    let asked: Vec<Action> = open
        .map(|(index, brought)| Action::Reproduce {
            id: number_of(index),
            suggestion: brought.suggestion.clone().map(Box::new),
            place: brought.place.clone().map(Box::new),
            reproduction: Box::new(brought.brought.clone()),
        })
        .collect();
    if !asked.is_empty() {
        let tests = match asked.len() {
            1 => "a test".to_owned(),
            several => format!("{several} tests"),
        };
        state.add_log(format!(
            "Running {tests} of the judges, before the change and after it."
        ));
    }
    state.out.extend(asked);
}

/// How long the session may take with what it was asked for; none: nothing is open.
pub(super) fn open_ms(state: &DebateState) -> Option<u64> {
    let open = state.reproductions.iter().filter(|r| r.result.is_none());
    let count = u64::try_from(open.count()).unwrap_or(u64::MAX);
    let each = state.plan.options.proof.as_ref()?.runs_ms;
    let all = each.saturating_add(EXPORT_MS).saturating_mul(count);
    (count > 0).then_some(all)
}

/// Takes in a result; an unknown or second one changes nothing.
pub(super) fn record(state: &mut DebateState, id: ReproductionId, result: ReproductionResult) {
    let mut all = state.reproductions.iter_mut().enumerate();
    let open = all.find(|(index, open)| number_of(*index) == id && open.result.is_none());
    if let Some((_, open)) = open {
        open.result = Some(result.unless_about(open.names_place));
    }
}

/// Whether nothing is open any more.
pub(super) fn is_settled(state: &DebateState) -> bool {
    state.reproductions.iter().all(|r| r.result.is_some())
}

/// What is still open is not waited for.
pub(super) fn give_up(state: &mut DebateState, why: &str) {
    for open in state
        .reproductions
        .iter_mut()
        .filter(|r| r.result.is_none())
    {
        open.result = Some(ReproductionResult::held_up(why));
    }
}

/// The records, each with the finding of the report that it is about.
pub(super) fn records(state: &DebateState, findings: &[JudgedFinding]) -> Vec<ReproductionRecord> {
    let records = state.reproductions.iter().enumerate().map(|(index, open)| {
        let judged = finding_of(state, open, findings);
        let result = open.result.clone();
        let result = result.unwrap_or_else(|| ReproductionResult::not_run("it was not run"));
        let refutes = open
            .about
            .is_some_and(|(s, n)| open.refuter_of(s, n).is_some());
        ReproductionRecord {
            id: format!("P{}", index + 1),
            judge: state.judges[open.author].id().clone(),
            finding: judged.map(|finding| finding.id.clone()),
            shows: open.brought.shows,
            command: command_text(state.plan.options.proof.as_ref(), &open.brought),
            files: open.brought.files.clone(),
            standing: result.standing(),
            result,
            refutes,
        }
    });
    records.collect()
}

/// What a finding suggests, in the version that the report shows if a test proves it.
fn suggestion_of(clusters: &[FindingCluster], about: (SeatIndex, usize)) -> Option<Suggestion> {
    let is_it = |c: &&FindingCluster| c.versions.iter().any(|v| v.is_of(about.0, about.1));
    let cluster = clusters.iter().find(is_it)?;
    suggestion_in(&shown_finding(&cluster.claim_of(about))?)
}

/// The lines of the finding that a test is about; of one that it is brought for, as its judge says it.
fn place_of(
    clusters: &[FindingCluster],
    about: (SeatIndex, usize),
    brought: &Reproduction,
) -> Option<Location> {
    let (cluster, _) = version_of(clusters, about.0, about.1)?;
    // Where its quote was found, which may be another line than the judge said.
    let shown = match brought.shows {
        ReproductionClaim::NoDefect => shown_finding(cluster),
        ReproductionClaim::Defect => shown_finding(&cluster.claim_of(about)),
    };
    Some(shown?.location)
}

/// A judge's finding among all.
fn version_of(
    clusters: &[FindingCluster],
    seat: SeatIndex,
    number: usize,
) -> Option<(&FindingCluster, &FindingVersion)> {
    let versions = clusters
        .iter()
        .flat_map(|c| c.versions.iter().map(move |v| (c, v)));
    let mut versions = versions.filter(|(_, v)| v.is_of(seat, number));
    versions.next()
}

fn suggestion_in(finding: &Finding) -> Option<Suggestion> {
    Some(Suggestion {
        location: finding.location.clone(),
        quote: finding.quote.clone(),
        text: finding.suggestion.clone()?,
    })
}

/// Says at each finding whether its suggestion mends what its proof shows. What still fails outweighs what passes.
pub(super) fn check_suggestions(state: &DebateState, findings: &mut [JudgedFinding]) {
    for found in findings {
        let Some(suggested) = suggestion_in(&found.finding) else {
            continue;
        };
        let about = state.reproductions.iter().filter(|open| {
            // A version of the finding that came later may suggest something else.
            open.suggestion.as_ref() == Some(&suggested) && is_about(state, open, found)
        });
        let mended = about.filter_map(|open| match open.result.as_ref()? {
            ReproductionResult::Ran { mended, .. } => Some(mended.as_ref()?.check()),
            ReproductionResult::NotRun { .. } => None,
        });
        found.suggestion_check = mended.min_by_key(|check| match check {
            SuggestionCheck::StillFails => 0,
            SuggestionCheck::Breaks { .. } => 1,
            SuggestionCheck::Untried { .. } => 2,
            SuggestionCheck::Mends => 3,
        });
    }
}

/// The finding of the report that a test is about: of those in which its claim stands, the one that speaks of it.
fn finding_of<'f>(
    state: &DebateState,
    open: &BroughtReproduction,
    findings: &'f [JudgedFinding],
) -> Option<&'f JudgedFinding> {
    let claim = open.about.and_then(|(seat, number)| {
        let raised = state.judges[seat].raised.get(number.checked_sub(1)?)?;
        Some(raised.finding.description.as_str())
    });
    let about = findings.iter().filter(|found| is_about(state, open, found));
    about.min_by_key(|found| {
        let words = found.finding.description.as_str();
        match claim {
            Some(claim) if claim == words => 0,
            Some(claim) if is_alike(claim, words) => 1,
            _ => 2,
        }
    })
}

/// Whether a test is about a finding of the report.
fn is_about(state: &DebateState, open: &BroughtReproduction, found: &JudgedFinding) -> bool {
    let Some((seat, number)) = open.about else {
        return false;
    };
    let judge = state.judges[seat].id();
    let raised = number.checked_sub(1);
    let raised = raised.and_then(|index| state.judges[seat].raised.get(index));
    raised.is_some_and(|raised| {
        let mut members = found.members.iter();
        members.any(|m| m.judge == *judge && m.finding == raised.finding)
    })
}

fn number_of(index: usize) -> ReproductionId {
    ReproductionId(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))
}

/// The command with the names of the files in it; empty: a name of a file is none that a shell may be given.
fn command_text(terms: Option<&ProofTerms>, brought: &Reproduction) -> String {
    let suite = terms.and_then(|terms| suite_named(terms, &brought.suite));
    match (
        suite,
        brought.files.first().filter(|_| brought.fault().is_none()),
    ) {
        (Some(suite), Some(file)) => fill_in(&suite.command, &file.path.display()),
        _ => String::new(),
    }
}

/// A test with the name of its command, which may be given in other letters, or be the command itself. Where the user
/// offers one alone, nobody has to name it.
fn with_suite(terms: &ProofTerms, brought: &Reproduction) -> Reproduction {
    let given = brought.suite.trim();
    let filled = |suite: &TestSuite| {
        let path = brought.files.first().map(|file| file.path.display());
        path.map(|path| fill_in(&suite.command, &path))
    };
    let is_meant = |suite: &&TestSuite| {
        suite.name.eq_ignore_ascii_case(given)
            || suite.command == given
            || filled(suite).is_some_and(|command| command == given)
    };
    let meant = match terms.suites.as_slice() {
        [only] if given.is_empty() => Some(only),
        suites => suite_named(terms, given)
            .or_else(|| suites.iter().find(is_meant))
            .or_else(|| only_suite_of(suites, given)),
    };
    Reproduction {
        suite: meant.map_or_else(|| given.to_owned(), |suite| suite.name.clone()),
        ..brought.clone()
    }
}

/// The only command that starts a program of this name: `pytest` for `run`.
fn only_suite_of<'a>(suites: &'a [TestSuite], program: &str) -> Option<&'a TestSuite> {
    let starts = |suite: &&TestSuite| {
        let mut words = suite.command.split_whitespace();
        words.any(|word| word.rsplit('/').next() == Some(program))
    };
    let mut found = suites.iter().filter(starts);
    found.next().filter(|_| found.next().is_none())
}

fn suite_named<'a>(terms: &'a ProofTerms, name: &str) -> Option<&'a TestSuite> {
    terms.suites.iter().find(|suite| suite.name == name.trim())
}

/// The finding that a judge means: one that it was shown, or one of its own.
fn meant_finding(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
    id: &str,
) -> Option<(SeatIndex, usize)> {
    if id.trim().is_empty() {
        return only_finding(judges, seat, round);
    }
    let own = id.trim().parse::<usize>().ok().map(|number| (seat, number));
    let shown = || {
        let order = judges[seat].peers.get(&round)?;
        anonymity::parse_finding_id(order, id)
    };
    let (whose, number) = own.or_else(shown)?;
    let raised = judges[whose].raised.get(number.checked_sub(1)?)?;
    (whose == seat || raised.round < round).then_some((whose, number))
}

/// Whether a judge disagrees with a finding in this answer.
fn is_against(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &Answer,
    about: (SeatIndex, usize),
) -> bool {
    let mut responses = answer.responses.iter();
    responses.any(|response| {
        response.stance == Stance::Disagreed
            && meant_finding(judges, seat, round, &response.to) == Some(about)
    })
}

/// Why a reproduction is not run; none: it is.
fn obstacle(
    clusters: &[FindingCluster],
    terms: &ProofTerms,
    about: Option<(SeatIndex, usize)>,
    brought: &Reproduction,
) -> Option<String> {
    let Some((seat, number)) = about else {
        return Some("no finding has the id that it names".to_owned());
    };
    if let Some(fault) = brought.fault() {
        return Some(fault);
    }
    if suite_named(terms, &brought.suite).is_none() {
        let names = terms.suites.iter().map(|suite| format!("`{}`", suite.name));
        let names: Vec<String> = names.collect();
        let (asked, there) = (brought.suite.trim(), names.join(", "));
        return Some(format!(
            "it names the command `{asked}`, and there is only {there}"
        ));
    }
    let Some((cluster, version)) = version_of(clusters, seat, number) else {
        return Some("the judge of the finding does not count".to_owned());
    };
    if cluster.severity() < Severity::Significant {
        return Some("only significant and critical findings are run".to_owned());
    }
    (!version.proof.resolves())
        .then(|| "the lines that the finding quotes were not found".to_owned())
}
