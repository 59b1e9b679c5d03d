//! `git council dismiss`: arguing with a finding, on the record.

use clap::{Args, ValueEnum};

use crate::cli::context::CommandContext;
use crate::council::{Dismissal, DismissalGround};
use crate::git::{self, CouncilNotes, RepositoryPaths, UserGit};
use crate::memory::line::{DismissalLine, LINE_VERSION, NoteLine};
use crate::run::dismissals::{self, DismissalJournal};
use crate::run::error::RunError;
use crate::run::findings::{self, FoundFinding};
use crate::run::notes;
use crate::run::redaction::user_redactor;
use crate::run::settings;
use crate::session::{RealWorld, SessionWorld as _};

/// Dismiss a finding: it stays listed but does not count until its code changes
#[derive(Debug, Clone, Args)]
pub(crate) struct DismissArgs {
    /// The finding: its id in the last report (F1), or the first digits of its fingerprint
    #[arg(value_name = "ID")]
    id: String,
    /// The reason, in a sentence for whoever reads it later
    #[arg(long, value_name = "REASON", required_unless_present = "undo")]
    because: Option<String>,
    /// Why it does not count
    #[arg(long = "as", value_name = "GROUND", default_value = "false-positive")]
    ground: GroundArg,
    /// Look in this run instead of the last report
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Undo an earlier dismissal
    #[arg(long)]
    undo: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroundArg {
    FalsePositive,
    AcceptedRisk,
    Fixed,
}

impl From<GroundArg> for DismissalGround {
    fn from(ground: GroundArg) -> Self {
        match ground {
            GroundArg::FalsePositive => Self::FalsePositive,
            GroundArg::AcceptedRisk => Self::AcceptedRisk,
            GroundArg::Fixed => Self::Fixed,
        }
    }
}

pub(crate) fn run(args: &DismissArgs, start: &CommandContext) -> Result<(), RunError> {
    let because = args.because.clone().unwrap_or_default();
    if because.trim().is_empty() && !args.undo {
        return Err(RunError::usage("a dismissal needs a reason")
            .hint("git council dismiss ID --because '…'"));
    }
    let FoundFinding { finding, .. } =
        findings::find_finding(start, &args.id, args.run.as_deref())?;
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let git = UserGit::new(&start.dir, &start.git_environment()).map_err(RunError::usage)?;
    let by = git.identity().ok_or_else(|| {
        RunError::usage("git does not know who you are, but a dismissal needs an author")
            .hint("git config --global user.name 'Your Name'")
            .hint("git config --global user.email you@example.com")
    })?;
    let line = DismissalLine {
        v: LINE_VERSION,
        dismissal: Dismissal {
            fingerprint: finding.fingerprint.clone(),
            ground: args.ground.into(),
            because: user_redactor(start)?.redact_words(because.trim()).text,
            by,
            at: RealWorld::new().read_calendar().rfc3339,
        },
        finding: findings::describe_finding(&finding),
        restored: args.undo,
    };
    let Some(dir) = place.memory_dir() else {
        return Err(RunError::usage("this is not a git repository"));
    };
    let line = NoteLine::Dismissal(line);
    let kept = DismissalJournal::new(&dir, start.signing_key()).append_line(&line.body());
    kept.map_err(|error| RunError::run(format!("cannot keep the dismissal: {error}")))?;
    let settings = settings::branch_config(start)?.settings;
    if notes::are_written(&settings.notes, start) {
        let text = dismissals::note_line(&line, &git, &settings.notes)?;
        let object = CouncilNotes::open(&start.dir, &start.git_environment())?.empty_tree();
        git::add_line(&git, &dir, &object, &text).map_err(RunError::run)?;
    }
    let done = if args.undo {
        "counts again"
    } else {
        "is dismissed until its code changes"
    };
    start.console.print(&format!(
        "{}, fingerprint {}, {done}\n",
        findings::name_finding(&finding),
        finding.fingerprint
    ))
}
