//! Which briefs a change needs: one for everybody, one for each part of it, or one for each judge.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use council_protocol::coverage::FileCoverage;
use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, CoverageState, JudgeId, Packet, Seat};

use crate::config::LargeChangePolicy;
use crate::packet::sha256;
use crate::prompt::{
    Brief, BriefClass, ChangeContext, ContextBlock, ContextBody, PromptBuilder, PromptError,
    SeatShare,
};
use crate::sight::{GatheredContext, SearchLimits, Sight, cut_functions, gather_for_part};

use crate::run::hidden_files::HIDDEN_GAP;
use crate::run::prepare::PreparedReview;
use crate::run::shards;

/// How long looking around a change may take, and around four parts of one: little beside a model's answer. Files, bytes and commits are bounded, too, and end
/// it well before, also on a machine that builds beside it, so that the same change has the same brief.
const LOOK_TIME: Duration = Duration::from_secs(8);

/// A brief and what it was rendered from.
pub(crate) struct BriefPart {
    pub(crate) brief: Brief,
    /// What of the whole change it shows.
    pub(crate) coverage: Arc<Coverage>,
    class: BriefClass,
    /// The files of the packet that it is about; none: all.
    files: Option<Vec<usize>>,
}

/// The briefs of a run, never none, and who reads which.
pub(crate) struct RunBriefs {
    pub(crate) parts: Vec<BriefPart>,
    /// For whom each brief is, where the files of a change that is larger than one are spread over the judges; else empty.
    readers: Vec<JudgeId>,
    /// What stands around the change, once somebody has looked.
    context: Option<LookedAround>,
}

/// What stands around each part of a change, and the digest of the code in it.
struct LookedAround {
    parts: Vec<GatheredContext>,
    digest: String,
}

impl RunBriefs {
    /// Renders what of the change is shown, without what stands around it: that takes only the room which the change leaves,
    /// so it decides neither parts nor coverage, and a verdict that is recognised need not pay for it. `quorum`: how many must
    /// have seen a file where a change that is larger than a brief may be spread over its judges.
    pub(crate) fn plan(
        prompter: &PromptBuilder,
        seats: &[Seat],
        prepared: &PreparedReview,
        quorum: Option<u32>,
    ) -> Result<Self, PromptError> {
        let packet = &prepared.packet;
        let class = brief_class(prepared);
        let brief = prompter.render_brief(packet, &class)?;
        let is_cut = packet.coverage.files.iter().zip(&brief.coverage.files);
        let is_cut = is_cut
            .into_iter()
            .any(|(before, shown)| cuts(before, shown));
        if is_cut && prepared.config.settings.review.large == LargeChangePolicy::Shard {
            return Self::in_parts(prompter, packet, class);
        }
        let readers = match quorum.filter(|_| is_cut) {
            Some(quorum) => spread_readers(seats, packet.target.kind, quorum.max(1) as usize),
            None => Vec::new(),
        };
        let copies = quorum.unwrap_or(1).max(1) as usize;
        let shares = (0..readers.len()).map(|seat| SeatShare {
            seat,
            seats: readers.len(),
            copies,
        });
        let mut parts = Vec::new();
        for share in shares {
            let class = BriefClass {
                share: Some(share),
                ..class.clone()
            };
            let brief = prompter.render_brief(packet, &class)?;
            parts.push(BriefPart::of_whole(brief, class));
        }
        if parts.is_empty() {
            parts.push(BriefPart::of_whole(brief, class));
        }
        Ok(Self {
            parts,
            readers,
            context: None,
        })
    }

    fn in_parts(
        prompter: &PromptBuilder,
        packet: &Packet,
        class: BriefClass,
    ) -> Result<Self, PromptError> {
        let shards = shards::split_change(packet, &|part| prompter.render_brief(part, &class))?;
        let parts = shards.into_iter().map(|shard| BriefPart {
            brief: shard.brief,
            coverage: Arc::new(shard.coverage),
            class: class.clone(),
            files: Some(shard.files),
        });
        Ok(Self {
            parts: parts.collect(),
            readers: Vec::new(),
            context: None,
        })
    }

