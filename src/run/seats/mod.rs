//! Who sits: seats from the configuration.

pub(crate) mod councillors;
mod examined;
mod idle_keys;
mod kind;
pub(crate) mod lenses;
pub(crate) mod mixed;
mod model;
pub(crate) mod names;
pub(crate) mod of_job;
mod requests;

use std::collections::BTreeSet;

use council_agents::files_of_tool;
use council_builtin::{councillors, perspectives};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{JudgeId, Packet, Seat};

#[cfg(test)]
use crate::config::LayerSource;
use crate::config::{Config, Settings};
use crate::council::PART_MARK;
use crate::council::plan::{DebateMode, Procedure, ProcedureOptions};
use crate::registry::{BackendChoice, BackendRequest};
use crate::run::error::RunError;
use crate::run::seats::councillors::role_focus;
pub(crate) use crate::run::seats::kind::{ApiVendor, vendors_with_key};
use crate::run::seats::names::{unknown_name, unknown_rule};
use crate::run::seats::requests::SeatSource;
pub(crate) use crate::run::seats::requests::{SeatRequest, known_presets};

/// What the bench is made from, beside the configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeatPlanner<'a> {
    pub(crate) config: &'a Config,
    /// Three judges instead of two.
    pub(crate) deep: bool,
}

/// Who sits over a change.
pub(crate) struct PlannedBench {
    pub(crate) seats: Vec<Seat>,
    /// How many of them must count.
    pub(crate) quorum: u32,
    /// Which tools do not sit, as none of the changed files is theirs; for whoever reads the verdict.
    pub(crate) idle_note: Option<String>,
}

/// How the note begins that names agents which are defined and judge nothing.
pub(crate) const UNNAMED: &str = "defined, but not named by `review.agents`";

