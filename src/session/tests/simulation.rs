//! Whole sessions under a seed: judges that answer, lie, hang, die and repeat themselves, a disk that fills up, a clock that
//! jumps, Ctrl-C, other processes in the same repository, and a process that is killed at any byte of its journal, again
//! and again. Whatever happens, the laws hold.
//!
//! `COUNCIL_SCHEDULES=1000000` plays so many schedules, `COUNCIL_SEED=17` plays one again.

use std::panic::{AssertUnwindSafe, catch_unwind};

use council_protocol::{
    Answer, Event, Failure, FailureKind, Finding, JudgeId, Task, Turn, TurnId, Vote,
};

use serde_json::{Map, Value};

use super::stage::{Deed, Manners, Seen, Stage, stage};
use crate::council::Input;
use crate::council::outcome::{Outcome, Verdict};
use crate::council::plan::{DebateMode, Procedure};
use crate::session::journal::{JOURNAL_FILE, RunJournal};
use crate::session::{SessionError, replay_council, stored};

/// Schedules of an ordinary test run.
const SCHEDULES: u64 = if cfg!(debug_assertions) { 100 } else { 400 };

/// A stream of numbers from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    /// The same numbers for the same parts.
    fn of(seed: u64, parts: &[&str]) -> Self {
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        Self(bytes.fold(seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

/// What happens in a schedule.
#[derive(Debug, Clone)]
struct Schedule {
    seed: u64,
    /// Decides how long everybody takes, and nothing else.
    pace: u64,
    judges: usize,
    procedure: Procedure,
    debate: DebateMode,
    paid: bool,
    /// Nobody is late, and nothing is lost but processes: every pace and every crash must come to the same outcome.
    punctual: bool,
    understudy: bool,
    manners: Manners,
    full_at: Option<usize>,
    interrupts: Vec<u64>,
    jumps: Vec<(u64, u64)>,
    /// Moments at which other processes come.
    intruders: Vec<u64>,
}

impl Schedule {
    fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed, &["schedule"]);
        let procedures = [
            Procedure::Review,
            Procedure::Debate,
            Procedure::Debate,
            Procedure::CrossExamination,
            Procedure::Staged,
        ];
        let procedure = dice.pick(&procedures);
        // Councillors hear each other while they think: what they say then depends on who was quicker.
        let punctual = dice.percent(50) && procedure != Procedure::CrossExamination;
        let rough = |dice: &mut Dice, chance| !punctual && dice.percent(chance);
        let manners = Manners {
            seats_nobody: rough(&mut dice, 4),
            refuses_spawn: rough(&mut dice, 4),
            never_seats: if rough(&mut dice, 8) {
                ["judge-1"].into()
            } else {
                [].into()
            },
            ignores_shutdown: if rough(&mut dice, 10) {
                ["judge-2"].into()
            } else {
                [].into()
            },
            closes_on_turn: rough(&mut dice, 5),
            ..Manners::default()
        };
        Self {
            seed,
            pace: seed,
            judges: 1 + dice.below(4) as usize,
            procedure,
            debate: dice.pick(&[DebateMode::Auto, DebateMode::Force, DebateMode::Off]),
            paid: dice.percent(60),
            punctual,
            understudy: rough(&mut dice, 20),
            manners,
            full_at: rough(&mut dice, 10).then(|| 200 + dice.below(6_000) as usize),
            interrupts: if rough(&mut dice, 12) {
                vec![dice.below(200_000), dice.below(400_000)]
            } else {
                Vec::new()
            },
            jumps: if rough(&mut dice, 12) {
                vec![(dice.below(100_000), dice.below(4_000_000))]
            } else {
                Vec::new()
            },
            intruders: (0..dice.below(3)).map(|_| dice.below(60_000)).collect(),
        }
    }

    fn stage(&self) -> Stage {
        let plot = self.clone();
        let mut stage = stage(self.judges, move |judge, turn| plot.deed(judge, turn));
        stage.plan.procedure = self.procedure;
        stage.plan.debate = self.debate;
        stage.plan.quorum = self.judges.min(2) as u32;
        stage.understudy = self.understudy;
        stage.manners = self.manners.clone();
        stage.full_at = self.full_at;
        stage.interrupts.clone_from(&self.interrupts);
        stage.jumps.clone_from(&self.jumps);
        stage.intruders.clone_from(&self.intruders);
        if self.paid { stage.paid() } else { stage }
    }

    /// What a judge does: the same whenever it is asked the same.
    fn deed(&self, judge: &str, turn: &Turn) -> Deed {
        let round = turn.round.to_string();
        let question = [judge, &round, kind(&turn.task)];
        let mut dice = Dice::of(self.seed, &question);
        let deed = self.reply(judge, turn, &mut dice);
        let mut clock = Dice::of(self.pace, &question);
        let most = match (self.punctual, clock.percent(90)) {
            (true, _) => 3_000,
            (false, true) => 60_000,
            (false, false) => 300_000,
        };
        Deed::Later(clock.below(most), Box::new(deed))
    }

    fn reply(&self, judge: &str, turn: &Turn, dice: &mut Dice) -> Deed {
        let answer = Box::new(answer(dice));
        match dice.below(100) {
            0..75 => Deed::Say(answer),
            75..80 => Deed::Raw("I would rather not say."),
            80..83 => Deed::Raw("```json\n{\"verdict\": \"PASS\"}\n```"),
            83..86 => self.event(judge, turn, "stale", 1),
            // Whoever died sits again after a crash, and may then answer.
            _ if self.punctual => Deed::Say(answer),
            86..90 => Deed::Die,
            90..94 => Deed::Hang,
            94..97 => self.event(judge, turn, &turn.key, 3),
            97..99 => self.event("judge-9", turn, &turn.key, 1),
            _ => Deed::Events(vec![Event::Failed {
                judge: JudgeId(judge.to_owned()),
                turn: Some(turn.id),
                failure: Failure::new(FailureKind::Quota, "429"),
            }]),
        }
    }

    /// A PASS under a key, so many times.
    fn event(&self, judge: &str, turn: &Turn, key: &str, times: usize) -> Deed {
        let answer = Answer::new(turn.round, key, Vote::Pass);
        let answered = Event::Answered {
            judge: JudgeId(judge.to_owned()),
            turn: turn.id,
            raw: serde_json::to_string(&answer).unwrap(),
            usage: None,
        };
        Deed::Events(vec![answered; times])
    }
}

fn kind(task: &Task) -> &'static str {
    match task {
        Task::Review => "review",
        Task::Debate { .. } => "debate",
        Task::Mend { .. } => "mend",
        _ => "other",
    }
}

