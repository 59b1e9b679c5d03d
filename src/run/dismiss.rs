//! A person's word on a finding: it does not count, it counts again, or what a coding agent proposed is accepted.

use crate::council::outcome::{Disposition, FindingMember, JudgedFinding};
use crate::council::{
    Dismissal, DismissalGround, SaidProblem, is_reason, meant_classes, rest_words,
};
use crate::git::{self, CouncilNotes, RepositoryPaths, UserGit};
use crate::memory::line::{DismissalLine, LINE_VERSION, NoteLine, time_of_decision};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::dismissals::{self, DismissalJournal};
use crate::run::error::RunError;
use crate::run::findings::{self, FoundFinding};
use crate::run::notes;
use crate::run::page::redactor_of_report;
use crate::run::proposals::{self, ProposalReports, ProposalState};
use crate::run::redaction::user_redactor;
use crate::run::settings;
use crate::session::{RealWorld, SessionWorld as _};
use crate::text::Untrusted;

/// What somebody decides about a finding.
#[derive(Debug, Clone)]
pub(crate) struct DismissRequest {
    /// The finding: its id in the last report, or the first digits of its fingerprint.
    pub(crate) id: String,
    /// The run in which it is looked up; none: the last report.
    pub(crate) run: Option<String>,
    pub(crate) because: String,
    pub(crate) ground: DismissalGround,
    pub(crate) decision: FindingDecision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FindingDecision {
    Dismiss,
    TakeBack,
    /// It is dismissed for the reason that a coding agent gave.
    AcceptProposal,
}

/// Dismisses, or keeps what an agent asks for until a person confirms it; says what was done.
pub(crate) fn dismiss(request: &DismissRequest, start: &RunContext) -> Result<String, RunError> {
    let takes_back = request.decision == FindingDecision::TakeBack;
    let found = findings::find_finding(start, &request.id, request.run.as_deref())?;
    if !takes_back {
        refuse_other_branch(&found)?;
    }
    found.warn_of_place(start);
    let FoundFinding {
        finding, report, ..
    } = found;
    if finding.disposition == Disposition::Rejected && !takes_back {
        let name = findings::name_finding(&finding);
        let standing = findings::describe_standing(&finding, &report);
        return Err(RunError::usage(format!(
            "there is nothing to dismiss: {name} is {standing}"
        )));
    }
    if !takes_back {
        refuse_unlisted(&finding)?;
    }
    let proposal = proposals::list_proposals(start)?
        .into_iter()
        .find(|line| line.dismissal.fingerprint == finding.fingerprint);
    if takes_back && proposal.is_none() && !is_dismissed(&finding, start)? {
        let name = findings::name_finding(&finding);
        return Err(RunError::usage(format!(
            "there is nothing to take back: {name} is not dismissed"
        ))
        .hint("`git council explain ID` says how a finding stands"));
    }
    let accepted = match (request.decision, proposal) {
        (FindingDecision::AcceptProposal, Some(line)) => {
            Some(accepted_proposal(line, &finding, start)?)
        }
        (FindingDecision::AcceptProposal, None) => return Err(nothing_proposed(&finding)),
        _ => None,
    };
    let mut dismissal = accepted.unwrap_or_else(|| Dismissal {
        fingerprint: finding.fingerprint.clone(),
        severity: Some(finding.finding.severity),
        classes: meant_classes(&finding).into_iter().collect(),
        said: SaidProblem::of(&finding.finding),
        ground: request.ground,
        because: request.because.clone(),
        by: String::new(),
        at: RealWorld::new().read_calendar().rfc3339,
    });
    if !is_reason(&dismissal.because) && !takes_back {
        return Err(unreasoned(&dismissal.because));
    }
    dismissal.because = reason_without_secrets(dismissal.because.trim(), &report, start)?;
    match &start.started_by {
        Some(agent) => propose(dismissal, agent, &finding, request.decision, start),
        None => decide(dismissal, &finding, takes_back, start),
    }
}

/// What is copied from an example with its dots is told back: an empty reason is not what its author sees.
fn unreasoned(because: &str) -> RunError {
    let none = match Untrusted::new(because.trim()).line() {
        none if none.is_empty() => String::new(),
        given => format!(", and {given:?} is none"),
    };
    RunError::usage(format!("a dismissal needs a reason{none}"))
        .hint("say why: git council dismiss ID --because 'the input is a constant'")
}

/// What an agent proposed, as a person's decision. It covers what the agent spoke of and nothing worse: whoever accepts has
/// read that sentence.
fn accepted_proposal(
    line: DismissalLine,
    finding: &JudgedFinding,
    start: &RunContext,
) -> Result<Dismissal, RunError> {
    let name = findings::name_finding(finding);
    match ProposalReports::load(start)?.state_of(&line) {
        ProposalState::Open(_) => Ok(Dismissal {
            by: String::new(),
            at: RealWorld::new().read_calendar().rfc3339,
            ..line.dismissal
        }),
        ProposalState::Outgrown(now) => {
            let what = format!(
                "{name} is worse than what was proposed to be dismissed, or about something else: {}",
                describe_as_it_is(&now)
            );
            Err(RunError::usage(Untrusted::new(&what).line()).hint(format!(
                "to dismiss it for a reason of your own: git council dismiss {} --because '…'",
                finding.fingerprint
            )))
        }
        ProposalState::Lapsed => Err(RunError::usage(format!(
            "the last review does not have {name}: its code has changed since, and the proposal lapsed"
        ))
        .hint("what waits for you: git council dismiss --proposed")),
    }
}

/// How bad a finding is, where it stands, and what it says.
fn describe_as_it_is(finding: &JudgedFinding) -> String {
    let severity = finding.finding.severity.as_str();
    format!("{severity}: {}", findings::describe_finding(finding))
}

/// A reason stands on every surface from now on: it names no secret, and none of the change that it is about.
fn reason_without_secrets(
    because: &str,
    report: &Report,
    start: &RunContext,
) -> Result<String, RunError> {
    let because = user_redactor(start)?.redact_words(because).text;
    Ok(match redactor_of_report(report, start) {
        Some(known) => known.redact_words(&because).text,
        None => because,
    })
}

/// Whether somebody's dismissal of it holds: this user's latest word, else what its report heard of others.
fn is_dismissed(finding: &JudgedFinding, start: &RunContext) -> Result<bool, RunError> {
    let decisions = dismissals::own_decisions(start)?;
    let own = decisions.get(&finding.fingerprint).map(Option::is_some);
    Ok(own.unwrap_or(finding.dismissed.is_some()))
}

/// A number means a finding of this branch: under a reason that was meant for that one, another would be gone.
fn refuse_other_branch(found: &FoundFinding) -> Result<(), RunError> {
    let Some(elsewhere) = found.elsewhere.as_ref().filter(|one| one.is_other_branch) else {
        return Ok(());
    };
    let finding = &found.finding;
    let refused = RunError::usage(format!(
        "{} stands in a report {}",
        findings::name_finding(finding),
        elsewhere.about
    ));
    let that_one = format!(
        "to dismiss that one: git council dismiss {} --because '…'",
        finding.fingerprint
    );
    Err(refused
        .hint("for the findings of this branch: git council review HEAD")
        .hint(that_one))
}

/// Nobody was shown what a finding stands for that is listed nowhere: nobody has a reason why it does not count.
fn refuse_unlisted(finding: &JudgedFinding) -> Result<(), RunError> {
    let (name, rule) = (findings::name_finding(finding), &finding.finding.rule);
    let problems = match finding.count_unlisted() {
        0 => return Ok(()),
        1 => "1 more problem that is".to_owned(),
        many => format!("{many} more problems that are"),
    };
    let refused = RunError::usage(format!(
        "{name} cannot be dismissed: it stands for {problems} not listed"
    ));
    let refused = refused.hint("fix what is listed, and review again: then others of them are");
    Err(match rule {
        Some(rule) if council_builtin::explain_rule(rule).is_some() => refused.hint(format!(
            "if the rule is wrong here: git council explain {rule} says how to set it"
        )),
        _ => refused,
    })
}

/// What a person decides holds from now on.
fn decide(
    mut dismissal: Dismissal,
    finding: &JudgedFinding,
    restored: bool,
    start: &RunContext,
) -> Result<String, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let git = UserGit::new(&start.dir, &start.git_environment()).map_err(RunError::usage)?;
    dismissal.by = git.identity().ok_or_else(|| {
        RunError::usage("git does not know who you are, but a dismissal needs an author")
            .hint("git config --global user.name 'Your Name'")
            .hint("git config --global user.email you@example.com")
    })?;
    let Some(dir) = place.memory_dir() else {
        return Err(RunError::usage("this is not a git repository"));
    };
    let journal = DismissalJournal::new(&dir, start.signing_key());
    let log = journal.read_log();
    let decided = log.own.iter().filter_map(|read| match &read.line {
        NoteLine::Dismissal(line) => Some(line),
        NoteLine::Verdict(_) => None,
    });
    dismissal.at = time_of_decision(&dismissal.at, &dismissal.fingerprint, decided);
    let line = NoteLine::Dismissal(dismissal_line(dismissal, finding, restored));
    let kept = journal.append_line(&line.body());
    kept.map_err(|error| RunError::run(format!("cannot keep the dismissal: {error}")))?;
    let settings = settings::branch_config(start)?.settings;
    if notes::are_written(&settings.notes, start) {
        let text = dismissals::note_line(&line, &git, &settings.notes)?;
        let object = CouncilNotes::open(&start.dir, &start.git_environment())?.empty_tree();
        git::add_line(&git, &dir, &object, &text).map_err(RunError::run)?;
    }
    proposals::settle_proposal(&finding.fingerprint, start)?;
    let done = if restored {
        "counts again"
    } else {
        "is dismissed until its code changes"
    };
    // Nobody looked at what is not named: who decides is told what else the decision covers.
    let rest = rest_words(&finding.finding.description);
    let covered = rest.map(|rest| {
        format!(
            "This covers what it stands for, too, and nothing new: {}\n",
            Untrusted::new(&rest).line()
        )
    });
    let left = if restored {
        String::new()
    } else {
        tell_left(finding)
    };
    Ok(format!(
        "{}, fingerprint {}, {done}\n{}{left}",
        findings::name_finding(finding),
        finding.fingerprint,
        covered.unwrap_or_default()
    ))
}

