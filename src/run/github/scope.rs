//! Whether a report is about all of a pull request: the verdict of a part must not stand on the whole.

use council_protocol::packet::TargetKind;

use crate::git;
use crate::publish::{ReviewState, Surface};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::text::Untrusted;

use super::subject::PullSubject;

/// Refuses to publish a report about something else than the tip of the pull request: another commit, or what no pull
/// request has.
///
/// # Errors
/// `run`, with what the report is about and what the pull request is at.
pub(crate) fn refuse_other_change(report: &Report, subject: &PullSubject) -> Result<(), RunError> {
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let (target, label) = (&report.target, subject.label());
    let about = match target.head.as_deref() {
        Some(head) if head == subject.head => return Ok(()),
        // A worktree and an index stand on a commit, and are none.
        Some(head) => format!("commit {}", short(head)),
        None => match target.kind {
            TargetKind::Worktree => "uncommitted changes of a worktree".to_owned(),
            TargetKind::Staged => "staged changes".to_owned(),
            TargetKind::Patch => "a patch".to_owned(),
            TargetKind::File => "a document".to_owned(),
            TargetKind::Topic => "a question".to_owned(),
            _ => "no commit".to_owned(),
        },
    };
    let run = Untrusted::new(&report.receipt.run.name).line();
    let message = format!(
        "the report of {run} is about {about}, and {label} is at {}: nothing is posted",
        short(&subject.head)
    );
    Err(RunError::run(message)
        .hint(review_all(subject))
        .hint("or publish the run that reviewed that commit: git council publish RUN (`git council log` lists them)"))
}

/// Refuses to publish a report that knows nothing of what the last review left open on the pull request: nobody would be told
/// what has become of it, and the next review could not know.
///
/// # Errors
/// `run`, with what would be forgotten.
pub(crate) fn refuse_forgetting(
    report: &Report,
    before: Option<&ReviewState>,
    subject: &PullSubject,
) -> Result<(), RunError> {
    let Some(before) = before else {
        return Ok(());
    };
    // The report that stands there does not count itself. A name alone does not tell that it is the one: each clone counts
    // its runs of a day.
    let is_its_own = before.run == report.receipt.run.name && before.headline == report.headline();
    let unnamed = if is_its_own { before.lost } else { 0 };
    let forgotten = before.forgotten_by(report).saturating_sub(unnamed);
    if forgotten == 0 {
        return Ok(());
    }
    let message = format!(
        "the report of {} was made without what the last review of {} left open ({forgotten} of its findings; {}): nothing \
         is posted",
        Untrusted::new(&report.receipt.run.name).line(),
        subject.label(),
        before.headline
    );
    Err(RunError::run(message)
        .hint(review_all(subject))
        .hint("that tells what has become of each; or leave the last review behind: git council publish --full"))
}

/// Refuses to begin a review of some files that is to be shown on the page of all of them: a check tells nobody what it left
/// out.
///
/// # Errors
/// `usage`, with the surfaces on which a part may be shown.
pub(crate) fn refuse_pathspecs(pathspecs: &[String], surfaces: &[Surface]) -> Result<(), RunError> {
    let mut on_page = surfaces.iter().filter(|surface| !surface.is_of_job());
    let (Some(only), Some(surface)) = (pathspecs.first(), on_page.next()) else {
        return Ok(());
    };
    Err(RunError::usage(format!(
        "a review of part of a change (`-- {only}`) cannot be published as `{}`: people and branch protection would take it \
         for the verdict of the whole",
        surface.as_str()
    ))
    .hint("leave out the pathspecs; or show it in the job alone: --publish summary,annotations,outputs")
    .hint("files that nobody is to review belong into `review.ignore` of the trusted council.toml"))
}

/// The first digits of a commit's name.
fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// How the whole of it is reviewed.
fn review_all(subject: &PullSubject) -> String {
    match subject.number() {
        Some(number) => {
            format!("review all of it: git council review --pr {number} --publish comment,check")
        }
        None => "review all of it: git council review --event --publish check".to_owned(),
    }
}

/// Refuses to publish a report that leaves out commits of the pull request, or files of it.
///
/// # Errors
/// `run`, with what is left out; also where this repository does not have the commits that would tell.
pub(crate) fn refuse_part(
    report: &Report,
    subject: &PullSubject,
    start: &RunContext,
) -> Result<(), RunError> {
    let label = subject.label();
    let refuse = |why: String| {
        let run = Untrusted::new(&report.receipt.run.name).line();
        let error = format!("the report of {run} is not about all of {label}: {why}");
        Err(RunError::run(error).hint(review_all(subject)))
    };
    if !report.target.only.is_empty() {
        let only = report.target.only.join(" ");
        return refuse(format!("only {only} was reviewed"));
    }
    // The first commit of all is compared with nothing, and so leaves nothing out.
    let base = report.target.base.as_ref();
    let Some(base) = base.filter(|base| *base != git::EMPTY_TREE) else {
        return Ok(());
    };
    let env = start.git_environment();
    let tips = subject.base_names();
    if tips.is_empty() {
        return Ok(());
    }
    let mut known = tips
        .iter()
        .filter_map(|tip| git::leaves_nothing_out(&start.dir, &env, base, tip, &subject.head).ok());
    match known.next() {
        Some(true) => Ok(()),
        Some(false) => {
            let base = short(base);
            refuse(format!(
                "it compares with {base}, and commits before that one belong to it"
            ))
        }
        None => {
            let is_here = |commit: &str| git::commit_at(&start.dir, &env, commit).is_ok();
            let (missing, hint) = match (is_here(base), is_here(&subject.head)) {
                (false, _) => (
                    format!("commit {} that it compares with is not here", short(base)),
                    "fetch the target branch and publish again".to_owned(),
                ),
                (true, false) => (
                    format!(
                        "commit {}, which is reviewed, is not here",
                        short(&subject.head)
                    ),
                    match subject.number() {
                        Some(number) => {
                            format!("git fetch origin pull/{number}/head, and publish again")
                        }
                        None => "fetch that commit and publish again".to_owned(),
                    },
                ),
                (true, true) => (
                    "the history between it and the target branch is not here".to_owned(),
                    "git fetch --unshallow, or fetch the target branch, and publish again"
                        .to_owned(),
                ),
            };
            let run = Untrusted::new(&report.receipt.run.name).line();
            Err(RunError::run(format!(
                "cannot tell whether the report of {run} is about all of {label}: {missing}"
            ))
            .hint(hint)
            .hint(review_all(subject)))
        }
    }
}
