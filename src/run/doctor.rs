//! What a review would be like here: who would sit, how they would be run, and why.

use std::fmt::Write;

use council_protocol::{JudgeId, Seat};
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Config;
use crate::council::plan::{ConsensusRule, DebateMode, Procedure};
use crate::registry::{BackendCandidate, BackendSelection};
use crate::run::backends::{self, BackendTable, SurveyedBackends, is_alike};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::seats::SeatPlanner;
use crate::run::settings;
use crate::text::{Columns, Untrusted};

/// Who would review here, how, and why: what `doctor --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "DoctorState")]
pub(crate) struct DoctorState {
    /// The program's version.
    version: String,
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
    /// Whether a review would use it.
    used: bool,
    /// The same in words, with the reason.
    state: String,
    /// What all judges have there, or what is in its way, in words.
    capabilities: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
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
    let quorum = bench.required_quorum(seats.len());
    // One survey answers for every procedure: each agent is asked once.
    let procedures = procedure_seats(&config);
    let mut asked = seats.clone();
    for seat in procedures
        .iter()
        .flat_map(|(_, seats)| seats.iter().flatten())
    {
        if !asked.iter().any(|other| is_alike(other, seat)) {
            let judge = JudgeId(format!("{}-{}", seat.judge, asked.len()));
            asked.push(Seat {
                judge,
                ..seat.clone()
            });
        }
    }
    let table = BackendTable::without_change(start)
        .with_plugins(&config.settings, backends::find_worktree(start));
    let survey = table.survey_seats(&asked, start);
    let (request, choice) = (bench.backend_request(seats.len()), bench.backend_choice());
    let selection = survey.select_for(&seats, &request, &choice);
    let candidates = survey.candidates_for(&seats);
    let states = procedure_states(&procedures, &survey, describe_duel(&config, &table));
    let failures = survey.failures().map(|error| error.message.clone());
    let notices = config.notices.iter().map(ToString::to_string);
    let left_out = bench.left_out_notes().into_iter();
    let notes: Vec<String> = left_out.chain(failures).chain(notices).collect();
    Ok(DoctorFindings {
        seats,
        quorum,
        candidates,
        selection,
        states,
        notes,
        config,
    })
}

/// What `doctor` found out.
pub(crate) struct DoctorFindings {
    config: Config,
    seats: Vec<Seat>,
    quorum: Result<u32, RunError>,
    candidates: Vec<BackendCandidate>,
    selection: Result<BackendSelection, RunError>,
    states: Vec<DoctorProcedure>,
    notes: Vec<String>,
}

