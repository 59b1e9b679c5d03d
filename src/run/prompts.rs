//! What agents that read text are sent: one brief for all of them, and a prompt for each turn.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use council_protocol::coverage::FileCoverage;
use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, JudgeId, Packet, Seat, Turn};

use crate::config::LargeChangePolicy;
use crate::council::plan::RunSeed;
use crate::prompt::{Brief, BriefClass, BriefSizes, ChangeContext, ProductionMode, PromptBuilder};
use crate::report::{BriefFacts, ContextFacts};
use crate::session;
use crate::sight::{GatheredContext, SearchLimits, Sight, gather_context};

use crate::run::error::RunError;
use crate::run::own;
use crate::run::prepare::PreparedReview;
use crate::run::shards;

/// The prompts of a run.
pub(crate) struct SeatPrompts {
    prompter: PromptBuilder,
    /// One, or several of a change that is larger than a brief; never empty.
    briefs: Vec<(Brief, Arc<Coverage>)>,
    /// For whom each brief is, where the files of a change that is larger than one are spread over the judges; else empty.
    readers: Vec<JudgeId>,
}

impl SeatPrompts {
    /// Renders the brief when a seat needs one; judges that read the packet as it is do not.
    pub(crate) fn for_seats(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::for_mode(seats, prepared, seed, ProductionMode::default())
    }

    /// The same for a review in which `quorum` judges must have seen a file: what is larger than a brief is spread over them.
    pub(crate) fn for_review(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        quorum: u32,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::build(
            seats,
            prepared,
            seed,
            (ProductionMode::default(), Some(quorum)),
        )
    }

    /// The same for seats that produce something without a verdict.
    pub(crate) fn for_mode(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        mode: ProductionMode,
    ) -> Result<Option<Arc<Self>>, RunError> {
        Self::build(seats, prepared, seed, (mode, None))
    }

    fn build(
        seats: &[Seat],
        prepared: &PreparedReview,
        seed: &RunSeed,
        (mode, quorum): (ProductionMode, Option<u32>),
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
            .for_mode(mode)
            .with_redactor(prepared.redactor.clone());
        let budget = usize::try_from(prepared.config.settings.limits.brief).unwrap_or(usize::MAX);
        let class = BriefClass {
            budget_bytes: budget,
            context_bytes: usize::try_from(prepared.config.settings.limits.context)
                .unwrap_or(usize::MAX),
            ..BriefClass::default()
        };
        let gathered = look_around(prepared);
        let around = ChangeContext {
            blocks: &gathered.blocks,
            gaps: &gathered.gaps,
        };
        let render = |packet: &Packet| prompter.render_filled_brief(packet, around, &class);
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
        let is_cut = files
            .into_iter()
            .any(|(before, shown)| is_cut(before, shown));
        let copies = quorum.map(|quorum| quorum.max(1) as usize);
        let readers = match (is_cut && !shards, copies) {
            (true, Some(copies)) => spread_readers(seats, kind, copies),
            _ => Vec::new(),
        };
        let briefs = if is_cut && shards {
            let parts = shards::split_change(&prepared.packet, &render).map_err(RunError::run)?;
            parts
                .into_iter()
                .map(|part| (part.brief, Arc::new(part.coverage)))
                .collect()
        } else if let Some(copies) = copies.filter(|_| !readers.is_empty()) {
            let shares = (0..readers.len()).map(|seat| SeatShare {
                seat,
                seats: readers.len(),
                copies,
            });
            let render_share = |share: SeatShare| {
                let class = BriefClass {
                    share: Some(share),
                    ..class.clone()
                };
                let brief = prompter.render_filled_brief(&prepared.packet, around, &class);
                brief.map(|brief| {
                    let coverage = Arc::new(brief.coverage.clone());
                    (brief, coverage)
                })
            };
            let briefs: Result<Vec<_>, PromptError> = shares.map(render_share).collect();
            briefs.map_err(RunError::run)?
        } else {
            let coverage = Arc::new(brief.coverage.clone());
            vec![(brief, coverage)]
        };
        Ok(Some(Arc::new(Self {
            prompter,
            briefs,
            readers,
        })))
    }

