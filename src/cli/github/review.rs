//! `git council review --pr N` and `--event`: a pull request from its number to its verdict on every surface.

use std::sync::Arc;

use council_protocol::coverage::FileCoverage;
use council_protocol::{CoverageState, Packet, RepoPath, Side};

use crate::cli::Start;
use crate::cli::commands::review::ReviewArgs;
use crate::cli::convene;
use crate::cli::deliver::Surfaces;
use crate::cli::digests::{self, Ahead};
use crate::cli::error::CliError;
use crate::cli::prepare::{Prepared, prepare_spec};
use crate::git::TargetSpec;
use crate::publish::look;
use crate::publish::{self, Found, Seen, State, Surface, Wishes};
use crate::report::{CheckConclusion, exit};
use crate::session::Interrupts;

use super::forge::Forge;
use super::open_check::OpenCheck;
use super::publishing::{
    file_digests, look_around, moved, show, wishes, without_report, write_sarif,
};
use super::subject::{Case, find};

/// Reviews what flags or event name, and publishes it where it was asked for.
pub(crate) fn review(args: &ReviewArgs, start: &Start) -> Result<u8, CliError> {
    let forge = Forge::open(&args.forge, start)?;
    let hub = forge.hub();
    let mut subject = match find(&args.forge, &forge, &hub, start)? {
        Case::Subject(subject) => subject,
        Case::Nothing(why) => {
            start
                .console
                .warning(&format!("nothing is reviewed: {why}"));
            return Ok(exit::OK);
        }
        Case::Moved { meant, now } => return Err(moved(&meant, &now)),
    };
    let proposal = subject.proposal(&args.forge, &forge, &hub, start)?;
    let mut prepared = prepare_spec(args, start, TargetSpec::Proposal(proposal))?;
    let start = start.configured(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let mut wishes = wishes(&args.forge, &forge, &subject, Some(&settings));
    wishes.lines = publish::DiffLines::of_files(&prepared.packet.files);
    wishes.files = file_digests(&prepared.change, &prepared.packet.files);
    let Ahead { key, rules } = digests::ahead(&prepared, args.council.deep)?;
    wishes.rules = rules;
    let (mut seen, troubles) = look_around(&mut subject, &hub, &wishes);
    let before = seen.state().filter(|_| !args.forge.full);
    if let Some(known) = before
        .as_ref()
        .filter(|state| is_recognised(state, &key, &seen, &wishes))
    {
        return recognised(known, &wishes, &start);
    }
    let again = narrow(&mut prepared, before.as_ref(), &wishes);
    // From here on somebody sees that we are at work: whoever ends us is heard, and it is said.
    let interrupts = Interrupts::from_now_on()
        .map_err(|error| CliError::run(format!("cannot hear signals: {error}")))?;
    let check = OpenCheck::begin(
        &hub,
        &mut seen,
        &wishes,
        troubles
            .iter()
            .any(|(surface, _)| *surface == Surface::Check),
    );
    let blobs = Arc::clone(&prepared.change.blobs);
    let mut report =
        match convene::review(prepared, args.council.deep, true, None, interrupts, &start) {
            Ok(report) => report,
            Err(error) => {
                check.end(
                    without_report(args.forge.advisory),
                    "the council broke down",
                    &error.message,
                );
                return Err(error);
            }
        };
    report.receipt.run.recognition_key = Some(key);
    if let Some(before) = &before {
        let judged = |path: &RepoPath| {
            again
                .as_ref()
                .is_none_or(|kept| !kept.contains(&path.display().into_owned()))
        };
        let read = |path: &RepoPath| match blobs.read(Side::New, path) {
            Ok(Some(bytes)) => Found::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(None) => Found::Gone,
            Err(_) => Found::Unreadable,
        };
        wishes.carried = before.carry(&report, &judged, &read);
        publish::absorb(&mut report, &wishes.carried);
    }
    let file = args
        .output
        .output
        .as_deref()
        .map(|file| start.dir.join(file));
    let delivered = Surfaces {
        gate: wishes.gate,
        ..Surfaces::of(&settings, file.as_deref())
    }
    .deliver(&report, &start.console);
    write_sarif(&report, &args.forge, &mut wishes, &start)?;
    if let Some(pull) = seen
        .pull
        .as_ref()
        .map(|pull| pull.number)
        .filter(|_| forge.has_token)
    {
        // Just before anything is posted: is it still about the tip? (T14)
        match look::talk(&hub, pull, &wishes.council) {
            Ok(now) if now.pull.head != wishes.head => {
                let error = moved(&wishes.head, &now.pull.head);
                check.end(CheckConclusion::Cancelled, "superseded", &error.message);
                return Err(error);
            }
            Ok(now) => (seen.threads, seen.reviews) = (Some(now.threads), now.reviews),
            Err(error) => start.console.warning(&error.to_string()),
        }
    }
    let code = show(&report, &seen, troubles, &wishes, &hub, &start);
    check.told();
    Ok(if code == exit::OK { delivered } else { code })
}

/// Whether the verdict of the last run is this one's: its own report says so, nobody edited it, and where checks are used
/// the check on this very commit says the same, which only the program can write.
fn is_recognised(state: &State, key: &str, seen: &Seen, wishes: &Wishes) -> bool {
    let check = seen
        .check
        .as_ref()
        .is_some_and(|check| check.completed && check.external_id.ends_with(&key[..32]));
    let witnessed = check || !wishes.surfaces.contains(&Surface::Check);
    state.recognises(key) && state.head == wishes.head && witnessed
}

/// Nothing changed: the verdict stands where it stands, and nobody is asked.
fn recognised(state: &State, wishes: &Wishes, start: &Start) -> Result<u8, CliError> {
    use crate::council::outcome::Verdict;
    use crate::report::FailOn;
    start.console.print(&format!(
        "{}\nrecognised: nothing changed since {}, which judged this; nobody was asked again\n",
        state.headline, state.run
    ))?;
    let fails = match state.verdict {
        Verdict::Fail => true,
        Verdict::Warn => wishes.gate.fail_on == FailOn::Warn,
        _ => false,
    };
    if wishes.surfaces.contains(&Surface::Outputs) {
        let pairs = [
            ("verdict", state.verdict.word().to_ascii_lowercase()),
            ("reason", state.reason.word().to_owned()),
            ("recognised", "true".to_owned()),
        ];
        use crate::publish::Job as _;
        let written = super::job::Runner::of(start).outputs(&pairs);
        written.map_err(|error| CliError::output("the outputs", &error))?;
    }
    Ok(if fails { exit::FAIL } else { exit::OK })
}

/// Takes out what was judged before under the same rules; says which files those are. Nothing is taken out when nothing
/// would be left: a council over nothing has no verdict.
fn narrow(prepared: &mut Prepared, before: Option<&State>, wishes: &Wishes) -> Option<Vec<String>> {
    let before = before?;
    let kept = before.judged_before(&wishes.files, &wishes.rules);
    let is_kept = |path: &RepoPath| kept.contains(&path.display().into_owned());
    let left = prepared
        .packet
        .coverage
        .files
        .iter()
        .any(|file| file.state == CoverageState::Reviewed && !is_kept(&file.path));
    if kept.is_empty() || !left {
        return None;
    }
    let reason = format!(
        "unchanged since it was reviewed at {}",
        before.head.get(..12).unwrap_or(&before.head)
    );
    let packet: &mut Packet = Arc::make_mut(&mut prepared.packet);
    for file in packet.files.iter_mut().filter(|file| is_kept(&file.path)) {
        file.hunks = Vec::new();
    }
    let seen_before = |file: &&mut FileCoverage| is_kept(&file.path) && file.state.is_complete();
    for file in packet.coverage.files.iter_mut().filter(seen_before) {
        if file.state == CoverageState::Reviewed {
            file.state = CoverageState::Skipped {
                reason: reason.clone(),
            };
        }
    }
    prepared.coverage = Arc::new(prepared.packet.coverage.clone());
    prepared.notes.push(format!(
        "{} of {} changed files are unchanged since the last review and were not reviewed again",
        kept.len(),
        wishes.files.len()
    ));
    Some(kept)
}
