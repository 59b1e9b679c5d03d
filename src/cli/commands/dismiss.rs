//! `git council dismiss`: arguing with a finding, on the record.

use clap::{Args, ValueEnum};

use crate::cli::Start;
use crate::cli::error::CliError;
use crate::cli::findings::{self, Found};
use crate::cli::journal::{self, Journal};
use crate::cli::settings;
use crate::council::{Dismissal, Ground};
use crate::git::{self, Notebook, Place, UserGit};
use crate::memory::line::{DismissalLine, LINE_VERSION, Line};
use crate::session::{RealWorld, World as _};

/// Dismiss a finding: it is listed and does not count, until its code changes
#[derive(Debug, Clone, Args)]
pub(crate) struct DismissArgs {
    /// The finding: its id in the latest run (F1), or the beginning of its fingerprint
    #[arg(value_name = "ID")]
    id: String,
    /// Why, in a sentence for whoever reads it later
    #[arg(long, value_name = "REASON", required_unless_present = "undo")]
    because: Option<String>,
    /// What it is
    #[arg(long = "as", value_name = "GROUND", default_value = "false-positive")]
    ground: GroundArg,
    /// Of this run instead of the latest
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Take an earlier dismissal back
    #[arg(long)]
    undo: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroundArg {
    FalsePositive,
    AcceptedRisk,
    Fixed,
}

impl From<GroundArg> for Ground {
    fn from(ground: GroundArg) -> Self {
        match ground {
            GroundArg::FalsePositive => Self::FalsePositive,
            GroundArg::AcceptedRisk => Self::AcceptedRisk,
            GroundArg::Fixed => Self::Fixed,
        }
    }
}

pub(crate) fn run(args: &DismissArgs, start: &Start) -> Result<(), CliError> {
    let because = args.because.clone().unwrap_or_default();
    if because.trim().is_empty() && !args.undo {
        return Err(CliError::usage("a dismissal needs a reason")
            .hint("git council dismiss ID --because '…'"));
    }
    let Found { finding, .. } = findings::find(start, &args.id, args.run.as_deref())?;
    let place = Place::discover(&start.dir, &start.git())?;
    let git = UserGit::new(&start.dir, &start.git()).map_err(CliError::usage)?;
    let by = git.identity().ok_or_else(|| {
        CliError::usage("git does not know who you are, and a dismissal has an author")
            .hint("git config --global user.name 'Your Name'")
            .hint("git config --global user.email you@example.com")
    })?;
    let line = DismissalLine {
        v: LINE_VERSION,
        dismissal: Dismissal {
            fingerprint: finding.fingerprint.clone(),
            ground: args.ground.into(),
            because: because.trim().to_owned(),
            by,
            at: RealWorld::new().moment().rfc3339,
        },
        finding: findings::words(&finding),
        restored: args.undo,
    };
    let Some(dir) = place.memory_dir() else {
        return Err(CliError::usage("this is no repository"));
    };
    let line = Line::Dismissal(line);
    let kept = Journal::new(&dir, start.seal()).add(&line.body());
    kept.map_err(|error| CliError::run(format!("cannot keep the dismissal: {error}")))?;
    let settings = settings::of_the_branch(start)?.settings;
    if settings.notes.write {
        let text = journal::for_notes(&line, &git, &settings.notes)?;
        let object = Notebook::open(&start.dir, &start.git())?.empty_tree();
        git::add_line(&git, &dir, &object, &text).map_err(CliError::run)?;
    }
    let done = if args.undo {
        "counts again"
    } else {
        "is dismissed until its code changes"
    };
    start
        .console
        .print(&format!("{} {} {done}\n", finding.id, finding.fingerprint))
}
