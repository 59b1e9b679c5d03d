//! Which seats are asked for: by the configuration, a preset, the procedure, and the checkout.

use council_builtin::perspectives;

use super::councillors::check_seat_count;
use super::names::unknown_name;
use super::{BUILT_IN, SeatPlanner};
use crate::config::{JudgeSettings, LayerSource, ResolvedKey, Settings};
use crate::council::plan::{ConsensusRule, Procedure};
use crate::run::error::RunError;

/// How the configuration says who sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatSource {
    Nothing,
    Preset,
    Perspectives,
    Judges,
}

/// `quick` has one judge; it looks at everything unless one perspective was asked for.
fn keep_one(chairs: &mut Vec<SeatRequest>) {
    if chairs.len() > 1 {
        chairs.truncate(1);
        chairs[0].perspective = None;
    }
}

/// A seat before it has its name.
#[derive(Clone)]
pub(crate) struct SeatRequest {
    pub(super) perspective: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) model: Option<String>,
}

impl SeatRequest {
    pub(super) fn with_perspective(perspective: Option<String>) -> Self {
        Self {
            perspective,
            agent: None,
            model: None,
        }
    }
}

impl From<&JudgeSettings> for SeatRequest {
    fn from(judge: &JudgeSettings) -> Self {
        let JudgeSettings {
            perspective,
            agent,
            model,
        } = judge.clone();
        Self {
            perspective,
            agent,
            model,
        }
    }
}

impl SeatPlanner<'_> {
    pub(super) fn seat_requests(&self) -> Result<Vec<SeatRequest>, RunError> {
        let review = &self.settings().review;
        let named = |names: &[String]| {
            names
                .iter()
                .cloned()
                .map(Some)
                .map(SeatRequest::with_perspective)
                .collect()
        };
        let mut chairs: Vec<SeatRequest> = match self.seat_source() {
            SeatSource::Judges => self
                .settings()
                .judge
                .iter()
                .map(SeatRequest::from)
                .collect(),
            SeatSource::Perspectives => named(&review.perspectives),
            SeatSource::Preset if self.is_ruled_preset()? => self.default_requests(),
            SeatSource::Preset => named(&self.preset_perspectives()?),
            SeatSource::Nothing => self.default_requests(),
        };
        if self.is_cross_examination() {
            check_seat_count(chairs.len())?;
        } else if self.is_quick() {
            keep_one(&mut chairs);
        } else if let Some(judges) = review.judges {
            chairs.resize_with(judges as usize, || SeatRequest::with_perspective(None));
        }
        self.raise_seats(&mut chairs);
        Ok(chairs)
    }

    /// Why the checkout seats nobody. A vote must not be outvoted. Two who hold a critical finding carry it in a bench of two
    /// and not in one of five, so that more models make the review weaker; and they are paid for by somebody else.
    fn why_nobody_is_added(&self) -> Option<&'static str> {
        let review = &self.settings().review;
        if !matches!(review.procedure, Procedure::Review | Procedure::Debate) {
            return Some("this procedure seats its own roles");
        }
        if review.consensus == ConsensusRule::Majority {
            return Some("votes are counted, and more votes could outvote one");
        }
        let names_agent = self
            .settings()
            .judge
            .iter()
            .any(|seat| seat.agent.is_some());
        if names_agent || self.default_agents() != [BUILT_IN] {
            return Some("a larger bench of models needs more of them to agree, and costs more");
        }
        None
    }

    /// What the checkout asks for and does not get.
    pub(super) fn undone_demands(&self) -> Vec<String> {
        let raised = &self.settings().review.raised;
        let is_unknown = |name: &&String| !perspectives().iter().any(|p| p.name == **name);
        let unknown = raised.perspectives.iter().filter(is_unknown).map(|name| {
            format!("the checkout asks for the perspective `{name}`, which is not built in: it does not sit")
        });
        let mut notes: Vec<String> = unknown.collect();
        let asks = raised.judges.is_some() || !raised.perspectives.is_empty();
        if let Some(why) = self.why_nobody_is_added().filter(|_| asks) {
            notes.push(format!(
                "the checkout asks for more judges; none was added: {why}"
            ));
        }
        let seats = self.seat_requests().map_or(0, |chairs| chairs.len());
        if let Some(quorum) = raised.quorum.filter(|&quorum| quorum as usize > seats) {
            notes.push(format!(
                "the checkout asks for a quorum of {quorum}, but there are only {seats} judges: all of them must count"
            ));
        }
        notes
    }

    /// Seats that the checkout asks for beside those that sit anyway, never so many that nobody could sit.
    fn raise_seats(&self, chairs: &mut Vec<SeatRequest>) {
        let review = &self.settings().review;
        if self.why_nobody_is_added().is_some() {
            return;
        }
        let each = (1 + u64::from(review.explorers)) * if review.mixed { 2 } else { 1 };
        let room = usize::try_from(self.settings().limits.agents / each).unwrap_or(usize::MAX);
        // What a perspective of another name means would be the checkout's to say.
        let is_built_in = |name: &&String| perspectives().iter().any(|p| p.name == **name);
        for name in review.raised.perspectives.iter().filter(is_built_in) {
            let sits = chairs
                .iter()
                .any(|chair| chair.perspective.as_ref() == Some(name));
            if !sits && chairs.len() < room {
                chairs.push(SeatRequest::with_perspective(Some(name.clone())));
            }
        }
        let least = review.raised.judges.map_or(0, |judges| judges as usize);
        while chairs.len() < least.min(room) {
            chairs.push(SeatRequest::with_perspective(None));
        }
    }

    /// The strongest layer that says who sits is followed; in one layer, a list of judges before perspectives before a
    /// preset.
    pub(super) fn seat_source(&self) -> SeatSource {
        let keys = [
            ("review.preset", SeatSource::Preset),
            ("review.perspectives", SeatSource::Perspectives),
            ("judge", SeatSource::Judges),
        ];
        let strength = |key| {
            self.config
                .entry(key)
                .and_then(ResolvedKey::origin)
                .map(|origin| origin.source)
        };
        // A list of judges gives way to agents, or a number of judges, that were named for this run alone.
        let named = ["review.agents", "review.judges"]
            .into_iter()
            .filter_map(strength);
        let for_this_run = named
            .filter(|source| *source >= LayerSource::Environment)
            .max();
        // Where only the built-in judges may sit, the tables that name other agents were taken away.
        let is_there = |key: &'static str| {
            key != "judge" || (!self.settings().judge.is_empty() && strength(key) >= for_this_run)
        };
        let said = keys
            .into_iter()
            .filter(|(key, _)| is_there(key))
            .filter_map(|(key, said)| Some((strength(key)?, said)));
        // The last of equals is taken.
        said.max_by_key(|(source, _)| *source)
            .map_or(SeatSource::Nothing, |(_, said)| said)
    }

    fn default_requests(&self) -> Vec<SeatRequest> {
        if self.is_quick() {
            return vec![SeatRequest::with_perspective(None)];
        }
        if self.is_cross_examination() {
            let roles = self.councillor_roster().roles.into_iter();
            return roles
                .map(|role| SeatRequest::with_perspective(Some(role.to_owned())))
                .collect();
        }
        if self.default_agents() == [BUILT_IN] {
            return perspectives()
                .iter()
                .map(|p| SeatRequest::with_perspective(Some(p.name.to_owned())))
                .collect();
        }
        (0..self.default_count())
            .map(|_| SeatRequest::with_perspective(None))
            .collect()
    }

    /// How many agents sit where nobody says who: two, three with `--deep`; as many as the intensity says in a staged
    /// debate; three of each vendor where two sit.
    fn default_count(&self) -> usize {
        let review = &self.settings().review;
        match review.procedure {
            Procedure::Staged => {
                if self.deep {
                    review.intensity.profile().agents.max(3)
                } else {
                    review.intensity.profile().agents
                }
            }
            // Whoever names agents wants each of them to sit.
            _ if self.deep || review.mixed => review.agents.len().max(3),
            _ => review.agents.len().max(2),
        }
    }

    /// Whether a built-in preset asks for agents with a model, and only the built-in judges are there: they take its seats,
    /// so that it works on a machine on which nothing is configured.
    pub(super) fn is_ruled_preset(&self) -> Result<bool, RunError> {
        let name = self.settings().review.preset.as_deref();
        let is_built_in = PRESETS.iter().any(|(known, _)| Some(*known) == name)
            && !name.is_some_and(|name| self.settings().presets.contains_key(name));
        let is_ruled = |asked: &String| perspectives().iter().any(|p| p.name == asked);
        Ok(is_built_in
            && self.default_agents() == [BUILT_IN]
            && !self.preset_perspectives()?.iter().all(is_ruled))
    }

    fn preset_perspectives(&self) -> Result<Vec<String>, RunError> {
        let presets = &self.settings().presets;
        let name = self.settings().review.preset.clone().unwrap_or_default();
        if let Some(perspectives) = presets.get(&name) {
            return Ok(perspectives.clone());
        }
        if let Some((_, perspectives)) = PRESETS.iter().find(|(known, _)| *known == name) {
            return Ok(perspectives.iter().map(|&p| p.to_owned()).collect());
        }
        let known = known_presets(self.settings());
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(unknown_name("preset", &name, &known))
    }
}

