//! What was claimed and what was answered in a section, read from its Markdown.
//!
//! The form is the one that [`super::render`] writes. A side that is not ours may write any form that the protocol allows, so
//! whatever names a place or a number counts as a point, and whatever takes a stance as a reply.

use council_protocol::answer::{Stance, Tag};
use council_protocol::{Severity, Vote};

use super::DuelRole;
use super::agreement::plain_agreement;
use super::bare_refusals::BareRefusal;
use super::block_stance::{fold_children, stance_of_block};
use super::blocks::{BlockShape, TextBlock, split_blocks};
use super::claim_place::find_location;
use super::claim_tag::split_tag;
use super::claims::{RaisedPoint, is_fence, parse_labelled, parse_point, strip_quote_mark};
use super::consent::{
    is_approval, is_reserved, names_a_defect, retracts, speaks_of_a_place, takes_back,
};
use super::contradiction::{contradicting_words, denies};
use super::leading_refs::{skip_links, skip_place, split_ids, split_refs, starts_with_place};
use super::plain_forms::{agrees_plainly, gives_up, is_plain, taken_back};
use super::plain_labels::use_plain_labels;
use super::playing_down::without_other_matters;
use super::point_layouts::gather_points;
use super::point_ref::{PointId, PointRefs};
use super::point_severity::{begins_with_severity, is_severity_alone, stated_severity};
use super::problem_text::sets_severity_apart;
use super::second_matter::{second_matter, weighs_a_place};
use super::section_content::{
    PointReply, QuotedLine, SectionContent, UncategorisedItem, new_reply, says_more,
};
use super::summary_words::sums_up;
use super::transcript::{BodyLine, DebateSection, SectionKind};
use super::votes::join_votes;
use super::wording::{
    confirmed_stance, is_ornament, is_qualified_vote, is_universal, parse_vote, split_label,
    stance_in_words, stance_of_labelled, stance_of_unnamed,
};
use crate::council::consent::is_hidden;
use crate::council::plain_words::objects;

/// Reads a section's points and replies. Nothing inside a fence or a quote is a point, but a quote right under a point or a
/// reply is its evidence. A closing answers nothing and takes nothing back: it speaks of what is over, or against it.
pub(crate) fn read_content(section: &DebateSection) -> SectionContent {
    let mut reader = ContentReader {
        is_opening: section.kind == SectionKind::Opening,
        author: section.author(),
        ..ContentReader::default()
    };
    if section.kind == SectionKind::Consensus {
        return read_summary(section, reader);
    }
    let mut written = join_votes(split_blocks(&section.body));
    if !reader.is_opening {
        use_plain_labels(&mut written, reader.author);
    }
    let blocks = gather_points(written, reader.author, reader.is_opening);
    let blocks = fold_children(blocks, reader.is_opening);
    let first = blocks.first().map_or(u32::MAX, |block| block.line);
    let above = section.body.iter().filter(|line| line.number < first);
    reader.keep_quotes(above);
    // A side that votes PASS has no point: whatever it says of a place, and does not clear, is one that it did not write as
    // the protocol asks. Who votes otherwise may explain.
    let votes = blocks.iter().filter_map(|block| parse_vote(&block.head));
    reader.passes = votes.map(|(vote, _)| vote).max() == Some(Vote::Pass);
    reader.consents = reader.passes || blocks.iter().any(approves_of_all);
    for block in reader.join_headings(blocks) {
        reader.read_block(&block);
    }
    reader.end_scope();
    let mut content = reader.content;
    content.retracts &= content.objections.is_empty() && content.remarks.is_empty();
    content
}

/// What a closing says beside its summary: points, and words that are no part of one.
fn read_summary(section: &DebateSection, mut reader: ContentReader) -> SectionContent {
    reader.is_opening = true;
    reader.keep_quotes(section.body.iter());
    let blocks = gather_points(split_blocks(&section.body), reader.author, true);
    for block in fold_children(blocks, true) {
        let (refs, rest) = split_refs(&block);
        let is_said = stated_severity(rest).is_some() || block.fields.severity.is_some();
        let is_own = is_said && (refs.ids.is_empty() || reader.names_own(&refs));
        let point = reader.parse_claim(&block).filter(RaisedPoint::is_placed);
        reader.content.points.extend(point.filter(|_| is_own));
        reader.note_remark(block.line, !sums_up(&block.words()));
    }
    reader.content
}

