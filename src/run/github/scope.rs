//! Whether a report is about all of a pull request: the verdict of a part must not stand on the whole.

use crate::git;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;

use super::subject::PullSubject;

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
        let error = RunError::run(format!("the report is not about all of {label}: {why}"));
        Err(match subject.number() {
            Some(number) => error.hint(format!(
                "review all of it: git council review --pr {number} --publish comment,check"
            )),
            None => error.hint("review all of it: git council review --event --publish check"),
        })
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
            let base = base.get(..12).unwrap_or(base);
            refuse(format!("it compares with {base}, and commits before that one belong to it"))
        }
        None => Err(RunError::run(format!(
            "cannot tell whether the report is about all of {label}: the commit that it is compared with is not here"
        ))
        .hint("fetch the target branch and publish again, or review and publish in one: git council review --pr N --publish …")),
    }
}