/// The presets that can be named: the built-in ones, and those of the configuration.
pub(crate) fn known_presets(settings: &Settings) -> Vec<String> {
    let built_in = PRESETS.iter().map(|(known, _)| (*known).to_owned());
    built_in.chain(settings.presets.keys().cloned()).collect()
}

/// The perspectives of the built-in presets.
pub(super) fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// Perspectives under one name.
const PRESETS: &[(&str, &[&str])] = &[
    (
        "code-review",
        &["error-paths", "api-surface", "spec-compliance"],
    ),
    (
        "security-audit",
        &["attacker", "defender", "compliance", "web-security"],
    ),
    (
        "architecture",
        &["scalability", "maintainability", "simplicity"],
    ),
    (
        "plan-review",
        &[
            "missing-requirements",
            "feasibility",
            "scope",
            "spec-completeness",
        ],
    ),
    (
        "doc-review",
        &[
            "clarity-editor",
            "accuracy-verifier",
            "completeness-auditor",
            "audience-advocate",
        ],
    ),
    (
        "retrospective",
        &["plan-compliance", "tech-debt", "learnings"],
    ),
    (
        "product",
        &[
            "user-value",
            "adoption-barriers",
            "competitive-position",
            "strategic-fit",
        ],
    ),
    (
        "developer-experience",
        &["api-clarity", "error-experience", "discoverability"],
    ),
    ("research", &["breadth", "depth", "contrarian"]),
    (
        "ops",
        &["reliability", "observability", "incident-response"],
    ),
    (
        "red-team",
        &[
            "panicked-sre",
            "junior-engineer",
            "zero-context-reader",
            "first-time-consumer",
        ],
    ),
];
