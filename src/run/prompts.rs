//! What agents that read text are sent: one brief for all of them, and a prompt for each turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use council_agents::files_of_tool;
use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, JudgeId, RepoPath, Seat, SeenLines, Turn};

use crate::config::Settings;
use crate::council::plan::{Procedure, RunSeed};
use crate::git::ReviewedChange;
use crate::prompt::{
    Brief, BriefClass, BriefSizes, HiddenValues, ProductionMode, PromptBuilder, hidden_on_added,
};
use crate::report::{BriefFacts, ContextFacts};
use crate::session;

use crate::run::briefs::{self, RunBriefs};
use crate::run::error::RunError;
use crate::run::modes::document::SYNTHESIZER;
use crate::run::own;
use crate::run::prepare::PreparedReview;
use crate::run::shards;
use crate::text::page_address;

/// The prompts of a run.
pub(crate) struct SeatPrompts {
    prompter: PromptBuilder,
    briefs: RunBriefs,
    /// Secrets on added lines.
    hidden: usize,
}

/// What judges are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptPurpose {
    Review,
    /// Its turns tell their own rules.
    Duel,
    /// Something without a verdict.
    Produce(ProductionMode),
}

impl PromptPurpose {
    fn adapt(self, prompter: PromptBuilder, procedure: Procedure, seats: &[Seat]) -> PromptBuilder {
        let prompter = prompter.for_lone_judge(self.has_one_judge(seats));
        let begins_with_review = matches!(
            procedure,
            Procedure::Quick | Procedure::Review | Procedure::Debate
        );
        match self {
            Self::Review if begins_with_review => prompter.with_guide(),
            Self::Review | Self::Duel => prompter,
            Self::Produce(mode) => prompter.for_mode(mode),
        }
    }

    /// Whether nobody does what each seat does. Whoever writes the document of all contributions has none.
    fn has_one_judge(self, seats: &[Seat]) -> bool {
        match self {
            Self::Produce(_) => {
                let mut judges = seats.to_vec();
                judges.retain(|seat| seat.judge.as_str() != SYNTHESIZER);
                shards::is_one_judge(&judges)
            }
            Self::Review | Self::Duel => shards::is_one_judge(seats),
        }
    }
}

impl SeatPrompts {
    /// Renders the brief when a seat needs one; judges that read the packet as it is do not.
    pub(crate) fn for_seats(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::plan_filled(seats, prepared, seed, (PromptPurpose::Review, None))
    }

    /// The same for a duel.
    pub(crate) fn for_duel(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::plan_filled(seats, prepared, seed, (PromptPurpose::Duel, None))
    }

    /// The same for a review in which `quorum` judges must have seen a file: what is larger than a brief is spread over them.
    pub(crate) fn for_review(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        quorum: u32,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::plan_filled(seats, prepared, seed, (PromptPurpose::Review, Some(quorum)))
    }

    /// The same for seats that produce something without a verdict.
    pub(crate) fn for_mode(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        mode: ProductionMode,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::plan_filled(seats, prepared, seed, (PromptPurpose::Produce(mode), None))
    }

    fn plan_filled(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        purpose: (PromptPurpose, Option<u32>),
    ) -> Result<Option<Arc<Self>>, RunError> {
        let planned = Self::plan_purpose(seats, prepared, seed, purpose)?;
        planned.map(|planned| planned.fill(prepared)).transpose()
    }

    /// What is known before anybody looks around the change: templates, parts, coverage. A verdict that is recognised needs
    /// no more.
    pub(crate) fn plan(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        quorum: Option<u32>,
    ) -> Result<Option<Self>, RunError> {
        Self::plan_purpose(seats, prepared, seed, (PromptPurpose::Review, quorum))
    }

