//! From a report to GitHub: looks, plans, applies, and says what could not be shown where.

use std::collections::BTreeMap;

use council_protocol::FileChange;

use crate::cli::Start;
use crate::cli::error::CliError;
use crate::config::Settings;
use crate::git::Proposal;
use crate::publish::look;
use crate::publish::{self, Action, Context, DiffLines, Hub, HubError, Seen, Surface, Wishes};
use crate::report::{self, CheckConclusion, Gate, Report, exit};

use super::args::ForgeArgs;
use super::forge::Forge;
use super::job::Runner;
use super::subject::{Case, Subject, find};

/// What is asked for, as far as it is known before the report is.
pub(crate) fn wishes(
    args: &ForgeArgs,
    forge: &Forge,
    subject: &Subject,
    settings: Option<&Settings>,
) -> Wishes {
    Wishes {
        surfaces: args.surfaces().collect(),
        inline: args.inline,
        gate: Gate {
            fail_on: settings
                .map(|settings| settings.review.fail_on)
                .unwrap_or_default(),
            advisory: args.advisory,
        },
        details_url: forge.job_url.clone(),
        ..Wishes::new(&args.council_name, &subject.head)
    }
}

/// What is there, and which surfaces could not be looked at.
pub(crate) fn look_around(
    subject: &mut Subject,
    hub: &Hub<'_>,
    wishes: &Wishes,
) -> (Seen, Vec<(Surface, HubError)>) {
    let wants = |surface| wishes.surfaces.contains(&surface);
    let mut seen = Seen {
        pull: subject.pull.clone(),
        ..Seen::default()
    };
    let mut troubles = Vec::new();
    if let Some(talk) = subject.talk.take() {
        seen.threads = Some(talk.threads);
        seen.reviews = talk.reviews;
        if let (true, Some(pull)) = (wants(Surface::Comment), &seen.pull) {
            match look::reports(hub, pull.number, &wishes.council, &talk.me, None) {
                Ok(comments) => seen.comments = comments,
                Err(error) => troubles.push((Surface::Comment, error)),
            }
        }
        seen.me = Some(talk.me);
    }
    if wants(Surface::Check) {
        match look::check(hub, &wishes.head, &wishes.check_name, &wishes.council) {
            Ok(check) => seen.check = check,
            Err(error) => troubles.push((Surface::Check, error)),
        }
    }
    (seen, troubles)
}

/// Plans and applies; says what went wrong, and how the program ends.
pub(crate) fn show(
    report: &Report,
    seen: &Seen,
    troubles: Vec<(Surface, HubError)>,
    wishes: &Wishes,
    hub: &Hub<'_>,
    start: &Start,
) -> u8 {
    let mut actions = publish::plan(report, seen, wishes);
    let failed = |surface: Surface| troubles.iter().any(|(trouble, _)| *trouble == surface);
    actions.retain(|action| !failed(action.surface()));
    let context = Context { hub, seen, wishes };
    let applied = publish::apply(actions, troubles, report, &context, &mut Runner::of(start));
    for done in &applied.done {
        if start.console.is_verbose() {
            start.console.log(done);
        }
    }
    for (surface, error) in &applied.failed {
        let hint = error
            .hint()
            .map(|hint| format!("; {hint}"))
            .unwrap_or_default();
        start
            .console
            .warning(&format!("{}: {error}{hint}", surface.word()));
    }
    for (surface, why) in &applied.missing {
        start.console.warning(&format!("{}: {why}", surface.word()));
    }
    let line = report.bottom_line(wishes.gate);
    match applied.is_published() {
        true => line.exit_code,
        false => line.unpublished(),
    }
}

/// The digest of each changed file's change, by its path.
pub(crate) fn file_digests(
    change: &crate::git::Change,
    files: &[FileChange],
) -> BTreeMap<String, String> {
    let one = |file: &FileChange| {
        let key = crate::git::recognition_key(change, std::slice::from_ref(file));
        (file.path.display().into_owned(), key[..24].to_owned())
    };
    files.iter().map(one).collect()
}

