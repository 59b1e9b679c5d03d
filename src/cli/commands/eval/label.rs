//! `git council eval label`

use std::io::BufRead as _;
use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::council::readable_description;
use crate::eval::labelled::LabelledChange;
use crate::eval::trials::TrialFinding;
use crate::run::error::RunError;
use crate::run::eval::files::EvalFiles;
use crate::run::eval::labels::{HitLabel, LabelBook, unlabelled_findings};
use crate::text::Untrusted;

#[derive(Debug, Clone, Args)]
pub(super) struct LabelArgs {
    /// The file that `git council eval collect` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What a person types.
enum LabelWord {
    Hit,
    Miss,
    Skip,
    Quit,
}

impl LabelWord {
    fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "y" | "yes" => Some(Self::Hit),
            "n" | "no" => Some(Self::Miss),
            "s" | "skip" | "" => Some(Self::Skip),
            "q" | "quit" => Some(Self::Quit),
            _ => None,
        }
    }
}

pub(super) fn run(args: &LabelArgs, start: &CommandContext) -> Result<(), RunError> {
    let files = EvalFiles::new(start.dir.join(&args.file));
    let (items, trials) = (files.read_changes()?, files.read_results()?.ended);
    let mut book = LabelBook::load(&files)?;
    let open = unlabelled_findings(&items, &trials, &book);
    let mut said = 0;
    let mut lines = std::io::stdin().lock().lines();
    for (number, (item, finding)) in (1..).zip(&open) {
        start
            .console
            .print(&describe(number, open.len(), item, finding))?;
        let word = loop {
            start
                .console
                .write_stderr("does it name the defect? y, n, s(kip), q(uit) ");
            let Some(Ok(line)) = lines.next() else {
                break LabelWord::Quit;
            };
            if let Some(word) = LabelWord::parse(&line) {
                break word;
            }
        };
        let is_hit = match word {
            LabelWord::Hit => true,
            LabelWord::Miss => false,
            LabelWord::Skip => continue,
            LabelWord::Quit => break,
        };
        book.add(HitLabel::new(item, finding, is_hit), &files)?;
        said += 1;
    }
    let left = open.len() - said;
    start.console.print(&format!(
        "\n{said} labelled, {left} left: {}\n",
        files.labels().display()
    ))
}

/// A finding beside what is known of the defect.
fn describe(number: usize, all: usize, item: &LabelledChange, finding: &TrialFinding) -> String {
    let line = |text: &str| Untrusted::new(text).line();
    let places: Vec<String> = item
        .places
        .iter()
        .map(|place| format!("{}:{}-{}", line(&place.path), place.first, place.last))
        .collect();
    let known = if places.is_empty() {
        "somewhere in the change".to_owned()
    } else {
        places.join(", ")
    };
    format!(
        "\n{number}/{all} {}\n  known defect: {known} ({})\n  finding: {}:{} {}\n",
        line(&item.id),
        line(&item.how),
        line(&finding.path),
        finding.line,
        line(&readable_description(&finding.description))
    )
}
