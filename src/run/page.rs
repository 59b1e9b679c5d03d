//! What the page of a report shows beside it: the change and the prompts, from the run's own folder.

use std::fmt::Write as _;

use council_protocol::{FileChange, LineKind};
use council_secrets::Redactor;

use crate::report::Report;
use crate::report::html::{self, PageMaterial, PromptText};
use crate::run::bundle;
use crate::run::context::RunContext;
use crate::run::loaded::LoadedRun;
use crate::run::redaction::redactor_of_past;
use crate::run::replay::run_prompter;
use crate::run::store::{self, StoredRun};
use crate::session::stored;

/// The page's name in the folder of its run.
const PAGE_FILE: &str = "page.html";

/// The page of a report. Where its run is not here any more, findings show their quotes alone.
pub(crate) fn render_page(report: &Report, start: &RunContext) -> String {
    let past = store::find_run(start, Some(&report.receipt.run.name)).ok();
    let material = past.and_then(|past| read_material(past, report, start));
    html::render(report, &material.unwrap_or_default())
}

/// Where the page of a run is kept.
pub(crate) fn page_path(past: &StoredRun) -> std::path::PathBuf {
    past.folder.join(PAGE_FILE)
}

/// The change and the prompts, if the folder holds the run that the report names.
fn read_material(past: StoredRun, report: &Report, start: &RunContext) -> Option<PageMaterial> {
    let left = LoadedRun::load(past, None).ok()?;
    if left.journal.header.started != report.receipt.run.started {
        return None;
    }
    let packet = stored::restore_packet(&left.packet, &left.journal.header, &left.plan).ok()?;
    let redactor = redactor_of_past(start, &packet).ok()?;
    let files = packet.files.into_iter();
    Some(PageMaterial {
        files: files.map(|file| redact_file(file, &redactor)).collect(),
        prompts: read_prompts(&left, &redactor, start),
    })
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
            // Writing to a string cannot fail.
            let _ = writeln!(body, "{marker}{}", lines.redact_line(line.text).text);
        }
        hunk.section = lines.redact_aside(&hunk.section).text;
        hunk.body = body;
    }
    file
}