fn answer(dice: &mut Dice) -> Answer {
    let mut answer = Answer::new(1, "", dice.pick(&[Vote::Pass, Vote::Warn, Vote::Fail]));
    for _ in 0..dice.below(3) {
        answer.findings.push(finding(dice));
    }
    answer
}

fn finding(dice: &mut Dice) -> Finding {
    let quotes = ["let a = risky(input);", "let b = 2;", "nowhere to be found"];
    serde_json::from_value(serde_json::json!({
        "severity": dice.pick(&["critical", "significant", "minor"]),
        "category": dice.pick(&["correctness", "naming"]),
        "description": dice.pick(&["input is not checked", "the name says nothing"]),
        "location": { "path": "a.rs", "line": 1 + dice.below(2) },
        "quote": dice.pick(&quotes),
    }))
    .unwrap()
}

/// Plays a schedule and everything that may follow from it.
fn play(schedule: &Schedule) {
    let whole = schedule.stage().run();
    laws(schedule, &whole, &[]);
    if schedule.punctual {
        other_pace(schedule, &whole);
    }
    if schedule.understudy {
        // A plan of its own: where it ends is told by `fallbacks`.
        return;
    }
    let mut dice = Dice::of(schedule.seed, &["crashes"]);
    let mut left = whole.files.get(JOURNAL_FILE).cloned().unwrap_or_default();
    for _ in 0..=dice.below(2) {
        let Some(header) = left.iter().position(|&b| b == b'\n') else {
            return;
        };
        let mut kept = left[..=header + dice.below((left.len() - header) as u64) as usize].to_vec();
        if dice.percent(10) {
            let at = dice.below(kept.len() as u64) as usize;
            kept[at] ^= 1 << dice.below(8);
        }
        // What does not fit together any more is refused.
        let Ok(journal) = RunJournal::parse(&kept) else {
            return;
        };
        let bought = bought(&journal);
        let resumed = crashed(schedule).resume_from(&whole, &kept, |_| {});
        laws(schedule, &resumed, &bought);
        if let (true, Ok(one), Ok(other)) = (schedule.punctual, &whole.result, &resumed.result) {
            same(&one.outcome, &other.outcome, "after a crash");
        }
        left = resumed.files[JOURNAL_FILE].clone();
    }
}

