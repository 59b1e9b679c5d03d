//! What the page of a report shows beside it: the change and the prompts, from the run's own folder.

use std::collections::HashSet;
use std::fmt::Write as _;

use council_protocol::{FileChange, LineKind, Packet, RepoPath};
use council_secrets::Redactor;

use crate::packet::PACKET_FILE;
use crate::report::Report;
use crate::report::html::{self, PageMaterial, PromptText};
use crate::report::markdown::ReadingPlace;
use crate::run::bundle;
use crate::run::context::RunContext;
use crate::run::lines_beside::add_quoted_lines;
use crate::run::loaded::LoadedRun;
use crate::run::past_prompts::run_prompter;
use crate::run::redaction::{redactor_of_past, user_redactor_for};
use crate::run::store::{self, StoredRun};
use crate::session::stored;

/// The page's name in the folder of its run.
const PAGE_FILE: &str = "page.html";

/// The most bytes of a stored change that is read for a report at a terminal.
const MAX_SHOWN_PACKET: u64 = 4 << 20;

/// The most bytes of one file that are read for it: all of them are searched for secrets, to show a few lines.
const MAX_SHOWN_FILE: usize = 1 << 20;

/// The page of a report. Where its run is not here any more, findings show their quotes alone.
pub(crate) fn render_page(report: &Report, start: &RunContext) -> String {
    page_at(ReadingPlace::Clone, report, start)
}

/// The same for readers of what a job leaves, who have neither the run nor the program.
pub(crate) fn render_artefact(report: &Report, start: &RunContext) -> String {
    match start.environment.is_ci() {
        true => page_at(ReadingPlace::Forge, report, start),
        false => render_page(report, start),
    }
}

fn page_at(place: ReadingPlace, report: &Report, start: &RunContext) -> String {
    let past = store::find_run(start, Some(&report.receipt.run.name)).ok();
    let material = past.and_then(|past| read_material(past, report, start));
    let material = material.unwrap_or_default();
    html::render(report, &PageMaterial { place, ..material })
}

/// Where the page of a run is kept.
pub(crate) fn page_path(past: &StoredRun) -> std::path::PathBuf {
    past.folder.join(PAGE_FILE)
}

/// The files in which a report has findings, as the change has them, with the lines that are quoted beside its hunks;
/// none where its run is not here any more, or where the change is so large that nobody wants to wait for it. No line
/// has a secret.
pub(crate) fn shown_files(report: &Report, start: &RunContext) -> Vec<FileChange> {
    let findings = report.outcome.findings.iter();
    let named: HashSet<&RepoPath> = findings.map(|f| &f.finding.location.path).collect();
    let past = (!named.is_empty()).then(|| store::run_of_name(start, &report.receipt.run.name));
    let Some(past) = past.flatten().filter(has_small_packet) else {
        return Vec::new();
    };
    // Lines of a file are shown without what looks like a secret: nothing has to be known of the rest of the change.
    let read = || {
        let (left, packet) = read_change(past, report)?;
        Some((packet, user_redactor_for(&left.past, start).ok()?))
    };
    let Some((packet, redactor)) = read() else {
        return Vec::new();
    };
    let files = packet
        .files
        .into_iter()
        .filter(|file| named.contains(&file.path) && is_small(file));
    let mut files = files
        .map(|file| redact_file(file, &redactor))
        .collect::<Vec<_>>();
    add_quoted_lines(&mut files, report, &redactor, start);
    files
}

fn has_small_packet(past: &StoredRun) -> bool {
    let packet = past.folder.join(PACKET_FILE);
    packet
        .metadata()
        .is_ok_and(|packet| packet.len() <= MAX_SHOWN_PACKET)
}

fn is_small(file: &FileChange) -> bool {
    let size: usize = file.hunks.iter().map(|hunk| hunk.body.len()).sum();
    size <= MAX_SHOWN_FILE
}

/// The change and the prompts, if the folder holds the run that the report names.
fn read_material(past: StoredRun, report: &Report, start: &RunContext) -> Option<PageMaterial> {
    let (left, packet) = read_change(past, report)?;
    let redactor = redactor_of_past(&left.past, &packet, start).ok()?;
    let files = packet.files.into_iter();
    let mut files: Vec<FileChange> = files.map(|file| redact_file(file, &redactor)).collect();
    add_quoted_lines(&mut files, report, &redactor, start);
    Some(PageMaterial {
        files,
        prompts: read_prompts(&left, &redactor, start),
        place: ReadingPlace::default(),
    })
}

/// What knows the secrets of the change that a report is about; none where its run is not here any more.
pub(crate) fn redactor_of_run(
    past: &StoredRun,
    report: &Report,
    start: &RunContext,
) -> Option<Redactor> {
    let (_, packet) = read_change(past.clone(), report)?;
    redactor_of_past(past, &packet, start).ok()
}

/// The same for a report whose run may lie anywhere among the runs.
pub(crate) fn redactor_of_report(report: &Report, start: &RunContext) -> Option<Redactor> {
    let past = store::run_of_name(start, &report.receipt.run.name)?;
    redactor_of_run(&past, report, start)
}

/// The run that a report names, with its change.
fn read_change(past: StoredRun, report: &Report) -> Option<(LoadedRun, Packet)> {
    let left = LoadedRun::load(past, None).ok()?;
    if left.journal.header.started != report.receipt.run.started {
        return None;
    }
    let packet = stored::restore_packet(&left.packet, &left.journal.header, &left.plan).ok()?;
    Some((left, packet))
}

/// What the judges were asked. A change that is not there any more cannot be told again.
fn read_prompts(left: &LoadedRun, redactor: &Redactor, start: &RunContext) -> Vec<PromptText> {
    let Ok(Some(prompter)) = run_prompter(left, start) else {
        return Vec::new();
    };
    let sent = bundle::sent_prompts(left, prompter);
    let shown = sent.into_iter().map(|(judge, round, text)| PromptText {
        title: format!("{judge}, round {round}"),
        text: redactor.redact_words(&text).text,
    });
    shown.collect()
}

/// The same file without secrets in its hunks.
fn redact_file(mut file: FileChange, redactor: &Redactor) -> FileChange {
    let path = file.path.display().into_owned();
    for hunk in &mut file.hunks {
        let mut lines = redactor.lines(Some(&path));
        let mut body = String::with_capacity(hunk.body.len());
        for line in hunk.lines() {
            let marker = match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            let shown = lines.redact_line(line.text).text;
            // A page goes to whoever the job shows it to: a value that is known to be secret stands on no line of it.
            let shown = redactor.redact_words(&shown).text;
            // Writing to a string cannot fail.
            let _ = writeln!(body, "{marker}{shown}");
        }
        let section = lines.redact_heading(&hunk.section).text;
        hunk.section = redactor.redact_words(&section).text;
        hunk.body = body;
    }
    file
}
