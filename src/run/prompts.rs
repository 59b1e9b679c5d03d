//! What agents that read text are sent: one brief for all of them, and a prompt for each turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::coverage::FileCoverage;
use council_protocol::{Coverage, JudgeId, Packet, Seat, Turn};

use crate::config::LargeChangePolicy;
use crate::council::plan::{Procedure, RunSeed};
use crate::prompt::{Brief, BriefClass, ProductionMode, PromptBuilder};
use crate::session;

use crate::run::error::RunError;
use crate::run::own;
use crate::run::prepare::PreparedReview;
use crate::run::shards;

/// The prompts of a run.
pub(crate) struct SeatPrompts {
    prompter: PromptBuilder,
    /// One, or several of a change that is larger than a brief; never empty.
    briefs: Vec<(Brief, Arc<Coverage>)>,
}

impl SeatPrompts {
    /// Renders the brief when a seat needs one; judges that read the packet as it is do not.
    pub(crate) fn for_seats(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
    ) -> Result<Option<Arc<Self>>, RunError> {
        let procedure = prepared.config.settings.review.procedure;
        let reviews = matches!(
            procedure,
            Procedure::Quick | Procedure::Review | Procedure::Debate
        );
        Self::render(seats, prepared, seed, |prompter| match reviews {
            true => prompter.with_guide(),
            false => prompter,
        })
    }

    /// The same for a duel, whose turns tell their own rules.
    pub(crate) fn for_duel(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::render(seats, prepared, seed, |prompter| prompter)
    }

    /// The same for seats that produce something without a verdict.
    pub(crate) fn for_mode(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        mode: ProductionMode,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::render(seats, prepared, seed, |prompter| prompter.for_mode(mode))
    }

    fn render(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        adapt: impl FnOnce(PromptBuilder) -> PromptBuilder,
    ) -> Result<Option<Arc<Self>>, RunError> {
        if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
            return Ok(None);
        }
        let overrides = template_overrides(prepared)?;
        let unusable = |error| {
            RunError::usage(error)
                .hint("it stands in the folder of `prompts.folder`; docs/prompts.md says what each template is given")
        };
        let kind = prepared.packet.target.kind;
        let prompter = PromptBuilder::new(seed, &overrides)
            .map_err(unusable)?
            .for_target(kind)
            .with_redactor(prepared.redactor.clone());
        let prompter = adapt(prompter);
        let budget = usize::try_from(prepared.config.settings.limits.brief).unwrap_or(usize::MAX);
        let class = BriefClass {
            budget_bytes: budget,
            ..BriefClass::default()
        };
        let render = |packet: &Packet| prompter.render_brief(packet, &class);
        let brief = render(&prepared.packet).map_err(RunError::run)?;
        let is_cut = |before: &FileCoverage, shown: &FileCoverage| {
            before.state.is_complete() && !shown.state.is_complete()
        };
        let files = prepared
            .packet
            .coverage
            .files
            .iter()
            .zip(&brief.coverage.files);
        let shards = prepared.config.settings.review.large == LargeChangePolicy::Shard;
        let briefs = if shards
            && files
                .into_iter()
                .any(|(before, shown)| is_cut(before, shown))
        {
            let parts = shards::split_change(&prepared.packet, &render).map_err(RunError::run)?;
            parts
                .into_iter()
                .map(|part| (part.brief, Arc::new(part.coverage)))
                .collect()
        } else {
            let coverage = Arc::new(brief.coverage.clone());
            vec![(brief, coverage)]
        };
        Ok(Some(Arc::new(Self { prompter, briefs })))
    }

    /// How many parts the change has.
    pub(crate) fn shard_count(&self) -> usize {
        self.briefs.len()
    }

    fn brief_of(&self, judge: &JudgeId) -> &(Brief, Arc<Coverage>) {
        self.briefs
            .get(shards::shard_of(judge))
            .unwrap_or(&self.briefs[0])
    }

    /// The brief, of the first part where there are several.
    pub(crate) fn first_brief(&self) -> Arc<str> {
        Arc::clone(&self.briefs[0].0.text)
    }

    /// What of the change a judge is shown.
    pub(crate) fn seat_coverage(&self, judge: &JudgeId) -> Arc<Coverage> {
        Arc::clone(&self.brief_of(judge).1)
    }

    /// What of the change is shown at all, to whichever judges.
    pub(crate) fn shown_coverage(&self) -> Coverage {
        let all: Vec<&Coverage> = self
            .briefs
            .iter()
            .map(|(_, coverage)| &**coverage)
            .collect();
        Coverage::of_quorum(&all, 1)
    }

    /// How many secrets were replaced.
    pub(crate) fn redaction_count(&self) -> usize {
        self.briefs.iter().map(|(brief, _)| brief.redactions).sum()
    }

    /// SHA-256 of the templates.
    pub(crate) fn template_digest(&self) -> String {
        self.prompter.digest()
    }

    /// The same before there is a run; none: no seat reads text.
    pub(crate) fn planned_digest(seats: &[Seat]) -> Result<Option<String>, RunError> {
        if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
            return Ok(None);
        }
        // Which marks fence a text is no part of a template.
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new())
            .map_err(RunError::run)?;
        Ok(Some(prompter.digest()))
    }
}

/// What of a change a seat sees: built-in judges the whole of it, models what their brief shows.
pub(crate) fn coverage_shown(
    seat: &Seat,
    prompts: Option<&SeatPrompts>,
    prepared: &PreparedReview,
) -> Arc<Coverage> {
    match prompts {
        Some(prompts) if seat.agent.kind.reads_text() => prompts.seat_coverage(&seat.judge),
        _ => Arc::clone(&prepared.coverage),
    }
}

impl session::PromptRenderer for SeatPrompts {
    fn render_brief(&self, seat: &Seat) -> Arc<str> {
        Arc::clone(&self.brief_of(&seat.judge).0.text)
    }

    fn render_prompt(&self, seat: &Seat, turn: &Turn, explorers: u8) -> Result<String, String> {
        // Every template was tried; a user's one may still fail on what is real.
        self.prompter
            .render_exploring_turn(seat, turn.round, &turn.key, &turn.task, explorers)
            .map_err(|error| error.to_string())
    }

    fn render_reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, String> {
        self.prompter
            .render_reminder(seat, said)
            .map_err(|error| error.to_string())
    }
}

/// How a template's file ends; everything else in the folder is nobody's business.
const ENDING: &str = ".md.j2";

/// The setting that names the folder.
const FOLDER: &str = "prompts.folder";

/// The templates of the user's folder, by name. None of them may come from the repository under review.
pub(crate) fn template_overrides(
    prepared: &PreparedReview,
) -> Result<BTreeMap<String, String>, RunError> {
    let Some(folder) = &prepared.config.settings.prompts.folder else {
        return Ok(BTreeMap::new());
    };
    let repository = prepared.change.place.workdir.as_deref();
    let real = own::resolve_own_path(folder, FOLDER, repository)?;
    let cannot = |error: std::io::Error| own::unreadable_error(folder, FOLDER, &error);
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(&real).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(ENDING)) else {
            continue;
        };
        found.insert(name.to_owned(), own::read_own_text(&path, FOLDER)?);
    }
    Ok(found)
}
