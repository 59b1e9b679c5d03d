//! The state: everything that the rules of a procedure see and may write to.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use council_protocol::reproduction::TestSuite;
use council_protocol::task::{DebateBranch, Framing};
use council_protocol::{Coverage, CoverageState, Millis, RoundNumber, Severity};

use super::brought::BroughtReproductions;
use super::disposition::{self, FindingCluster};
use super::evidence::QuoteClaims;
use super::exchange::{Action, TimerId};
use super::judges::{JudgeState, Judges, QueuedTask, SeatIndex};
use super::ledger::DebateLedger;
use super::outcome::ChallengeRecord;
use super::plan::{DebateSubject, MAX_SUB_TURNS, Plan, Procedure};
use super::position::{JudgePosition, judge_position};
use super::unread::lost_readers;

/// The state of the debate, apart from what waits for what.
#[derive(Debug, Clone)]
pub(super) struct DebateState {
    /// What the council was convened with.
    pub(super) plan: Plan,
    pub(super) judges: Judges,
    /// What was and is to be proven.
    pub(super) claims: QuoteClaims,
    /// What passed between judges.
    pub(super) ledger: DebateLedger,
    /// Challenges of all rounds.
    pub(super) challenges: Vec<ChallengeRecord>,
    /// Degradations and fallbacks in words.
    pub(super) notes: Vec<String>,
    /// Which branch R2 took.
    pub(super) branch: Option<DebateBranch>,
    /// Sub-turns of each kind that a judge was given in a round: they are bounded.
    pub(super) given: BTreeMap<(RoundNumber, SeatIndex, SubTurn), u8>,
    /// The last round of the procedure was planned.
    pub(super) ending: bool,
    /// How many were asked in the current round.
    pub(super) asked: u32,
    /// Which pass of the current round runs, from 0.
    pub(super) pass: u8,
    /// Rounds that began.
    pub(super) begun: RoundNumber,
    /// Rounds that ended with every quote searched.
    pub(super) completed: u8,
    /// Tests that judges brought.
    pub(super) reproductions: BroughtReproductions,
    /// What the session is to do next.
    pub(super) out: Vec<Action>,
}

impl DebateState {
    /// Before the first round.
    pub(super) fn new(plan: Plan) -> Self {
        let mut judges = Judges::new(&plan.seats);
        for judge in judges.iter_mut() {
            judge.synthesizer = plan.options.synthesizer.as_ref() == Some(judge.id());
            judge.debates = plan.options.transcript || !judge.is_deterministic();
        }
        Self {
            judges,
            claims: QuoteClaims::default(),
            ledger: DebateLedger::default(),
            challenges: Vec::new(),
            notes: plan.notes.clone(),
            branch: None,
            given: BTreeMap::new(),
            ending: false,
            asked: 0,
            pass: 0,
            begun: RoundNumber::NONE,
            completed: 0,
            reproductions: BroughtReproductions::new(),
            out: Vec::new(),
            plan,
        }
    }

    /// Says something in the report; the same words once.
    pub(super) fn add_note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Takes one of a judge's sub-turns of the current round; false: it had all of them, or cannot be reached.
    pub(super) fn may_interrupt(&mut self, seat: SeatIndex, kind: SubTurn) -> bool {
        let judge = &self.judges[seat];
        let given = self.given.entry((self.begun, seat, kind)).or_insert(0);
        let may = judge.can_debate() && *given < MAX_SUB_TURNS;
        *given += u8::from(may);
        may
    }

    /// Says something in the run's log.
    pub(super) fn add_log(&mut self, line: impl Into<String>) {
        self.out.push(Action::Log { line: line.into() });
    }

    /// The findings so far, grouped.
    pub(super) fn clusters(&self) -> Vec<FindingCluster> {
        let mut clusters = disposition::build_clusters(&self.judges, &self.claims);
        let versions = clusters.iter_mut().flat_map(|c| &mut c.versions);
        versions.for_each(|version| version.take_proofs(&self.reproductions));
        let apart = clusters.into_iter().flat_map(FindingCluster::proved_apart);
        apart.collect()
    }

    /// Where every judge stood and stands, in seat order.
    pub(super) fn positions(&self) -> Vec<JudgePosition> {
        let seats = self.judges.seats_where(|_| true).into_iter();
        seats.map(|seat| judge_position(self, seat)).collect()
    }

    /// Whether the final ballots of a cross-examination were asked for.
    pub(super) fn asks_ballots(&self) -> bool {
        self.ending && self.plan.procedure == Procedure::CrossExamination
    }

    /// Whether what is debated asks for no verdict.
    pub(super) fn without_verdict(&self) -> bool {
        let stage = self.plan.procedure == Procedure::Staged
            && self.plan.options.subject == DebateSubject::Text;
        stage || self.plan.options.without_verdict
    }

