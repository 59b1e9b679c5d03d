//! Whether a file follows the rules of a duel.

use std::path::Path;

use crate::duel::protocol::check::{ProtocolViolation, check_transcript};
use crate::duel::protocol::transcript::{DebateSection, DebateTranscript, SectionKind};
use crate::run::error::RunError;
use crate::run::modes::duel_subject;
use crate::text::Untrusted;

/// What came of it.
pub(crate) struct CheckedDuel {
    /// Each violation with its line, or that there is none.
    pub(crate) told: String,
    /// Whether a violation would have ended the duel.
    pub(crate) is_broken: bool,
}

/// Names each violation of the rules.
pub(crate) fn check_duel_file(file: &Path) -> Result<CheckedDuel, RunError> {
    let text = duel_subject::read(file)
        .map_err(|error| error.hint("name the file of a duel: git council duel check FILE"))?;
    let transcript = DebateTranscript::parse(&text);
    let is_known = |section: &DebateSection| section.kind != SectionKind::Unknown;
    if transcript.subject.is_none() && !transcript.sections.iter().any(is_known) {
        let message = format!("{} is no transcript of a duel", file.display());
        return Err(RunError::usage(message).hint("a transcript begins with `## Opening`"));
    }
    let found = check_transcript(&transcript);
    let name = file
        .file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy()
        .into_owned();
    let line = |violation: &ProtocolViolation| {
        let detail = Untrusted::new(&violation.detail).line();
        let lapse = if violation.rule.is_fatal() {
            ""
        } else {
            "lapse: "
        };
        let (at, rule) = (violation.line, violation.rule.as_str());
        format!("{name}:{at}: {lapse}{rule}: {detail}\n")
    };
    let mut out: String = found.iter().map(line).collect();
    let is_broken = found.iter().any(|violation| violation.rule.is_fatal());
    if !is_broken {
        let ending = if transcript.is_concluded() {
            "concluded"
        } else {
            "not concluded yet"
        };
        let lapses = match found.len() {
            0 => String::new(),
            1 => " and 1 lapse of form".to_owned(),
            n => format!(" and {n} lapses of form"),
        };
        let sections = transcript.sections.len();
        out += &format!("{name}: {sections} sections, no violation{lapses}, {ending}\n");
    }
    Ok(CheckedDuel {
        told: out,
        is_broken,
    })
}