    fn plan_purpose(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        (purpose, quorum): (PromptPurpose, Option<u32>),
    ) -> Result<Option<Self>, RunError> {
        if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
            return Ok(None);
        }
        let worktree = prepared.change.place.workdir.as_deref();
        let kind = prepared.packet.target.kind;
        let prompter = own_prompter(seed, &prepared.config.settings, worktree)?
            .for_target(kind)
            .with_redactor(prepared.redactor.clone());
        let procedure = prepared.config.settings.review.procedure;
        let prompter = purpose.adapt(prompter, procedure, seats);
        let briefs = RunBriefs::plan(&prompter, seats, prepared, quorum).map_err(RunError::run)?;
        let hidden = hidden_on_added(&prepared.redactor, &prepared.packet).count();
        Ok(Some(Self {
            prompter,
            briefs,
            hidden,
        }))
    }

    /// The same with what stands around the change.
    pub(crate) fn fill(mut self, prepared: &PreparedReview) -> Result<Arc<Self>, RunError> {
        self.look_around(prepared)?;
        Ok(Arc::new(self))
    }

    /// Looks around the change, once, and says what code stands there: it is a part of what is judged.
    pub(crate) fn look_around(&mut self, prepared: &PreparedReview) -> Result<String, RunError> {
        self.briefs
            .fill(&self.prompter, prepared)
            .map_err(RunError::run)?;
        Ok(self.context_digest().unwrap_or_default())
    }

    /// The digest of the code around the change; none: nobody has looked yet.
    pub(crate) fn context_digest(&self) -> Option<String> {
        self.briefs.context_digest().cloned()
    }

    /// How many parts the change has.
    pub(crate) fn shard_count(&self) -> usize {
        if self.is_spread() {
            1
        } else {
            self.briefs.parts.len()
        }
    }

    /// Whether judges are shown different parts of the change: they review it in one round.
    pub(crate) fn is_divided(&self) -> bool {
        self.briefs.parts.len() > 1
    }

    /// Whether each judge is shown other files of a change that is larger than a brief.
    pub(crate) fn is_spread(&self) -> bool {
        self.briefs.is_spread()
    }

    /// The brief, of the first part where there are several.
    pub(crate) fn first_brief(&self) -> Arc<str> {
        Arc::clone(&self.briefs.parts[0].brief.text)
    }

    /// What of the change a judge is shown.
    pub(crate) fn seat_coverage(&self, judge: &JudgeId) -> Arc<Coverage> {
        Arc::clone(&self.briefs.part_of(judge).coverage)
    }

    /// What of the change is shown at all, to whichever judges.
    pub(crate) fn shown_coverage(&self) -> Coverage {
        let parts = self.briefs.parts.iter();
        let all: Vec<&Coverage> = parts.map(|part| &*part.coverage).collect();
        Coverage::of_quorum(&all, 1)
    }

    /// Whether judges are not shown all of the change.
    pub(crate) fn leaves_out(&self) -> bool {
        self.shown_coverage().gaps().next().is_some()
    }

    /// The brief of each part if the change is shown in parts, each in a brief of at most `most` bytes; none: it cannot be
    /// rendered so.
    pub(crate) fn briefs_in_parts(
        &self,
        prepared: &PreparedReview,
        most: u64,
    ) -> Option<Vec<Arc<str>>> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let briefs = &self.briefs;
        briefs.texts_in_parts(&self.prompter, prepared, most).ok()
    }

    /// What a brief of at most `most` bytes shows of one file alone; none: it cannot be rendered so.
    pub(crate) fn brief_of_file(
        &self,
        prepared: &PreparedReview,
        file: usize,
        most: u64,
    ) -> Option<Brief> {
        let class = BriefClass {
            budget_bytes: usize::try_from(most).unwrap_or(usize::MAX),
            ..briefs::brief_class(prepared)
        };
        let packet = shards::packet_of_files(&prepared.packet, &[file]);
        self.prompter.render_brief(&packet, &class).ok()
    }

    /// How many secrets were replaced, each counted once.
    pub(crate) fn redaction_count(&self) -> usize {
        let mut all = HiddenValues::default();
        for part in &self.briefs.parts {
            all.extend(&part.brief.redactions);
        }
        all.count()
    }

    /// What a reader of the verdict must know of what judges were shown, so that a PASS is not taken for more than it says.
    pub(crate) fn notes(&self, change: &ReviewedChange) -> Vec<String> {
        let blind = blind_note(change);
        let hidden = hidden_note(self.redaction_count());
        let parts = self.briefs.parts.iter();
        let cut = parts.flat_map(|part| &part.brief.cut_instructions);
        let cut = cut_note(&cut.collect());
        blind.into_iter().chain(hidden).chain(cut).collect()
    }

    /// Where the bytes of a brief went, of the largest where there are several.
    pub(crate) fn brief_facts(&self) -> BriefFacts {
        let parts = self.briefs.parts.iter().map(|part| &part.brief);
        let largest = parts.max_by_key(|brief| brief.text.len());
        let sizes = largest.map_or_else(BriefSizes::default, |brief| brief.sizes.clone());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let context = sizes.context.iter().map(|(kind, used)| ContextFacts {
            kind: kind.describe().to_owned(),
            bytes: used.bytes as u64,
            shown: count(used.shown),
            left_out: count(used.left),
        });
        BriefFacts {
            parts: count(self.briefs.parts.len()),
            change: sizes.change as u64,
            context: context.collect(),
            gaps: sizes.gaps,
            frame: sizes.frame as u64,
            is_full: sizes.is_full,
            hidden: self.hidden as u64,
            ..BriefFacts::default()
        }
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
    let given = files_of_tool(&seat.agent.kind, &prepared.packet.files);
    match (given, prompts) {
        // A tool reads files, not a brief, and says nothing of those that it was not given.
        (Some(given), _) => Arc::new(prepared.coverage.of_tool(&given)),
        (None, Some(prompts)) if seat.agent.kind.reads_text() => prompts.seat_coverage(&seat.judge),
        (None, _) => Arc::clone(&prepared.coverage),
    }
}

