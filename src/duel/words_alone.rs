//! What sides say in words alone: points without a place, remarks and objections, as votes and as notes.

use council_protocol::Vote;

use super::DuelRole;
use super::protocol::plain_forms::is_plain;
use super::protocol::point_severity::is_grave;
use super::protocol::point_standing::{LooseDissent, PointStanding};
use super::protocol::standing::DebateState;
use super::protocol::transcript::DebateTranscript;
use super::protocol::votes::{vote_of, worst_vote_of};
use super::verdict::{vote_from, vote_of_severity};

/// What a side's vote is at least: it wrote more than its vote, or holds a point that names no place and so is no finding.
pub(super) fn vote_beside(
    transcript: &DebateTranscript,
    state: &DebateState,
    role: DuelRole,
) -> Vote {
    let is_own = |point: &&PointStanding| {
        point.id.role == role && !point.is_placed() && !point.is_conceded()
    };
    let unplaced = state
        .points
        .iter()
        .filter(is_own)
        .map(|point| vote_of_severity(point.finding.severity));
    let remarks = state
        .remarks
        .iter()
        .filter(|remark| remark.role == role)
        .map(|_| Vote::Warn);
    let of_role = |said: &&LooseDissent| said.role == role;
    let grave = state.shared.iter().filter(of_role);
    let grave = grave.filter(|said| is_grave_at(transcript, said.line));
    let grave = grave.map(|_| Vote::Fail);
    // Who objects in words and then only agrees has made a vote milder without evidence.
    let objections = state.objections.iter().chain(&state.yielded);
    let objections = objections.filter(of_role).map(|_| Vote::Warn);
    unplaced
        .chain(remarks)
        .chain(grave)
        .chain(objections)
        .max()
        .unwrap_or(Vote::Pass)
}

/// Whether a side wrote more than votes, placed points, replies and plain consent.
pub(super) fn has_unread(transcript: &DebateTranscript) -> bool {
    let state = DebateState::read(transcript);
    let beside = [DuelRole::A, DuelRole::B].map(|role| vote_beside(transcript, &state, role));
    beside.into_iter().any(|vote| vote > Vote::Pass)
}

/// The last vote of a side with the words behind it, where it is worse than all that its side holds: words behind a PASS bar it,
/// and behind a WARN they must not be greener.
fn unexplained_vote(
    transcript: &DebateTranscript,
    state: &DebateState,
    role: DuelRole,
) -> Option<(Vote, String)> {
    let placed = state.points.iter().filter(|point| point.is_placed());
    let (own, theirs): (Vec<_>, Vec<_>) = placed.cloned().partition(|point| point.id.role == role);
    let bound = vote_from(&own, &theirs, role);
    vote_of(transcript, role).filter(|(vote, words)| *vote > bound && !words.is_empty())
}

/// Whether a side ends with a vote against the change and says why, and none of its points is as bad.
pub(super) fn has_unexplained_vote(transcript: &DebateTranscript) -> bool {
    let state = DebateState::read(transcript);
    let mut roles = [DuelRole::A, DuelRole::B].into_iter();
    roles.any(|role| unexplained_vote(transcript, &state, role).is_some())
}

/// What is said in words alone, for the report: remarks, and points without a place.
pub(super) fn unread_notes(transcript: &DebateTranscript) -> Vec<String> {
    let state = DebateState::read(transcript);
    let unplaced = state
        .points
        .iter()
        .filter(|point| !point.is_placed() && !point.is_conceded());
    let points = unplaced.map(|point| {
        let (id, finding) = (point.id, &point.finding);
        let vote = vote_of_severity(finding.severity).as_str();
        let severity = finding.severity.as_str();
        format!(
            "{id} ({severity}) names no place that can be read, so its side's vote counts as {vote}: {}",
            finding.description
        )
    });
    let shared = state.shared.iter().map(|said| {
        let (role, line, words) = (said.role, said.line, line_of(transcript, said.line));
        format!(
            "{role} objects to the change, and {} agrees (line {line}): {words}",
            role.other()
        )
    });
    let is_shared = |line: u32| state.shared.iter().any(|said| said.line == line);
    let remarks = state
        .remarks
        .iter()
        .filter(|remark| !is_shared(remark.line));
    let remarks = remarks.map(|remark| {
        let words = line_of(transcript, remark.line);
        let (role, line) = (remark.role, remark.line);
        format!("{role} wrote more than its vote and its points, so no PASS of it counts (line {line}): {words}")
    });
    let taken_back = state.taken_back.iter().map(|said| {
        let (role, line, words) = (said.role, said.line, line_of(transcript, said.line));
        format!("{role} took back what it wrote (line {line}): {words}")
    });
    let votes = [DuelRole::A, DuelRole::B].into_iter().filter_map(|role| {
        let (vote, words) = unexplained_vote(transcript, &state, role)?;
        let vote = vote.as_str();
        Some(format!(
            "{role} votes {vote}, and no point of it is as bad: {words}"
        ))
    });
    let unweighed = unweighed_notes(transcript, &state);
    let halves = half_agreement_notes(transcript, &state);
    let said = shared
        .chain(points)
        .chain(halves)
        .chain(remarks)
        .chain(votes);
    first_notes(said.chain(unweighed).chain(taken_back).collect())
}