    /// The same briefs with what stands around the change. Once: a second time nothing is looked for.
    pub(crate) fn fill(
        &mut self,
        prompter: &PromptBuilder,
        prepared: &PreparedReview,
    ) -> Result<(), PromptError> {
        if self.context.is_some() {
            return Ok(());
        }
        let parts = look_around(prepared, &self.parts);
        for (part, gathered) in self.parts.iter_mut().zip(&parts) {
            part.fill(prompter, prepared, gathered)?;
        }
        let digest = digest_of_code(&parts);
        self.context = Some(LookedAround { parts, digest });
        Ok(())
    }

    /// The briefs of the change in parts, each of at most so many bytes, as a review would send them: with what stands
    /// around the change.
    pub(crate) fn texts_in_parts(
        &self,
        prompter: &PromptBuilder,
        prepared: &PreparedReview,
        budget_bytes: usize,
    ) -> Result<Vec<Arc<str>>, PromptError> {
        let class = BriefClass {
            budget_bytes,
            ..brief_class(prepared)
        };
        let mut parts = Self::in_parts(prompter, &prepared.packet, class)?.parts;
        let looked = self.context.as_ref();
        if looked.is_some_and(|looked| !looked.is_empty()) {
            let gathered = look_around(prepared, &parts);
            for (part, gathered) in parts.iter_mut().zip(&gathered) {
                part.fill(prompter, prepared, gathered)?;
            }
        }
        Ok(parts.into_iter().map(|part| part.brief.text).collect())
    }

    /// The digest of the code around the change; none: nobody has looked yet.
    pub(crate) fn context_digest(&self) -> Option<&String> {
        self.context.as_ref().map(|looked| &looked.digest)
    }

    /// Whether each judge is shown other files of a change that is larger than a brief.
    pub(crate) fn is_spread(&self) -> bool {
        !self.readers.is_empty()
    }

    /// The brief of a judge or of one of its helpers.
    pub(crate) fn part_of(&self, judge: &JudgeId) -> &BriefPart {
        let index = if self.is_spread() {
            reader_of(&self.readers, judge)
        } else {
            shards::shard_of(judge)
        };
        self.parts.get(index).unwrap_or(&self.parts[0])
    }
}

impl LookedAround {
    fn is_empty(&self) -> bool {
        self.parts.iter().all(is_nothing)
    }
}

/// The packet with these files; none: all.
fn files_of_packet<'p>(prepared: &'p PreparedReview, files: Option<&[usize]>) -> Cow<'p, Packet> {
    match files {
        Some(files) => Cow::Owned(shards::packet_of_files(&prepared.packet, files)),
        None => Cow::Borrowed(&prepared.packet),
    }
}

fn is_nothing(gathered: &GatheredContext) -> bool {
    gathered.blocks.is_empty() && gathered.gaps.is_empty()
}

impl BriefPart {
    /// The same brief with what stands around its part of the change.
    fn fill(
        &mut self,
        prompter: &PromptBuilder,
        prepared: &PreparedReview,
        gathered: &GatheredContext,
    ) -> Result<(), PromptError> {
        if is_nothing(gathered) {
            return Ok(());
        }
        let packet = files_of_packet(prepared, self.files.as_deref());
        let around = ChangeContext {
            blocks: &gathered.blocks,
            gaps: &gathered.gaps,
        };
        self.brief = prompter.render_filled_brief(&packet, around, &self.class)?;
        Ok(())
    }

    /// What of the change it shows: its files, or where files are spread over judges those that it has lines of.
    fn shown_files<'p>(&self, packet: &'p Packet) -> Cow<'p, Packet> {
        let is_shown = |at: &usize| {
            let state = &self.coverage.files[*at].state;
            matches!(
                state,
                CoverageState::Reviewed | CoverageState::Truncated { .. }
            )
        };
        match (&self.files, self.class.share) {
            (Some(files), _) => Cow::Owned(shards::packet_of_files(packet, files)),
            (None, Some(_)) => {
                let shown: Vec<usize> = (0..packet.files.len()).filter(is_shown).collect();
                Cow::Owned(shards::packet_of_files(packet, &shown))
            }
            (None, None) => Cow::Borrowed(packet),
        }
    }

    fn of_whole(brief: Brief, class: BriefClass) -> Self {
        Self {
            coverage: Arc::new(brief.coverage.clone()),
            brief,
            class,
            files: None,
        }
    }
}