/// The other problems of a dismissed finding's line, which count on: nobody spoke of them.
fn tell_left(finding: &JudgedFinding) -> String {
    let tell = |member: &FindingMember| {
        let said = &member.finding;
        let words = format!("({}, {}) {}", said.category, member.judge, said.description);
        format!(
            "This leaves another problem of its line, which the next review counts as a finding of its own: {}\n",
            Untrusted::new(&words).line()
        )
    };
    finding.problems_beside().into_iter().map(tell).collect()
}

/// What an agent asks for waits for a person.
fn propose(
    mut dismissal: Dismissal,
    agent: &str,
    finding: &JudgedFinding,
    decision: FindingDecision,
    start: &RunContext,
) -> Result<String, RunError> {
    if decision != FindingDecision::Dismiss {
        let refused = format!("{agent} is a coding agent: only a person decides about a dismissal");
        return Err(RunError::usage(refused).hint("run this yourself, in a shell of your own"));
    }
    dismissal.by = agent.to_owned();
    proposals::keep_proposal(&dismissal_line(dismissal, finding, false), start)?;
    Ok(format!(
        "{} still counts: its dismissal is proposed, and a person decides.\nTo dismiss it: git council dismiss {} --accept\n",
        findings::name_finding(finding),
        finding.fingerprint
    ))
}

