//! What a section says, as it was read.

use council_protocol::answer::{Evidence, Stance};

use super::bare_refusals::BareRefusal;
use super::blocks::TextBlock;
use super::claim_place::find_location;
use super::claims::{RaisedPoint, read_quote};
use super::consent::names_a_defect;
use super::plain_forms::is_plain;
use super::playing_down::plays_down;
use super::point_ref::PointRefs;
use super::wording::is_universal;
use crate::council::consent::is_hidden;
use crate::council::plain_words::objects;

/// A statement that takes a stance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PointReply {
    /// On which points.
    pub to: PointRefs,
    /// Agreed, partially agreed, disagreed.
    pub stance: Stance,
    pub reasoning: String,
    /// What was pointed to.
    pub evidence: Option<Evidence>,
    /// Of what is labelled "agreed", the words that leave half an agreement with the other side's points.
    pub half: Option<String>,
    /// Whether it speaks of everything that is open.
    pub is_universal: bool,
    /// Whether it is an agreement that gives up what its own side holds, and keeps nothing of it.
    pub gives_up: bool,
    /// Whether it takes its own side's points back in so many words, which no objection needs to come before.
    pub takes_back: bool,
    /// Whether it stands in the protocol's own form, `**Agreed** — why`: what follows is its reason and nothing else.
    pub is_formal: bool,
    /// Whether it is an agreement whose reason, if it has one, says nothing against the change.
    pub is_plain: bool,
    /// Its line in the file.
    pub line: u32,
}

/// A statement that names a point and takes no stance on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UncategorisedItem {
    pub to: PointRefs,
    /// Its line in the file.
    pub line: u32,
}

/// A line of a block quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotedLine {
    /// Its line in the file.
    pub line: u32,
    /// Without its mark.
    pub text: String,
}

/// What a section says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SectionContent {
    pub points: Vec<RaisedPoint>,
    pub replies: Vec<PointReply>,
    /// Points named without a stance.
    pub uncategorised: Vec<UncategorisedItem>,
    /// What stands under a name of the author's own and is not in the form of a point: a point all the same, unless the name
    /// stands for one already.
    pub labelled: Vec<RaisedPoint>,
    /// Whether it says in words that it found nothing.
    pub approves: bool,
    /// Whether a whole sentence takes objections back, and nothing stands beside it that does not.
    pub retracts: bool,
    /// Lines that say in plain words that the change must not go in, and name no point.
    pub objections: Vec<u32>,
    /// Those of them that give no reason of their own.
    pub refusals: Vec<BareRefusal>,
    /// Lines that are neither vote, point, reply nor one of the plain forms: beside them no vote is a bare PASS.
    pub remarks: Vec<u32>,
    /// Quoted or fenced lines that are evidence of no point and of no reply.
    pub quotes: Vec<QuotedLine>,
}

pub(super) fn new_reply(
    block: &TextBlock<'_>,
    to: PointRefs,
    stance: Stance,
    reasoning: String,
) -> PointReply {
    let evidence = find_location(&reasoning).zip(read_quote(&block.head, &block.rest));
    PointReply {
        is_universal: is_universal(&block.words()),
        gives_up: false,
        takes_back: false,
        is_formal: false,
        is_plain: false,
        half: plays_down(&reasoning)
            .filter(|_| stance == Stance::Agreed)
            .map(str::to_owned),
        evidence: evidence.map(|(place, quote)| Evidence {
            path: place.path,
            line: place.line,
            quote,
        }),
        to,
        stance,
        reasoning,
        line: block.line,
    }
}

/// Whether a reply says more than a reply needs: an objection to the change hides well behind an agreement. Of what names
/// its point, the first sentence is the reason; what names none has agreed to everything, and needs no reason of its own.
pub(super) fn says_more(reply: &PointReply) -> bool {
    let reason = reply.reasoning.as_str();
    let end = [". ", "! ", "; "]
        .iter()
        .filter_map(|mark| reason.find(mark))
        .min();
    let more = end.map_or("", |end| &reason[end + 1..]);
    let is_more = match (reply.stance, reply.to.is_empty()) {
        (Stance::Agreed, true) => !reply.is_plain,
        (_, true) => true,
        (Stance::Agreed, false) if reply.is_formal => names_a_defect(more),
        (_, false) => !reply.is_formal && !is_plain(more),
    };
    is_more || objects(reason) || is_hidden(reason)
}
