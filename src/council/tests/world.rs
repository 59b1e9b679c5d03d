//! A world of random judges: each answers, is late, dies, babbles or forges as a script says; messages are reordered,
//! doubled and delayed. Everything comes from the script, so that a failing case repeats itself.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::{
    Ballot, BallotVote, Challenge, ChallengeAnswer, IndependentFinding, PeerMessage, Stance, Tag,
    Withdrawal,
};
use council_protocol::message::Ending;
use council_protocol::task::Peer;
use council_protocol::{
    Answer, CoverageState, Failure, FailureKind, JudgeId, Millis, Severity, Task, TurnId, Vote,
};
use proptest::prelude::*;

use super::run::{
    change, coverage, evidence, finding, made_up, plan, response, search, without_message,
};
use crate::council::plan::{Consensus, DebateMode, Exchange, Procedure};
use crate::council::{Action, CancelCause, Council, Input, Outcome, Plan, TimerId};

/// What a judge does with one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Answers properly.
    Answer,
    /// Answers after this many milliseconds, perhaps too late.
    Slowly(u64),
    /// Never replies.
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
        opinion in prop::option::of((stance(), 1u32..24, any::<bool>())),
        grounds in prop::option::of((1u32..24, any::<bool>())),
        later in prop::option::of((tag(), severity(), 1u32..14)),
    ) -> Script {
        Script { votes, findings, deeds, opinion, grounds, later, ..character }
    }
}

fn cause() -> impl Strategy<Value = CancelCause> {
    prop_oneof![
        Just(CancelCause::Interrupted),
        Just(CancelCause::Deadline),
        Just(CancelCause::BackendLost),
    ]
}

fn rules() -> impl Strategy<Value = (Consensus, DebateMode, Exchange, bool, bool)> {
    let consensus = prop_oneof![
        4 => Just(Consensus::Findings),
        1 => Just(Consensus::Strict),
        1 => Just(Consensus::Majority),
    ];
    let debate = prop_oneof![
        Just(DebateMode::Auto),
        Just(DebateMode::Force),
        Just(DebateMode::Off)
    ];
    let exchange = prop_oneof![
        Just(Exchange::Reference),
        (0u64..3_000).prop_map(|max_bytes| Exchange::Inline { max_bytes }),
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
    ) -> World {
        let (consensus, debate, exchange, contested, warns) = rules;
        let mut plan = plan(procedure, scripts.len());
        plan.seed.0 = seed.to_string();
        (plan.consensus, plan.debate, plan.exchange) = (consensus, debate, exchange);
        plan.policy.contested_critical_fails = contested;
        plan.policy.incomplete_coverage_warns = warns;
        World::new(plan, scripts, cancel, disorder, proves)
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
        }
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

/// A message on its way to the engine.
struct Event {
    at: Millis,
    input: Input,
}

struct Play<'a> {
    world: &'a World,
    now: Millis,
    on_the_way: Vec<Event>,
    timers: BTreeMap<TimerId, Millis>,
    deeds: BTreeMap<JudgeId, usize>,
    spawned: BTreeSet<JudgeId>,
    started: BTreeSet<JudgeId>,
    gone: BTreeSet<JudgeId>,
    /// Their R1 was accepted.
    recorded: BTreeSet<JudgeId>,
    /// Nothing is left of them to end.
    ended: BTreeSet<JudgeId>,
    shut: BTreeSet<JudgeId>,
    open: BTreeMap<JudgeId, TurnId>,
    drawn: usize,
    outcome: Option<Outcome>,
}

impl<'a> Play<'a> {
    fn new(world: &'a World) -> Self {
        let mut play = Self {
            world,
            now: 0,
            on_the_way: Vec::new(),
            timers: BTreeMap::new(),
            deeds: BTreeMap::new(),
            spawned: BTreeSet::new(),
            started: BTreeSet::new(),
            gone: BTreeSet::new(),
            recorded: BTreeSet::new(),
            ended: BTreeSet::new(),
            shut: BTreeSet::new(),
            open: BTreeMap::new(),
            drawn: 0,
            outcome: None,
        };
        if let Some((at, cause)) = world.cancel {
            play.post(at, Input::Cancel { cause });
        }
        play
    }

