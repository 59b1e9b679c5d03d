//! The judges: each of them from the moment it is asked for until it has ended.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{Index, IndexMut};

use council_protocol::answer::{Answer, Evidence, Finding};
use council_protocol::evidence::normalize_blanks;
use council_protocol::message::{Ending, Failure, TurnId, Usage};
use council_protocol::{
    Capability, Coverage, JudgeId, Location, Millis, RepoPath, RoundNumber, SeenPart, Task, Vote,
};

use super::exchange::TimerId;
use super::lost_answer::LostAnswer;
use super::outcome::RoundFailure;
use super::plan::PlannedSeat;

/// The place of a judge in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SeatIndex(pub(super) usize);

/// Where a judge is between seat and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatPresence {
    /// Asked for, not yet seated.
    Asked,
    /// Seated: it can be sent a turn.
    Seated,
    /// Nothing can be sent any more; it may still have to be ended.
    Gone,
    /// Never seated: there is nothing to end.
    Absent,
}

/// Something that a judge is to be asked in the current round.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueuedTask {
    /// What is asked.
    pub(super) task: Task,
    /// How often the same question was sent back: once, then the judge abstains.
    pub(super) mended: bool,
    /// A usable answer that was sent back because something in it is wanting: it counts if no better one comes.
    pub(super) draft: Option<Box<Answer>>,
    /// Entries of its answer, or of the draft, that cannot be read.
    pub(super) unread: Vec<String>,
}

impl QueuedTask {
    /// A question that has the whole round.
    pub(super) fn new(task: Task) -> Self {
        Self {
            task,
            mended: false,
            draft: None,
            unread: Vec::new(),
        }
    }
}

/// The one turn that a judge may have open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenTurn {
    pub(super) id: TurnId,
    pub(super) round: RoundNumber,
    /// The key that its answer must echo.
    pub(super) key: String,
    /// What was asked.
    pub(super) ask: QueuedTask,
    /// Its time is over: whatever comes does not count.
    pub(super) cancelled: bool,
}

/// A finding as a judge raised it. Its number is its place in [`Judge::raised`], from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RaisedFinding {
    /// In which round.
    pub(super) round: RoundNumber,
    /// The finding, verbatim.
    pub(super) finding: Finding,
}

#[derive(Debug, Clone)]
pub(super) struct JudgeState {
    /// The seat with its grant and its coverage.
    pub(super) planned: PlannedSeat,
    /// Where it is.
    pub(super) presence: SeatPresence,
    /// Whether it was ever seated.
    pub(super) started: bool,
    /// It writes the synthesis and takes no other part.
    pub(super) synthesizer: bool,
    /// What it is still to be asked in this round.
    pub(super) queue: VecDeque<QueuedTask>,
    /// The turn that it works on.
    pub(super) open: Option<OpenTurn>,
    /// Its accepted answers by round; several turns of a round are merged.
    pub(super) answers: BTreeMap<RoundNumber, Answer>,
    /// Its findings of all rounds, in order.
    pub(super) raised: Vec<RaisedFinding>,
    /// Its own position, before it saw the others'.
    pub(super) restatement: Option<String>,
    /// Round → whom it saw as A, B, C, …
    pub(super) peers: BTreeMap<RoundNumber, Vec<SeatIndex>>,
    /// What went wrong.
    pub(super) failures: Vec<RoundFailure>,
    /// What it said in answers that do not count, and did not say again.
    pub(super) lost: Option<LostAnswer>,
    /// What it wrote beside a PASS that is neither plain consent nor objection.
    pub(super) beside: Vec<String>,
    /// An answer of it whose quotes are being searched.
    pub(super) checking: Option<Box<(OpenTurn, Answer)>>,
    /// Whether it takes part in rounds after R1: rules say the same again, so that they are no judges of each other.
    pub(super) debates: bool,
    /// Its explorers are at work until this deadline.
    pub(super) exploring: Option<TimerId>,
    /// It had its explorers.
    pub(super) explored: bool,
    /// It was told what they found, and has not answered since.
    pub(super) owes_answer: bool,
    /// How it ended.
    pub(super) ending: Option<Ending>,
    /// What it cost.
    pub(super) usage: Option<Usage>,
    /// The same by round.
    pub(super) spent: BTreeMap<RoundNumber, Usage>,
    /// Changed files that it had looked up before an answer that can be used, in the conversation of that answer.
    pub(super) seen: LookedUpFiles,
    /// The same before answers that could not be read: they count once it gives another one.
    pub(super) unvoted: LookedUpFiles,
    /// When its last answer came.
    pub(super) answered_ms: Option<Millis>,
}

/// Changed files that a judge looked up.
#[derive(Debug, Clone, Default)]
pub(super) struct LookedUpFiles {
    /// Those of which it has seen every changed line.
    whole: BTreeSet<RepoPath>,
    /// How much it has seen of others.
    parts: BTreeMap<RepoPath, SeenPart>,
}

impl LookedUpFiles {
    /// What the usage of a turn says.
    pub(super) fn of(usage: &Usage) -> Self {
        Self {
            whole: usage.looked_up.clone(),
            parts: usage.looked_up_in_part.clone(),
        }
    }