/// Whether a block says that nothing is wrong, or agrees to everything at once.
fn approves_of_all(block: &TextBlock<'_>) -> bool {
    let words = block.words();
    let agrees = matches!(split_label(&words), Some((Stance::Agreed, _)));
    is_approval(&words) || agrees && is_universal(&words)
}

/// What the heading above says for the blocks below it.
#[derive(Default)]
struct HeadingScope {
    to: PointRefs,
    stance: Option<PointReply>,
    /// Whether its stance was taken by a block below it.
    is_used: bool,
    /// `### Independent findings`.
    lists_findings: bool,
}

#[derive(Default)]
struct ContentReader {
    content: SectionContent,
    is_opening: bool,
    /// Whether the section votes PASS.
    passes: bool,
    /// Whether it votes PASS, or says so in words.
    consents: bool,
    /// Who writes: a point under its own name is one of its own, wherever it stands.
    author: Option<DuelRole>,
    scope: HeadingScope,
}

impl ContentReader {
    fn read_block(&mut self, block: &TextBlock<'_>) {
        let words = block.words();
        self.content.approves |= is_approval(&words) && !is_reserved(&words);
        self.content.retracts |= retracts(&words);
        if let Some((vote, reason)) = parse_vote(&block.head) {
            let is_reserved = || takes_back(reason) || is_qualified_vote(&block.head);
            if objects(reason) || vote != Vote::Fail && is_reserved() {
                self.note_objection(block.line, reason);
            }
            let is_bare = vote != Vote::Pass || is_plain(reason);
            self.note_remark(block.line, is_hidden(&words) || !is_bare);
            let below = TextBlock {
                head: String::new(),
                ..block.clone()
            };
            return self.read_prose(&below);
        }
        if let BlockShape::Heading(_) = block.shape {
            return self.read_heading(block);
        }
        self.take_labelled(block);
        if !self.is_opening && self.take_back(block) {
            return;
        }
        if !self.is_opening
            && let Some(reply) = self.labelled_reply(block)
        {
            self.content.points.extend(second_matter(block));
            return self.add_reply(reply);
        }
        if let Some(point) = self.parse_claim(block) {
            return self.content.points.push(point);
        }
        if self.is_opening {
            return self.read_prose(block);
        }
        let (to, _) = split_refs(block);
        // "There is nothing wrong here" has a word of dissent and is consent.
        let denies = to.ids.is_empty() && is_plain(&words);
        let stance = stance_of_block(block);
        let stance = stance.filter(|(stance, _)| *stance == Stance::Agreed || !denies);
        if let Some((stance, statement)) = stance {
            let mut reply = new_reply(block, to, stance, words.clone());
            reply.gives_up = gives_up(&words[statement..]);
            reply.is_plain = agrees_plainly(&words[statement..]) && is_plain(&words[..statement]);
            return self.add_reply(reply);
        }
        self.read_unlabelled(block, to);
    }

    /// A block without a stance of its own: the heading's, or none.
    fn read_unlabelled(&mut self, block: &TextBlock<'_>, to: PointRefs) {
        let named = !to.ids.is_empty() || block.shape.is_item();
        match &self.scope.stance {
            Some(above) if named => {
                let words = block.words();
                let is_denied = above.stance == Stance::Agreed && denies(&words);
                let stance = if is_denied {
                    Stance::PartiallyAgreed
                } else {
                    above.stance
                };
                let mut reply = new_reply(block, to, stance, words);
                let (_, rest) = split_refs(block);
                reply.gives_up = gives_up(&format!("Agreed: {rest}"));
                self.add_reply(reply);
            }
            _ if !to.ids.is_empty() || (block.shape.is_item() && !to.is_empty()) => {
                let line = block.line;
                self.content
                    .uncategorised
                    .push(UncategorisedItem { to, line });
                self.read_prose(block);
            }
            _ => self.read_prose(block),
        }
    }

