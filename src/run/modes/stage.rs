//! A stage of a project, debated: its own files in, its own files out. It obeys the files of the worktree by its nature, so
//! it runs locally only, and those files may name models but never commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use council_protocol::answer::Contention;
use council_protocol::packet::{Instruction, PACKET_VERSION, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{Coverage, JudgeId, Packet, RepoPath, RoundNumber, Seat};
use council_secrets::Redactor;

use crate::run::context::RunContext;
use crate::run::convene;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::modes::document::{
    DocumentListener, DocumentMode, require_thinking_agents, synthesizer_seat,
};
use crate::run::modes::requested::{RequestedMode, StageRequest};
use crate::run::prepare::PreparedReview;
use crate::run::redaction::load_redactor;
use crate::run::request::CheckoutUse;
use crate::run::seats::SeatPlanner;
use crate::run::settings::{self, ConfigSources};

use crate::config::{Settings, is_model};
use crate::git::{self, ChangeRequest, RepositoryPaths, TargetSpec};
use crate::packet;
use crate::prompt::ProductionMode;
use crate::report::{Report, judge};
use crate::session::stage::{
    CallLog, StageContext, StageError, StageFolder, StageRole, StageSettings, synthesis_line,
};
use crate::session::{AnswerFiling, RealWorld, SessionWorld};
use crate::text::Untrusted;

/// The section without which no synthesis is one.
const NOTES: &str = "## Debate Notes";

impl From<StageError> for RunError {
    fn from(error: StageError) -> Self {
        let hint = match &error {
            StageError::NoCurrent { .. } => Some(
                "name a folder below stages/ (git council stage 01-brainstorm), or set `current_stage` in that file",
            ),
            StageError::Linked(_) => Some(
                "replace the link with a folder of the project's own: copy into it what the roles are to read",
            ),
            _ => None,
        };
        let error = Self::usage(error);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// A stage that can be debated.
pub(crate) struct PreparedStage {
    request: StageRequest,
    folder: StageFolder,
    debated: StageSettings,
    prepared: PreparedReview,
}

impl PreparedStage {
    pub(crate) fn settings(&self) -> &Settings {
        &self.prepared.config.settings
    }
}

/// Reads what a debate of a stage needs.
pub(crate) fn read_stage(
    request: &StageRequest,
    start: &RunContext,
) -> Result<PreparedStage, RunError> {
    if start.environment.is_ci() {
        return Err(RunError::usage(
            "a stage debate takes its settings from the worktree, so it runs only locally",
        )
        .hint("this is a CI job (`CI` is set); review the change instead: git council review"));
    }
    let folder = StageFolder::find(&project_root(start), request.stage.as_deref())?;
    let mut debated = folder.read_settings(request.intensity)?;
    let mut prepared = prepare_stage(request, &folder, folder.read_context()?, start)?;
    let note = left_out_note(&debated).map(|note| prepared.redactor.redact_words(&note).text);
    prepared.notes.extend(note);
    hide_in_names(&mut debated.roles, &prepared.redactor);
    Ok(PreparedStage {
        // The project may call another stage the current one by the time somebody goes on with it.
        request: StageRequest {
            stage: Some(folder.stage().to_owned()),
            ..request.clone()
        },
        folder,
        debated,
        prepared,
    })
}

/// Which roles of the project's file nobody takes.
fn left_out_note(debated: &StageSettings) -> Option<String> {
    let all = debated.roles.len() + debated.left_out.len();
    (!debated.left_out.is_empty()).then(|| {
        format!(
            "{} of {all} roles take part with intensity {}: {} had no part (`--intensity`, or `agent_count` of the profile in \
             config/debate.jsonc)",
            debated.roles.len(),
            debated.intensity.as_str(),
            debated.left_out.join(", ")
        )
    })
}

/// Debates a stage, and writes its documents and its line of the call log.
pub(crate) fn debate_stage(
    stage: PreparedStage,
    listener: &DocumentListener,
    start: &RunContext,
) -> Result<Report, RunError> {
    let bench = SeatPlanner {
        config: &stage.prepared.config,
        deep: false,
    };
    let mut seats = role_seats(&bench, &stage.debated)?;
    bench.check_agent_limit(seats.len() + 1)?;
    seats.extend(synthesizer_seat(&seats).map(|seat| with_rules(seat, &stage.debated)));
    let gathering = stage.document_mode(seats, listener);
    stage.folder.set_aside()?;
    let PreparedStage {
        folder, prepared, ..
    } = stage;
    let report = convene::convene_document(prepared, &gathering, start)?;
    finish_stage(&folder, report, listener, start)
}

/// Goes on with the debate of a stage whose material is still what it was.
pub(crate) fn resume_stage(
    stage: PreparedStage,
    left: &LoadedRun,
    listener: &DocumentListener,
    start: &RunContext,
) -> Result<Report, RunError> {
    if packet::bytes_for_judges(&stage.prepared.packet) != left.packet {
        let changed = format!(
            "what {} debates (the files of the stage {}) has changed",
            left.past.name,
            stage.folder.stage()
        );
        return Err(
            RunError::usage(changed).hint("debate the stage as it is now: git council stage")
        );
    }
    let gathering = stage.document_mode(left.seats(), listener);
    let PreparedStage {
        folder, prepared, ..
    } = stage;
    let report = convene::resume_document(prepared, &gathering, left, start)?;
    finish_stage(&folder, report, listener, start)
}

impl PreparedStage {
    /// The debate of these seats, the synthesizer last.
    fn document_mode(&self, seats: Vec<Seat>, listener: &DocumentListener) -> DocumentMode {
        DocumentMode {
            seats,
            mode: ProductionMode::Stage,
            rounds: self.debated.profile.round_limits(),
            threshold: Contention::try_from(self.debated.threshold).ok(),
            filing: Some(document_filing(&self.folder, &self.debated.roles)),
            listener: Some(Arc::clone(listener)),
            asked: RequestedMode::Stage(self.request.clone()),
        }
    }
}

/// Writes what came of a debate, and says where an earlier one's document stays.
fn finish_stage(
    folder: &StageFolder,
    report: Report,
    listener: &DocumentListener,
    start: &RunContext,
) -> Result<Report, RunError> {
    let is_written = write_documents(folder, &report, listener)?;
    if let Some(file) = folder.earlier_synthesis().filter(|_| !is_written) {
        let file = file.display();
        start.notifier.warn(&format!(
            "{file} is of an earlier debate: this one wrote none"
        ));
    }
    Ok(report)
}

/// Whoever writes the final document keeps to the project's `synthesis_rules`.
fn with_rules(mut seat: Seat, debated: &StageSettings) -> Seat {
    seat.perspective.focus = debated.synthesis_rules.join("\n");
    seat
}

/// The project's folder: where we are, if it has stages, else the top of the worktree.
fn project_root(start: &RunContext) -> PathBuf {
    let here = start.dir.clone();
    if here.join("stages").is_dir() {
        return here;
    }
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok();
    place.and_then(|place| place.workdir).unwrap_or(here)
}

/// Takes secrets out of the names of roles, which stand in prompts, reports and the names of files. Each role still has a
/// file of its own.
fn hide_in_names(roles: &mut [StageRole], redactor: &Redactor) {
    for (role, number) in roles.iter_mut().zip(1..) {
        let shown = redactor.redact_words(&role.name);
        if shown.secrets > 0 {
            role.name = format!("{} {number}", shown.text);
        }
    }
}

/// What the roles are given: the stage's own material, and no change.
fn prepare_stage(
    request: &StageRequest,
    folder: &StageFolder,
    context: StageContext,
    start: &RunContext,
) -> Result<PreparedReview, RunError> {
    let began = Instant::now();
    let wanted = ChangeRequest {
        dir: folder.root().to_path_buf(),
        spec: TargetSpec::Topic(folder.stage().to_owned()),
        pathspecs: Vec::new(),
        env: start.git_environment(),
    };
    let mut change = git::read_change(&wanted)?;
    change.target.kind = TargetKind::Stage;
    change.target.slug = format!("stage-{}", change.target.slug);
    let voices = ConfigSources {
        place: Some(&change.place),
        trusted: change.trusted_tree(),
        checkout: CheckoutUse::default(),
    };
    let config = settings::load_config(start, request.flags.clone(), &voices)?;
    let mut notes = context.notes.clone();
    notes.extend(config.notices.iter().map(ToString::to_string));
    let packet = Packet {
        version: PACKET_VERSION,
        target: change.target.clone(),
        files: Vec::new(),
        instructions: stage_material(folder.stage(), context),
        coverage: Coverage::default(),
        framing: Default::default(),
    };
    let redactor = load_redactor(
        &config.settings,
        change.place.workdir.as_deref(),
        (&packet, &change.blobs),
        None,
        start,
    )?;
    Ok(PreparedReview {
        hidden: None,
        dismissed: Vec::new(),
        change,
        config,
        packet: Arc::new(packet),
        coverage: Arc::default(),
        redactor,
        notes,
        config_fault: None,
        request: None,
        earlier: None,
        whole_key: None,
        whole_packet: None,
        keep_in: None,
        search_path: None,
        told: Default::default(),
        began,
    })
}

/// The stage's instructions, the handoff and the references as the brief shows them.
fn stage_material(stage: &str, context: StageContext) -> Vec<Instruction> {
    let own = |path: String, text: String| Instruction {
        path: RepoPath::from(path.as_str()),
        origin: "the worktree".to_owned(),
        text,
    };
    let mut all = vec![own(
        format!("stages/{stage}/CLAUDE.md"),
        context.instructions,
    )];
    all.extend(
        context
            .handoff
            .map(|text| own("HANDOFF.md".to_owned(), text)),
    );
    let references = context.references.into_iter();
    all.extend(references.map(|(name, text)| own(format!("references/{stage}/{name}"), text)));
    all
}

/// One seat for each role, with the directive as its focus.
fn role_seats(bench: &SeatPlanner<'_>, debated: &StageSettings) -> Result<Vec<Seat>, RunError> {
    let mut seats = Vec::new();
    for (index, role) in debated.roles.iter().enumerate() {
        let mut agent = bench.agent_in_turn(None, index)?;
        require_thinking_agents(&[&agent], "a stage")?;
        agent.model = role_model(bench, role, &agent)?;
        seats.push(Seat {
            judge: role_judge(role),
            perspective: Perspective {
                name: role.name.clone(),
                focus: role.directive.clone(),
            },
            agent,
        });
    }
    Ok(seats)
}

fn role_judge(role: &StageRole) -> JudgeId {
    JudgeId(format!("judge-{}", role.slug()))
}

/// Role → stage → what the user configured for the agent → "sonnet", where that is a model of the agent's. A flag or a variable is stronger than all of them.
fn role_model(
    bench: &SeatPlanner<'_>,
    role: &StageRole,
    agent: &AgentSpec,
) -> Result<Option<String>, RunError> {
    if !is_model(&role.model) {
        let message = format!(
            "`{}` of the role `{}` is no name of a model",
            role.model, role.name
        );
        return Err(RunError::usage(message)
            .hint("a model is written without spaces and does not begin with `-`"));
    }
    let named = Some(role.model.clone()).filter(|_| !role.by_default);
    let takes_any = matches!(agent.kind, AgentKind::Claude(_) | AgentKind::Command { .. });
    let fallback = Some(role.model.clone()).filter(|_| takes_any);
    Ok(bench
        .forced_model(agent)
        .or(named)
        .or_else(|| agent.model.clone())
        .or(fallback))
}

/// Where a role's document of a round goes; the synthesizer's goes elsewhere.
fn document_filing(folder: &StageFolder, roles: &[StageRole]) -> AnswerFiling {
    let (folder, roles) = (folder.clone(), roles.to_vec());
    let root = folder.root().to_path_buf();
    let name = move |seat: &Seat, round: RoundNumber| {
        let role = roles.iter().find(|role| role_judge(role) == seat.judge)?;
        let file = folder.round_path(round, role);
        file.strip_prefix(folder.root()).ok().map(Path::to_path_buf)
    };
    AnswerFiling {
        root,
        name: Arc::new(name),
    }
}

/// Writes the final document, if there is one, and the line of the call log. Says whether there is one.
fn write_documents(
    folder: &StageFolder,
    report: &Report,
    listener: &DocumentListener,
) -> Result<bool, RunError> {
    let world = RealWorld::new();
    let ledger = &report.outcome.ledger;
    let scores = ledger.contention.iter().map(|c| c.score.score()).collect();
    let answered = ledger
        .rounds
        .iter()
        .filter(|round| !round.answered.is_empty());
    let rounds = u8::try_from(answered.clone().count()).unwrap_or(u8::MAX);
    // Whoever was asked and never answered took no part.
    let agents: BTreeSet<&JudgeId> = answered.flat_map(|round| &round.answered).collect();
    let agents = agents.len();
    let stage = folder.stage();
    let call = CallLog::new(stage, rounds, agents, scores, world.read_calendar().rfc3339);
    let Some(document) = ledger.document().filter(|_| !report.incomplete) else {
        folder.log_call(world.disk(), &call.into_failed())?;
        return Ok(false);
    };
    folder.write_synthesis(world.disk(), &with_debate_notes(document, report))?;
    folder.log_call(world.disk(), &call)?;
    listener(&synthesis_line(stage));
    Ok(true)
}

/// The document with its mandatory section; where the synthesizer left it out, with what the program knows.
fn with_debate_notes(document: &str, report: &Report) -> String {
    let mut text = judge::plain_document(document) + "\n";
    let ledger = &report.outcome.ledger;
    let silent = ledger
        .rounds
        .iter()
        .filter(|round| round.answered.is_empty());
    let silent = silent.map(|round| {
        format!(
            "- Nobody answered round {}: it was not debated.\n",
            round.round
        )
    });
    let silent: String = silent.collect();
    if document.lines().any(|line| line.trim_end() == NOTES) {
        if !silent.is_empty() {
            text += &format!("\ngit-council adds:\n\n{silent}");
        }
        return text;
    }
    text += &format!(
        "\n{NOTES}\n\nThe synthesizer left out this section; git-council filled in what it knows.\n\n"
    );
    text += &format!("- Rounds: {}\n{silent}", ledger.rounds.len());
    let scores = ledger.contention.iter();
    let scores: Vec<String> = scores.map(|c| format!("{:.2}", c.score.score())).collect();
    if !scores.is_empty() {
        text += &format!("- Contention: {}\n", scores.join(", "));
    }
    let Some(last) = ledger.rounds.last() else {
        return text;
    };
    for (what, points) in [
        ("Agreed", &last.consensus),
        ("Disputed to the end", &last.disputed),
    ] {
        for point in points {
            text += &format!("- {what}: {}\n", Untrusted::new(point).prose());
        }
    }
    text
}
