//! The calls of the [`crate::Backend`] trait as values: a line each on the stdio carrier, and what a host's own thread is
//! handed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::{Event, Failure, FailureKind, Hello, JudgeSpec, Message};
use crate::{BackendError, Capability, JudgeId};

/// One call of the program to a backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Request {
    /// What are you? The first request, answered by a line `{"type":"manifest",…}` with the fields that the page about
    /// backends lists.
    Manifest,
    /// Opens the backend; answered by `opened`.
    Open {
        /// The first thing that it is told.
        hello: Hello,
    },
    /// Starts a judge; answered by `started` or `failed`.
    Spawn {
        /// Who is to be seated.
        spec: JudgeSpec,
    },
    /// A probe or a turn.
    Send {
        /// A probe or a turn.
        message: Message,
    },
    /// Interrupts what the judge is doing; it stays. The turn comes back as failed with `cancelled`.
    Cancel {
        /// The judge whose turns are cancelled.
        judge: JudgeId,
    },
    /// Asks a judge to end within `grace_ms` milliseconds, then ends it; answered by `ended`.
    Shutdown {
        /// The judge that is to end.
        judge: JudgeId,
        /// How long it has to end by itself, in milliseconds.
        grace_ms: u64,
    },
    /// Ends everything that is left, at once; answered by `closed`.
    Close,
}

impl Request {
    /// The name of the call.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Open { .. } => "open",
            Self::Spawn { .. } => "spawn",
            Self::Send { .. } => "send",
            Self::Cancel { .. } => "cancel",
            Self::Shutdown { .. } => "shutdown",
            Self::Close => "close",
        }
    }

    /// The capability without which a backend may refuse this call as unsupported.
    pub fn needs(&self) -> Capability {
        match self {
            Self::Spawn { .. } => Capability::Spawn,
            Self::Send { .. } => Capability::Message,
            Self::Shutdown { .. } => Capability::Shutdown,
            other => Capability::Unknown(other.name().to_owned()),
        }
    }

    /// The event that tells a refusal, for carriers whose calls have returned before the backend has seen them.
    pub fn refusal_event(&self, error: &BackendError) -> Event {
        let failure = |otherwise| Failure::new(failure_kind(error, otherwise), error.to_string());
        match self {
            Self::Spawn { spec } => Event::Failed {
                judge: spec.seat.judge.clone(),
                turn: None,
                failure: failure(FailureKind::Spawn),
            },
            Self::Send {
                message: Message::Turn { judge, turn },
            } => Event::Failed {
                judge: judge.clone(),
                turn: Some(turn.id),
                failure: failure(FailureKind::Died),
            },
            Self::Send {
                message: Message::Probe { seat },
            } => Event::Failed {
                judge: seat.judge.clone(),
                turn: None,
                failure: failure(FailureKind::Unsupported),
            },
            call => Event::Error {
                message: format!("{} was refused: {error}", call.name()),
            },
        }
    }
}

fn failure_kind(error: &BackendError, otherwise: FailureKind) -> FailureKind {
    match error {
        BackendError::Unsupported(_) => FailureKind::Unsupported,
        BackendError::UnknownJudge(_) | BackendError::Closed => FailureKind::Died,
        BackendError::Other(_) => otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_object_with_its_name_as_type() {
        let request = Request::Shutdown {
            judge: "judge-1".into(),
            grace_ms: 30_000,
        };
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(
            json,
            r#"{"type":"shutdown","judge":"judge-1","grace_ms":30000}"#
        );
        assert_eq!(serde_json::from_str::<Request>(&json).unwrap(), request);
        assert!(json.contains(request.name()));
    }

    #[test]
    fn a_refused_turn_is_a_failed_turn() {
        let json = r#"{"type":"send","message":{"type":"turn","judge":"judge-1","turn":
            {"id":7,"round":2,"key":"k","task":{"task":"review"},"timeout_ms":1000}}}"#;
        let request: Request = serde_json::from_str(json).unwrap();
        let event = request.refusal_event(&BackendError::Unsupported(request.needs()));
        let Event::Failed {
            turn: Some(turn),
            failure,
            ..
        } = event
        else {
            panic!("{event:?}")
        };
        assert_eq!((turn.0, failure.kind), (7, FailureKind::Unsupported));
        assert_eq!(failure.detail, "the backend cannot message");
    }
}
