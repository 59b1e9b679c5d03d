//! A council with scripted judges: time moves when a test says so, quotes are searched at once, and whoever is asked to end
//! does so.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::answer::{Change, Evidence, Response, Stance};
use council_protocol::capability::{Capability, CapabilitySet, Grant};
use council_protocol::coverage::{Coverage, FileCoverage};
use council_protocol::message::Ending;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::task::{CommitInfo, Framing};
use council_protocol::{
    Answer, CoverageState, Failure, FailureKind, Finding, JudgeId, Location, Millis, Proof,
    RoundNumber, Seat, Severity, Task, TurnId, Vote, prove_quote,
};

use proptest::test_runner::{Config, RngSeed};

use crate::outcome::{Disposition, FindingMember, JudgedFinding};
use crate::plan::{
    ConsensusRule, DebateMode, ExchangeMode, PlannedSeat, Procedure, ProcedureOptions,
    RoundTimeouts, RunSeed, VerdictPolicy,
};
use crate::{Action, CancelCause, Council, Input, Outcome, Plan, TimerId};

/// The reviewed file: line `n` says `let value_n = compute(n);`. Behind it, a line that has nothing to do with the others.
pub fn text() -> String {
    let lines = (1..UNRELATED).map(|n| format!("let value_{n} = compute({n});\n"));
    lines.chain(["colour: blue;\n".to_owned()]).collect()
}

/// The line of [`text`] that has nothing to do with the others.
pub const UNRELATED: u32 = 61;

/// Searches a quote in [`text`]; remembers what it found, since random councils quote the same few lines.
pub fn search(n: u32, quote: &str) -> Proof {
    thread_local! {
        static FOUND: RefCell<BTreeMap<(u32, String), Proof>> = const { RefCell::new(BTreeMap::new()) };
    }
    FOUND.with_borrow_mut(|found| {
        let said = (n, quote.to_owned());
        found
            .entry(said)
            .or_insert_with(|| prove_quote(&text(), n, quote))
            .clone()
    })
}

/// The words of a line of [`text`].
pub fn line(n: u32) -> String {
    format!("let value_{n} = compute({n});")
}

pub fn seat(judge: &str) -> PlannedSeat {
    let everything = CapabilitySet::from([
        Capability::Spawn,
        Capability::Message,
        Capability::Shutdown,
        Capability::SharedFs,
    ]);
    let agent = AgentSpec {
        name: "model".into(),
        kind: AgentKind::Command {
            argv: vec!["model".into()],
            env: Vec::new(),
            format: Default::default(),
            sandbox: Default::default(),
            tool: Default::default(),
        },
        vendor: "acme".into(),
        model: None,
        deterministic: false,
    };
    PlannedSeat {
        seat: Seat {
            judge: judge.into(),
            perspective: Perspective::default(),
            agent,
        },
        grant: Grant {
            granted: everything,
            ..Grant::default()
        },
        coverage: coverage(CoverageState::Reviewed),
    }
}

pub fn coverage(state: CoverageState) -> Arc<Coverage> {
    Arc::new(Coverage {
        files: vec![FileCoverage {
            path: "a.rs".into(),
            state,
        }],
    })
}

/// A plan with seats `judge-1`, `judge-2`, …
pub fn plan(procedure: Procedure, judges: usize) -> Plan {
    let framing = Framing {
        title: "Trust me".into(),
        body: String::new(),
        commits: vec![CommitInfo::default()],
    };
    Plan {
        procedure,
        debate: DebateMode::Auto,
        consensus: ConsensusRule::Findings,
        quorum: if procedure == Procedure::Quick { 1 } else { 2 },
        policy: VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: (1..=judges).map(|n| seat(&format!("judge-{n}"))).collect(),
        exchange: ExchangeMode::Inline {
            max_bytes: 24 << 10,
        },
        timeouts: RoundTimeouts::default(),
        seed: RunSeed("5eed".into()),
        framing,
        notes: Vec::new(),
        options: ProcedureOptions::default(),
    }
}

/// Takes `message` away from a seat.
pub fn without_message(seat: &mut PlannedSeat) {
    seat.grant.granted = CapabilitySet::from([Capability::Spawn, Capability::Shutdown]);
}

/// A finding of one line of [`text`].
pub fn finding(severity: Severity, n: u32) -> Finding {
    Finding {
        severity,
        category: "logic".into(),
        rule: None,
        description: format!("value {n} overflows when computed"),
        location: Location {
            path: "a.rs".into(),
            line: n,
            end_line: None,
        },
        quote: line(n),
        why: "it overflows".into(),
        fix: "check it".into(),
        suggestion: None,
        reference: None,
    }
}

/// A judge that says a finding, which stands in the code.
pub fn member(judge: impl Into<JudgeId>, finding: &Finding) -> FindingMember {
    FindingMember {
        judge: judge.into(),
        round: 1.into(),
        finding: finding.clone(),
        proof: Proof::Verified,
        withdrawn: false,
        fingerprint: None,
    }
}

