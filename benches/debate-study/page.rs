//! The table of docs/debate-study.md, and the figures that its text names: all of them from one measurement.

use super::world::Setting;
use super::{RULES, Tally, permille};

/// What one setting came to.
pub(crate) struct Measured {
    pub(crate) setting: Setting,
    pub(crate) tallies: [Tally; RULES.len()],
    /// How many changes there were, and how many of them have a critical defect.
    pub(crate) changes: u32,
    pub(crate) critical: u32,
}

/// The columns of the table behind what its lines are of.
const COLUMNS: [&str; RULES.len() + 2] = [
    "a single judge",
    "majority of round 1",
    "naive debate",
    "ours, round 1 alone",
    "ours",
    "ours: missed",
    "ours: blocked",
];

impl Measured {
    /// Whether ours is right at least as often as the majority of round 1.
    pub(crate) fn is_no_worse(&self) -> bool {
        self.tallies[4].right >= self.tallies[1].right
    }

    /// Right verdicts of each rule, then what ours missed and blocked, as shares.
    fn shares(&self) -> [f64; COLUMNS.len()] {
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        let right = |rule: usize| share(self.tallies[rule].right, self.changes);
        let ours = self.tallies[4];
        [
            right(0),
            right(1),
            right(2),
            right(3),
            right(4),
            share(ours.missed, self.critical),
            share(ours.blocked, self.changes - self.critical),
        ]
    }

    fn lost(&self) -> u32 {
        let right = |rule: usize| permille(self.tallies[rule].right, self.changes);
        right(1).saturating_sub(right(4))
    }
}

/// Prints the table: a line is the mean of its settings, and the last one that of all.
pub(crate) fn print_table(measured: &[Measured]) {
    print_line(
        ["judges", "families", "conformity"]
            .into_iter()
            .chain(COLUMNS),
    );
    print_line([""; 3].into_iter().chain(COLUMNS).map(|_| "---:"));
    let key = |one: &Measured| one.setting.words()[..3].to_vec();
    for lines in measured.chunk_by(|one, other| key(one) == key(other)) {
        print_means(key(&lines[0]), lines);
    }
    print_means(
        vec!["all".to_owned(), String::new(), String::new()],
        measured,
    );
    let (worse, all): (Vec<&Measured>, usize) = (
        measured.iter().filter(|one| !one.is_no_worse()).collect(),
        measured.len(),
    );
    println!(
        "\nours is right less often than the majority of round 1 in {} of {all} settings:",
        worse.len()
    );
    for one in worse {
        println!("{}: {} of 1000", one.setting, one.lost());
    }
}

fn print_means(head: Vec<String>, lines: &[Measured]) {
    let shares: Vec<_> = lines.iter().map(Measured::shares).collect();
    let mean = |column: usize| {
        let sum: f64 = shares.iter().map(|line| line[column]).sum();
        format!(
            "{:.3}",
            sum / f64::from(u32::try_from(lines.len()).unwrap_or(u32::MAX))
        )
    };
    print_line(head.into_iter().chain((0..COLUMNS.len()).map(mean)));
}

fn print_line(cells: impl Iterator<Item = impl AsRef<str>>) {
    let cells: String = cells.map(|cell| format!(" {} |", cell.as_ref())).collect();
    println!("|{}", cells.replace("|  |", "| |"));
}