    fn run(mut self) -> Outcome {
        let (mut council, actions) = Council::convene(self.world.plan.clone());
        self.perform(actions);
        for _ in 0..10_000 {
            let Some(input) = self.next() else { break };
            self.watch(&input);
            let actions = council.handle(input, self.now);
            self.perform(actions);
        }
        let outcome = self.outcome.take().expect("the council never concludes");
        assert!(council.is_over());
        outcome
    }

    /// Keeps in mind who is gone, and of whom nothing is left.
    fn watch(&mut self, input: &Input) {
        match input {
            Input::Started { judge } => {
                self.started.insert(judge.clone());
            }
            Input::Failed {
                judge, turn: None, ..
            } => {
                self.gone.insert(judge.clone());
                if !self.started.contains(judge) {
                    self.ended.insert(judge.clone());
                }
            }
            Input::Ended { judge, .. } => {
                self.gone.insert(judge.clone());
                self.ended.insert(judge.clone());
            }
            _ => {}
        }
    }

    /// A number of the script's disorder; 0 when it has run out.
    fn draw(&mut self) -> u8 {
        let drawn = self.world.disorder.get(self.drawn).copied().unwrap_or(0);
        self.drawn += 1;
        drawn
    }

    fn post(&mut self, after: u64, input: Input) {
        self.on_the_way.push(Event {
            at: self.now + after,
            input,
        });
    }

    /// The next message or deadline. Several at one moment come in any order, and some come twice.
    fn next(&mut self) -> Option<Input> {
        let message = self.on_the_way.iter().map(|e| e.at).min();
        let deadline = self.timers.iter().map(|(t, at)| (*at, *t)).min();
        match (message, deadline) {
            (Some(at), Some((due, timer))) if due < at => self.strike(due, timer),
            (None, Some((due, timer))) => self.strike(due, timer),
            (Some(at), _) => {
                self.now = self.now.max(at);
                let due: Vec<usize> = (0..self.on_the_way.len())
                    .filter(|&i| self.on_the_way[i].at <= at)
                    .collect();
                let drawn = usize::from(self.draw());
                let picked = due[drawn % due.len()];
                let input = self.on_the_way[picked].input.clone();
                if drawn % 7 != 6 {
                    self.on_the_way.remove(picked);
                } else {
                    // It comes again, later.
                    self.on_the_way[picked].at += 5;
                }
                Some(input)
            }
            (None, None) => None,
        }
    }

