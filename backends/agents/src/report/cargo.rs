//! Cargo's messages (`cargo clippy --message-format json`), an object a line.

use std::io::BufRead;

use council_protocol::{Failure, FailureKind, Severity};
use serde::Deserialize;

use super::stream::each_line;
use super::{HitSink, ToolHit};

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum CargoLine {
    CompilerMessage {
        message: CargoMessage,
    },
    BuildFinished {
        success: bool,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct CargoMessage {
    message: String,
    level: String,
    code: Option<CargoCode>,
    #[serde(default)]
    spans: Vec<CargoSpan>,
}

#[derive(Deserialize)]
struct CargoCode {
    code: String,
}

#[derive(Deserialize)]
struct CargoSpan {
    file_name: String,
    line_start: u32,
    line_end: u32,
    is_primary: bool,
    expansion: Option<Box<CargoExpansion>>,
}

/// The call of the macro that a span lies in.
#[derive(Deserialize)]
struct CargoExpansion {
    span: CargoSpan,
}

impl CargoSpan {
    /// Where the reviewed code brought it about: a macro of the standard library is written elsewhere.
    fn in_tree(self) -> Self {
        let is_elsewhere = self.file_name.starts_with(['/', '<']);
        match self.expansion {
            Some(expansion) if is_elsewhere => expansion.span.in_tree(),
            _ => self,
        }
    }
}

/// Hands what the lines report to `sink`. A build that failed has not looked at everything: without an error in any file
/// it has failed as a judge, and with one it has where that error is none of the change.
pub(super) fn read_hits(stream: impl BufRead, sink: &mut HitSink<'_>) -> Result<(), Failure> {
    let (mut is_built, mut has_error) = (None, false);
    let on_line = |line: &str| match serde_json::from_slice(line.as_bytes()) {
        Ok(CargoLine::CompilerMessage { message }) => {
            if let Some(hit) = hit_of(message) {
                has_error |= hit.severity == Severity::Critical;
                sink.offer(hit);
            }
        }
        Ok(CargoLine::BuildFinished { success }) => is_built = Some(success),
        Ok(CargoLine::Other) | Err(_) => {}
    };
    let failure = |kind, detail: &str| Err(Failure::new(kind, detail));
    if each_line(stream, on_line).is_err() {
        return failure(FailureKind::Oversized, "cargo wrote more than is read");
    }
    match is_built {
        Some(true) => Ok(()),
        Some(false) if has_error => {
            sink.tell_broken(UNBUILT);
            Ok(())
        }
        Some(false) => failure(FailureKind::Provider, UNBUILT),
        None => failure(
            FailureKind::Truncated,
            "cargo ended before its build was finished",
        ),
    }
}

const UNBUILT: &str = "cargo could not build the reviewed tree";

fn hit_of(message: CargoMessage) -> Option<ToolHit> {
    let severity = match message.level.as_str() {
        "error" => Severity::Critical,
        "warning" => Severity::Significant,
        _ => return None,
    };
    let mut spans = message.spans.into_iter();
    let span = spans.find(|span| span.is_primary)?.in_tree();
    Some(ToolHit {
        severity,
        rule: message.code.map(|code| code.code),
        message: message.message,
        path: span.file_name,
        line: span.line_start,
        end_line: Some(span.line_end),
        suggestion: None,
        page: None,
    })
}
