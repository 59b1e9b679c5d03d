//! The votes that sides write into their sections.

use council_protocol::Vote;

use super::DuelRole;
use super::blocks::without_struck;
use super::transcript::{BodyLine, DebateSection, DebateTranscript};
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
    let read = |line: &BodyLine| {
        let shown = without_struck(&line.text);
        parse_vote(&shown).map(|(vote, reason)| (vote, reason.to_owned()))
    };
    let votes: Vec<_> = lines.filter_map(read).collect();
    let worst = votes.iter().map(|(vote, _)| *vote).max()?;
    votes.into_iter().find(|(vote, _)| *vote == worst)
}
