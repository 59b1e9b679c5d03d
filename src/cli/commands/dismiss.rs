//! `git council dismiss`: arguing with a finding, on the record.

use clap::{Args, ValueEnum};

use crate::cli::context::CommandContext;
use crate::council::DismissalGround;
use crate::run::dismiss::{DismissRequest, FindingDecision, describe_proposals, dismiss};
use crate::run::error::RunError;
use crate::run::findings::find_finding;

/// Dismiss a finding: it stays listed but does not count until its code changes
#[derive(Debug, Clone, Args)]
pub(crate) struct DismissArgs {
    /// The findings: ids in the last report (F1, F3-F6), or the first digits of their fingerprints
    #[arg(value_name = "ID", id = "id", required_unless_present = "proposed")]
    ids: Vec<String>,
    /// The reason, in a sentence for whoever reads it later
    #[arg(long, value_name = "REASON", required_unless_present_any = ["undo", "accept", "proposed"])]
    because: Option<String>,
    /// Why it does not count. accepted-risk: it is right, and you take the responsibility; false-positive: it is wrong;
    /// fixed: it is mended
    #[arg(long = "as", value_name = "GROUND", default_value = "accepted-risk")]
    ground: GroundArg,
    /// Look in this run instead of the last report
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Undo an earlier dismissal
    #[arg(long, conflicts_with_all = ["accept", "proposed"])]
    undo: bool,
    /// List the dismissals that coding agents have asked for
    #[arg(long, conflicts_with_all = ["id", "because", "accept"])]
    proposed: bool,
    /// Dismiss it for the reason that a coding agent proposed
    #[arg(long, conflicts_with = "because")]
    accept: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum GroundArg {
    #[default]
    AcceptedRisk,
    FalsePositive,
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
    if args.proposed {
        return start.console.print_wrapped(&describe_proposals(start)?);
    }
    let ids: Vec<String> = args.ids.iter().flat_map(|word| expand_row(word)).collect();
    // All or none: half of a mistyped row would be gone, under an error.
    for id in &ids {
        find_finding(start, id, args.run.as_deref())?;
    }
    for id in ids {
        let done = dismiss(&args.to_request(id), start)?;
        start.console.print_wrapped(&done)?;
    }
    Ok(())
}

/// The findings of a row: `F3-F5` is `F3`, `F4` and `F5`. Whatever is no row is one finding's name.
fn expand_row(word: &str) -> Vec<String> {
    const MAX_ROW: u32 = 1000;
    let number = |id: &str| id.strip_prefix(['F', 'f'])?.parse::<u32>().ok();
    let row = word
        .split_once('-')
        .and_then(|(first, last)| Some(number(first)?..=number(last)?));
    match row.filter(|row| !row.is_empty() && row.end() - row.start() < MAX_ROW) {
        Some(row) => row.map(|number| format!("F{number}")).collect(),
        None => vec![word.to_owned()],
    }
}

impl DismissArgs {
    fn to_request(&self, id: String) -> DismissRequest {
        DismissRequest {
            id,
            run: self.run.clone(),
            because: self.because.clone().unwrap_or_default(),
            ground: self.ground.into(),
            decision: match (self.undo, self.accept) {
                (true, _) => FindingDecision::TakeBack,
                (_, true) => FindingDecision::AcceptProposal,
                _ => FindingDecision::Dismiss,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same words mean the same in a reply on a pull request.
    #[test]
    fn who_names_no_ground_answers_for_the_finding() {
        use clap::Parser as _;
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: DismissArgs,
        }
        let line = Line::parse_from(["dismiss", "F1", "--because", "it is a constant"]);
        let request = line.args.to_request("F1".to_owned());
        assert_eq!(request.ground, DismissalGround::default());
    }

    #[test]
    fn what_is_no_row_is_a_name() {
        for word in [
            "F1",
            "f3",
            "3b0e318b",
            "F3-",
            "-F3",
            "F5-F3",
            "F1-x",
            "a-b",
            "F1-F9999999",
        ] {
            assert_eq!(expand_row(word), [word]);
        }
        assert_eq!(expand_row("F3-F5"), ["F3", "F4", "F5"]);
    }

    proptest! {
        /// What a report calls its findings in rows, the command takes for these and no others.
        #[test]
        fn rows_of_a_report_are_read_back(numbers in prop::collection::btree_set(1_u32..60, 0..20)) {
            let ids: Vec<String> = numbers.iter().map(|number| format!("F{number}")).collect();
            let rows = crate::report::join_ids(ids.iter().map(String::as_str));
            let read: Vec<String> = rows.iter().flat_map(|row| expand_row(row)).collect();
            prop_assert_eq!(read, ids);
        }
    }
}