impl DoctorFindings {
    /// What `doctor --json` prints.
    pub(crate) fn to_state(&self) -> DoctorState {
        let review = &self.config.settings.review;
        DoctorState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            procedure: review.procedure,
            debate: review.debate,
            consensus: review.consensus,
            quorum: self.quorum.as_ref().ok().copied(),
            judges: self.seats.iter().map(DoctorJudge::of).collect(),
            backends: backend_states(&self.candidates, &self.selection),
            procedures: self.states.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The same for people, on a terminal of so many columns.
    pub(crate) fn describe(&self, width: Option<usize>) -> String {
        let quorum = match &self.quorum {
            Ok(quorum) => quorum.to_string(),
            Err(error) => error.message.clone(),
        };
        let mut out = format!("git council {}\n\n", env!("CARGO_PKG_VERSION"));
        out.push_str(&describe_rules(&self.config, &quorum, width));
        out.push_str(&describe_judges(&self.seats, width));
        out.push_str(&describe_backends(&self.candidates, &self.selection, width));
        out.push_str("\nProcedures\n");
        out.push_str(&describe_procedures(&self.states, width));
        for note in &self.notes {
            let _ = writeln!(out, "note: {}", Untrusted::new(note).line());
        }
        out
    }

    /// An error where no backend can run the judges.
    pub(crate) fn check_selection(self) -> Result<(), RunError> {
        // The hint of the error leads here; the next step is in its message.
        let selection = self.selection.map(drop);
        selection.map_err(|error| RunError::usage(error.message))
    }
}

fn describe_rules(config: &Config, quorum: &str, width: Option<usize>) -> String {
    let review = &config.settings.review;
    let mut rows = Columns::default();
    let procedure = match review.procedure {
        Procedure::Quick => "quick: one judge, one round",
        Procedure::Review => "review: one round; the next line says when a second one follows",
        Procedure::Debate => "debate: two rounds",
        Procedure::CrossExamination => {
            "cross-examination: openings, one to four rounds, a final ballot"
        }
        Procedure::Staged => "staged: cross-review and rebuttals until it is settled",
        Procedure::Duel => "duel: two sides that argue in one file",
    };
    let debate = match review.debate {
        DebateMode::Auto => {
            "auto: if the judges disagree, or only one of them reports a critical finding"
        }
        DebateMode::Force => "force: always",
        DebateMode::Off => "off: never",
    };
    let consensus = match review.consensus {
        ConsensusRule::Findings => "findings: the worst finding that counts",
        ConsensusRule::Strict => "strict: the worst vote",
        ConsensusRule::Majority => "majority: the majority of the votes",
    };
    rows.push(["procedure", procedure]);
    rows.push(["debate", debate]);
    rows.push(["consensus", consensus]);
    rows.push(["quorum", quorum]);
    rows.render_within("", width)
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
            Err(failure) => Err(RunError::run(format!("{name}: {}", failure.detail))),
        }
    };
    match side(0).and_then(|a| Ok((a, side(1)?))) {
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
            let selection = survey.select_for(seats, &request, &planner.backend_choice())?;
            Ok((seats.len(), selection))
        });
        let state = chosen.map(|(judges, selection): (usize, BackendSelection)| {
            let pick = &selection.picks[0];
            let s = if judges == 1 { "" } else { "s" };
            let notes: String = pick.notes.iter().map(|note| format!("; {note}")).collect();
            format!("{judges} judge{s} on {}{notes}", pick.backend)
        });
        states.push(DoctorProcedure::new(name, state));
    }
    states.push(duel);
    states
}

fn describe_procedures(procedures: &[DoctorProcedure], width: Option<usize>) -> String {
    let mut rows = Columns::default();
    for one in procedures {
        rows.push([&one.name, &one.state]);
    }
    rows.render_within("  ", width)
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

fn describe_judges(seats: &[Seat], width: Option<usize>) -> String {
    let mut rows = Columns::default();
    for Seat {
        judge,
        perspective,
        agent,
    } in seats
    {
        let model = agent.model.as_deref().unwrap_or_default();
        rows.push([judge.as_str(), &agent.name, model, &perspective.focus]);
    }
    format!("\nJudges\n{}", rows.render_within("  ", width))
}

fn backend_states(
    candidates: &[BackendCandidate],
    selection: &Result<BackendSelection, RunError>,
) -> Vec<DoctorBackend> {
    let state = |candidate: &BackendCandidate| DoctorBackend {
        name: candidate.name.clone(),
        used: selection.as_ref().is_ok_and(|selection| {
            let mut picks = selection.picks.iter();
            picks.any(|pick| pick.backend == candidate.name)
        }),
        state: selection_note(&candidate.name, selection),
        capabilities: common_capabilities(candidate),
    };
    candidates.iter().map(state).collect()
}

fn describe_backends(
    candidates: &[BackendCandidate],
    selection: &Result<BackendSelection, RunError>,
    width: Option<usize>,
) -> String {
    let mut rows = Columns::default();
    for one in backend_states(candidates, selection) {
        rows.push([one.name, one.state, one.capabilities]);
    }
    let mut out = format!(
        "\nBackends (ways to run judges; `git council backends` explains the words)\n{}",
        rows.render_within("  ", width)
    );
    for note in selection
        .iter()
        .flat_map(|selection| &selection.picks[0].notes)
    {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

fn selection_note(name: &str, selection: &Result<BackendSelection, RunError>) -> String {
    let Ok(selection) = selection else {
        return "not used".to_owned();
    };
    let why = selection.why_not.iter().find(|(other, _)| other == name);
    match why {
        Some((_, why)) => format!("not used: {why}"),
        None if selection.picks.iter().any(|pick| pick.backend == name) => "used".to_owned(),
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