pub(crate) fn brief_class(prepared: &PreparedReview) -> BriefClass {
    let limits = &prepared.config.settings.limits;
    BriefClass {
        budget_bytes: usize::try_from(limits.brief).unwrap_or(usize::MAX),
        context_bytes: usize::try_from(limits.context).unwrap_or(usize::MAX),
        ..BriefClass::default()
    }
}

fn cuts(before: &FileCoverage, shown: &FileCoverage) -> bool {
    before.state.is_complete() && !shown.state.is_complete()
}

/// Whether what is under review is a text and not a change: nothing stands around it.
fn is_text(kind: TargetKind) -> bool {
    matches!(
        kind,
        TargetKind::File | TargetKind::Topic | TargetKind::Stage
    )
}

/// The judges over whom files are spread: those that read a brief, if they are more than must see each file.
fn spread_readers(seats: &[Seat], kind: TargetKind, copies: usize) -> Vec<JudgeId> {
    let readers = seats.iter().filter(|seat| seat.agent.kind.reads_brief());
    let readers: Vec<JudgeId> = readers.map(|seat| seat.judge.clone()).collect();
    if !is_text(kind) && readers.len() > copies {
        readers
    } else {
        Vec::new()
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

/// A digest of the code that stands around the change, wherever its lines have moved to. Words about it are left out: they
/// name commits, and count them, and change with every push.
fn digest_of_code(parts: &[GatheredContext]) -> String {
    let code = |block: &ContextBlock| match &block.body {
        ContextBody::Lines { text, start, end } => {
            let lines = text.lines().skip(start.saturating_sub(1) as usize);
            let lines: Vec<&str> = lines.take((end - start) as usize + 1).collect();
            let kind = block.kind.describe();
            Some(format!(
                "{kind}\0{}\0{}",
                block.path.display(),
                lines.join("\n")
            ))
        }
        ContextBody::Words(_) => None,
    };
    let blocks = parts.iter().flat_map(|part| &part.blocks);
    let mut all: Vec<String> = blocks.filter_map(code).collect();
    all.sort_unstable();
    sha256(all.join("\0").as_bytes())
}

/// What stands around each part of the change, where there is a repository and somebody wants to know.
fn look_around(prepared: &PreparedReview, parts: &[BriefPart]) -> Vec<GatheredContext> {
    let is_change = !is_text(prepared.packet.target.kind);
    let Some(sight) = Sight::around(&prepared.change).filter(|_| is_change) else {
        return Vec::new();
    };
    let sight = sight.redacting(prepared.redactor.clone());
    let sight = match &prepared.hidden {
        Some(hidden) => sight.hiding(Arc::clone(hidden)),
        None => sight,
    };
    let time = LOOK_TIME / u32::try_from(parts.len().clamp(1, 4)).unwrap_or(1);
    let shown = parts.iter().map(|part| part.shown_files(&prepared.packet));
    shown
        .map(|packet| look_around_part(&sight, prepared, &packet, time))
        .collect()
}

fn look_around_part(
    sight: &Sight,
    prepared: &PreparedReview,
    packet: &Packet,
    time: Duration,
) -> GatheredContext {
    if prepared.config.settings.limits.context == 0 {
        return GatheredContext {
            gaps: cut_functions(sight, packet).into_iter().collect(),
            ..GatheredContext::default()
        };
    }
    let limits = SearchLimits::within(time);
    let mut gathered = gather_for_part(sight, packet, &prepared.packet, &limits);
    if prepared.hidden.is_some() {
        gathered.gaps.push(HIDDEN_GAP.to_owned());
    }
    gathered
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
