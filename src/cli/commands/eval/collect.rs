//! `git council eval collect`

use std::path::PathBuf;

use clap::Args;
use jiff::{Span, Zoned, civil::Date};

use crate::cli::commands::eval::count_noun;
use crate::cli::context::CommandContext;
use crate::eval::labelled::{LabelConfidence, LabelSet, LabelledChange};
use crate::git::{MainLineLimits, MainLineWalk};
use crate::run::error::RunError;
use crate::run::eval::collect::{CollectRequest, collect_changes, resolve_tip};
use crate::run::eval::files::EvalFiles;
use crate::text::Columns;

#[derive(Debug, Clone, Args)]
pub(super) struct CollectArgs {
    /// The main branch, or a commit of it [default: the current commit]
    #[arg(
        value_name = "REVISION",
        default_value = "HEAD",
        hide_default_value = true
    )]
    tip: String,
    /// How far back: 2y, 6mo, 90d, or a date
    #[arg(long, value_name = "TIME", default_value = "2y")]
    since: String,
    /// Only these kinds of labels: szz, reverts, dismissals, omission, mutation, clean [default: all]
    #[arg(long, value_name = "SETS", value_delimiter = ',', value_parser = parse_set)]
    sets: Vec<LabelSet>,
    /// Keep at most N changes of each kind, the most certain ones first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Read at most N commits of the main branch
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    max_commits: usize,
    /// Write the labelled changes to FILE
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn parse_set(text: &str) -> Result<LabelSet, String> {
    let found = LabelSet::ALL.into_iter().find(|set| set.as_str() == text);
    found.ok_or_else(|| {
        let all = LabelSet::ALL.map(LabelSet::as_str).join(", ");
        format!("there is no such set; there are: {all}")
    })
}

/// The moment before which nothing is read, in seconds since 1970.
fn parse_since(text: &str, now: &Zoned) -> Result<i64, RunError> {
    if let Ok(date) = text.parse::<Date>() {
        let start = date.to_zoned(now.time_zone().clone());
        return Ok(start.map_or(i64::MIN, |start| start.timestamp().as_second()));
    }
    let before = text.parse::<Span>().and_then(|span| now.checked_sub(span));
    before
        .map(|before| before.timestamp().as_second())
        .map_err(|_| {
            RunError::usage(format!("--since {text}: this is neither a time nor a date"))
                .hint("write it as 2y, 6mo, 90d or 2024-01-31")
        })
}

pub(super) fn run(args: &CollectArgs, start: &CommandContext) -> Result<(), RunError> {
    let sets = if args.sets.is_empty() {
        LabelSet::ALL.to_vec()
    } else {
        args.sets.clone()
    };
    let limits = MainLineLimits {
        commits: args.max_commits,
        since: parse_since(&args.since, &Zoned::now())?,
    };
    let request = CollectRequest {
        tip: resolve_tip(&args.tip, start)?,
        limits,
        sets: sets.clone(),
        limit: args.limit,
    };
    let collected = collect_changes(&request, start)?;
    let files = EvalFiles::new(start.dir.join(&args.output));
    let told = describe(&sets, &collected.items);
    let is_empty = collected.items.is_empty();
    let mut head = format!(
        "{} of the main line read, {} labelled: {}\n",
        count_noun(collected.walked.commits, "commit"),
        count_noun(collected.items.len(), "change"),
        files.changes.display()
    );
    match (files.renew_changes(collected.items)?, is_empty) {
        (0, _) => {}
        (count, true) => head += &format!("The {count} that it holds stay.\n"),
        (count, false) => {
            head += &format!("{count} more stay in it: councils have reviewed them.\n");
        }
    }
    head += &untold(collected.walked);
    head.push('\n');
    let foot = if is_empty {
        "\nNothing could be labelled: read further back with --since, or name the main branch.\n"
            .to_owned()
    } else {
        format!(
            "\nNext step: git council eval run {} --council A.toml --council B.toml --dry-run\n",
            args.output.display()
        )
    };
    start.console.print(&(head + &told + &foot))
}

/// What of the history could not be read.
fn untold(walked: MainLineWalk) -> String {
    let mut told = String::new();
    if walked.is_cut {
        told += "The history is cut here (a shallow clone?): nothing before is labelled, and what came later is judged by \
                 less. To have all of it: git fetch --unshallow\n";
    }
    if walked.unread > 0 {
        let (its, it) = match walked.unread {
            1 => ("its text", "it"),
            _ => ("their text", "them"),
        };
        told += &format!(
            "{} could not be read, because {its} is not in this repository; labels do without {it}.\n",
            count_noun(walked.unread, "changed file")
        );
    }
    told
}

/// A line for each set: how many, and how sure.
fn describe(sets: &[LabelSet], items: &[LabelledChange]) -> String {
    let mut rows = Columns::default();
    rows.push([
        "set",
        "changes",
        "high",
        "medium",
        "low confidence",
        "what it holds",
    ]);
    for set in sets {
        let count = |wanted: &dyn Fn(&LabelledChange) -> bool| {
            items
                .iter()
                .filter(|item| item.set == *set && wanted(item))
                .count()
                .to_string()
        };
        rows.push([
            set.as_str().to_owned(),
            count(&|_| true),
            count(&|item| item.confidence == LabelConfidence::High),
            count(&|item| item.confidence == LabelConfidence::Medium),
            count(&|item| item.confidence == LabelConfidence::Low),
            meaning(*set).to_owned(),
        ]);
    }
    rows.render("")
}

fn meaning(set: LabelSet) -> &'static str {
    match set {
        LabelSet::Szz => "a later fix removed lines that the change added",
        LabelSet::Reverts => "a later commit reverted the change",
        LabelSet::Dismissals => "people dismissed findings about the change",
        LabelSet::Omission => "a real change without a caller that had to change too",
        LabelSet::Mutation => "a real change with one defect put in",
        LabelSet::Clean => "nobody changed its lines for 180 days, mended it or reverted it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_told_in_the_right_number() {
        let told = |unread| {
            untold(MainLineWalk {
                unread,
                ..MainLineWalk::default()
            })
        };
        assert_eq!(told(0), "");
        assert!(
            told(1).contains("1 changed file could not be read, because its text"),
            "{}",
            told(1)
        );
        let two = told(2);
        assert!(
            two.contains("2 changed files could not be read, because their text"),
            "{two}"
        );
        assert!(two.contains("without them"), "{two}");
    }

    #[test]
    fn a_time_a_date_and_nonsense() {
        let now: Zoned = "2026-03-01T00:00:00+00:00[UTC]".parse().unwrap();
        let at = |text: &str| parse_since(text, &now).map_err(|error| error.message);
        let second = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_second();
        assert_eq!(at("2y"), Ok(second("2024-03-01T00:00:00Z")));
        assert_eq!(at("6mo"), Ok(second("2025-09-01T00:00:00Z")));
        assert_eq!(at("2024-01-31"), Ok(second("2024-01-31T00:00:00Z")));
        assert!(
            at("soon")
                .unwrap_err()
                .contains("neither a time nor a date")
        );
        assert!(parse_set("bugs").unwrap_err().contains("szz, reverts"));
    }
}