impl SeatPlanner<'_> {
    /// The seats in order, each with a name of its own.
    pub(crate) fn plan_seats(&self) -> Result<Vec<Seat>, RunError> {
        self.check_drivers()?;
        let (chairs, _) = self.mix_vendors(self.seat_requests()?)?;
        let agents = self.default_agents();
        let mut seats: Vec<Seat> = Vec::new();
        for (i, chair) in chairs.into_iter().enumerate() {
            let agent = chair
                .agent
                .clone()
                .unwrap_or_else(|| agents[i % agents.len()].clone());
            let mut agent = self.agent_spec(&agent)?;
            agent.model = self.seat_model(chair.model, &agent);
            let perspective = self.resolve_perspective(chair.perspective, &agent)?;
            let judge = unused_name(&perspective.name, i + 1, &seats);
            seats.push(Seat {
                judge,
                perspective,
                agent,
            });
        }
        // Asked again, a tool says the same: it has one seat, however many there are to fill.
        let mut tools = BTreeSet::new();
        seats.retain(|seat| !seat.agent.kind.is_tool() || tools.insert(seat.agent.name.clone()));
        let reviews = [Procedure::Review, Procedure::Debate];
        if reviews.contains(&self.settings().review.procedure) {
            lenses::give_lenses(&mut seats);
        }
        self.validate_seats(&seats)?;
        Ok(seats)
    }

    /// The seats over a change, without tools that look at none of its files: a tool that is asked about nothing is no judge
    /// that found nothing. Where nobody would be left, all stay: none of them is
    /// asked either, and the change is skipped.
    pub(crate) fn plan_bench(&self, packet: &Packet) -> Result<PlannedBench, RunError> {
        let all = self.plan_seats()?;
        let is_idle = |seat: &Seat| {
            let given = files_of_tool(&seat.agent.kind, &packet.files);
            !packet.files.is_empty() && given.is_some_and(|files| files.is_empty())
        };
        let quorum = self.required_quorum(all.len())?;
        let (idle, seats): (Vec<Seat>, Vec<Seat>) = all.iter().cloned().partition(is_idle);
        let names: Vec<String> = idle
            .iter()
            .map(|seat| format!("{} ({})", seat.judge, seat.agent.name))
            .collect();
        let names = names.join(", ");
        let idle_note = format!("not asked, since none of the changed files is theirs: {names}");
        let idle_note = (!idle.is_empty()).then_some(idle_note);
        if seats.is_empty() || idle.is_empty() {
            return Ok(PlannedBench {
                seats: all,
                quorum,
                idle_note,
            });
        }
        // A quorum that somebody asked for holds, whoever has something to look at.
        let quorum = match self.settings().review.quorum {
            Some(_) => quorum,
            None => self
                .required_quorum(seats.len())?
                .max(self.raised_quorum(all.len())),
        };
        Ok(PlannedBench {
            seats,
            quorum,
            idle_note,
        })
    }

    /// The least quorum that the repository asks for, among so many judges.
    fn raised_quorum(&self, seats: usize) -> u32 {
        let seats = u32::try_from(seats).unwrap_or(u32::MAX);
        self.settings().review.raised.quorum.unwrap_or(1).min(seats)
    }

    /// How many judges must count.
    pub(crate) fn required_quorum(&self, seats: usize) -> Result<u32, RunError> {
        let seats = u32::try_from(seats).unwrap_or(u32::MAX);
        let least = self.raised_quorum(seats as usize);
        let Some(quorum) = self.settings().review.quorum else {
            let quorum = if self.is_quick() { 1 } else { seats.min(2) };
            return Ok(quorum.max(least));
        };
        if quorum > seats {
            let are = match seats {
                1 => "is only 1 judge".to_owned(),
                n => format!("are only {n} judges"),
            };
            let message = format!(
                "the quorum is {quorum}, but there {are}: FAIL is the only verdict that could be reached"
            );
            let hint = if self.is_quick() {
                "a quick review has one judge: leave out --quick, or lower --quorum"
            } else {
                "lower --quorum, or add judges: --judges N"
            };
            return Err(RunError::usage(message).hint(hint));
        }
        Ok(quorum.max(least))
    }

    /// What the reader of a verdict should know about who sits.
    pub(crate) fn seating_notes(&self) -> Vec<String> {
        if self.is_cross_examination() {
            return self.councillor_roster().notes;
        }
        let all = perspectives().len();
        let sitting = self
            .settings()
            .review
            .judges
            .map_or(all, |judges| judges as usize);
        let mut notes = Vec::new();
        if self.seat_source() == SeatSource::Preset
            && self.is_ruled_preset().is_ok_and(|ruled| ruled)
        {
            let name = self.settings().review.preset.as_deref().unwrap_or_default();
            notes.push(format!(
                "the preset `{name}` is for agents with a model, and none is configured: the built-in judges reviewed by their rules"
            ));
        }
        if self.seat_source() == SeatSource::Nothing
            && self.default_agents() == [BUILT_IN]
            && !self.is_quick()
            && sitting < all
        {
            notes.push(format!(
                "{sitting} of the {all} built-in perspectives took part"
            ));
        }
        notes.extend(self.left_out_notes());
        // Whoever cannot sit was told so before.
        let chairs = self
            .seat_requests()
            .and_then(|chairs| self.mix_vendors(chairs));
        notes.extend(chairs.ok().and_then(|(_, note)| note));
        notes.extend(self.undone_demands());
        notes
    }

    /// Agents of the configuration that take no part, and how they would.
    pub(crate) fn left_out_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let left_out = self.agents_of_other_backends();
        if self.settings().review.agents.is_empty() && !left_out.is_empty() {
            notes.push(format!(
                "left out, since only a plugin can run them: {}; to seat them: --backend NAME --agents {}",
                left_out.join(", "),
                left_out.join(",")
            ));
        }
        notes.extend(self.left_out_note());
        notes.extend(self.unseated_note());
        notes.extend(self.unnamed_note());
        notes
    }

    /// Agents that are defined where rules alone judge, since `review.agents` names others: whoever adds one to the file that
    /// `init` wrote means it to judge.
    fn unnamed_note(&self) -> Option<String> {
        let named = &self.settings().review.agents;
        let seats = self.plan_seats().ok()?;
        let is_rule = |seat: &Seat| matches!(seat.agent.kind, AgentKind::Builtin { .. });
        if named.is_empty() || !seats.iter().all(is_rule) {
            return None;
        }
        let mut defined = self.configured_agents();
        defined.retain(|name| !named.contains(name));
        (!defined.is_empty()).then(|| {
            format!(
                "{UNNAMED}: {}; to seat them: --agents {}, or add them to `review.agents`",
                defined.join(", "),
                defined.join(",")
            )
        })
    }

    /// Agents and perspectives that somebody named and that have no seat, as fewer judges were asked for. A quick review has
    /// one judge by its nature.
    fn unseated_note(&self) -> Option<String> {
        let review = &self.settings().review;
        if self.is_quick() || self.is_cross_examination() {
            return None;
        }
        let seats = self.plan_seats().ok()?;
        let mut left_out = review.agents.clone();
        left_out.retain(|name| !seats.iter().any(|seat| seat.agent.name == *name));
        let mut unasked = review.perspectives.clone();
        unasked.retain(|name| !seats.iter().any(|seat| seat.perspective.name == *name));
        left_out.extend(unasked);
        let most = review.agents.len().max(review.perspectives.len());
        (!left_out.is_empty()).then(|| {
            format!(
                "named, but there was no seat for: {}; to seat all that are named: --judges {most}",
                left_out.join(", ")
            )
        })
    }

    /// Agents of the configuration for which there is no seat, as there are more of them than judges.
    fn left_out_note(&self) -> Option<String> {
        let review = &self.settings().review;
        let reviews = [Procedure::Review, Procedure::Debate];
        let is_chosen = !review.agents.is_empty() || review.mixed || review.judges.is_some();
        if is_chosen
            || !reviews.contains(&review.procedure)
            || self.seat_source() == SeatSource::Judges
        {
            return None;
        }
        let agents = self.default_agents();
        let seats = self.seat_requests().ok()?.len();
        let left_out = agents.get(seats..).filter(|names| !names.is_empty())?;
        Some(format!(
            "configured, but there was no seat for: {}; to seat every agent: --agents {}",
            left_out.join(", "),
            agents.join(",")
        ))
    }

    /// What is asked of a backend.
    pub(crate) fn backend_request(&self, judges: usize) -> BackendRequest {
        let review = &self.settings().review;
        let rounds = review.intensity.profile().max_rounds;
        BackendRequest {
            procedure: review.procedure,
            debate: match review.procedure {
                // Its rounds follow from the intensity alone.
                Procedure::Staged if rounds > 1 => DebateMode::Force,
                Procedure::Staged => DebateMode::Off,
                // Economy asks fresh agents in turn: nobody need be messaged.
                Procedure::CrossExamination if self.settings().cross_examination.economy => {
                    DebateMode::Off
                }
                // Its rounds are its own: a key about reviews says nothing about them.
                Procedure::CrossExamination => DebateMode::Force,
                _ => review.debate,
            },
            judges,
        }
    }

    /// What only some procedures ask for.
    pub(crate) fn plan_options(&self) -> ProcedureOptions {
        let review = &self.settings().review;
        let staged = review.procedure == Procedure::Staged;
        self.examination_options(ProcedureOptions {
            explorers: review.explorers,
            explorer_model: review.explorer_model.clone(),
            rounds: staged.then(|| review.intensity.profile().round_limits()),
            ..ProcedureOptions::default()
        })
    }

    /// Who decides on the backend.
    pub(crate) fn backend_choice(&self) -> BackendChoice {
        match self.settings().review.backend.as_str() {
            "auto" => BackendChoice::Automatic,
            name => BackendChoice::Named(name.to_owned()),
        }
    }

    /// Every agent that a seat may name: those that the configuration makes, and those that it only names, whose names are
    /// enough (the built-in rules, tools). A name that is none of these is left out: a review says what is wrong with it.
    pub(crate) fn known_agents(&self) -> Result<Vec<AgentSpec>, RunError> {
        let mut names = self.configured_agents();
        if !names.iter().any(|name| name == BUILT_IN) {
            names.insert(0, BUILT_IN.to_owned());
        }
        let made: Result<Vec<_>, _> = names.iter().map(|name| self.agent_spec(name)).collect();
        let mut agents = made?;
        let seated = self
            .settings()
            .judge
            .iter()
            .filter_map(|judge| judge.agent.as_ref());
        for name in self.settings().review.agents.iter().chain(seated) {
            if !agents.iter().any(|agent| agent.name == *name) {
                agents.extend(self.agent_spec(name));
            }
        }
        Ok(agents)
    }

    /// The agent of that name, else the `index`th of those that think in turn.
    pub(crate) fn agent_in_turn(
        &self,
        name: Option<&str>,
        index: usize,
    ) -> Result<AgentSpec, RunError> {
        let agents = self.default_agents();
        self.agent_spec(name.unwrap_or(&agents[index % agents.len()]))
    }

    fn settings(&self) -> &Settings {
        &self.config.settings
    }

    fn is_quick(&self) -> bool {
        self.settings().review.procedure == Procedure::Quick
    }

    /// Agents that think for seats which name none, in turn.
    fn default_agents(&self) -> Vec<String> {
        let settings = self.settings();
        if !settings.review.agents.is_empty() {
            return settings.review.agents.clone();
        }
        let left_out = self.agents_of_other_backends();
        let mut configured = self.configured_agents();
        configured.retain(|name| !left_out.contains(name));
        if configured.is_empty() {
            vec![BUILT_IN.to_owned()]
        } else {
            configured
        }
    }

    /// Agents that only a plugin can run sit where that plugin was asked for, or where somebody names them: these do not.
    fn agents_of_other_backends(&self) -> Vec<String> {
        let settings = self.settings();
        if settings.backends.contains_key(&settings.review.backend) {
            return Vec::new();
        }
        let of_plugin = |name: &String| {
            let own = settings.agents.get(name);
            own.and_then(|own| own.driver.as_deref()) == Some("backend")
        };
        let mut configured = self.configured_agents();
        configured.retain(of_plugin);
        configured
    }

    /// Agents that the configuration makes, in alphabetical order.
    fn configured_agents(&self) -> Vec<String> {
        let agents = self.settings().agents.iter();
        let made = agents.filter(|(_, agent)| agent.driver.is_some());
        made.map(|(name, _)| name.clone()).collect()
    }

    fn agent_spec(&self, name: &str) -> Result<AgentSpec, RunError> {
        let settings = self.settings();
        let own = settings.agents.get(name);
        let kind = self.agent_kind(name, own)?;
        let builtin = matches!(kind, AgentKind::Builtin { .. });
        let own = own.cloned().unwrap_or_default();
        Ok(AgentSpec {
            name: name.to_owned(),
            vendor: own
                .vendor
                .unwrap_or_else(|| self::kind::default_vendor(name, &kind)),
            // What a tool reports follows from its rules: it is no reviewer who could hold or miss what a model finds.
            deterministic: builtin || own.deterministic.unwrap_or(kind.is_tool()),
            model: own.model,
            kind,
        })
    }

    fn resolve_perspective(
        &self,
        name: Option<String>,
        agent: &AgentSpec,
    ) -> Result<Perspective, RunError> {
        let Some(name) = name else {
            return Ok(Perspective::default());
        };
        let built_in = perspectives().iter().find(|p| p.name == name);
        let built_in = built_in
            .map(|p| p.focus.to_owned())
            .or_else(|| role_focus(&name, &self.settings().cross_examination));
        if let (AgentKind::Builtin { .. }, None) = (&agent.kind, &built_in) {
            let roles = councillors().iter().map(|c| c.name);
            let known: Vec<&str> = perspectives().iter().map(|p| p.name).chain(roles).collect();
            let error = unknown_name("built-in perspective", &name, &known);
            return Err(error.hint("a perspective of your own needs an agent with a model"));
        }
        let own = self.settings().perspectives.get(&name);
        let Some(focus) = own.cloned().or(built_in) else {
            self.check_perspective(&name)?;
            return Ok(Perspective {
                name,
                focus: String::new(),
            });
        };
        Ok(Perspective { name, focus })
    }

    /// Whether anything says that there is a perspective of that name: a slip of the pen must not seat a judge that looks for
    /// nothing in particular.
    fn check_perspective(&self, name: &str) -> Result<(), RunError> {
        let known = perspective_names(self.settings());
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        if known.contains(&name) {
            return Ok(());
        }
        let example =
            format!("one of your own: `{name} = \"what to look for\"` under `[perspectives]`");
        Err(unknown_name("perspective", name, &known).hint(example))
    }

    fn validate_seats(&self, seats: &[Seat]) -> Result<(), RunError> {
        check_rules(self.settings())?;
        if seats.is_empty() {
            return Err(RunError::usage("the council has no judges")
                .hint("name perspectives or judges, or remove the empty list"));
        }
        self.check_models(seats)?;
        self.check_agent_limit(seats.len())
    }

    /// Whether so many may sit, with their explorers (seed family, MAX_AGENTS: judges × (1 + explorers)).
    pub(crate) fn check_agent_limit(&self, seats: usize) -> Result<(), RunError> {
        let most = self.settings().limits.agents;
        let count = seats as u64 * (1 + u64::from(self.settings().review.explorers));
        if count > most {
            // Scripts look for this text: it never changes.
            let message = format!(
                "Total agent count {count} exceeds MAX_AGENTS ({most}). Reduce --explorers or remove --mixed."
            );
            return Err(
                RunError::usage(message).hint("or raise `limits.agents` in your own configuration")
            );
        }
        Ok(())
    }
}

