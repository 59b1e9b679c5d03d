//! `git council eval run`

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::commands::eval::count_noun;
use crate::cli::context::CommandContext;
use crate::eval::labelled::{LabelConfidence, LabelledChange, count_commits};
use crate::eval::statistics::changes_to_tell_apart;
use crate::eval::trials::TrialResult;
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::estimate::CostForecast;
use crate::run::eval::collect::sure_enough;
use crate::run::eval::council::EvalCouncil;
use crate::run::eval::files::EvalFiles;
use crate::run::eval::trial::{TrialEnd, TrialRunner};
use crate::session::InterruptRelay;
use crate::text::Untrusted;

#[derive(Debug, Clone, Args)]
pub(super) struct TrialArgs {
    /// The file that `git council eval collect` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A council: a file like your own config.toml (repeatable)
    #[arg(long = "council", value_name = "FILE", required = true)]
    councils: Vec<PathBuf>,
    /// How often each council reviews each change
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    repeat: u32,
    /// The most US dollars that all reviews of FILE together may cost, those of earlier commands included
    #[arg(long, value_name = "USD", value_parser = parse_dollars)]
    max_cost: Option<f64>,
    /// Only changes whose label is at least this certain
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = SureArg::Medium)]
    least: SureArg,
    /// Run those reviews again that came to no verdict, e.g. after you have mended what prevented it
    #[arg(long)]
    again: bool,
    /// Show what would be sent and how much the result could tell; ask no model
    #[arg(long)]
    dry_run: bool,
}

/// `--least`
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SureArg {
    Low,
    Medium,
    High,
}

impl From<SureArg> for LabelConfidence {
    fn from(arg: SureArg) -> Self {
        match arg {
            SureArg::Low => Self::Low,
            SureArg::Medium => Self::Medium,
            SureArg::High => Self::High,
        }
    }
}

fn parse_dollars(text: &str) -> Result<f64, String> {
    let dollars: f64 = text
        .parse()
        .map_err(|_| "write it as a number of dollars, e.g. 20".to_owned())?;
    if dollars.is_finite() && dollars > 0.0 {
        Ok(dollars)
    } else {
        Err("it must be more than nothing".to_owned())
    }
}

pub(super) fn run(args: &TrialArgs, start: &CommandContext) -> Result<u8, RunError> {
    let files = EvalFiles::new(start.dir.join(&args.file));
    let items = sure_enough(files.read_changes()?, args.least.into());
    let councils = load_councils(args, start)?;
    if items.is_empty() {
        return Err(RunError::usage(format!(
            "{} holds no change that is sure enough",
            args.file.display()
        ))
        .hint("take guesses, too: --least low"));
    }
    // Two at once would buy every answer twice, and `--max-cost` would hold for each alone.
    let _lock = (!args.dry_run).then(|| files.lock()).transpose()?;
    let mut runner = TrialRunner {
        book: files.read_results()?,
        files: &files,
        items: &items,
        max_cost: args.max_cost,
        again: args.again,
        interrupts: InterruptRelay::default(),
    };
    for council in &councils {
        runner.check_bound(&items, council)?;
    }
    let wanted = WantedTrials {
        items: &items,
        councils: &councils,
        repeat: args.repeat,
    };
    if args.dry_run {
        print_forecast(&wanted, &runner, start)?;
        return Ok(exit::OK);
    }
    // Between two reviews, too.
    runner.interrupts = InterruptRelay::listen_to_signals()
        .map_err(|error| RunError::run(format!("cannot listen for signals: {error}")))?;
    hold_trials(&wanted, args, &mut runner, start)
}

/// Every change with every council, as often as it is wanted.
struct WantedTrials<'a> {
    items: &'a [LabelledChange],
    councils: &'a [EvalCouncil],
    repeat: u32,
}

impl WantedTrials<'_> {
    fn count(&self) -> usize {
        self.items.len() * self.councils.len() * self.repeat as usize
    }

    /// The trials in their order, each with the number of its change.
    fn all(&self) -> impl Iterator<Item = (usize, &LabelledChange, &EvalCouncil, u32)> {
        let repeats = self.repeat;
        let of_item = move |(number, item)| {
            let councils = self.councils.iter();
            councils.flat_map(move |council| {
                (1..=repeats).map(move |repeat| (number, item, council, repeat))
            })
        };
        (1..).zip(self.items).flat_map(of_item)
    }

    fn count_held(&self, runner: &TrialRunner<'_>) -> usize {
        let trials = self.all();
        trials
            .filter(|(_, item, council, repeat)| runner.is_held(item, council, *repeat))
            .count()
    }

    /// How many are held, and how many are not.
    fn describe_held(&self, runner: &TrialRunner<'_>) -> String {
        let (all, held) = (self.count(), self.count_held(runner));
        let verb = if held == 1 { "is" } else { "are" };
        let open = match all - held {
            0 => String::new(),
            1 => "; 1 is not".to_owned(),
            many => format!("; {many} are not"),
        };
        format!("{held} of {} {verb} held{open}.", count_noun(all, "review"))
    }
}