/// Writes the report as SARIF where it was asked for.
pub(crate) fn write_sarif(
    report: &Report,
    args: &ForgeArgs,
    wishes: &mut Wishes,
    start: &Start,
) -> Result<(), CliError> {
    let Some(file) = &args.sarif else {
        return Ok(());
    };
    let path = start.dir.join(file);
    std::fs::write(&path, report::sarif::render(report))
        .map_err(|error| CliError::output(&path.display().to_string(), &error))?;
    wishes
        .outputs
        .push(("sarif-path", path.display().to_string()));
    Ok(())
}

/// `git council publish`: a finished run, or a report from elsewhere, to the pull request that flags or event name.
pub(crate) fn publish(
    report: &Report,
    files: Option<&[FileChange]>,
    args: &ForgeArgs,
    gate: Gate,
    dry_run: bool,
    start: &Start,
) -> Result<u8, CliError> {
    let forge = Forge::open(args, start)?;
    let hub = forge.hub();
    let mut subject = match find(args, &forge, &hub, start)? {
        Case::Subject(subject) => subject,
        Case::Nothing(why) => {
            start
                .console
                .warning(&format!("nothing is published: {why}"));
            return Ok(exit::OK);
        }
        Case::Moved { meant, now } => return Err(moved(&meant, &now)),
    };
    let reviewed = report.target.head.clone().unwrap_or_default();
    if reviewed != subject.head {
        return Err(moved(&reviewed, &subject.head));
    }
    let mut wishes = Wishes {
        gate,
        ..wishes(args, &forge, &subject, None)
    };
    wishes.lines = match (files, &subject.pull) {
        (Some(files), _) => DiffLines::of_files(files),
        (None, Some(pull)) if wishes.surfaces.contains(&Surface::Review) => {
            look::lines(&hub, pull.number)?
        }
        _ => DiffLines::default(),
    };
    write_sarif(report, args, &mut wishes, start)?;
    let (seen, troubles) = look_around(&mut subject, &hub, &wishes);
    if !dry_run {
        return Ok(show(report, &seen, troubles, &wishes, &hub, start));
    }
    for (surface, error) in &troubles {
        start
            .console
            .warning(&format!("{}: {error}", surface.word()));
    }
    let mut text = String::new();
    for action in publish::plan(report, &seen, &wishes) {
        text.push_str(&format!(
            "{}: {}\n",
            action.surface().word(),
            action.describe()
        ));
        if start.console.is_verbose() {
            text.push_str(&sent(&action, &hub));
        }
    }
    if text.is_empty() {
        text.push_str("nothing to do: everything shows this report already\n");
    }
    start.console.print(&text)?;
    Ok(report.bottom_line(wishes.gate).exit_code)
}

/// What the flags or the event ask to be reviewed, its objects brought here; none: nothing, and that is no fault.
pub(crate) fn proposal(args: &ForgeArgs, start: &Start) -> Result<Option<Proposal>, CliError> {
    let forge = Forge::open(args, start)?;
    let hub = forge.hub();
    match find(args, &forge, &hub, start)? {
        Case::Subject(subject) => subject.proposal(args, &forge, &hub, start).map(Some),
        Case::Nothing(why) => {
            start
                .console
                .warning(&format!("nothing is reviewed: {why}"));
            Ok(None)
        }
        Case::Moved { meant, now } => Err(moved(&meant, &now)),
    }
}

/// What would be sent, as JSON whose hidden characters are escaped.
fn sent(action: &Action, hub: &Hub<'_>) -> String {
    let call = action.call(&hub.slug, None);
    let body = call
        .and_then(|call| call.body)
        .map(|body| format!("{body:#}\n"));
    crate::text::json_safe(&body.unwrap_or_default())
}

/// The commit that was judged is not the one that is there.
pub(crate) fn moved(meant: &str, now: &str) -> CliError {
    let short = |id: &str| id.get(..12).unwrap_or(id).to_owned();
    CliError::run(format!(
        "the pull request has moved on: {} was meant, and its tip is {}",
        short(meant),
        short(now)
    ))
    .hint("nothing was posted; the run for the new tip reports")
}

/// How a check ends that has no report.
pub(crate) fn without_report(advisory: bool) -> CheckConclusion {
    match advisory {
        true => CheckConclusion::Neutral,
        false => CheckConclusion::ActionRequired,
    }
}