    fn add(&mut self, other: Self) {
        self.whole.extend(other.whole);
        for (path, part) in other.parts {
            let most = self.parts.entry(path).or_insert(part);
            *most = (*most).max(part);
        }
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.parts.is_empty()
    }
}

impl JudgeState {
    fn new(planned: PlannedSeat) -> Self {
        Self {
            planned,
            presence: SeatPresence::Asked,
            started: false,
            synthesizer: false,
            queue: VecDeque::new(),
            open: None,
            answers: BTreeMap::new(),
            raised: Vec::new(),
            restatement: None,
            peers: BTreeMap::new(),
            failures: Vec::new(),
            lost: None,
            beside: Vec::new(),
            checking: None,
            debates: true,
            exploring: None,
            explored: false,
            owes_answer: false,
            ending: None,
            usage: None,
            spent: BTreeMap::new(),
            seen: LookedUpFiles::default(),
            unvoted: LookedUpFiles::default(),
            answered_ms: None,
        }
    }

    pub(super) fn id(&self) -> &JudgeId {
        &self.planned.seat.judge
    }

    /// Whether it applies rules rather than a model.
    pub(super) fn is_deterministic(&self) -> bool {
        self.planned.seat.agent.deterministic
    }

    /// Whether it is told in words what it is to mend: whoever has no memory gets its task again.
    pub(super) fn reads_brief(&self) -> bool {
        self.planned.seat.agent.kind.reads_brief()
    }

    /// What it is called where roles are named: its perspective, else its name.
    pub(super) fn role(&self) -> &str {
        let perspective = self.planned.seat.perspective.name.as_str();
        if perspective.is_empty() {
            self.id().as_str()
        } else {
            perspective
        }
    }

    /// Its last answer before a round, with that answer's round.
    pub(super) fn last_before(&self, round: RoundNumber) -> Option<(RoundNumber, &Answer)> {
        self.answers
            .range(..round)
            .next_back()
            .map(|(&round, answer)| (round, answer))
    }

    /// Whether it was granted a capability.
    pub(super) fn has_capability(&self, capability: &Capability) -> bool {
        self.planned.grant.granted.has(capability)
    }

    /// Whether a second message can reach it: granted, or emulated by a fresh briefing that was asked for.
    pub(super) fn can_be_messaged(&self) -> bool {
        self.has_capability(&Capability::Message)
            || self
                .planned
                .grant
                .emulated
                .contains_key(&Capability::Message)
    }

    /// Whether it counts: it gave a usable answer in R1.
    pub(super) fn is_counted(&self) -> bool {
        self.answers.contains_key(&RoundNumber::FIRST)
    }

    /// Its vote of R1.
    pub(super) fn first_vote(&self) -> Option<Vote> {
        self.answers.get(&RoundNumber::FIRST).map(|a| a.verdict)
    }

    /// Whether it can take part in a round after R1 (a judge late in R1 gets no message: it has nothing to restate).
    pub(super) fn can_debate(&self) -> bool {
        self.debates
            && self.is_counted()
            && self.presence == SeatPresence::Seated
            && self.can_be_messaged()
    }