fn hold_trials(
    wanted: &WantedTrials<'_>,
    args: &TrialArgs,
    runner: &mut TrialRunner<'_>,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let mut progress = Progress::default();
    for (number, item, council, repeat) in wanted.all() {
        let place = format!(
            "{number}/{} {} {}",
            wanted.items.len(),
            item.id,
            council.name
        );
        let said = match runner.hold(item, council, repeat)? {
            TrialEnd::Known => continue,
            TrialEnd::Unpaid => return stop_unpaid(wanted, args, runner, start),
            TrialEnd::Interrupted => return stop_interrupted(wanted, runner, start),
            TrialEnd::Ended(result) => progress.note_result(&result),
            TrialEnd::Shared(of) => progress.note_shared(&of),
            TrialEnd::Failed(error) => progress.note_failure(error.message),
        };
        let said = format!("{place}: {said}");
        start
            .console
            .write_stderr(&(Untrusted::new(&said).line() + "\n"));
    }
    if runner.book.ended.is_empty() {
        return Err(progress.nothing_held());
    }
    let held = wanted.describe_held(runner);
    start
        .console
        .print(&progress.next_step(&held, wanted, args))?;
    Ok(exit::OK)
}

/// What came of the reviews of one command.
#[derive(Debug, Default)]
struct Progress {
    ended: usize,
    failed: usize,
    without_verdict: usize,
    /// What was in the way of the last one that failed.
    trouble: String,
}

impl Progress {
    fn note_result(&mut self, result: &TrialResult) -> String {
        self.ended += 1;
        let findings = count_noun(result.weighty_findings().count(), "finding");
        let told = format!(
            "{}, {findings}, {:.1} s",
            result.verdict.as_str(),
            result.seconds
        );
        if result.has_verdict() {
            return told;
        }
        self.without_verdict += 1;
        match result.why_no_verdict() {
            "" => told,
            why => format!("{told}: {why}"),
        }
    }

    fn note_shared(&mut self, of: &str) -> String {
        self.ended += 1;
        format!("the same change as {of}: nobody was asked again")
    }

    fn note_failure(&mut self, trouble: String) -> String {
        self.failed += 1;
        self.trouble.clone_from(&trouble);
        trouble
    }

    fn nothing_held(self) -> RunError {
        let failed = count_noun(self.failed, "review");
        RunError::run(format!(
            "no review could be held; {failed} failed: {}",
            self.trouble
        ))
        .hint("mend that; the same command tries them again")
    }

    fn next_step(&self, held: &str, wanted: &WantedTrials<'_>, args: &TrialArgs) -> String {
        let file = args.file.display();
        let mut told = match (self.ended + self.failed, wanted.count()) {
            (0, 1) => "\nThe review was held before: nobody was asked.\n".to_owned(),
            (0, all) => format!("\nAll {all} reviews were held before: nobody was asked.\n"),
            _ => format!("\n{held}\n"),
        };
        if self.failed > 0 {
            let failed = count_noun(self.failed, "review");
            told.push_str(&format!(
                "{failed} failed; the same command tries them again.\n"
            ));
        }
        if self.without_verdict > 0 {
            told.push_str(&format!(
                "{} came to no verdict. Once the cause is mended, the same command with --again holds them again.\n",
                count_noun(self.without_verdict, "review")
            ));
        }
        told + &format!("Next step: git council eval compare {file}\n")
    }
}

fn load_councils(args: &TrialArgs, start: &CommandContext) -> Result<Vec<EvalCouncil>, RunError> {
    let councils: Vec<EvalCouncil> = args
        .councils
        .iter()
        .map(|file| EvalCouncil::load(file, start))
        .collect::<Result<_, _>>()?;
    let names: BTreeSet<&str> = councils
        .iter()
        .map(|council| council.name.as_str())
        .collect();
    if names.len() == councils.len() {
        Ok(councils)
    } else {
        Err(RunError::usage("two councils have the same name")
            .hint("a council is called as its file: give the files different names"))
    }
}