pub(super) const BUILT_IN: &str = "builtin";

/// `judge-security`, or `judge-2` without a perspective; a second one of a kind is
/// `judge-security-2`.
fn unused_name(perspective: &str, number: usize, taken: &[Seat]) -> JudgeId {
    let base = if perspective.is_empty() {
        format!("judge-{number}")
    } else {
        format!("judge-{perspective}")
    };
    // The mark of a judge that is shown one part of a large change.
    let base = base.replace(PART_MARK, "-part_");
    let free = |name: &String| !taken.iter().any(|seat| seat.judge.as_str() == name);
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    let name = std::iter::once(base.clone())
        .chain(numbered)
        .find(free)
        .unwrap_or(base);
    JudgeId(name)
}

/// The perspectives that can be named, in order: the configuration's, the built-in ones, and those of presets.
pub(crate) fn perspective_names(settings: &Settings) -> Vec<String> {
    let own = settings.perspectives.keys();
    let own = own.chain(settings.presets.values().flatten()).cloned();
    let built_in = perspectives().iter().map(|p| p.name);
    let roles = councillors().iter().map(|c| c.name);
    let fixed = built_in.chain(roles).chain(requests::preset_names());
    let all: BTreeSet<String> = own.chain(fixed.map(str::to_owned)).collect();
    all.into_iter().collect()
}

/// Whether `[rules]` names rules that are there.
pub(crate) fn check_rules(settings: &Settings) -> Result<(), RunError> {
    let known = |id: &str| council_builtin::explain_rule(id).is_some();
    match settings.rules.keys().find(|id| !known(id)) {
        None => Ok(()),
        Some(id) => Err(unknown_rule(id).hint("`[rules]` in the configuration names it")),
    }
}

#[cfg(test)]
mod mode_tests;

#[cfg(test)]
mod tests;