    fn strike(&mut self, due: Millis, timer: TimerId) -> Option<Input> {
        self.timers.remove(&timer);
        self.now = self.now.max(due);
        Some(Input::Deadline { timer })
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(self.outcome.is_none(), "after the end: {action:?}");
            match action {
                Action::Spawn { judge } => self.spawn(judge),
                Action::Send {
                    judge,
                    turn,
                    round,
                    key,
                    task,
                    timeout_ms,
                } => {
                    assert!(self.started.contains(&judge) && !self.shut.contains(&judge));
                    assert!(
                        !self.gone.contains(&judge),
                        "{judge} is gone and was sent {task:?}"
                    );
                    assert!(
                        round == 1 || self.recorded.contains(&judge),
                        "{judge} has no R1 and was sent {task:?}"
                    );
                    assert!(timeout_ms <= 200_000, "a turn without a bound");
                    assert_eq!(
                        self.open.insert(judge.clone(), turn),
                        None,
                        "two turns at once"
                    );
                    self.act(judge, turn, round, key, task);
                }
                Action::CancelTurn { judge } => {
                    if let Some(turn) = self.open.remove(&judge) {
                        let failure = Failure::new(FailureKind::Cancelled, "");
                        let input = Input::Failed {
                            judge,
                            turn: Some(turn),
                            failure,
                        };
                        self.post(3, input);
                    }
                }
                Action::Prove {
                    claim,
                    location,
                    quote,
                } if self.world.proves => {
                    let proof = search(location.line, &quote);
                    let context = if proof.resolves() {
                        quote
                    } else {
                        String::new()
                    };
                    self.post(
                        1,
                        Input::Proved {
                            claim,
                            proof,
                            context,
                        },
                    );
                }
                Action::SetDeadline { timer, at } => {
                    self.timers.insert(timer, at);
                }
                Action::Shutdown { judge, .. } => {
                    assert!(
                        self.shut.insert(judge.clone()),
                        "{judge} is shut down twice"
                    );
                    if self.world.scripts[&judge].obedient {
                        self.post(
                            2,
                            Input::Ended {
                                judge,
                                ending: Ending::Graceful,
                            },
                        );
                    }
                }
                Action::Record {
                    judge, round: 1, ..
                } => {
                    self.recorded.insert(judge);
                }
                Action::Conclude { outcome } => self.conclude(*outcome),
                _ => {}
            }
        }
    }

    fn spawn(&mut self, judge: JudgeId) {
        assert!(
            self.spawned.insert(judge.clone()),
            "{judge} is spawned twice"
        );
        if self.world.scripts[&judge].seated {
            self.post(0, Input::Started { judge });
        } else {
            let failure = Failure::new(FailureKind::Spawn, "no");
            self.post(
                0,
                Input::Failed {
                    judge,
                    turn: None,
                    failure,
                },
            );
        }
    }

    fn conclude(&mut self, outcome: Outcome) {
        for judge in &self.spawned {
            let ended = self.shut.contains(judge) || self.ended.contains(judge);
            assert!(ended, "{judge} was never shut down");
        }
        self.outcome = Some(outcome);
    }

    fn act(&mut self, judge: JudgeId, turn: TurnId, round: u8, key: String, task: Task) {
        let count = self.deeds.entry(judge.clone()).or_insert(0);
        let script = &self.world.scripts[&judge];
        let deed = script.deeds.get(*count).copied().unwrap_or(Deed::Answer);
        *count += 1;
        let answer = || reply(&judge, script, round, &key, &task);
        let said = |raw: String| Input::Answered {
            judge: judge.clone(),
            turn,
            raw: raw.into(),
            usage: None,
        };
        let lost = |kind| Failure::new(kind, "so it goes");
        match deed {
            Deed::Answer => self.post(10, said(answer())),
            Deed::Slowly(ms) => self.post(ms, said(answer())),
            Deed::Silence => return,
            Deed::Babble => self.post(10, said("Looks good to me: PASS!".into())),
            Deed::Forge => self.post(10, said(answer().replace(&key, "0000"))),
            Deed::Refuse => {
                let failure = lost(FailureKind::Refused);
                self.post(
                    10,
                    Input::Failed {
                        judge: judge.clone(),
                        turn: Some(turn),
                        failure,
                    },
                );
            }
            Deed::Die => {
                let failure = lost(FailureKind::Died);
                self.post(
                    10,
                    Input::Failed {
                        judge: judge.clone(),
                        turn: None,
                        failure,
                    },
                );
            }
            Deed::Leave => {
                if self.draw().is_multiple_of(2) {
                    self.post(10, said(answer()));
                }
                self.post(
                    10,
                    Input::Ended {
                        judge: judge.clone(),
                        ending: Ending::Died,
                    },
                );
            }
        }
        self.open.remove(&judge);
    }
}

