//! Simulated judges before the council's own rules, against plain voting and a single judge. No model is asked.
//!
//!     cargo run --release --example debate-study -- [--changes N] [--seed S] [--grid] [--markdown]
//!
//! Which judge sees what is drawn at random (`world`); the verdict "ours" is made by the engine itself (`ours`), from
//! answers like those of real judges. docs/debate-study.md says what is assumed, and what came out.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench tells its numbers"
)]
#![allow(clippy::exit, reason = "wrong words end it")]

mod ours;
mod page;
mod world;

use page::Measured;
use world::{Change, Numbers, Setting};

/// Verdicts that are compared: whether each says FAIL.
const RULES: [&str; 5] = [
    "a single judge",
    "majority, round 1",
    "naive debate, majority after round 2",
    "ours, round 1 alone",
    "ours",
];

/// How often a rule was right, and in which way it was wrong.
#[derive(Clone, Copy, Default)]
struct Tally {
    right: u32,
    missed: u32,
    blocked: u32,
}

struct Options {
    changes: u32,
    seed: u64,
    grid: bool,
    markdown: bool,
}

fn main() {
    let options = options();
    if options.grid {
        grid(&options);
    } else {
        one(&Setting::default(), &options);
    }
}

fn options() -> Options {
    let mut options = Options {
        changes: 2_000,
        seed: 1,
        grid: false,
        markdown: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            words
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or_else(usage)
        };
        match word.as_str() {
            "--changes" => options.changes = u32::try_from(number()).unwrap_or(u32::MAX).max(1),
            "--seed" => options.seed = number(),
            "--grid" => options.grid = true,
            "--markdown" => options.markdown = true,
            _ => drop(usage()),
        }
    }
    options
}

fn usage() -> u64 {
    eprintln!("usage: debate-study [--changes N] [--seed S] [--grid] [--markdown]");
    std::process::exit(2)
}

/// All rules over the same changes.
fn measure(setting: &Setting, options: &Options) -> ([Tally; RULES.len()], u32) {
    let mut numbers = Numbers::new(options.seed);
    let mut tallies = [Tally::default(); RULES.len()];
    let mut critical = 0;
    for _ in 0..options.changes {
        let change = Change::draw(setting, &mut numbers);
        critical += u32::from(change.is_critical());
        for (tally, fails) in tallies.iter_mut().zip(verdicts(&change)) {
            tally.right += u32::from(fails == change.is_critical());
            tally.missed += u32::from(!fails && change.is_critical());
            tally.blocked += u32::from(fails && !change.is_critical());
        }
    }
    (tallies, critical)
}

fn verdicts(change: &Change) -> [bool; RULES.len()] {
    let majority = |held: fn(&world::Item) -> usize| {
        change
            .items
            .iter()
            .any(|item| item.critical && 2 * held(item) > change.judges)
    };
    [
        change
            .items
            .iter()
            .any(|item| item.critical && item.found[0]),
        majority(|item| item.found.iter().filter(|&&found| found).count()),
        majority(world::Item::held_after_debate),
        ours::fails(change, false),
        ours::fails(change, true),
    ]
}

fn permille(part: u32, whole: u32) -> u32 {
    (part * 1_000 + whole / 2) / whole.max(1)
}

/// One setting in full.
fn one(setting: &Setting, options: &Options) {
    let (tallies, critical) = measure(setting, options);
    println!(
        "{} changes, seed {}, {setting}",
        options.changes, options.seed
    );
    println!("{:<40} right missed blocked   (of 1000)", "rule");
    for (name, tally) in RULES.iter().zip(tallies) {
        let right = permille(tally.right, options.changes);
        let missed = permille(tally.missed, critical);
        let blocked = permille(tally.blocked, options.changes - critical);
        println!("{name:<40} {right:>5} {missed:>6} {blocked:>7}");
    }
}

/// Every setting in a line, and in how many ours is at least as often right as the majority of round 1; for the page the means
/// of settings in a table.
fn grid(options: &Options) {
    let settings = Setting::grid();
    println!(
        "{} changes for each of {} settings, seed {}",
        options.changes,
        settings.len(),
        options.seed
    );
    if !options.markdown {
        let head = "judges families conformity shared plausible single majority naive ours-r1 ours ours-missed ours-blocked";
        row(head.split(' ').map(str::to_owned));
    }
    let measured: Vec<Measured> = settings
        .into_iter()
        .map(|setting| measure_setting(setting, options))
        .collect();
    if options.markdown {
        page::print_table(&measured);
    }
    let at_least = measured.iter().filter(|one| one.is_no_worse()).count();
    let all = measured.len();
    println!(
        "\nours is at least as often right as the majority of round 1 in {at_least} of {all} settings"
    );
    if at_least * 10 < all * 9 {
        eprintln!("fewer than nine of ten");
        std::process::exit(1);
    }
}

fn measure_setting(setting: Setting, options: &Options) -> Measured {
    let (tallies, critical) = measure(&setting, options);
    if !options.markdown {
        let right = tallies
            .iter()
            .map(|tally| permille(tally.right, options.changes));
        let wrong = [
            permille(tallies[4].missed, critical),
            permille(tallies[4].blocked, options.changes - critical),
        ];
        let shares = right.chain(wrong).map(|n| n.to_string());
        row(setting.words().into_iter().chain(shares));
    }
    Measured {
        setting,
        tallies,
        changes: options.changes,
        critical,
    }
}

fn row(cells: impl Iterator<Item = String>) {
    let cells: String = cells.map(|cell| format!("{cell:>10}")).collect();
    println!("{cells}");
}
