//! The votes that sides write into their sections.

use council_protocol::Vote;

use super::DuelRole;
use super::blocks::{BlockShape, TextBlock, is_table_rule, without_struck};
use super::transcript::{DebateSection, DebateTranscript};
use super::wording::parse_vote;

/// The vote that a side named in its section (`Vote: FAIL — …`), the last one.
pub(crate) fn vote_of(transcript: &DebateTranscript, role: DuelRole) -> Option<(Vote, String)> {
    let own = transcript
        .sections
        .iter()
        .rev()
        .filter(|section| section.author() == Some(role));
    own.filter_map(vote_in).next()
}

/// The worst vote that a side named in any of its sections, the first one.
pub(crate) fn worst_vote_of(
    transcript: &DebateTranscript,
    role: DuelRole,
) -> Option<(Vote, String)> {
    let own = transcript
        .sections
        .iter()
        .filter(|section| section.author() == Some(role));
    let votes: Vec<_> = own.filter_map(vote_in).collect();
    let worst = votes.iter().map(|(vote, _)| *vote).max()?;
    votes.into_iter().find(|(vote, _)| *vote == worst)
}

/// Of several votes in one section the worst: a PASS above takes back no FAIL.
pub(super) fn vote_in(section: &DebateSection) -> Option<(Vote, String)> {
    let lines = section.body.iter().filter(|line| line.is_open());
    let shown: Vec<String> = lines.map(|line| without_struck(&line.text)).collect();
    let told = shown.iter().filter(|line| !is_blank(line));
    let below = told.clone().skip(1).map(String::as_str);
    let pairs = told.zip(below.chain([""]));
    let votes: Vec<_> = pairs
        .filter_map(|(line, next)| read_vote(line, next))
        .collect();
    let worst = votes.iter().map(|(vote, _)| *vote).max()?;
    votes.into_iter().find(|(vote, _)| *vote == worst)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || is_table_rule(line)
}

/// The vote of a line; the word may stand in the line below its label: `### Verdict`, `| Vote | Reason |`.
fn read_vote(line: &str, next: &str) -> Option<(Vote, String)> {
    let told = |line: &str| parse_vote(line).map(|(vote, reason)| (vote, reason.to_owned()));
    told(line).or_else(|| {
        let is_label = names_vote_alone(line);
        is_label.then(|| told(&vote_below(next)?))?
    })
}

/// The blocks of a section with each vote that stands below its label as one line: `### Vote`, `| Vote | Reason |`.
pub(super) fn join_votes(blocks: Vec<TextBlock<'_>>) -> Vec<TextBlock<'_>> {
    let mut joined: Vec<TextBlock<'_>> = Vec::new();
    for mut block in blocks {
        let label = joined.last().filter(|above| {
            let has_text = above
                .rest
                .iter()
                .any(|line| line.is_text() && !is_table_rule(&line.text));
            !has_text && names_vote_alone(&above.head)
        });
        let vote = label.and_then(|_| vote_below(&block.head));
        if let Some(vote) = vote {
            joined.pop();
            (block.head, block.shape) = (vote, BlockShape::Paragraph);
        }
        joined.push(block);
    }
    joined
}

/// The line of a vote whose label stands above it.
fn vote_below(line: &str) -> Option<String> {
    let vote = format!("Vote: {}", line.trim_start_matches(['|', ' ']));
    parse_vote(&vote).is_some().then_some(vote)
}

fn names_vote_alone(line: &str) -> bool {
    let first = line
        .trim()
        .trim_matches('|')
        .split('|')
        .next()
        .unwrap_or_default();
    let bare = first
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    const LABELS: [&str; 6] = [
        "vote",
        "verdict",
        "my vote",
        "final vote",
        "final verdict",
        "overall verdict",
    ];
    LABELS.contains(&bare.as_str())
}
