//! Who argues in a duel, what they were shown, and the council that both are put to.

use std::sync::Arc;

use council_protocol::capability::Grant;
use council_protocol::packet::TargetKind;
use council_protocol::seat::{AgentSpec, Perspective};
use council_protocol::{Capability, CapabilitySet, Seat};

use crate::council::Plan;
use crate::council::plan::{DebateMode, ExchangeMode, Procedure, ProcedureOptions};
use crate::duel::DuelRole;
use crate::duel::driver::judge_name;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::run::error::RunError;
use crate::run::modes::duel::Duel;
use crate::run::modes::duel_run::DuelRun;
use crate::run::modes::duel_subject::only_reads_code;
use crate::run::modes::foreign_side::foreign_seat;
use crate::run::plan::{PlanInputs, build_plan};
use crate::run::prompts::SeatPrompts;
use crate::run::recognition::VerdictMemory;
use crate::run::seats::SeatPlanner;
use crate::run::whole::suggest_whole_review;

/// Both sides of a duel: as many judges must count.
const SIDES: usize = 2;

impl Duel<'_> {
    /// A quorum that two sides cannot reach is refused, as in a review.
    pub(super) fn check_bench(&self) -> Result<(), RunError> {
        let quorum = self.planner().required_quorum(SIDES);
        quorum.map(drop).map_err(|error| {
            let error = RunError::usage(format!("a duel has two sides: {}", error.message));
            error.hint("lower `review.quorum`, or ask more judges: git council review")
        })
    }

    /// The council that judges what both sides wrote. What it covers is what they were shown.
    pub(super) fn plan(
        &self,
        transcript: &DebateTranscript,
        run: &DuelRun,
    ) -> Result<Plan, RunError> {
        let seats = [DuelRole::A, DuelRole::B].map(|role| match self.request.role {
            Some(own) if own != role => Ok(foreign_seat(transcript, role)),
            _ => self.seat(role),
        });
        let seats: Vec<Seat> = seats.into_iter().collect::<Result<_, RunError>>()?;
        let granted = CapabilitySet::from([Capability::Spawn, Capability::Message]);
        let grant = Grant {
            requested: granted.clone(),
            granted,
            ..Grant::default()
        };
        let prompts = match &run.prompts {
            Some(prompts) => Some(Arc::clone(prompts)),
            // Nobody knows what a stranger read: at most what fits into a brief is put to its credit.
            None => SeatPrompts::for_duel(&seats, self.prepared, &run.seed)?,
        };
        let prompts = prompts.as_deref();
        let heard = VerdictMemory::known_dismissals(self.prepared, self.start);
        let mut notes = heard.notes;
        notes.extend(self.planner().idle_key_notes(&seats));
        notes.extend(self.notes_on_sight(prompts, &seats));
        let inputs = PlanInputs {
            procedure: Procedure::Debate,
            debate: DebateMode::Force,
            consensus: self.prepared.config.settings.review.consensus,
            quorum: 2,
            grants: vec![grant; seats.len()],
            exchange: ExchangeMode::Inline {
                max_bytes: u64::MAX,
            },
            seed: run.seed.clone(),
            notes,
            options: ProcedureOptions {
                dismissed: heard.dismissals,
                ..ProcedureOptions::default()
            },
        };
        Ok(build_plan(self.prepared, &seats, prompts, inputs))
    }

    /// What a reader of the verdict should know of what the sides were shown.
    fn notes_on_sight(&self, prompts: Option<&SeatPrompts>, seats: &[Seat]) -> Vec<String> {
        let Some(prompts) = prompts else {
            return Vec::new();
        };
        let mut notes = prompts.notes(&self.prepared.change);
        notes.extend(suggest_whole_review(
            self.prepared,
            Some(prompts),
            seats,
            self.start,
        ));
        if prompts.shard_count() > 1 {
            notes.push(
                "the sides of a duel argue over one brief, so that `review.large = shard` does not apply: \
                 `git council review` reviews such a change in parts"
                    .to_owned(),
            );
        }
        notes
    }

    pub(super) fn seat(&self, role: DuelRole) -> Result<Seat, RunError> {
        let index = usize::from(role == DuelRole::B);
        let agent: AgentSpec = self
            .planner()
            .agent_in_turn(self.request.agents[index].as_deref(), index)?;
        if self.prepared.packet.target.kind == TargetKind::File && agent.deterministic {
            return Err(only_reads_code(role, &agent));
        }
        Ok(Seat {
            judge: judge_name(role).into(),
            perspective: Perspective::default(),
            agent,
        })
    }

    fn planner(&self) -> SeatPlanner<'_> {
        SeatPlanner {
            config: &self.prepared.config,
            deep: false,
        }
    }
}
