//! Who sits: seats from the configuration.

pub(crate) mod councillors;
mod examined;
mod kind;
pub(crate) mod lenses;
pub(crate) mod mixed;
mod model;
pub(crate) mod names;

use council_agents::known_tools::find_tool;
use council_builtin::{councillors, perspectives};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{JudgeId, Seat};

#[cfg(test)]
use crate::config::LayerSource;
use crate::config::{Config, JudgeSettings, ResolvedKey, Settings};
use crate::council::plan::{ConsensusRule, DebateMode, Procedure, ProcedureOptions};

use crate::registry::{BackendChoice, BackendRequest};

use crate::run::error::RunError;
use crate::run::seats::councillors::{check_seat_count, role_focus};
use crate::run::seats::names::{unknown_name, unknown_rule};

/// What the bench is made from, beside the configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeatPlanner<'a> {
    pub(crate) config: &'a Config,
    /// Three judges instead of two.
    pub(crate) deep: bool,
}

/// How the configuration says who sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SeatSource {
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
    perspective: Option<String>,
    agent: Option<String>,
    model: Option<String>,
}

impl SeatRequest {
    fn with_perspective(perspective: Option<String>) -> Self {
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
        let reviews = [Procedure::Review, Procedure::Debate];
        if reviews.contains(&self.settings().review.procedure) {
            lenses::give_lenses(&mut seats);
        }
        self.validate_seats(&seats)?;
        Ok(seats)
    }