/// The bound is no failure: what was asked for within it is done.
fn stop_unpaid(
    wanted: &WantedTrials<'_>,
    args: &TrialArgs,
    runner: &TrialRunner<'_>,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let file = args.file.display();
    let kept = if runner.book.ended.is_empty() {
        String::new()
    } else {
        format!(" What was answered is kept: `git council eval compare {file}` counts it.")
    };
    let spent = runner.book.spent();
    let why = match (runner.is_spent(), runner.left()) {
        (false, Some(left)) => format!(
            "The next review may cost more than the ${left:.2} that --max-cost leaves: ${spent:.2} is spent"
        ),
        _ => format!("--max-cost is spent: ${spent:.2}"),
    };
    start.console.print(&format!(
        "\n{why}, counting earlier commands.\n{}{kept}\n\
         The same command with a higher --max-cost goes on.\n",
        wanted.describe_held(runner)
    ))?;
    Ok(exit::OK)
}

fn stop_interrupted(
    wanted: &WantedTrials<'_>,
    runner: &TrialRunner<'_>,
    start: &CommandContext,
) -> Result<u8, RunError> {
    start.console.print(&format!(
        "\nInterrupted. {} What was answered is kept; the same command goes on.\n",
        wanted.describe_held(runner)
    ))?;
    Ok(exit::INTERRUPTED)
}

/// What would be asked, of one change in words, and what so many changes can tell.
fn print_forecast(
    wanted: &WantedTrials<'_>,
    runner: &TrialRunner<'_>,
    start: &CommandContext,
) -> Result<(), RunError> {
    let WantedTrials {
        items,
        councils,
        repeat,
    } = *wanted;
    let located = count_commits(items.iter().filter(|item| item.has_known_place()));
    let mut text = format!(
        "{} × {} × {} = {}; {} already there\n",
        count_noun(items.len(), "change"),
        count_noun(councils.len(), "council"),
        count_noun(repeat as usize, "repeat"),
        count_noun(wanted.count(), "review"),
        wanted.count_held(runner)
    );
    let needed = changes_to_tell_apart(0.3, 0.4);
    text.push_str(&format!(
        "{} with a known place. To tell a council that shows 30 % of defects from one that shows\n\
         40 %, it takes about {needed} (at 95 %, in four of five attempts). {}\n",
        count_noun(located, "defective change"),
        if located as u64 >= needed {
            "There are enough."
        } else {
            "With fewer, only larger differences can show."
        }
    ));
    text.push_str(&describe_cost(wanted, runner)?);
    for council in councils {
        text.push_str(&format!(
            "\n{} on {}, for example:\n",
            council.name, items[0].id
        ));
        text.push_str(&runner.forecast(&items[0], council)?);
    }
    start.console.print(&text)
}

/// So many reviews are reckoned for the cost of all: each reads its change, and a bench has hundreds.
const MAX_RECKONED: usize = 40;

/// What all reviews that are still to be paid for cost together; empty: none of them costs anything.
fn describe_cost(wanted: &WantedTrials<'_>, runner: &TrialRunner<'_>) -> Result<String, RunError> {
    let trials = wanted.all();
    let open: Vec<_> = trials
        .filter(|(_, item, council, repeat)| runner.is_to_be_paid(item, council, *repeat))
        .collect();
    // Some of all parts of the list: it is in the order of time, and changes grow with their project.
    let step = open.len().div_ceil(MAX_RECKONED).max(1);
    let reckoned: Vec<_> = open.iter().step_by(step).collect();
    let mut all = CostForecast::default();
    for (_, item, council, _) in &reckoned {
        let one = runner.forecast_cost(item, council)?;
        all.usd = (all.usd.0 + one.usd.0, all.usd.1 + one.usd.1);
        all.unpriced.extend(one.unpriced);
    }
    if all == CostForecast::default() {
        return Ok(String::new());
    }
    let times = open.len() as f64 / reckoned.len() as f64;
    let (least, most) = (all.usd.0 * times, all.usd.1 * times);
    let reviews = count_noun(open.len(), "review");
    let sample = match step {
        1 => String::new(),
        _ => format!(", reckoned from {} of them", reckoned.len()),
    };
    let most = match runner.left().filter(|left| *left < most) {
        Some(left) => format!("${left:.2} (--max-cost ends it there)"),
        None => format!("${most:.2}"),
    };
    let cost = match all.unpriced.is_empty() {
        true => format!("about ${least:.2} to {most}"),
        false => {
            let unpriced: Vec<String> = all.unpriced.into_iter().collect();
            let unpriced = unpriced.join(" and of ");
            format!(
                "at least ${least:.2}; no price is known of {unpriced} (set `prices.MODEL.input` and `.output`)"
            )
        }
    };
    Ok(format!("{reviews} to pay for: {cost}{sample}\n"))
}
