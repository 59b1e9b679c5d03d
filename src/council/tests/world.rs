//! A world of random judges: each answers, is late, dies, babbles or forges as a script says; messages are reordered,
//! doubled and delayed. Everything comes from the script, so that a failing case repeats itself.

use std::collections::BTreeMap;

use council_protocol::answer::{Stance, Tag};
use council_protocol::reproduction::ReproductionClaim;
use council_protocol::{CoverageState, JudgeId, Millis, Severity, Vote};
use proptest::prelude::*;

use super::play::Play;
use super::proof;
use crate::plan::{ConsensusRule, DebateMode, ExchangeMode, Procedure};
use crate::reproduction::ReproductionResult;
use crate::testing::{UNRELATED, coverage, plan, without_message};
use crate::{CancelCause, Outcome, Plan};

/// What a judge does with one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Answer,
    /// Answers after this many milliseconds, perhaps too late.
    Slowly(u64),
    Silence,
    /// Replies with something that is no answer.
    Babble,
    /// Answers with a key that it was not given.
    Forge,
    /// The turn fails.
    Refuse,
    /// The judge is gone.
    Die,
    /// It ends by itself, with or without having answered.
    Leave,
}

/// How one judge plays.
#[derive(Debug, Clone)]
pub(super) struct Script {
    /// Whether it is ever seated.
    pub(super) seated: bool,
    pub(super) deterministic: bool,
    pub(super) messageable: bool,
    pub(super) covers: bool,
    pub(super) vendor: u8,
    /// Votes by round.
    pub(super) votes: [Vote; 6],
    /// Findings of R1: severity, line, whether the quote is real.
    pub(super) findings: Vec<(Severity, u32, bool)>,
    /// What it does with each of its turns; answers when it runs out.
    pub(super) deeds: Vec<Deed>,
    /// What it says of others: stance, the line of its evidence, whether that is real.
    pub(super) opinion: Option<(Stance, u32, bool)>,
    /// Evidence for a changed vote and for withdrawing its first finding: line, whether it is real.
    pub(super) grounds: Option<(u32, bool)>,
    /// A finding of a later round.
    pub(super) later: Option<(Tag, Severity, u32)>,
    /// What the test is for that it brings where it may.
    pub(super) test: Option<ReproductionClaim>,
    /// Whether it ends when it is asked to.
    pub(super) obedient: bool,
}

impl Script {
    /// A judge that does everything right.
    pub(super) fn quiet(vote: Vote) -> Self {
        Self {
            seated: true,
            deterministic: false,
            messageable: true,
            covers: true,
            vendor: 0,
            votes: [vote; 6],
            findings: Vec::new(),
            deeds: Vec::new(),
            opinion: None,
            grounds: None,
            later: None,
            test: None,
            obedient: true,
        }
    }
}

/// A whole run.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) plan: Plan,
    pub(super) scripts: BTreeMap<JudgeId, Script>,
    /// The moment and the cause of an early end.
    pub(super) cancel: Option<(Millis, CancelCause)>,
    /// Numbers that reorder and double messages; 0 leaves them as they are.
    pub(super) disorder: Vec<u8>,
    /// Whether quotes are searched.
    pub(super) proves: bool,
    /// What comes of the tests that judges bring, one after another; of those beyond them nobody hears.
    pub(super) results: Vec<ReproductionResult>,
}

fn vote() -> impl Strategy<Value = Vote> {
    prop_oneof![3 => Just(Vote::Pass), 2 => Just(Vote::Warn), 2 => Just(Vote::Fail)]
}

fn severity() -> impl Strategy<Value = Severity> {
    prop_oneof![
        Just(Severity::Minor),
        Just(Severity::Significant),
        Just(Severity::Critical)
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        12 => Just(Deed::Answer),
        3 => (0u64..200_000).prop_map(Deed::Slowly),
        1 => Just(Deed::Silence),
        2 => Just(Deed::Babble),
        1 => Just(Deed::Forge),
        1 => Just(Deed::Refuse),
        1 => Just(Deed::Die),
        1 => Just(Deed::Leave),
    ]
}

fn stance() -> impl Strategy<Value = Stance> {
    prop_oneof![
        Just(Stance::Agreed),
        Just(Stance::PartiallyAgreed),
        Just(Stance::Disagreed)
    ]
}

fn tag() -> impl Strategy<Value = Tag> {
    prop_oneof![Just(Tag::Same), Just(Tag::New), Just(Tag::NotReproduced)]
}

/// A line that evidence cites: most are of the reviewed file.
pub(super) fn cited() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1u32..24, 1 => Just(UNRELATED)]
}