/// A finding that these say, as a report has it before it is weighed.
pub fn judged(finding: Finding, members: Vec<FindingMember>) -> JudgedFinding {
    JudgedFinding {
        id: "F1".into(),
        fingerprint: "a".repeat(16),
        finding,
        disposition: Disposition::Confirmed,
        level: None,
        dismissed: None,
        since: None,
        members,
        opinions: Vec::new(),
        disputed_by_test: false,
        suggestion_check: None,
        standing_votes: Vec::new(),
    }
}

/// Evidence that stands where it says; [`UNRELATED`] says nothing of any finding, and stands in another file.
pub fn evidence(n: u32) -> Evidence {
    if n == UNRELATED {
        return Evidence {
            path: "style.css".into(),
            line: n,
            quote: "colour: blue;".into(),
        };
    }
    Evidence {
        path: "a.rs".into(),
        line: n,
        quote: line(n),
    }
}

/// Evidence that stands nowhere.
pub fn made_up() -> Evidence {
    Evidence {
        path: "a.rs".into(),
        line: 3,
        quote: "launch_missiles();".into(),
    }
}

pub fn change(from: Vote, to: Vote, evidence: Option<Evidence>) -> Option<Change> {
    Some(Change { from, to, evidence })
}

pub fn response(to: &str, stance: Stance, evidence: Option<Evidence>) -> Response {
    Response {
        to: to.into(),
        stance,
        reasoning: "I looked".into(),
        evidence,
    }
}

/// A turn as it was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    pub turn: TurnId,
    pub round: RoundNumber,
    pub key: String,
    pub task: Task,
    pub timeout_ms: u64,
}

pub struct Run {
    pub council: Council,
    pub now: Millis,
    pub actions: Vec<Action>,
    pub open: BTreeMap<JudgeId, Sent>,
    pub timers: BTreeMap<TimerId, Millis>,
    /// Whether quotes are searched at once.
    pub proves: bool,
    /// Whether judges end when they are asked to.
    pub obedient: bool,
    /// Whether judges that are asked for a quote again say the same again.
    pub stubborn: bool,
}

impl Run {
    /// Convenes the council; nobody is seated yet.
    pub fn convene(plan: Plan) -> Self {
        let (council, actions) = Council::convene(plan);
        let mut run = Self {
            council,
            now: 0,
            actions: Vec::new(),
            open: BTreeMap::new(),
            timers: BTreeMap::new(),
            proves: true,
            obedient: true,
            stubborn: true,
        };
        run.perform(actions);
        run
    }

    /// Convenes the council and seats everybody.
    pub fn seated(plan: Plan) -> Self {
        let judges: Vec<JudgeId> = plan.seats.iter().map(|s| s.seat.judge.clone()).collect();
        let mut run = Self::convene(plan);
        for judge in judges {
            run.feed(Input::Started { judge });
        }
        run
    }

    pub fn feed(&mut self, input: Input) {
        let actions = self.council.handle(input, self.now);
        self.perform(actions);
    }

    fn perform(&mut self, actions: Vec<Action>) {
        let mut echoes = Vec::new();
        for action in actions {
            assert!(self.outcome().is_none(), "after the end: {action:?}");
            self.actions.push(action.clone());
            match action {
                Action::Send {
                    judge,
                    turn,
                    round,
                    key,
                    task,
                    timeout_ms,
                } => {
                    let before = self.open.insert(
                        judge,
                        Sent {
                            turn,
                            round,
                            key,
                            task,
                            timeout_ms,
                        },
                    );
                    assert!(before.is_none(), "two turns at once");
                }
                Action::SetDeadline { timer, at } => {
                    self.timers.insert(timer, at);
                }
                Action::Prove {
                    claim,
                    location,
                    quote,
                } if self.proves => {
                    let proof = search(location.line, &quote);
                    let context = if proof.resolves() {
                        quote
                    } else {
                        String::new()
                    };
                    echoes.push(Input::Proved {
                        claim,
                        proof,
                        context,
                        nearest: None,
                        function: None,
                        quoted: None,
                    });
                }
                Action::Shutdown { judge, .. } if self.obedient => {
                    echoes.push(Input::Ended {
                        judge,
                        ending: Ending::Graceful,
                    });
                }
                _ => {}
            }
        }
        for input in echoes {
            self.feed(input);
        }
    }

    pub fn sent(&self, judge: &str) -> &Sent {
        self.open
            .get(judge)
            .unwrap_or_else(|| panic!("{judge} has no turn: {:#?}", self.actions))
    }

    pub fn task(&self, judge: &str) -> &Task {
        &self.sent(judge).task
    }

    /// Replies with anything.
    pub fn raw(&mut self, judge: &str, raw: &str) {
        let turn = self.sent(judge).turn;
        self.open.remove(judge);
        self.feed(Input::Answered {
            judge: judge.into(),
            turn,
            raw: raw.into(),
            usage: None,
        });
    }