    /// What is neither point nor reply may still say that the change must not go in.
    fn read_prose(&mut self, block: &TextBlock<'_>) {
        self.keep_quotes(block.rest.iter().copied());
        let words = block.words();
        if is_plain(&words) || block.names_columns() {
            return;
        }
        let names_place = |sentence: &str| find_location(sentence).is_some();
        let is_point = self.passes && speaks_of_a_place(&words, names_place)
            || self.consents && names_a_defect(&words);
        if is_point || is_reserved(&words) || objects(&words) {
            self.note_objection(block.line, &words);
        }
        self.note_remark(block.line, true);
    }

    fn note_objection(&mut self, line: u32, words: &str) {
        self.content.objections.push(line);
        self.content.refusals.extend(BareRefusal::of(words, line));
    }

    /// A block quote or a code fence beside a vote may be the other side's words, or one's own in their form: a suggestion,
    /// a difference, a demand.
    fn keep_quotes<'b>(&mut self, lines: impl Iterator<Item = &'b BodyLine>) {
        let quoted = lines.filter(|line| !line.is_text() && !is_fence(&line.text));
        let quotes = quoted.map(|line| QuotedLine {
            line: line.number,
            text: strip_quote_mark(&line.text).trim().to_owned(),
        });
        self.content.quotes.extend(quotes);
    }

    fn note_remark(&mut self, line: u32, is_remark: bool) {
        self.content.remarks.extend(is_remark.then_some(line));
    }

    /// What a side writes under a name of its own is a point in every form.
    fn take_labelled(&mut self, block: &TextBlock<'_>) {
        let (refs, rest) = split_refs(block);
        if self.names_own(&refs) {
            let named = refs.ids.iter().map(|id| parse_labelled(block, *id, rest));
            return self.content.labelled.extend(named);
        }
        // "I found B1 (critical) at `a.py:5`", or a cell of a table in HTML.
        let words = block.words();
        let ids = words
            .split(|c: char| !c.is_alphanumeric())
            .filter_map(PointId::parse);
        let own = ids.filter(|id| refs.ids.is_empty() && Some(id.role) == self.author);
        let named: Vec<_> = own.map(|id| parse_labelled(block, id, &words)).collect();
        self.content.labelled.extend(named);
    }

    /// "I take B1 back."
    fn take_back(&mut self, block: &TextBlock<'_>) -> bool {
        let words = block.words();
        let to = PointRefs {
            ids: taken_back(&words),
            ..PointRefs::default()
        };
        let is_own = self.names_own(&to);
        if is_own {
            let mut reply = new_reply(block, to, Stance::Agreed, words);
            (reply.gives_up, reply.takes_back) = (true, true);
            self.content.replies.push(reply);
        }
        is_own
    }

    fn read_heading(&mut self, block: &TextBlock<'_>) {
        self.end_scope();
        if let Some(point) = self.heading_claim(block) {
            return self.content.points.push(point);
        }
        self.keep_quotes(block.rest.iter().copied());
        let lower = block.head.to_lowercase();
        let (to, rest) = split_refs(block);
        // A name alone is the title of what comes next.
        if !rest.trim_matches(is_ornament).is_empty() {
            self.take_labelled(block);
        }
        self.scope.lists_findings = lower.contains("findings");
        self.note_remark(
            block.line,
            objects(&block.head) || names_a_defect(&block.head),
        );
        if self.is_opening || self.scope.lists_findings {
            return;
        }
        let stance = split_label(rest).map(|(label, reason)| {
            let stance = stance_of_labelled(label, reason);
            confirmed_stance(stance, rest)
        });
        let stance = stance.or_else(|| stance_in_words(&block.head));
        self.scope.stance = stance.map(|stance| {
            let mut reply = new_reply(block, to.clone(), stance, rest.to_owned());
            reply.gives_up = gives_up(rest);
            reply.is_plain = agrees_plainly(rest);
            reply
        });
        self.scope.to = to;
    }

    /// A heading that names a problem and its place: one of the author's own, or one of nobody's yet.
    fn heading_claim(&self, block: &TextBlock<'_>) -> Option<RaisedPoint> {
        let (refs, rest) = split_refs(block);
        let point = parse_point(block, &refs, rest)?;
        let is_free = refs.ids.is_empty()
            && (self.is_opening || begins_with_severity(rest) || block.fields.severity.is_some());
        let is_own =
            self.is_own_point(block, &refs, rest) || self.is_opening && self.names_own(&refs);
        let is_claim = is_own || is_free || point.tag.is_some();
        let is_named = sets_severity_apart(rest) && !is_severity_alone(&block.head);
        let is_told = point.is_placed() || self.is_opening && (block.fields.is_layout || is_named);
        (is_claim && is_told).then_some(point)
    }

    /// Under a heading that names a problem and no place, the place stands in what comes next.
    fn join_headings<'b>(&self, blocks: Vec<TextBlock<'b>>) -> Vec<TextBlock<'b>> {
        let mut joined: Vec<TextBlock<'b>> = Vec::new();
        for mut block in blocks {
            let is_heading = matches!(block.shape, BlockShape::Heading(_));
            let above = joined.last_mut().filter(|above| {
                let (refs, rest) = split_refs(above);
                matches!(above.shape, BlockShape::Heading(_))
                    && (self.is_own_point(above, &refs, rest) || is_titled(&refs, rest))
                    && refs.place.is_none()
            });
            match above {
                Some(above) if !is_heading && find_location(&block.words()).is_some() => {
                    above.head = format!("{} {}", above.head, block.head);
                    above.rest.append(&mut block.rest);
                }
                _ => joined.push(block),
            }
        }
        joined
    }

    /// A heading that takes a stance with nothing below it is a reply of its own.
    fn end_scope(&mut self) {
        let scope = std::mem::take(&mut self.scope);
        if let Some(reply) = scope.stance.filter(|_| !scope.is_used) {
            self.content.replies.push(reply);
        }
    }

    fn add_reply(&mut self, mut reply: PointReply) {
        let names_itself = !reply.to.ids.is_empty() || reply.to.leads_with_place;
        if !names_itself && !self.scope.to.is_empty() {
            reply.to = self.scope.to.clone();
        }
        if let Some(above) = &self.scope.stance {
            // Under "Disagreed" nothing is agreed to.
            reply.stance = reply.stance.max(above.stance);
        }
        self.scope.is_used = true;
        self.note_remark(reply.line, says_more(&reply));
        self.content.replies.push(reply);
    }

    /// A statement that begins with a label, behind what it speaks of.
    fn labelled_reply(&self, block: &TextBlock<'_>) -> Option<PointReply> {
        let (mut to, rest) = split_refs(block);
        let rest = if to.leads_with_place {
            skip_place(rest)
        } else {
            rest
        };
        let (label, after) = split_label(rest)?;
        // A tag is spelled like a label; beside a place it marks a finding, unless a point is named.
        let is_tag = to.ids.is_empty() || rest.starts_with('[');
        if is_tag && split_tag(rest).0.is_some() && find_location(&block.words()).is_some() {
            return None;
        }
        let (more, reasoning) = split_ids(skip_links(after));
        if to.ids.is_empty() {
            to.ids = more;
        }
        let reasoning = if reasoning.is_empty() {
            after
        } else {
            reasoning
        };
        let words = words_behind(reasoning, block);
        let statement = match is_label_alone(rest, block) {
            true => words_behind(&format!("{rest} —"), block),
            false => words_behind(rest, block),
        };
        let stance = if to.is_empty() && self.scope.to.is_empty() {
            stance_of_unnamed(label, &words)
        } else {
            stance_of_labelled(label, &without_other_matters(&words))
        };
        let stance = confirmed_stance(stance, &statement);
        let mut reply = new_reply(block, to, stance, words);
        if label == Stance::Agreed && stance != label {
            reply.half = Some(contradicting_words(&reply.reasoning).to_owned());
        }
        reply.is_universal = is_universal(&statement);
        reply.gives_up = gives_up(&statement);
        reply.is_plain = agrees_plainly(&statement);
        // The marks in front of the label went with the names.
        reply.is_formal = block.head.starts_with("**") && rest.contains("** — ");
        Some(reply)
    }

    /// A point: what has a place, or a number where claims are listed.
    fn parse_claim(&self, block: &TextBlock<'_>) -> Option<RaisedPoint> {
        let (refs, rest) = split_refs(block);
        // Whoever names a place and clears it claims nothing there.
        if refs.ids.is_empty() && is_plain(&block.words()) {
            return None;
        }
        let mut point = parse_point(block, &refs, rest)?;
        let is_own = self.is_own_point(block, &refs, rest);
        let is_weighed = block.fields.severity.is_some();
        let is_listed = self.is_opening || self.scope.lists_findings || is_weighed;
        if point.tag.is_none() && !is_listed && !is_own {
            point.stance = stance_of_block(block).map(|(stance, _)| stance);
        }
        // What is minor and has no place is no more than a remark.
        let is_named = is_titled(&refs, rest) && point.finding.severity != Severity::Minor;
        let claims_here = is_listed || point.tag.is_some() || is_own;
        let is_placed = point.is_placed();
        let stands_alone = is_own
            || block.fields.is_layout
            || is_named
            || block.shape.is_item()
            || block.shape == BlockShape::Row
            || starts_with_place(rest)
            || weighs_a_place(rest)
            || block.head.starts_with("**");
        let counts = match (is_placed, claims_here) {
            (true, true) => stands_alone || point.tag.is_some(),
            // Without a tag it is a new claim only where it answers nothing.
            (true, false) => {
                stands_alone
                    && refs.ids.is_empty()
                    && self.scope.to.is_empty()
                    && self.scope.stance.is_none()
            }
            (false, true) => {
                (is_weighed || is_named || matches!(block.shape, BlockShape::Numbered(_)))
                    && point.tag != Some(Tag::NotReproduced)
            }
            (false, false) => false,
        };
        counts.then_some(point)
    }

    /// Whether it is a point as the opening has them: the author's own name for it, and how bad it is or where.
    fn is_own_point(&self, block: &TextBlock<'_>, refs: &PointRefs, rest: &str) -> bool {
        let says_how_bad = begins_with_severity(rest) || block.fields.is_layout;
        let says_where = starts_with_place(rest) && stance_in_words(rest).is_none();
        refs.ids.len() == 1 && self.names_own(refs) && (says_how_bad || says_where)
    }

    fn names_own(&self, refs: &PointRefs) -> bool {
        let is_authors = |id: &PointId| Some(id.role) == self.author;
        !refs.ids.is_empty() && refs.ids.iter().all(is_authors)
    }
}

/// The words of a block whose first line is this one.
fn words_behind(head: &str, block: &TextBlock<'_>) -> String {
    let head = head.to_owned();
    let block = block.clone();
    TextBlock { head, ..block }.words()
}

/// Whether a line is a label with nothing behind it, and the next one begins a sentence of its own.
fn is_label_alone(line: &str, block: &TextBlock<'_>) -> bool {
    let is_bare = plain_agreement(line).is_some_and(|agreed| agreed.reason.is_empty());
    let below = block.rest.iter().find(|line| line.is_text());
    let first = below.and_then(|line| line.text.trim_start_matches(is_ornament).chars().next());
    is_bare && first.is_some_and(|c| !c.is_lowercase())
}

/// Whether a heading without a name of a point says how bad its problem is, and what it is.
fn is_titled(refs: &PointRefs, rest: &str) -> bool {
    refs.ids.is_empty() && sets_severity_apart(rest) && !is_severity_alone(rest)
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