    /// How many judges must count.
    pub(crate) fn required_quorum(&self, seats: usize) -> Result<u32, RunError> {
        let seats = u32::try_from(seats).unwrap_or(u32::MAX);
        let least = self.settings().review.raised.quorum.unwrap_or(1).min(seats);
        let Some(quorum) = self.settings().review.quorum else {
            let quorum = if self.is_quick() { 1 } else { seats.min(2) };
            return Ok(quorum.max(least));
        };
        if quorum > seats {
            let message = format!(
                "the quorum is {quorum}, but there are only {seats} judges: FAIL is the only verdict they could reach"
            );
            return Err(RunError::usage(message).hint("lower --quorum, or add judges: --judges N"));
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
        let left_out = self.agents_of_other_backends();
        if self.settings().review.agents.is_empty() && !left_out.is_empty() {
            notes.push(format!(
                "left out, since only a plugin can run them: {}; to seat them: --backend NAME --agents {}",
                left_out.join(", "),
                left_out.join(",")
            ));
        }
        // Whoever cannot sit was told so before.
        let chairs = self
            .seat_requests()
            .and_then(|chairs| self.mix_vendors(chairs));
        notes.extend(chairs.ok().and_then(|(_, note)| note));
        notes.extend(self.undone_demands());
        notes
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

    /// Every agent that a seat may name.
    pub(crate) fn known_agents(&self) -> Result<Vec<AgentSpec>, RunError> {
        let mut names = self.configured_agents();
        if !names.iter().any(|name| name == BUILT_IN) {
            names.insert(0, BUILT_IN.to_owned());
        }
        names.iter().map(|name| self.agent_spec(name)).collect()
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

    fn seat_requests(&self) -> Result<Vec<SeatRequest>, RunError> {
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
    fn undone_demands(&self) -> Vec<String> {
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
    fn seat_source(&self) -> SeatSource {
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
        let said = keys
            .into_iter()
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
            Procedure::Staged => match self.deep {
                true => review.intensity.profile().agents.max(3),
                false => review.intensity.profile().agents,
            },
            // Whoever names agents wants each of them to sit.
            _ if self.deep || review.mixed => review.agents.len().max(3),
            _ => review.agents.len().max(2),
        }
    }

    /// Whether a built-in preset asks for agents with a model, and only the built-in judges are there: they take its seats,
    /// so that it works on a machine on which nothing is configured.
    fn is_ruled_preset(&self) -> Result<bool, RunError> {
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
        let known: Vec<&str> = PRESETS
            .iter()
            .map(|(known, _)| *known)
            .chain(presets.keys().map(String::as_str))
            .collect();
        Err(unknown_name("preset", &name, &known))
    }

    fn agent_spec(&self, name: &str) -> Result<AgentSpec, RunError> {
        let settings = self.settings();
        let own = settings.agents.get(name);
        let kind = self.agent_kind(name, own)?;
        let builtin = matches!(kind, AgentKind::Builtin { .. });
        let is_known_tool = kind.is_tool() && find_tool(name).is_some();
        let own = own.cloned().unwrap_or_default();
        Ok(AgentSpec {
            name: name.to_owned(),
            vendor: own
                .vendor
                .unwrap_or_else(|| self::kind::default_vendor(name, &kind)),
            deterministic: builtin || own.deterministic || is_known_tool,
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
        let focus = own.cloned().or(built_in).unwrap_or_default();
        Ok(Perspective { name, focus })
    }

    fn validate_seats(&self, seats: &[Seat]) -> Result<(), RunError> {
        let known = |id: &str| council_builtin::explain_rule(id).is_some();
        if let Some(id) = self.settings().rules.keys().find(|id| !known(id)) {
            return Err(unknown_rule(id).hint("`[rules]` in the configuration names it"));
        }
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

const BUILT_IN: &str = "builtin";

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

/// `judge-security`, or `judge-2` without a perspective; a second one of a kind is
/// `judge-security-2`.
fn unused_name(perspective: &str, number: usize, taken: &[Seat]) -> JudgeId {
    let base = if perspective.is_empty() {
        format!("judge-{number}")
    } else {
        format!("judge-{perspective}")
    };
    let free = |name: &String| !taken.iter().any(|seat| seat.judge.as_str() == name);
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    let name = std::iter::once(base.clone())
        .chain(numbered)
        .find(free)
        .unwrap_or(base);
    JudgeId(name)
}

#[cfg(test)]
mod mode_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigLayer, LayerSource, resolve_layers};

    fn config(repository: &str, user: &str) -> Config {
        let file = |source, text: &str| ConfigLayer::File {
            source,
            name: "f".into(),
            text: text.into(),
        };
        resolve_layers(&[
            file(LayerSource::Repository, repository),
            file(LayerSource::User, user),
        ])
        .unwrap()
    }

    fn names(repository: &str, user: &str) -> Vec<String> {
        let config = config(repository, user);
        let seats = SeatPlanner {
            config: &config,
            deep: false,
        }
        .plan_seats()
        .unwrap();
        seats
            .iter()
            .map(|seat| format!("{} {}", seat.judge, seat.agent.name))
            .collect()
    }

    fn error(repository: &str, user: &str) -> String {
        let config = config(repository, user);
        let error = SeatPlanner {
            config: &config,
            deep: false,
        }
        .plan_seats()
        .unwrap_err();
        format!("{} | {}", error.message, error.hints.join(" | "))
    }

    const LINT: &str = "[agents.lint]\ndriver = 'command'\ncommand = ['lint']\n";

    #[test]
    fn nothing_configured_seats_every_built_in_perspective() {
        let five: Vec<String> = perspectives()
            .iter()
            .map(|p| format!("judge-{} builtin", p.name))
            .collect();
        assert_eq!((names("", ""), five.len()), (five, 5));
    }

    #[test]
    fn an_agent_takes_two_seats_and_three_in_depth() {
        assert_eq!(names("", LINT), ["judge-1 lint", "judge-2 lint"]);
        let config = config("", LINT);
        assert_eq!(
            SeatPlanner {
                config: &config,
                deep: true
            }
            .plan_seats()
            .unwrap()
            .len(),
            3
        );
    }

    #[test]
    fn whoever_names_agents_seats_each_of_them() {
        let three = "[review]\nagents = ['lint', 'builtin', 'lint']";
        assert_eq!(
            names(three, LINT),
            ["judge-1 lint", "judge-2 builtin", "judge-3 lint"]
        );
        assert_eq!(names("[review]\nagents = ['lint']", LINT).len(), 2);
    }

    #[test]
    fn judges_are_named_by_number_or_perspective() {
        let repository =
            "[review]\nperspectives = ['tests', 'tests', 'security']\nagents = ['builtin', 'lint']";
        assert_eq!(
            names(repository, LINT),
            [
                "judge-tests builtin",
                "judge-tests-2 lint",
                "judge-security builtin"
            ]
        );
    }

    #[test]
    fn the_strongest_layer_says_who_sits() {
        let judges = "[[judge]]\nperspective = 'tests'\nmodel = 'm'\n[[judge]]\n";
        assert_eq!(
            names(judges, ""),
            ["judge-tests builtin", "judge-2 builtin"]
        );
        assert_eq!(
            names(judges, "review.perspectives = ['security']"),
            ["judge-security builtin"]
        );
        assert_eq!(names("review.perspectives = ['hygiene']", judges).len(), 2);
    }

    #[test]
    fn a_number_of_judges_cuts_or_adds_and_quick_seats_one() {
        assert_eq!(names("review.judges = 2", "").len(), 2);
        assert_eq!(names("review.judges = 6", "")[5], "judge-6 builtin");
        assert_eq!(names("review.procedure = 'quick'", ""), ["judge-1 builtin"]);
        let two = "[review]\nprocedure = 'quick'\nperspectives = ['tests', 'security']";
        assert_eq!(names(two, ""), ["judge-1 builtin"]);
        let one = "[review]\nprocedure = 'quick'\nperspectives = ['tests']";
        assert_eq!(names(one, ""), ["judge-tests builtin"]);
    }

    #[test]
    fn who_cannot_sit_is_an_error_with_a_next_step() {
        let cases = [
            error("[[judge]]\nagent = 'claud'", "[agents.claude]\nmodel = 'x'"),
            error("[review]\nperspectives = ['secruity']", ""),
            error("[review]\npreset = 'opps'", ""),
            error("[review]\njudges = 13", ""),
            error("[review]\nperspectives = []", ""),
            error("", "[agents.lint]\ndriver = 'command'"),
            error("", "[rules]\nnew-unwarp = 'off'"),
        ];
        insta::assert_snapshot!(cases.join("\n"));
    }

    #[test]
    fn a_quorum_that_cannot_be_met_is_refused() {
        let quorum = |text: &str, seats| {
            let config = config(text, "");
            SeatPlanner {
                config: &config,
                deep: false,
            }
            .required_quorum(seats)
            .map_err(|e| e.message)
        };
        assert_eq!(quorum("", 5), Ok(2));
        assert_eq!(quorum("", 1), Ok(1));
        assert_eq!(quorum("review.procedure = 'quick'", 1), Ok(1));
        assert!(
            quorum("review.quorum = 3", 2)
                .unwrap_err()
                .starts_with("the quorum is 3")
        );
    }
}