/// As many notes as a reader looks at, and how many there are besides.
fn first_notes(mut notes: Vec<String>) -> Vec<String> {
    const MAX_NOTES: usize = 3;
    let more = notes.len().saturating_sub(MAX_NOTES);
    notes.truncate(MAX_NOTES);
    if more > 0 {
        notes.push(format!("{more} more such lines stand in the transcript."));
    }
    notes
}

/// Points of which no severity can be read, in sections that call something critical or of a side that votes FAIL.
fn unweighed_notes(transcript: &DebateTranscript, state: &DebateState) -> Vec<String> {
    let is_grave = |line: &str| {
        let lower = line.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == "critical") && !is_plain(line)
    };
    let votes_fail =
        |role| worst_vote_of(transcript, role).is_some_and(|(vote, _)| vote == Vote::Fail);
    let unweighed = state.points.iter().filter(|point| !point.is_weighed);
    let told = unweighed.filter_map(|point| {
        let section = transcript.sections.get(point.section)?;
        let (id, heading) = (point.id, &section.heading);
        let beside = match section.words().any(is_grave) {
            true => format!("`## {heading}` speaks of something critical"),
            false => format!("{} votes FAIL", Some(id.role).filter(|role| votes_fail(*role))?),
        };
        Some(format!(
            "{id} names no severity that can be read, and {beside}: it counts as significant. If it is critical, its \
             author says so behind its name (`**{id}** — **critical**`): {}",
            point.finding.description
        ))
    });
    told.collect()
}

/// Agreements that count in part, with the words that make them so: the last word of each side on a point that is open.
fn half_agreement_notes(transcript: &DebateTranscript, state: &DebateState) -> Vec<String> {
    let open = state.points.iter().filter(|point| !point.is_settled());
    let last = open.filter_map(|point| Some((point.id, point.last_of(point.id.role.other())?)));
    let told = last.filter_map(|(id, opinion)| {
        let (role, words) = (opinion.role, opinion.half.as_deref()?);
        let section = transcript.sections.get(opinion.section)?;
        let words: String = words.chars().take(MAX_CHARS).collect();
        Some(format!(
            "{role} agrees to {id} in part only, although it writes \"agreed\" (`## {}`), by these words: {words}",
            section.heading
        ))
    });
    told.collect()
}

/// Characters of somebody's words in a note.
const MAX_CHARS: usize = 120;

/// The words that stand in a line of a transcript, as far as a note has room for them.
fn line_of(transcript: &DebateTranscript, number: u32) -> String {
    let lines = transcript.sections.iter().flat_map(|section| &section.body);
    let line = lines.into_iter().find(|line| line.number == number);
    line.map(|line| line.text.trim().chars().take(MAX_CHARS).collect())
        .unwrap_or_default()
}

/// Whether both sides say that something is critical which no finding carries, as it has no place.
pub(super) fn shares_grave_words(transcript: &DebateTranscript) -> bool {
    let state = DebateState::read(transcript);
    let mut shared = state.shared.iter();
    shared.any(|said| is_grave_at(transcript, said.line))
}

/// Whether the paragraph that begins at a line calls something critical.
fn is_grave_at(transcript: &DebateTranscript, number: u32) -> bool {
    let lines = transcript.sections.iter().flat_map(|section| &section.body);
    let paragraph = lines
        .skip_while(|line| line.number != number)
        .take_while(|line| line.number == number || !line.text.trim().is_empty());
    let words: Vec<&str> = paragraph.map(|line| line.text.as_str()).collect();
    is_grave(&words.join(" "))
}
