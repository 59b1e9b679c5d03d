//! Verdicts that stand in notes, whoever put them there: listed with who says so, and checked before they are believed.

use serde::Serialize;

use super::Start;
use super::commands::review::ReviewArgs;
use super::deliver::render;
use super::error::CliError;
use super::journal;
use super::prepare::prepare;
use super::settings;
use super::trust::{Signer, Trust, checked};
use crate::config::Format;
use crate::git::{self, GitError, Notebook, Place, Request, TargetSpec, recognition_key};
use crate::memory::Authors;
use crate::memory::line::{self, Line, Read, VerdictLine};
use crate::report::{Gate, Report};
use crate::text::Untrusted;

/// The most notes that are read.
const MOST_NOTES: usize = 10_000;

/// The fewest digits of an id that name a commit.
const FEWEST: usize = 4;

/// A verdict of a note.
pub(crate) struct Noted {
    /// The commit that the note is on.
    pub(crate) commit: String,
    /// What it says.
    pub(crate) verdict: VerdictLine,
    read: Read,
}

/// A note and what it is worth, for `--json`.
#[derive(Serialize)]
struct Told<'a> {
    commit: &'a str,
    counts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    verdict: &'a VerdictLine,
}

impl Noted {
    /// Whether a run of this repository left it.
    pub(crate) fn is_of(&self, report: &Report) -> bool {
        let run = &report.receipt.run;
        run.name == self.verdict.run && run.started == self.verdict.made
    }

    /// Who says so: a signer who counts, or nobody whose word does.
    pub(crate) fn voice(&self, trust: &Trust<'_>) -> String {
        match trust.signer(&self.read) {
            Ok(signer) => format!("signed by {}", signer.words()),
            Err(why) => format!("hearsay: {why}"),
        }
    }

    /// Whether it would be recognised here: a report that fits its line, over the change that is there today, signed by
    /// somebody who counts. Else why not.
    fn examine(&self, trust: &Trust<'_>) -> Result<Signer, String> {
        let line = &self.verdict;
        if checked(line).is_none() {
            return Err("its verdict does not follow from its report".to_owned());
        }
        if line.head != self.commit {
            return Err("it is about another commit than the one that it stands on".to_owned());
        }
        let spec = match &line.base {
            Some(base) => format!("{base}..{}", line.head),
            None => line.head.clone(),
        };
        let args = ReviewArgs {
            target: Some(spec),
            ..ReviewArgs::default()
        };
        let prepared = prepare(&args, trust.start)
            .map_err(|error| format!("its change cannot be read: {}", error.message))?;
        if recognition_key(&prepared.change, &prepared.packet.files) != line.patch_id {
            return Err("its digest is not the one of its change".to_owned());
        }
        let ci = trust.authors.is_some();
        let settings = &prepared.config.settings;
        let authors = ci.then(|| journal::authors(&prepared.packet.framing, trust.start));
        Trust::new(trust.start, trust.dir.clone(), settings, authors).signer(&self.read)
    }

    fn told(&self, worth: &Result<Signer, String>) -> String {
        let told = Told {
            commit: &self.commit,
            counts: worth.is_ok(),
            signer: worth.as_ref().ok().map(|signer| signer.key.as_str()),
            why: worth.as_ref().err().map(String::as_str),
            verdict: &self.verdict,
        };
        // Plain data with string keys: this cannot fail.
        let json = serde_json::to_string(&told).unwrap_or_default();
        crate::text::json_safe(&json) + "\n"
    }
}

/// Whose word counts in this repository where no change is at hand.
pub(crate) fn trust(start: &Start) -> Result<Trust<'_>, CliError> {
    let place = Place::discover(&start.dir, &start.git())?;
    let settings = settings::of_the_branch(start)?.settings;
    let authors = start.environment.is_ci().then(Authors::default);
    Ok(Trust::new(start, place.dir, &settings, authors))
}

/// Every verdict of the notes, the latest first; notes that cannot be read say nothing.
pub(crate) fn all(start: &Start) -> Vec<Noted> {
    let noted = |commit: &str, text: &str| {
        let read = line::read(text)?;
        let Line::Verdict(verdict) = read.line.clone() else {
            return None;
        };
        Some(Noted {
            commit: commit.to_owned(),
            verdict,
            read,
        })
    };
    let found = || -> Result<Vec<Noted>, GitError> {
        let book = Notebook::open(&start.dir, &start.git())?;
        let mut all = Vec::new();
        for object in book.objects()?.into_iter().take(MOST_NOTES) {
            let lines = book.lines(&object)?;
            all.extend(lines.iter().filter_map(|text| noted(&object, text)));
        }
        Ok(all)
    };
    let mut all = found().unwrap_or_default();
    all.sort_by(|a, b| b.verdict.made.cmp(&a.verdict.made));
    all
}

/// Those on a commit, named by its id, a part of it or a revision; or those of a run of that name.
pub(crate) fn find(start: &Start, name: &str) -> Vec<Noted> {
    let mut all = all(start);
    let id = name.to_ascii_lowercase();
    let hex = id.len() >= FEWEST && id.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = || {
        let request = Request {
            dir: start.dir.clone(),
            spec: TargetSpec::parse(name),
            pathspecs: Vec::new(),
            env: start.git(),
        };
        git::read(&request).ok()?.target.head
    };
    let head = if all.is_empty() { None } else { revision() };
    all.retain(|noted| {
        (hex && noted.commit.starts_with(&id))
            || noted.verdict.run == name
            || head.as_ref() == Some(&noted.commit)
    });
    all
}

/// Each with what it is worth, then its report as the note has it.
pub(crate) fn show(
    found: &[Noted],
    format: Format,
    json: bool,
    start: &Start,
) -> Result<String, CliError> {
    let trust = trust(start)?;
    let mut out = String::new();
    for noted in found {
        let worth = noted.examine(&trust);
        if json {
            out.push_str(&noted.told(&worth));
            continue;
        }
        let says = match &worth {
            Ok(signer) => format!("signed by {}: it counts here", signer.words()),
            Err(why) => format!("hearsay: {why}"),
        };
        let line = format!(
            "a note on {} says {}",
            noted.commit,
            noted.verdict.verdict.word()
        );
        out.push_str(&format!(
            "{}\n\n",
            Untrusted::new(&format!("{line} ({says})")).line()
        ));
        let look = start.console.look();
        out.push_str(&render(
            &noted.verdict.report,
            format,
            look,
            Gate::default(),
        ));
    }
    Ok(out)
}
