//! A council whose judges answer at once: what they say is known, or costs no time. No clock, no files, no helpers.

use std::collections::VecDeque;
use std::sync::Arc;

use council_protocol::message::{Ending, Usage};
use council_protocol::{Failure, JudgeId, Location, Proof, RoundNumber, Turn};

use super::engine::Council;
use super::exchange::{Action, Input};
use super::outcome::Outcome;
use super::plan::Plan;

/// What a judge says, with what it cost.
pub type ReadyAnswer = Result<(Arc<str>, Option<Usage>), Failure>;

/// Who answers at once.
pub trait ReadyBench {
    /// What a judge says when it is asked.
    fn answer(&mut self, judge: &JudgeId, turn: Turn) -> ReadyAnswer;

    /// What a judge has said in answers that do not count: the key of their turn, and their words.
    fn unheard(&mut self, _judge: &JudgeId) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Where a quote stands, and the lines around it.
    fn prove(&mut self, location: &Location, quote: &str) -> (Proof, String);
}

/// Plays a council to its end; with what was put to it, as a journal has it. None: it neither asks nor ends.
pub fn play_at_once(plan: Plan, bench: &mut dyn ReadyBench) -> Option<(Outcome, Vec<Input>)> {
    let (mut council, first) = Council::convene(plan);
    let mut inputs = Vec::new();
    let mut open: VecDeque<Action> = first.into();
    while let Some(action) = open.pop_front() {
        if let Action::Spawn { judge } = &action {
            for (key, said) in bench.unheard(judge) {
                let input = recalled(judge, key, said);
                inputs.push(input.clone());
                open.extend(council.handle(input, 0));
            }
        }
        let input = match action {
            Action::Conclude { outcome } => return Some((*outcome, inputs)),
            action => match carry_out(action, bench) {
                Some(input) => input,
                None => continue,
            },
        };
        inputs.push(input.clone());
        open.extend(council.handle(input, 0));
    }
    None
}

fn recalled(judge: &JudgeId, key: String, said: String) -> Input {
    Input::Recalled {
        judge: judge.clone(),
        round: RoundNumber::FIRST,
        key,
        said: vec![said],
        usage: None,
    }
}

fn carry_out(action: Action, bench: &mut dyn ReadyBench) -> Option<Input> {
    Some(match action {
        Action::Spawn { judge } => Input::Started { judge },
        Action::Shutdown { judge, .. } => Input::Ended {
            judge,
            ending: Ending::Graceful,
        },
        Action::Prove {
            claim,
            location,
            quote,
        } => {
            let (proof, context) = bench.prove(&location, &quote);
            Input::Proved {
                claim,
                proof,
                context,
                nearest: None,
                function: None,
                quoted: None,
            }
        }
        Action::Send {
            judge,
            turn,
            round,
            key,
            task,
            timeout_ms,
        } => {
            let asked = Turn {
                id: turn,
                round,
                key,
                task,
                prompt: String::new(),
                timeout_ms,
                spend: None,
            };
            match bench.answer(&judge, asked) {
                Ok((raw, usage)) => Input::Answered {
                    judge,
                    turn,
                    raw,
                    usage,
                },
                Err(failure) => Input::Failed {
                    judge,
                    turn: Some(turn),
                    failure,
                },
            }
        }
        Action::Share { .. }
        | Action::Explore { .. }
        | Action::Reproduce { .. }
        | Action::CancelTurn { .. }
        | Action::SetDeadline { .. }
        | Action::Record { .. }
        | Action::Minutes { .. }
        | Action::Log { .. }
        | Action::Conclude { .. } => return None,
    })
}
