//! What a review would be like here: who would sit, how they would be run, and why.

mod page;
mod servers;

use council_protocol::seat::AgentKind;
use council_protocol::{JudgeId, Seat};
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Config;
use crate::council::plan::{ConsensusRule, DebateMode, Procedure};
use crate::registry::{BackendCandidate, BackendSelection};
use crate::run::backends::{self, BackendTable, SurveyedBackends, is_alike};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::prompts::check_templates;
use crate::run::proof;
use crate::run::redaction::check_rules;
use crate::run::seats::SeatPlanner;
use crate::run::settings;

pub(crate) use servers::silence_of;

/// Who would review here, how, and why: what `doctor --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "DoctorState")]
pub(crate) struct DoctorState {
    /// The program's version.
    version: String,
    /// Whether a review can start here.
    ready: bool,
    /// Agents that would sit and cannot start.
    missing: Vec<DoctorLack>,
    procedure: Procedure,
    debate: DebateMode,
    consensus: ConsensusRule,
    /// How many judges must answer for PASS or WARN; null: the configuration asks for more than there are.
    quorum: Option<u32>,
    /// Who would sit, in order.
    judges: Vec<DoctorJudge>,
    backends: Vec<DoctorBackend>,
    /// Each procedure, and whether the judges that it needs can be seated.
    procedures: Vec<DoctorProcedure>,
    /// What else the configuration says that somebody should know.
    notes: Vec<String>,
    /// Whether any judge takes part in a second round.
    #[serde(skip)]
    #[schemars(skip)]
    can_ask_again: bool,
}