/// The process that goes on has a disk with room and a clock that runs.
fn crashed(schedule: &Schedule) -> Stage {
    let mut stage = schedule.stage();
    stage.understudy = false;
    stage.full_at = None;
    stage
}

/// The same answers in another order come to the same outcome.
fn other_pace(schedule: &Schedule, whole: &Seen) {
    let other = Schedule {
        pace: !schedule.pace,
        ..schedule.clone()
    };
    let other = other.stage().run();
    same(whole.outcome(), other.outcome(), "in another order");
}

/// Paid answers that are written down.
fn bought(journal: &RunJournal) -> Vec<(JudgeId, TurnId)> {
    let answered = journal
        .entries
        .iter()
        .filter_map(|entry| match &entry.input {
            Input::Answered { judge, turn, .. } => Some((judge.clone(), *turn)),
            _ => None,
        });
    answered.collect()
}

/// Whether two outcomes are the same but for the moments of answers and the ends of processes; says where they are not.
fn same(one: &Outcome, other: &Outcome, when: &str) {
    let mut differences = Vec::new();
    let [one, other] = [one, other].map(|outcome| {
        let mut outcome = outcome.clone();
        // They tell what happened in the order in which it did.
        outcome.notes.sort();
        serde_json::to_value(outcome).unwrap()
    });
    compare("", &one, &other, &mut differences);
    // Whoever died with the process ends in another way: it sits again.
    let may_differ = ["/answered_ms: ", "/ending: "];
    differences.retain(|line| !may_differ.iter().any(|key| line.contains(key)));
    assert!(differences.is_empty(), "{when}: {differences:#?}");
}

fn compare(at: &str, one: &Value, other: &Value, differences: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one
                .keys()
                .chain(other.keys().filter(|key| !one.contains_key(*key)))
            {
                let side = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                compare(
                    &format!("{at}/{key}"),
                    &side(one),
                    &side(other),
                    differences,
                );
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (number, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{at}/{number}"), one, other, differences);
            }
        }
        _ if one == other => {}
        _ => differences.push(format!("{at}: {one} and {other}")),
    }
}

fn laws(schedule: &Schedule, seen: &Seen, bought: &[(JudgeId, TurnId)]) {
    let closed = seen.times("first close");
    assert_eq!(closed, 1, "every backend is closed, once");
    let mut asked = seen.asked.clone();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), seen.asked.len(), "a question is put once");
    for question in bought {
        assert!(
            !seen.asked.contains(question),
            "{question:?} is bought twice"
        );
    }
    for intruder in &seen.intruders {
        let told = intruder.refused.as_deref().unwrap_or_default();
        assert!(told.contains("process 1 holds it"), "two go on: {told:?}");
        assert_ne!(intruder.folder, seen.folder, "two runs in one folder");
    }
    if schedule.paid {
        synced_before_acted_upon(&seen.diary);
    }
    let finished = match &seen.result {
        Ok(finished) => finished,
        Err(SessionError::Disk { .. }) if schedule.full_at.is_some() && schedule.paid => return,
        Err(error) => panic!("no ending: {error}"),
    };
    let outcome = &finished.outcome;
    if outcome.verdict == Verdict::Pass {
        assert!(outcome.counted >= outcome.quorum, "PASS below quorum");
        assert!(outcome.coverage.is_complete(), "PASS below coverage");
    }
    if schedule.full_at.is_none() {
        let journal = seen.journal();
        let plan = stored::parse_plan(&seen.files[&journal.plan.file]).unwrap();
        assert_eq!(&replay_council(plan, &journal.entries).unwrap(), outcome);
    }
}

/// Between an answer that is written and the next thing that is done there is a sync.
fn synced_before_acted_upon(diary: &[String]) {
    let mut loose = None;
    for line in diary {
        if line.starts_with("disk append answered") {
            loose = Some(line);
        } else if line == "disk sync" {
            loose = None;
        } else if line.contains(" send ") {
            assert_eq!(loose, None, "acted upon before it was on the disk");
        }
    }
}

#[test]
fn whatever_happens_the_laws_hold() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seeds = match number("COUNCIL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("COUNCIL_SCHEDULES").unwrap_or(SCHEDULES),
    };
    for seed in seeds {
        let schedule = Schedule::of(seed);
        let held = catch_unwind(AssertUnwindSafe(|| play(&schedule)));
        assert!(
            held.is_ok(),
            "COUNCIL_SEED={seed} plays this again: {schedule:#?}"
        );
    }
}