prop_compose! {
    fn character()(
        seated in prop::bool::weighted(0.95),
        deterministic in prop::bool::weighted(0.2),
        messageable in prop::bool::weighted(0.9),
        covers in prop::bool::weighted(0.9),
        obedient in prop::bool::weighted(0.9),
        vendor in 0u8..2,
    ) -> Script {
        Script { seated, deterministic, messageable, covers, obedient, vendor, ..Script::quiet(Vote::Pass) }
    }
}

prop_compose! {
    /// Any judge. Few lines, so that judges meet on them.
    pub(super) fn script()(
        character in character(),
        votes in prop::array::uniform6(vote()),
        findings in prop::collection::vec((severity(), 1u32..12, prop::bool::weighted(0.8)), 0..4),
        deeds in prop::collection::vec(deed(), 0..8),
        opinion in prop::option::of((stance(), cited(), any::<bool>())),
        grounds in prop::option::of((cited(), any::<bool>())),
        later in prop::option::of((tag(), severity(), 1u32..14)),
        test in prop::option::of(prop_oneof![Just(ReproductionClaim::Defect), Just(ReproductionClaim::NoDefect)]),
    ) -> Script {
        Script { votes, findings, deeds, opinion, grounds, later, test, ..character }
    }
}

fn cause() -> impl Strategy<Value = CancelCause> {
    prop_oneof![
        Just(CancelCause::Interrupted),
        Just(CancelCause::Deadline),
        Just(CancelCause::BackendLost),
    ]
}

fn rules() -> impl Strategy<Value = (ConsensusRule, DebateMode, ExchangeMode, bool, bool)> {
    let consensus = prop_oneof![
        4 => Just(ConsensusRule::Findings),
        1 => Just(ConsensusRule::Strict),
        1 => Just(ConsensusRule::Majority),
    ];
    let debate = prop_oneof![
        Just(DebateMode::Auto),
        Just(DebateMode::Force),
        Just(DebateMode::Off)
    ];
    let exchange = prop_oneof![
        Just(ExchangeMode::Reference),
        (0u64..3_000).prop_map(|max_bytes| ExchangeMode::Inline { max_bytes }),
    ];
    (consensus, debate, exchange, any::<bool>(), any::<bool>())
}

prop_compose! {
    /// Any world of a procedure.
    pub(super) fn world(procedure: Procedure, judges: std::ops::Range<usize>)(
        scripts in prop::collection::vec(script(), judges),
        rules in rules(),
        cancel in prop::option::weighted(0.1, (0u64..300_000, cause())),
        disorder in prop::collection::vec(any::<u8>(), 0..40),
        proves in prop::bool::weighted(0.95),
        seed in any::<u32>(),
        results in prop::option::of(prop::collection::vec(proof::result(), 0..6)),
    ) -> World {
        let (consensus, debate, exchange, disputed, warns) = rules;
        let mut plan = plan(procedure, scripts.len());
        plan.seed.0 = seed.to_string();
        (plan.consensus, plan.debate, plan.exchange) = (consensus, debate, exchange);
        plan.policy.disputed_critical_fails = disputed;
        plan.policy.incomplete_coverage_warns = warns;
        plan.options.proof = results.is_some().then(proof::terms);
        World {
            results: results.unwrap_or_default(),
            ..World::new(plan, scripts, cancel, disorder, proves)
        }
    }
}

impl World {
    pub(super) fn new(
        mut plan: Plan,
        scripts: Vec<Script>,
        cancel: Option<(Millis, CancelCause)>,
        disorder: Vec<u8>,
        proves: bool,
    ) -> Self {
        for (seat, script) in plan.seats.iter_mut().zip(&scripts) {
            seat.seat.agent.deterministic = script.deterministic;
            seat.seat.agent.vendor = format!("vendor-{}", script.vendor);
            if !script.messageable {
                without_message(seat);
            }
            if !script.covers {
                seat.coverage = coverage(CoverageState::OverBudget);
            }
        }
        let names = plan.seats.iter().map(|s| s.seat.judge.clone());
        let scripts = names.zip(scripts).collect();
        Self {
            plan,
            scripts,
            cancel,
            disorder,
            proves,
            results: Vec::new(),
        }
    }

    /// Nobody may bring tests: for laws that set two runs beside each other, in which other tests would be run.
    pub(super) fn without_tests(mut self) -> Self {
        self.plan.options.proof = None;
        self
    }

    /// Everybody answers every turn at once; messages come in order.
    pub(super) fn faultless(mut self) -> Self {
        for script in self.scripts.values_mut() {
            script.deeds.clear();
            (script.seated, script.obedient) = (true, true);
        }
        (self.cancel, self.proves) = (None, true);
        self.disorder.clear();
        self
    }

    /// Plays the run to its end, checking on the way what must hold in every run.
    pub(super) fn play(&self) -> Outcome {
        Play::new(self).run()
    }
}