    /// Whether it has nothing left to do in this round.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty()
            && self.exploring.is_none()
            && self.checking.is_none()
            && self.open.as_ref().is_none_or(|turn| turn.cancelled)
    }

    /// Whether something is still expected of it.
    pub(super) fn is_left_to_answer(&self) -> bool {
        !self.is_idle()
    }

    /// Notes what went wrong.
    pub(super) fn record_failure(&mut self, round: RoundNumber, failure: Failure) {
        self.failures.push(RoundFailure { round, failure });
    }

    /// Keeps what an answer said that does not count.
    pub(super) fn keep_lost(&mut self, lost: Option<LostAnswer>) {
        if let Some(lost) = lost {
            self.lost = Some(match self.lost.take() {
                Some(earlier) => earlier.with(lost),
                None => lost,
            });
        }
    }

    /// Keeps what it wrote beside a PASS, each thing once.
    pub(super) fn keep_beside(&mut self, told: Vec<String>) {
        for words in told {
            if !self.beside.contains(&words) {
                self.beside.push(words);
            }
        }
    }

    /// An answer counts: what it says once more was not lost.
    pub(super) fn find_again(&mut self, round: RoundNumber, answer: &Answer) {
        let Some(lost) = self.lost.take() else {
            return;
        };
        let unclear = lost.unclear.clone();
        self.lost = lost.left_by(round, answer);
        let is_taken = self.lost.as_ref().is_none_or(|left| left.unclear.is_none());
        if answer.verdict == Vote::Pass && is_taken {
            self.keep_beside(unclear.into_iter().collect());
        }
    }

    /// What a tool's results come to that have no place in the change; only what the program translates can say so.
    pub(super) fn unplaced(&self) -> Option<Vote> {
        let answers = self.answers.values().filter(|_| self.is_deterministic());
        answers.filter_map(|answer| answer.unplaced).max()
    }

    /// Whether an answer of it says that it did not read a file; of a tool, only what the program translates can say so.
    pub(super) fn left_unread(&self, path: &RepoPath) -> bool {
        let mut answers = self.answers.values();
        answers.any(|answer| answer.files_unread.contains(path))
    }

    /// Its objection that no answer of it took up; none: it has none.
    pub(super) fn lost_objection(&self) -> Option<&LostAnswer> {
        let lost = self.lost.as_ref();
        lost.filter(|lost| lost.weight > Vote::Pass)
    }

    /// What it said in an answer that does not count, of which a reader is told.
    pub(super) fn lost_words(&self) -> Option<&LostAnswer> {
        self.lost.as_ref().filter(|lost| lost.is_told())
    }

    /// What it has seen of the change: in its brief, and in what it looked up before an answer that can be used.
    pub(super) fn coverage(&self) -> Cow<'_, Coverage> {
        let shown = &*self.planned.coverage;
        if self.seen.is_empty() {
            Cow::Borrowed(shown)
        } else {
            Cow::Owned(shown.with_looked_up(&self.seen.whole, &self.seen.parts))
        }
    }

    /// It gave an answer that can be used: what it had looked up until then, it had seen when it voted.
    pub(super) fn count_seen(&mut self, looked_up: LookedUpFiles) {
        self.seen.add(std::mem::take(&mut self.unvoted));
        self.seen.add(looked_up);
    }

    /// It gave an answer that cannot be used: the next one knows what was looked up for it, unless somebody else gives
    /// it.
    pub(super) fn remember_seen(&mut self, looked_up: LookedUpFiles) {
        if self.has_capability(&Capability::Message) {
            self.unvoted.add(looked_up);
        }
    }

    /// A turn failed: whatever answers the next one may begin afresh.
    pub(super) fn forget_unvoted(&mut self) {
        self.unvoted = LookedUpFiles::default();
    }

    /// Adds what a turn of a round cost.
    pub(super) fn add_usage(&mut self, round: RoundNumber, usage: Option<Usage>) {
        let Some(new) = usage else { return };
        let spent = self.spent.entry(round).or_default();
        *spent = spent.plus(&new);
        let sum = self.usage.take().unwrap_or_default();
        self.usage = Some(sum.plus(&new));
    }

    /// Whether it had itself reported what `evidence` points to before `round`: then it had not missed it.
    pub(super) fn reported_before(&self, round: RoundNumber, evidence: &Evidence) -> bool {
        self.raised.iter().filter(|r| r.round < round).any(|r| {
            let place = &r.finding.location;
            place.path == evidence.path
                && (covers_line(place, evidence.line)
                    || same_text(&r.finding.quote, &evidence.quote))
        })
    }
}

/// Whether a place covers a line.
fn covers_line(place: &Location, line: u32) -> bool {
    place.line > 0 && (place.line..=place.end_line.unwrap_or(place.line)).contains(&line)
}

/// Whether two quotes are the same text to a reader: white space aside, and whether `é` is one character or two.
pub(super) fn same_text(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace()) || normalize_blanks(a) == normalize_blanks(b)
}

/// All judges in the order of the plan.
#[derive(Debug, Clone)]
pub(super) struct Judges(Vec<JudgeState>);

impl Judges {
    /// Everybody is asked for, nobody is seated.
    pub(super) fn new(seats: &[PlannedSeat]) -> Self {
        Self(seats.iter().cloned().map(JudgeState::new).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, JudgeState> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, JudgeState> {
        self.0.iter_mut()
    }

    /// Everybody but the synthesizer.
    pub(super) fn sitting_seats(&self) -> Vec<SeatIndex> {
        self.seats_where(|j| !j.synthesizer)
    }

    /// The seat of a judge; a name that nobody has is nobody.
    pub(super) fn seat_of(&self, judge: &JudgeId) -> Option<SeatIndex> {
        self.iter().position(|j| j.id() == judge).map(SeatIndex)
    }

    /// The seats whose judge counts.
    pub(super) fn counted_seats(&self) -> Vec<SeatIndex> {
        self.seats_where(JudgeState::is_counted)
    }

    /// The seats of models whose judge counts: those that can hold or refute what another one found.
    pub(super) fn model_seats(&self) -> Vec<SeatIndex> {
        self.seats_where(|j| j.is_counted() && !j.is_deterministic())
    }

    /// The seats whose judge can take part in a round after R1.
    pub(super) fn debating_seats(&self) -> Vec<SeatIndex> {
        self.seats_where(JudgeState::can_debate)
    }

    /// The seats that `wanted` picks.
    pub(super) fn seats_where(&self, wanted: impl Fn(&JudgeState) -> bool) -> Vec<SeatIndex> {
        let picked = self.iter().enumerate().filter(|(_, judge)| wanted(judge));
        picked.map(|(index, _)| SeatIndex(index)).collect()
    }
}

impl Index<SeatIndex> for Judges {
    type Output = JudgeState;

    fn index(&self, seat: SeatIndex) -> &JudgeState {
        &self.0[seat.0]
    }
}

impl IndexMut<SeatIndex> for Judges {
    fn index_mut(&mut self, seat: SeatIndex) -> &mut JudgeState {
        &mut self.0[seat.0]
    }
}