impl session::PromptRenderer for SeatPrompts {
    fn render_brief(&self, seat: &Seat) -> Arc<str> {
        Arc::clone(&self.briefs.part_of(&seat.judge).brief.text)
    }

    fn lines_in_brief(&self, judge: &JudgeId) -> Vec<SeenLines> {
        self.briefs.part_of(judge).brief.partly_seen.clone()
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

/// A prompter with the templates of the user's folder.
fn own_prompter(
    seed: &RunSeed,
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<PromptBuilder, RunError> {
    let overrides = template_overrides(settings, repository)?;
    PromptBuilder::new(seed, &overrides).map_err(|error| {
        let page = page_address("docs/prompts.md");
        RunError::usage(error).hint(format!(
            "it is in the folder that `prompts.folder` names; what each template is given: {page}"
        ))
    })
}

/// Whether the user's own templates can be used by these seats, if any of them reads text.
pub(crate) fn check_templates(
    seats: &[Seat],
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<(), RunError> {
    if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
        return Ok(());
    }
    let seed = RunSeed("0".repeat(64));
    own_prompter(&seed, settings, repository).map(drop)
}

/// How a template's file ends; everything else in the folder is nobody's business.
const ENDING: &str = ".md.j2";

/// The setting that names the folder.
const FOLDER: &str = "prompts.folder";

/// The templates of the user's folder, by name. None of them may come from the repository under review.
pub(crate) fn template_overrides(
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<BTreeMap<String, String>, RunError> {
    let Some(folder) = &settings.prompts.folder else {
        return Ok(BTreeMap::new());
    };
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

/// What the judges of a patch cannot see that is not of the files here.
fn blind_note(change: &ReviewedChange) -> Option<String> {
    let is_patch = change.target.kind == TargetKind::Patch;
    (is_patch && !change.blobs.has_blobs()).then(|| {
        "the models were shown the patch alone, with the context that it has: no whole functions, no callers, nothing to \
         look up; in its repository, on the commit that it is of, they see all of it"
            .to_owned()
    })
}

/// What no model was shown.
fn hidden_note(count: usize) -> Option<String> {
    let were = if count == 1 {
        "secret was"
    } else {
        "secrets were"
    };
    let note = format!(
        "{count} {were} replaced in what the models read; a value that nothing marks as a secret goes out as it is"
    );
    (count > 0).then_some(note)
}

/// The most files that a note names.
const MAX_NAMED: usize = 5;

/// Which instructions and references were too long for a brief, by name.
fn cut_note(cut: &BTreeSet<&RepoPath>) -> Option<String> {
    let names = cut.iter().take(MAX_NAMED);
    let mut names: Vec<String> = names.map(|path| path.display().into_owned()).collect();
    if cut.len() > MAX_NAMED {
        names.push(format!("and {} more", cut.len() - MAX_NAMED));
    }
    let names = names.join(", ");
    (!cut.is_empty()).then(|| format!("judges were shown only the first part of: {names}"))
}