/// An agent that cannot start.
#[derive(Debug, Serialize, JsonSchema)]
struct DoctorLack {
    agent: String,
    /// Why, in words.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DoctorJudge {
    judge: String,
    agent: String,
    /// The model, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    perspective: String,
    /// What it looks for.
    focus: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DoctorBackend {
    name: String,
    /// How it runs judges, in words.
    about: String,
    /// Whether a review would use it.
    used: bool,
    /// The same in words, with the reason.
    state: String,
    /// What all judges have there, or what is in its way, in words.
    capabilities: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DoctorProcedure {
    name: String,
    possible: bool,
    /// Who would sit where, or why nobody can, in words.
    state: String,
}

/// Asks everybody once.
pub(crate) fn examine_setup(start: &RunContext) -> Result<DoctorFindings, RunError> {
    let config = settings::branch_config(start)?;
    let bench = SeatPlanner {
        config: &config,
        deep: false,
    };
    let seats = bench.plan_seats()?;
    let (state, trouble) = examine(&config, &bench, &seats, start);
    Ok(DoctorFindings { state, trouble })
}

/// What `doctor` found out.
pub(crate) struct DoctorFindings {
    /// What `doctor --json` prints.
    pub(crate) state: DoctorState,
    /// Why a review would be refused, if it would.
    trouble: Option<RunError>,
}

impl DoctorFindings {
    /// The same for people, on a terminal of so many columns; what backends can do where it is asked for.
    pub(crate) fn describe(&self, width: Option<usize>, verbose: bool) -> String {
        let page = page::DoctorPage {
            state: &self.state,
            trouble: self.trouble.as_ref(),
            width,
            verbose,
        };
        page.render()
    }

    /// The error that a review would give.
    pub(crate) fn check_setup(self) -> Result<(), RunError> {
        self.trouble
            .map_or(Ok(()), |error| Err(without_own_name(error)))
    }
}

/// Nobody is led to where they are.
fn without_own_name(mut error: RunError) -> RunError {
    error
        .hints
        .retain(|hint| !hint.contains("git council doctor"));
    error
}

/// What there is, and why a review would be refused, if it would.
fn examine(
    config: &Config,
    bench: &SeatPlanner<'_>,
    seats: &[Seat],
    start: &RunContext,
) -> (DoctorState, Option<RunError>) {
    // One survey answers for every procedure: each agent is asked once.
    let procedures = procedure_seats(config);
    let table = BackendTable::without_change(start)
        .with_plugins(&config.settings, backends::find_worktree(start));
    let asked = seats_to_ask(seats, &procedures);
    let survey = table.survey_seats(&asked, start);
    let (request, choice) = (bench.backend_request(seats.len()), bench.backend_choice());
    let selection = survey.select_for(seats, &request, &choice);
    let quorum = bench.required_quorum(seats.len());
    let own_files = check_own_files(config, seats, start);
    let lack = |(agent, reason)| DoctorLack { agent, reason };
    let silent = servers::silent_servers(seats);
    let unavailable = survey.unavailable_agents(seats, &choice).into_iter();
    let missing = unavailable.chain(silent.iter().cloned());
    let failures = survey.failures().map(|error| error.message.clone());
    let notices = config.notices.iter().map(ToString::to_string);
    let review = &config.settings.review;
    // Where no review can start, that is what is told.
    let chosen = selection.as_ref().ok();
    let asks_tests = chosen.is_none_or(|chosen| chosen.picks[0].may_debate());
    let state = DoctorState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        can_ask_again: seats.iter().any(answers_others)
            && chosen.is_none_or(|chosen| chosen.picks[0].can_ask_again()),
        ready: selection.is_ok() && quorum.is_ok() && own_files.is_ok() && silent.is_empty(),
        missing: missing.map(lack).collect(),
        procedure: review.procedure,
        debate: review.debate,
        consensus: review.consensus,
        quorum: quorum.as_ref().ok().copied(),
        judges: seats.iter().map(DoctorJudge::of).collect(),
        backends: backend_states(&survey.candidates_for(seats), &selection),
        procedures: procedure_states(&procedures, &survey, describe_duel(config, &table)),
        notes: bench
            .left_out_notes()
            .into_iter()
            .chain(bench.idle_key_notes(seats))
            .chain(failures)
            .chain(
                selection
                    .iter()
                    .flat_map(|chosen| chosen.picks[0].forecast().cloned()),
            )
            .chain(notices)
            .chain(proof::setup::state(
                &config.settings.proof,
                asks_tests,
                start,
            ))
            .collect(),
    };
    let trouble = own_files.and(selection.map(drop)).and(quorum.map(drop));
    (state, trouble.and(refuse_silent(&silent)).err())
}

/// Whether a seat takes part in a second round: neither rules nor tools do.
fn answers_others(seat: &Seat) -> bool {
    let kind = &seat.agent.kind;
    !matches!(kind, AgentKind::Builtin { .. }) && !kind.is_tool()
}

/// A review asks servers that do not run in vain.
fn refuse_silent(silent: &[(String, String)]) -> Result<(), RunError> {
    let Some((name, why)) = silent.first() else {
        return Ok(());
    };
    let error = RunError::usage(format!("`{name}` cannot be asked: {why}"));
    Err(error.hint("then look again: git council doctor"))
}

/// Whether the files that the user's configuration names can be used, as every review begins with them.
fn check_own_files(config: &Config, seats: &[Seat], start: &RunContext) -> Result<(), RunError> {
    let worktree = backends::find_worktree(start);
    check_rules(&config.settings, worktree.as_deref())?;
    check_templates(seats, &config.settings, worktree.as_deref())
}

/// The seats of a review, and those of other procedures that backends must be asked about as well.
fn seats_to_ask(seats: &[Seat], procedures: &[ProcedureSeats]) -> Vec<Seat> {
    let mut asked = seats.to_vec();
    let others = procedures
        .iter()
        .flat_map(|(_, seats)| seats.iter().flatten());
    for seat in others {
        if !asked.iter().any(|other| is_alike(other, seat)) {
            let judge = JudgeId(format!("{}-{}", seat.judge, asked.len()));
            asked.push(Seat {
                judge,
                ..seat.clone()
            });
        }
    }
    asked
}

/// The configuration with another procedure, and who would sit then; an error says why nobody can.
type ProcedureSeats = (Config, Result<Vec<Seat>, RunError>);

fn procedure_seats(config: &Config) -> Vec<ProcedureSeats> {
    let with = |(_, procedure)| {
        let mut config = config.clone();
        config.settings.review.procedure = procedure;
        let planner = SeatPlanner {
            config: &config,
            deep: false,
        };
        let seats = planner.plan_seats();
        (config, seats)
    };
    PROCEDURES.into_iter().map(with).collect()
}

/// Those that a review can have; a duel holds its two sides itself.
const PROCEDURES: [(&str, Procedure); 5] = [
    ("quick", Procedure::Quick),
    ("review", Procedure::Review),
    ("debate", Procedure::Debate),
    ("cross-examination", Procedure::CrossExamination),
    ("staged", Procedure::Staged),
];

/// Who would speak for the two sides of a duel, and whether they can.
fn describe_duel(config: &Config, table: &BackendTable) -> DoctorProcedure {
    let planner = SeatPlanner {
        config,
        deep: false,
    };
    let side = |index: usize| {
        let agent = planner.agent_in_turn(None, index)?;
        let name = agent.name.clone();
        match table.probe_agent(agent) {
            Ok(_) => Ok(name),
            Err(_) => Err(cannot_start(&[name])),
        }
    };
    let sides = planner
        .required_quorum(2)
        .and_then(|_| Ok((side(0)?, side(1)?)));
    match sides {
        Ok((a, b)) => DoctorProcedure::new("duel", Ok(format!("{a} against {b}"))),
        Err(error) => DoctorProcedure::new("duel", Err(error)),
    }
}

fn procedure_states(
    procedures: &[ProcedureSeats],
    survey: &SurveyedBackends,
    duel: DoctorProcedure,
) -> Vec<DoctorProcedure> {
    let mut states = Vec::new();
    for ((config, seats), (name, _)) in procedures.iter().zip(PROCEDURES) {
        let planner = SeatPlanner {
            config,
            deep: false,
        };
        let chosen = seats.as_ref().map_err(Clone::clone).and_then(|seats| {
            let request = planner.backend_request(seats.len());
            let choice = planner.backend_choice();
            let lacking = survey.unavailable_agents(seats, &choice);
            if !lacking.is_empty() {
                let agents: Vec<String> = lacking.into_iter().map(|(agent, _)| agent).collect();
                return Err(cannot_start(&agents));
            }
            planner.required_quorum(seats.len())?;
            let selection = survey.select_for(seats, &request, &choice)?;
            Ok((seats.len(), selection))
        });
        let state = chosen.map(|(judges, selection): (usize, BackendSelection)| {
            let pick = &selection.picks[0];
            let s = if judges == 1 { "" } else { "s" };
            let notes: String = pick.forecast().map(|note| format!("; {note}")).collect();
            format!("{judges} judge{s}, run by {}{notes}", pick.backend)
        });
        states.push(DoctorProcedure::new(name, state));
    }
    states.push(duel);
    states
}

/// Why these agents cannot start is told once, for all procedures.
fn cannot_start(agents: &[String]) -> RunError {
    let names: Vec<String> = agents.iter().map(|name| format!("`{name}`")).collect();
    RunError::usage(format!("{} cannot start", names.join(" and ")))
}

impl DoctorProcedure {
    fn new(name: &str, state: Result<String, RunError>) -> Self {
        Self {
            name: name.to_owned(),
            possible: state.is_ok(),
            state: state.unwrap_or_else(|error| format!("not possible: {}", error.message)),
        }
    }
}

impl DoctorJudge {
    fn of(seat: &Seat) -> Self {
        Self {
            judge: seat.judge.as_str().to_owned(),
            agent: seat.agent.name.clone(),
            model: seat.agent.model.clone(),
            perspective: seat.perspective.name.clone(),
            focus: seat.perspective.focus.clone(),
        }
    }
}

fn backend_states(
    candidates: &[BackendCandidate],
    selection: &Result<BackendSelection, RunError>,
) -> Vec<DoctorBackend> {
    let state = |candidate: &BackendCandidate| DoctorBackend {
        name: candidate.name.clone(),
        about: candidate.about.clone(),
        used: selection
            .as_ref()
            .is_ok_and(|selection| selection.picks[0].backend == candidate.name),
        state: selection_note(candidate, selection),
        capabilities: common_capabilities(candidate),
    };
    candidates.iter().map(state).collect()
}

fn selection_note(
    candidate: &BackendCandidate,
    selection: &Result<BackendSelection, RunError>,
) -> String {
    let name = &candidate.name;
    let Ok(selection) = selection else {
        return match &candidate.seats {
            Ok(seats) if seats.iter().any(|(_, probed)| probed.is_err()) => {
                "not used: not every judge can start there".to_owned()
            }
            Ok(_) => "not used".to_owned(),
            Err(reason) => format!("not used: {reason}"),
        };
    };
    let why = selection.why_not.iter().find(|(other, _)| other == name);
    match why {
        Some((_, why)) => format!("not used: {why}"),
        None if selection.picks.iter().any(|pick| pick.backend == *name) => "used".to_owned(),
        None => format!("a plugin, used only when it is asked for: --backend {name}"),
    }
}

/// What all seats have there, or what stands against it.
fn common_capabilities(candidate: &BackendCandidate) -> String {
    let seats = match &candidate.seats {
        Ok(seats) => seats,
        Err(reason) => return reason.clone(),
    };
    let mut common = None;
    for (judge, probed) in seats {
        match (probed, common.take()) {
            (Err(failure), _) => return format!("{judge}: {}", failure.detail),
            (Ok(granted), None) => common = Some(granted.clone()),
            (Ok(granted), Some(before)) => common = Some(granted.intersection(&before)),
        }
    }
    common.unwrap_or_default().to_string()
}