fn dismissal_line(dismissal: Dismissal, finding: &JudgedFinding, restored: bool) -> DismissalLine {
    DismissalLine {
        v: LINE_VERSION,
        dismissal,
        finding: findings::describe_finding(finding),
        restored,
    }
}

fn nothing_proposed(finding: &JudgedFinding) -> RunError {
    let name = findings::name_finding(finding);
    RunError::usage(format!("no agent has proposed to dismiss {name}"))
        .hint("dismiss it for a reason of your own: --because '…'")
}

/// What agents have asked for, how its findings stand now, and how to take it over.
pub(crate) fn describe_proposals(start: &RunContext) -> Result<String, RunError> {
    let proposals = proposals::list_proposals(start)?;
    if proposals.is_empty() {
        return Ok("no coding agent has asked for a dismissal\n".to_owned());
    }
    let reports = ProposalReports::load(start)?;
    let described = proposals
        .iter()
        .map(|line| describe_proposal(line, &reports.state_of(line)));
    Ok(described.collect())
}

fn describe_proposal(line: &DismissalLine, state: &ProposalState) -> String {
    let clean = |text: &str| Untrusted::new(text).line();
    let DismissalLine {
        dismissal, finding, ..
    } = line;
    let (by, because) = (clean(&dismissal.by), clean(&dismissal.because));
    let fingerprint = clean(&dismissal.fingerprint);
    let (shown, next) = match state {
        ProposalState::Open(now) => (
            clean(&describe_as_it_is(now)),
            format!("git council dismiss {fingerprint} --accept"),
        ),
        ProposalState::Outgrown(now) => (
            clean(&describe_as_it_is(now)),
            "it is worse now, or about something else: the proposal does not cover it".to_owned(),
        ),
        ProposalState::Lapsed => (
            clean(finding),
            "lapsed: the last review does not have this finding, its code has changed".to_owned(),
        ),
    };
    // What the agent gave its reason for, where judges say something else of the same line now.
    let then = match shown.ends_with(&clean(finding)) {
        true => String::new(),
        false => format!("  proposed when it said: {}\n", clean(finding)),
    };
    format!("{shown}\n{then}  {by}: {because}\n  {next}\n")
}