    /// The commands that run tests of a judge: none where there is nothing that a test could decide.
    pub(super) fn proof_suites(&self, seat: SeatIndex) -> Vec<TestSuite> {
        let is_worth_it = |c: &FindingCluster| c.is_live() && c.severity() >= Severity::Significant;
        let terms = self.plan.options.proof.as_ref();
        let terms = terms.filter(|_| !self.judges[seat].is_deterministic());
        let terms = terms.filter(|_| self.clusters().iter().any(is_worth_it));
        terms.map(|terms| terms.suites.clone()).unwrap_or_default()
    }

    /// The authors' words, for rounds after R1; none when there are none.
    pub(super) fn framing(&self) -> Option<Framing> {
        Some(self.plan.framing.clone()).filter(|f| *f != Framing::default())
    }

    /// What a quorum of the judges that count saw, and of the models that were shown a file.
    pub(super) fn quorum_coverage(&self) -> Coverage {
        let counted = self.judges.counted_seats();
        let seen: Vec<Cow<'_, Coverage>> = counted
            .iter()
            .map(|&seat| self.judges[seat].coverage())
            .collect();
        let seen: Vec<&Coverage> = seen.iter().map(|coverage| &**coverage).collect();
        let planned: Vec<&Coverage> = self.plan.seats.iter().map(|p| &*p.coverage).collect();
        let quorum = self.plan.quorum.max(1) as usize;
        let mut covered = Coverage::of_asked_quorum(&seen, &planned, quorum);
        self.mark_lost_readers(&mut covered, quorum);
        covered
    }

    /// A file whose models gave no answer was not read, whichever rules looked at it: of those that were to be shown it
    /// whole, as many as the quorum must count.
    fn mark_lost_readers(&self, covered: &mut Coverage, quorum: usize) {
        let models: Vec<&JudgeState> = self
            .judges
            .iter()
            .filter(|j| !j.is_deterministic())
            .collect();
        for (at, file) in covered.files.iter_mut().enumerate() {
            let is_read = |coverage: &Coverage| {
                let known = coverage
                    .files
                    .get(at)
                    .filter(|known| known.path == file.path);
                known.is_some_and(|known| known.state == CoverageState::Reviewed)
            };
            let asked = models.iter().filter(|j| is_read(&j.planned.coverage));
            let read = models
                .iter()
                .filter(|j| j.is_counted() && is_read(&j.coverage()));
            let (read, asked) = (read.count(), asked.count());
            // In a change of parts those who were shown another one say that it did not fit.
            let is_told = matches!(
                file.state,
                CoverageState::Reviewed | CoverageState::OverBudget
            );
            if is_told && read < asked.min(quorum) {
                file.state = CoverageState::Unreadable {
                    reason: lost_readers(read, asked),
                };
            }
        }
    }
}

/// Kinds of bounded sub-turns: at most two of each for a judge in a round, so that no debate runs away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubTurn {
    /// A message of another judge.
    Message,
    /// A question of the moderator.
    Moderator,
}

/// What the rules want next: everybody who takes part, with what each is asked in turn.
#[derive(Debug)]
pub(super) struct RoundPlan {
    /// Chair → its questions in order.
    pub(super) asks: Vec<(SeatIndex, Vec<QueuedTask>)>,
    /// How long the round may take, in milliseconds; where judges are asked one after another, each of them.
    pub(super) timeout_ms: u64,
    /// Whether judges are asked one after another.
    pub(super) in_turn: bool,
}

impl RoundPlan {
    /// Everybody at once.
    pub(super) fn at_once(asks: Vec<(SeatIndex, Vec<QueuedTask>)>, timeout_ms: u64) -> Self {
        Self {
            asks,
            timeout_ms,
            in_turn: false,
        }
    }
}

/// The round that runs.
#[derive(Debug, Clone)]
pub(super) struct RoundState {
    /// Its number, from 1.
    pub(super) number: RoundNumber,
    /// How often the rules have added questions after everybody was done.
    pub(super) pass: u8,
    /// The current deadline.
    pub(super) timer: TimerId,
    /// When it strikes.
    pub(super) ends: Millis,
    /// How long a pass may take, in milliseconds.
    pub(super) timeout_ms: u64,
    /// Who is not done.
    pub(super) waiting: Vec<SeatIndex>,
    /// Who comes later, where judges are asked one after another.
    pub(super) line: VecDeque<(SeatIndex, Vec<QueuedTask>)>,
}

/// What a deadline means when it strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimerKind {
    /// The run's own time is over.
    Run,
    /// The pass of the round is over.
    Round,
    /// Explorers of a judge.
    Explorers(SeatIndex),
    /// The quotes of an answer must be searched by now.
    Check,
    /// The quotes of a round must be searched by now.
    Proofs(RoundNumber),
    /// Reproductions must have run by now.
    Reproductions,
    /// Judges must have ended by now.
    Shutdown,
}
