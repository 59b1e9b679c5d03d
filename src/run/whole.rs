//! A change that is larger than a brief: the one command that reviews all of it, and what that costs.

use council_protocol::{CoverageState, Seat};

use crate::config::LargeChangePolicy;
use crate::run::estimate::RunEstimate;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::request::RequestedTarget;

/// Bytes that a line of a hunk takes in a brief beside its text: its number and its marker.
const GUTTER: u64 = 7;

/// What to run where models are shown a part of the change only; none: they are shown all of it, or nothing more can be
/// shown.
pub(crate) fn suggest_whole_review(
    prepared: &PreparedReview,
    prompts: Option<&SeatPrompts>,
    seats: &[Seat],
) -> Option<String> {
    let settings = &prepared.config.settings;
    let shown = prompts?.shown_coverage();
    let is_cut = shown.files.iter().any(|file| {
        matches!(
            file.state,
            CoverageState::OverBudget | CoverageState::Truncated { .. }
        )
    });
    if !is_cut || settings.review.large == LargeChangePolicy::Shard {
        return None;
    }
    let request = prepared.request.as_ref()?;
    let target = target_words(&request.target)?;
    let hunks = prepared.packet.files.iter().flat_map(|file| &file.hunks);
    let change: u64 = hunks
        .map(|hunk| hunk.body.len() as u64 + GUTTER * u64::from(hunk.old_lines + hunk.new_lines))
        .sum();
    let frame = prompts?.brief_facts().frame;
    let room = settings.limits.brief.saturating_sub(frame).max(1);
    // Folders are kept together, so no part is filled to its end.
    let parts = (change * 5 / 4).div_ceil(room).max(2);
    let reading: Vec<&Seat> = seats
        .iter()
        .filter(|seat| seat.agent.kind.reads_text())
        .collect();
    let judges = seats.len() - reading.len() + reading.len() * usize::try_from(parts).ok()?;
    let mut command = format!("git council review{target} --config review.large=shard");
    if judges as u64 > settings.limits.agents {
        command.push_str(&format!(" --config limits.agents={judges}"));
    }
    if !request.pathspecs.is_empty() {
        command.push_str(&format!(" -- {}", request.pathspecs.join(" ")));
    }
    let brief = change / parts + frame;
    let each = (0..parts).flat_map(|_| &reading).map(|seat| (*seat, brief));
    let each: Vec<(&Seat, u64)> = each.collect();
    let estimate = RunEstimate::for_seats(&each, 0, &prepared.coverage, settings);
    Some(format!(
        "the change is larger than one brief (`limits.brief`), so files are left out; `{command}` reviews all of it in about \
         {parts} parts: {}",
        estimate.describe_total()
    ))
}

/// The target as it is written behind `git council review`; none: it cannot be read twice, or is no change.
fn target_words(target: &RequestedTarget) -> Option<String> {
    match target {
        RequestedTarget::Branch => Some(String::new()),
        RequestedTarget::Revision(revision) => Some(format!(" {revision}")),
        RequestedTarget::Staged => Some(" --staged".to_owned()),
        RequestedTarget::Worktree => Some(" --worktree".to_owned()),
        RequestedTarget::Patch(file) if !target.is_standard_input() => {
            Some(format!(" --patch {}", file.display()))
        }
        RequestedTarget::Patch(_) | RequestedTarget::Document(_) | RequestedTarget::Question(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_written_as_it_was_asked_for() {
        let words = |target| target_words(&target);
        assert_eq!(words(RequestedTarget::Branch).as_deref(), Some(""));
        let range = RequestedTarget::Revision("main..x".to_owned());
        assert_eq!(words(range).as_deref(), Some(" main..x"));
        assert_eq!(words(RequestedTarget::Staged).as_deref(), Some(" --staged"));
        let patch = |file: &str| RequestedTarget::Patch(file.into());
        assert_eq!(words(patch("a.diff")).as_deref(), Some(" --patch a.diff"));
        assert_eq!(words(patch("-")), None);
        assert_eq!(words(RequestedTarget::Question("why".to_owned())), None);
    }
}
