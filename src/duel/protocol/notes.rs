//! What a transcript breaks, in words for the duel's report.

use super::check::{ProtocolViolation, check_transcript};
use super::transcript::{DebateSection, DebateTranscript};

/// Which rules were broken so that the duel ended as `violation`: by whom, and in which section.
pub(crate) fn violation_notes(transcript: &DebateTranscript) -> Vec<String> {
    let found = check_transcript(transcript);
    let fatal: Vec<_> = found.iter().filter(|v| v.rule.is_fatal()).collect();
    if fatal.is_empty() {
        return unfinished_note(transcript).into_iter().collect();
    }
    let mut notes: Vec<String> = fatal
        .iter()
        .take(MAX_NOTES)
        .map(|violation| violation_note(transcript, violation))
        .collect();
    notes.extend(more_note(fatal.len(), "broken rules"));
    notes
}

fn violation_note(transcript: &DebateTranscript, violation: &ProtocolViolation) -> String {
    let (rule, line) = (violation.rule.as_str(), violation.line);
    let section = section_at(transcript, line);
    let author = section.and_then(DebateSection::author);
    let by = author.map_or(String::new(), |role| format!(" by {role}"));
    let place = section.map_or(String::new(), |s| format!(" in `## {}`", s.heading));
    format!(
        "The protocol was broken{by}{place}, line {line}: {rule}: {}.",
        violation.detail
    )
}

/// A closing that ends the duel as `violation` though no rule was broken before it: it says so, or a section is half
/// written.
fn unfinished_note(transcript: &DebateTranscript) -> Option<String> {
    let (index, closing) = transcript.closing()?;
    let before = transcript.sections.get(index.checked_sub(1)?)?;
    let by = closing.author();
    let by = by.map_or_else(|| "somebody".to_owned(), |role| role.to_string());
    if before.is_complete() {
        return Some(format!(
            "{by} closed the debate as a violation, and names no rule."
        ));
    }
    let line = before.line;
    Some(format!(
        "The protocol was broken: {by} closed the debate while `## {}`, line {line}, was not signed.",
        before.heading
    ))
}

/// The section that a line belongs to.
fn section_at(transcript: &DebateTranscript, line: u32) -> Option<&DebateSection> {
    let mut sections = transcript.sections.iter().rev();
    sections.find(|section| section.line <= line)
}

/// The lapses of form in words, for the report: what does not end a duel, and `git council duel check` names.
pub(crate) fn lapse_notes(transcript: &DebateTranscript) -> Vec<String> {
    let found = check_transcript(transcript);
    let lapses: Vec<_> = found.iter().filter(|v| !v.rule.is_fatal()).collect();
    let mut notes: Vec<String> = lapses
        .iter()
        .take(MAX_NOTES)
        .map(|lapse| {
            let rule = lapse.rule.as_str();
            format!(
                "A lapse of form at line {} of the transcript: {rule}: {}.",
                lapse.line, lapse.detail
            )
        })
        .collect();
    notes.extend(more_note(lapses.len(), "lapses of form"));
    notes
}

/// How many of a kind are noted.
const MAX_NOTES: usize = 3;

fn more_note(all: usize, what: &str) -> Option<String> {
    let more = all.saturating_sub(MAX_NOTES);
    (more > 0).then(|| format!("{more} more {what}: `git council duel check` names them."))
}