    /// Replies with an answer that echoes round and key.
    pub fn answer(&mut self, judge: &str, vote: Vote, with: impl FnOnce(&mut Answer)) {
        let sent = self.sent(judge);
        let mut answer = Answer::new(sent.round, sent.key.clone(), vote);
        answer.key_insight = format!("{judge} says {}", vote.as_str());
        with(&mut answer);
        self.raw(judge, &serde_json::to_string(&answer).unwrap());
        // Asked again for a quote or an id, a judge of these tests says the same again, unless the test says otherwise.
        let asked_again = self.open.get(&JudgeId::from(judge)).filter(|sent| {
            const ASKED: [&str; 4] = ["not found", "no finding", "no challenge", "neither counts"];
            matches!(&sent.task, Task::Mend { error, .. } if ASKED.iter().any(|asked| error.contains(asked)))
        });
        if let Some(key) = asked_again
            .filter(|_| self.stubborn)
            .map(|sent| sent.key.clone())
        {
            answer.key = key;
            self.raw(judge, &serde_json::to_string(&answer).unwrap());
        }
    }

    /// Everybody votes in R1 without a finding.
    pub fn votes(&mut self, votes: &[Vote]) {
        for (index, vote) in votes.iter().enumerate() {
            self.answer(&format!("judge-{}", index + 1), *vote, |_| {});
        }
    }

    pub fn fail(&mut self, judge: &str, kind: FailureKind) {
        let turn = self.sent(judge).turn;
        self.open.remove(judge);
        let failure = Failure::new(kind, "so it goes");
        self.feed(Input::Failed {
            judge: judge.into(),
            turn: Some(turn),
            failure,
        });
    }

    pub fn dies(&mut self, judge: &str) {
        self.open.remove(judge);
        let failure = Failure::new(FailureKind::Died, "so it goes");
        self.feed(Input::Failed {
            judge: judge.into(),
            turn: None,
            failure,
        });
    }

    pub fn cancel(&mut self, cause: CancelCause) {
        self.feed(Input::Cancel { cause });
    }

    /// Lets time pass; deadlines strike in their order.
    pub fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some((&timer, &at)) = self
            .timers
            .iter()
            .filter(|(_, at)| **at <= until)
            .min_by_key(|(_, at)| **at)
        {
            self.timers.remove(&timer);
            self.now = self.now.max(at);
            self.feed(Input::Deadline { timer });
        }
        self.now = until;
    }

    /// The id under which `viewer` knows finding `number` of `owner` in R2 (identified by its insight).
    pub fn id_of(&self, viewer: &str, owner: &str, number: usize) -> String {
        let Task::Debate { peers, .. } = self.task(viewer) else {
            panic!("{viewer} is not debating")
        };
        let needle = format!("{owner} says");
        let scrubbed = needle.replace(owner, "a judge");
        let peer = peers.iter().find(|p| {
            p.key_insight.contains(&scrubbed) && (peers.len() == 1 || p.findings.len() >= number)
        });
        format!(
            "{}{number}",
            peer.unwrap_or_else(|| panic!("{viewer} sees {peers:?}"))
                .label
        )
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        self.actions.iter().find_map(|a| match a {
            Action::Conclude { outcome } => Some(&**outcome),
            _ => None,
        })
    }

    pub fn concluded(&self) -> &Outcome {
        self.outcome()
            .unwrap_or_else(|| panic!("not over: {:#?}", self.actions))
    }

    pub fn logged(&self, line: &str) -> bool {
        self.actions
            .iter()
            .any(|a| matches!(a, Action::Log { line: l } if l == line))
    }

    pub fn noted(&self, part: &str) -> bool {
        self.concluded().notes.iter().any(|n| n.contains(part))
    }

    /// Whether a judge is being asked to answer a challenge.
    pub fn asks_challenge(&self, judge: &str) -> bool {
        let sent = self.open.get(&JudgeId::from(judge));
        sent.is_some_and(
            |sent| matches!(&sent.task, Task::Rebut { challenges, .. } if !challenges.is_empty()),
        )
    }

    /// Rounds in which something was sent to a judge.
    pub fn rounds_of(&self, judge: &str) -> Vec<u8> {
        let rounds = self.actions.iter().filter_map(|a| match a {
            Action::Send {
                judge: j, round, ..
            } if j.as_str() == judge => Some(round.0),
            _ => None,
        });
        rounds.collect()
    }
}

/// What proptest plays where nothing is asked for.
const PROPTEST_CASES: u32 = 256;

/// How many councils of each procedure are played, where nobody asks for more cases than proptest's own number.
const COUNCILS: u32 = 150;

/// The same councils every time.
const SEED: u64 = 0x000c_0ce1;

/// Ten councils for each case that `PROPTEST_CASES` asks for, always the same ones.
pub fn config() -> Config {
    let asked = Config::default();
    let is_usual = asked.cases == PROPTEST_CASES;
    Config {
        cases: if is_usual {
            COUNCILS
        } else {
            asked.cases.saturating_mul(10)
        },
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..asked
    }
}