/// What a judge says, as JSON or as text.
fn reply(judge: &JudgeId, script: &Script, round: u8, key: &str, task: &Task) -> String {
    if *task == Task::Restate {
        return "I said what I said.".into();
    }
    let vote = script.votes[usize::from(round.clamp(1, 6) - 1)];
    let mut answer = Answer::new(round, key, vote);
    answer.key_insight = format!("{judge} says so");
    if round == 1 {
        answer.findings = findings(script);
    } else {
        debate(script, task, vote, &mut answer);
        examine(script, task, &mut answer);
    }
    serde_json::to_string(&answer).unwrap()
}

/// The ids of the others' findings in a task.
fn shown(task: &Task) -> Vec<String> {
    let of = |peer: &Peer| {
        peer.findings
            .iter()
            .map(|f| f.id.clone())
            .collect::<Vec<_>>()
    };
    match task {
        Task::Debate { peers, .. } | Task::CrossReview { peers, .. } => {
            peers.iter().flat_map(of).collect()
        }
        Task::Examine { councillors, .. } => councillors.iter().flat_map(|c| of(&c.peer)).collect(),
        Task::Rebut { open, .. } => open.iter().map(|o| o.id.clone()).collect(),
        _ => Vec::new(),
    }
}

/// What cross-examination and stages ask for, or not, as the script has it.
fn examine(script: &Script, task: &Task, answer: &mut Answer) {
    let willing = script.opinion.is_some();
    let (to, put) = match task {
        Task::Examine {
            councillors,
            challenges,
            ..
        } => (
            councillors.first().map(|c| c.role.clone()),
            challenges.clone(),
        ),
        Task::Challenged { challenges } | Task::Moderate { challenges, .. } => {
            (None, challenges.clone())
        }
        Task::CrossReview { peers, .. } => (peers.first().map(|p| p.label.clone()), Vec::new()),
        Task::Rebut { challenges, .. } => (None, challenges.clone()),
        _ => (None, Vec::new()),
    };
    if let Some(to) = to.filter(|_| script.later.is_some()) {
        let ask = |n: u32| Challenge {
            to: to.clone(),
            claim: format!("claim {n}"),
            question: "Why?".into(),
        };
        answer.challenges = (0..2).map(ask).collect();
        answer.messages = vec![
            PeerMessage {
                to,
                text: "Look at line 3.".into()
            };
            3
        ];
    }
    if willing {
        let response = "Because.".to_owned();
        answer.answers = put
            .into_iter()
            .map(|c| ChallengeAnswer {
                challenge: c.id,
                response: response.clone(),
            })
            .collect();
        answer.no_challenge = Some("none".into());
    }
    if *task == Task::Ballot && willing {
        let vote = match answer.verdict {
            Vote::Pass => BallotVote::Proceed,
            Vote::Warn => BallotVote::ProceedWithConditions,
            Vote::Fail => BallotVote::Reconsider,
        };
        let text = String::new;
        answer.ballot = Some(Ballot {
            vote,
            strongest_point: text(),
            concession: text(),
            remaining_concern: text(),
            conditions: Vec::new(),
        });
    }
}

fn findings(script: &Script) -> Vec<council_protocol::Finding> {
    let given = script.findings.iter().map(|&(severity, line, real)| {
        let mut finding = finding(severity, line);
        if !real {
            finding.quote = "not there at all".into();
        }
        finding
    });
    given.collect()
}

fn debate(script: &Script, task: &Task, vote: Vote, answer: &mut Answer) {
    let grounds = script
        .grounds
        .map(|(line, real)| if real { evidence(line) } else { made_up() });
    if let Some(grounds) = grounds {
        answer.change = change(script.votes[0], vote, Some(grounds.clone()));
        answer.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: Some(grounds),
        }];
    }
    if let Some((stance, line, real)) = script.opinion {
        let evidence = if real { evidence(line) } else { made_up() };
        let say = |id: &String| response(id, stance, Some(evidence.clone()));
        answer.responses = shown(task).iter().map(say).collect();
    }
    if let Some((tag, severity, line)) = script.later {
        answer.independent_findings = vec![IndependentFinding {
            tag,
            finding: finding(severity, line),
        }];
    }
}