    /// How many parts the change has.
    pub(crate) fn shard_count(&self) -> usize {
        match self.is_spread() {
            true => 1,
            false => self.briefs.len(),
        }
    }

    /// Whether each judge is shown other files of a change that is larger than a brief.
    pub(crate) fn is_spread(&self) -> bool {
        !self.readers.is_empty()
    }

    fn brief_of(&self, judge: &JudgeId) -> &(Brief, Arc<Coverage>) {
        let index = match self.is_spread() {
            true => reader_of(&self.readers, judge),
            false => shards::shard_of(judge),
        };
        self.briefs.get(index).unwrap_or(&self.briefs[0])
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

    /// Where the bytes of a brief went, of the largest where there are several.
    pub(crate) fn brief_facts(&self) -> BriefFacts {
        let largest = self.briefs.iter().max_by_key(|(brief, _)| brief.text.len());
        let sizes = largest.map_or_else(BriefSizes::default, |(brief, _)| brief.sizes.clone());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let context = sizes.context.iter().map(|(kind, used)| ContextFacts {
            kind: kind.describe().to_owned(),
            bytes: used.bytes as u64,
            shown: count(used.shown),
            left_out: count(used.left),
        });
        BriefFacts {
            parts: count(self.briefs.len()),
            change: sizes.change as u64,
            context: context.collect(),
            gaps: sizes.gaps,
            frame: sizes.frame as u64,
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

/// The judges over whom files are spread: those that read a brief, if they are more than must see each file.
fn spread_readers(seats: &[Seat], kind: TargetKind, copies: usize) -> Vec<JudgeId> {
    let is_text = matches!(
        kind,
        TargetKind::File | TargetKind::Topic | TargetKind::Stage
    );
    let readers = seats.iter().filter(|seat| seat.agent.kind.reads_text());
    let readers: Vec<JudgeId> = readers.map(|seat| seat.judge.clone()).collect();
    match !is_text && readers.len() > copies {
        true => readers,
        false => Vec::new(),
    }
}

/// Which of these judges one is, or helps: a helper has its judge's name with something behind.
fn reader_of(readers: &[JudgeId], judge: &JudgeId) -> usize {
    let is_of = |reader: &JudgeId| {
        let behind = judge.as_str().strip_prefix(reader.as_str());
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('-'))
    };
    let named = readers
        .iter()
        .enumerate()
        .filter(|(_, reader)| is_of(reader));
    let closest = named.max_by_key(|(_, reader)| reader.as_str().len());
    closest.map_or(0, |(index, _)| index)
}

/// How long looking around a change may take. Files and bytes are bounded too and end it first on an ordinary machine.
const LOOK_TIME: Duration = Duration::from_millis(120);

/// What stands around the change, where there is a repository and somebody wants to know.
fn look_around(prepared: &PreparedReview) -> GatheredContext {
    if prepared.config.settings.limits.context == 0 {
        return GatheredContext::default();
    }
    let files = prepared.packet.files.iter();
    let changed = files.map(|file| file.path.clone()).collect();
    let sight = Sight::around(&prepared.change, changed);
    let limits = SearchLimits::within(LOOK_TIME);
    sight.map_or_else(GatheredContext::default, |sight| {
        gather_context(&sight, &prepared.packet, &limits)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_reads_what_its_judge_reads() {
        let readers: Vec<JudgeId> = ["judge-1", "judge-2", "judge-1-security"]
            .into_iter()
            .map(JudgeId::from)
            .collect();
        let of = |name: &str| reader_of(&readers, &name.into());
        assert_eq!(
            (of("judge-1"), of("judge-2"), of("judge-1-security")),
            (0, 1, 2)
        );
        assert_eq!(
            (of("judge-2-explorer-1"), of("judge-1-security-explorer-1")),
            (1, 2)
        );
        assert_eq!((of("judge-1-explorer-1"), of("judge-10")), (0, 0));
    }
}
