//! Every reader of text that others write, over any bytes: for `fuzz/` and for the test that plays its corpus. A reader may
//! refuse; it may not panic, overflow the stack, or break what it promises.

use std::path::Path;

pub use council_agents::fuzz::{lines, streams};

use crate::config::{ConfigLayer, LayerSource, resolve_layers};
use crate::council::extract::{ExpectedEcho, extract_answer as extract};
use crate::council::plan::{ConsensusRule, VerdictPolicy};
use crate::duel::protocol::check::check_transcript;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::git::{RefUpdate, patch as patches};
use crate::memory::line;
use crate::publish::WorkflowEvent;
use crate::report::{self, CheckConclusion, GatePolicy};
use crate::session::stage::StageSettings;
use council_protocol::RoundNumber;
use council_secrets::Redactor;

/// A reader over any bytes.
pub type Target = fn(&[u8]);

/// The targets by their names, which are those of `fuzz/fuzz_targets` and `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 15] = [
    ("answer", answer),
    ("claim", claim),
    ("config", config),
    ("jsonc", jsonc),
    ("lines", lines),
    ("notes", notes),
    ("objects", objects),
    ("patch", patch),
    ("push", push),
    ("rdjson", rdjson),
    ("sarif", sarif),
    ("secrets", secrets),
    ("streams", streams),
    ("transcript", transcript),
    ("webhook", webhook),
];

/// The events that are reviewed on.
const EVENTS: [&str; 9] = [
    "pull_request",
    "pull_request_target",
    "merge_group",
    "workflow_run",
    "issue_comment",
    "push",
    "workflow_dispatch",
    "repository_dispatch",
    "other",
];

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The answer of a judge: none without the key of its turn.
pub fn answer(bytes: &[u8]) {
    let expected = |key| ExpectedEcho {
        round: RoundNumber::FIRST,
        key,
        judge: "a",
        others: &["b"],
        is_foreign: &|key| key == "foreign",
    };
    let raw = text(bytes);
    if extract(&raw, expected("k1")).is_ok() {
        assert!(
            raw.contains("k1") || raw.contains('\\'),
            "an answer without its key"
        );
        assert!(
            extract(&raw, expected("k2")).is_err(),
            "an answer of any turn"
        );
    }
}

/// A report of a job without rights: whatever it says, it is no green check, and it can be shown.
pub fn claim(bytes: &[u8]) {
    let policy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };
    let Ok(report) = report::json::parse(&text(bytes)) else {
        return;
    };
    let terms = report::ClaimTerms {
        policy,
        consensus: ConsensusRule::Findings,
        dismissed: &[],
    };
    if let Ok(claim) = report::accept_claim(report, &terms) {
        let line = claim.bottom_line(GatePolicy::default());
        let is_green = matches!(
            line.conclusion,
            CheckConclusion::Success | CheckConclusion::Skipped
        );
        assert!(!is_green, "a claim ended green: {}", line.headline);
        let _ = report::markdown::render(&claim, report::markdown::MarkdownOptions::default());
    }
}

/// Objects of a repository: commits, trees, files.
pub fn objects(bytes: &[u8]) {
    crate::git::read_any_object(bytes);
}

/// `council.toml` of a repository: nothing that only a user may set is set by it.
pub fn config(bytes: &[u8]) {
    for source in [LayerSource::Worktree, LayerSource::User] {
        let _ = resolve_layers(&[ConfigLayer::File {
            source,
            name: "council.toml".to_owned(),
            text: text(bytes).into_owned(),
        }]);
    }
}

/// Settings of stages: JSON with comments.
pub fn jsonc(bytes: &[u8]) {
    let _ = StageSettings::parse(&text(bytes), Path::new("settings.json"), "plan", None);
}

/// Lines of notes: what is read is read again from what its signature covers.
pub fn notes(bytes: &[u8]) {
    for text in text(bytes).lines() {
        if let Some(read) = line::parse_line(text) {
            let again = line::parse_line(&read.body).map(|read| read.line);
            assert_eq!(again, Some(read.line), "a body is another line");
        }
    }
}

/// A patch: its files are in path order, each once.
pub fn patch(bytes: &[u8]) {
    if let Ok(files) = patches::parse_patch(bytes) {
        assert!(files.is_sorted_by(|a, b| a.path < b.path), "out of order");
        files.iter().for_each(|file| drop(file.unified()));
    }
}

/// What git says to a pre-push hook.
pub fn push(bytes: &[u8]) {
    for update in RefUpdate::parse_all(&text(bytes)).into_iter().flatten() {
        let _ = (update.is_deletion(), update.is_named_as_notes());
    }
}

/// Reports of tools, as rdjson.
pub fn rdjson(bytes: &[u8]) {
    council_agents::fuzz::rdjson(&text(bytes));
}

/// Reports of tools, as SARIF.
pub fn sarif(bytes: &[u8]) {
    council_agents::fuzz::sarif(&text(bytes));
}

/// Text from which secrets are taken: lines stay lines, however often.
pub fn secrets(bytes: &[u8]) {
    let text = text(bytes);
    let shapes = Redactor::default();
    let values = shapes.knowing([(None, text.lines())]);
    for redactor in [&shapes, &values] {
        let words = |text: &str| redactor.redact_words(text).text;
        keeps_lines(&text, words);
        for path in [None, Some(".env"), Some("id_rsa")] {
            keeps_lines(&text, |text| redactor.redact_source(path, text).text);
        }
    }
}

fn keeps_lines(text: &str, redact: impl Fn(&str) -> String) {
    let ends = |text: &str| text.matches('\n').count();
    let once = redact(text);
    for shown in [redact(&once), once] {
        assert_eq!(ends(&shown), ends(text), "lines were lost: {shown}");
    }
}

/// Reads a DEBATE.md as the duel does.
pub fn transcript(bytes: &[u8]) {
    let transcript = DebateTranscript::parse(&text(bytes));
    let _ = (check_transcript(&transcript), transcript.is_concluded());
}

/// The payload of an event.
pub fn webhook(bytes: &[u8]) {
    if let Ok(payload) = serde_json::from_slice(bytes) {
        for name in EVENTS {
            let _ = WorkflowEvent {
                name,
                payload: &payload,
            }
            .find_trigger();
        }
    }
}
