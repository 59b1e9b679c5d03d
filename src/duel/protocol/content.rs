//! What was claimed and what was answered in a section, read from its Markdown.
//!
//! The form is the one that [`super::render`] writes. A side that is not ours may write any form that the protocol allows, so
//! whatever names a place or a number counts as a point, and whatever takes a stance as a reply.

use council_protocol::Vote;
use council_protocol::answer::{Evidence, Stance, Tag};

use super::DuelRole;
use super::agreement::{denies, is_hidden};
use super::blocks::{BlockShape, TextBlock, split_blocks, split_number};
use super::claims::{
    RaisedPoint, begins_with_severity, find_location, parse_labelled, parse_point, read_quote,
    split_tag,
};
use super::consent::{
    is_approval, is_reserved, names_a_defect, retracts, speaks_of_a_place, takes_back,
};
use super::plain_forms::{agrees_plainly, gives_up, is_plain, taken_back};
use super::point_ref::{PointId, PointRefs};
use super::transcript::{DebateSection, SectionKind};
use super::wording::{
    confirmed_stance, is_filler, is_ornament, is_universal, parse_vote, split_label,
    stance_in_words, stance_of_labelled, stance_of_unnamed,
};
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
    /// Whether it speaks of everything that is open.
    pub is_universal: bool,
    /// Whether it is an agreement that gives up what its own side holds, and keeps nothing of it.
    pub gives_up: bool,
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
    /// Lines that are neither vote, point, reply nor one of the plain forms: beside them no vote is a bare PASS.
    pub remarks: Vec<u32>,
}

/// Reads a section's points and replies. Nothing inside a fence or a quote is a point, but a quote right under a point or a
/// reply is its evidence. A closing speaks of what is over: it raises and answers nothing.
pub(crate) fn read_content(section: &DebateSection) -> SectionContent {
    let mut reader = ContentReader {
        is_opening: section.kind == SectionKind::Opening,
        author: section.author(),
        ..ContentReader::default()
    };
    if section.kind == SectionKind::Consensus {
        return reader.content;
    }
    let blocks = fold_children(split_blocks(&section.body));
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
            if objects(reason) || vote != Vote::Fail && takes_back(reason) {
                self.content.objections.push(block.line);
            }
            self.note_remark(block.line, is_hidden(&words));
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
            return self.add_reply(reply);
        }
        if let Some(point) = self.parse_claim(block) {
            return self.content.points.push(point);
        }
        if self.is_opening {
            return self.read_prose(block);
        }
        let (to, _) = split_refs(block);
        if let Some((stance, statement)) = stance_of_block(block) {
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
                    Stance::Disagreed
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
        let words = block.words();
        let names_place = |sentence: &str| find_location(sentence).is_some();
        let is_point = self.passes && speaks_of_a_place(&words, names_place)
            || self.consents && names_a_defect(&words);
        if is_point || is_reserved(&words) || objects(&words) {
            self.content.objections.push(block.line);
        }
        self.note_remark(block.line, !is_plain(&words));
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
            reply.gives_up = true;
            self.content.replies.push(reply);
        }
        is_own
    }

    fn read_heading(&mut self, block: &TextBlock<'_>) {
        self.end_scope();
        if let Some(point) = self.heading_claim(block) {
            return self.content.points.push(point);
        }
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
        let is_free = refs.ids.is_empty() && (self.is_opening || begins_with_severity(rest));
        let is_own = self.is_own_point(&refs, rest) || self.is_opening && self.names_own(&refs);
        let is_claim = is_own || is_free || point.tag.is_some();
        (is_claim && point.is_placed()).then_some(point)
    }

    /// Under a heading that names a problem and no place, the place stands in what comes next.
    fn join_headings<'b>(&self, blocks: Vec<TextBlock<'b>>) -> Vec<TextBlock<'b>> {
        let mut joined: Vec<TextBlock<'b>> = Vec::new();
        for mut block in blocks {
            let is_heading = matches!(block.shape, BlockShape::Heading(_));
            let above = joined.last_mut().filter(|above| {
                let (refs, rest) = split_refs(above);
                matches!(above.shape, BlockShape::Heading(_))
                    && self.is_own_point(&refs, rest)
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
        let words_behind = |head: &str| {
            let head = head.to_owned();
            TextBlock {
                head,
                ..block.clone()
            }
            .words()
        };
        let (words, statement) = (words_behind(reasoning), words_behind(rest));
        let stance = if to.is_empty() && self.scope.to.is_empty() {
            stance_of_unnamed(label, &words)
        } else {
            stance_of_labelled(label, &words)
        };
        let stance = confirmed_stance(stance, &statement);
        let mut reply = new_reply(block, to, stance, words);
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
        let mut point = parse_point(block, &refs, rest)?;
        let is_own = self.is_own_point(&refs, rest);
        if point.tag.is_none() && !self.is_opening && !self.scope.lists_findings && !is_own {
            point.stance = stance_of_block(block).map(|(stance, _)| stance);
        }
        let claims_here =
            self.is_opening || self.scope.lists_findings || point.tag.is_some() || is_own;
        let is_placed = point.is_placed();
        let stands_alone = is_own
            || block.shape.is_item()
            || block.shape == BlockShape::Row
            || starts_with_place(rest)
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
                matches!(block.shape, BlockShape::Numbered(_))
                    && point.tag != Some(Tag::NotReproduced)
            }
            (false, false) => false,
        };
        counts.then_some(point)
    }

    /// Whether it is a point as the opening has them: the author's own name for it, and how bad it is or where.
    fn is_own_point(&self, refs: &PointRefs, rest: &str) -> bool {
        let says_where = starts_with_place(rest) && stance_in_words(rest).is_none();
        refs.ids.len() == 1 && self.names_own(refs) && (begins_with_severity(rest) || says_where)
    }

    fn names_own(&self, refs: &PointRefs) -> bool {
        let is_authors = |id: &PointId| Some(id.role) == self.author;
        !refs.ids.is_empty() && refs.ids.iter().all(is_authors)
    }
}

fn starts_with_place(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_']);
    let first = text.split(char::is_whitespace).next();
    // "`a.py`, line 5 — …"
    let clause = text.split(" — ").next();
    first.is_some_and(|word| find_location(word).is_some())
        || text.starts_with('`') && clause.is_some_and(|clause| find_location(clause).is_some())
}

fn new_reply(
    block: &TextBlock<'_>,
    to: PointRefs,
    stance: Stance,
    reasoning: String,
) -> PointReply {
    let evidence = find_location(&reasoning).zip(read_quote(&block.rest));
    PointReply {
        is_universal: is_universal(&block.words()),
        gives_up: false,
        is_formal: false,
        is_plain: false,
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
fn says_more(reply: &PointReply) -> bool {
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

/// The stance of a block whose label stands somewhere inside (in a cell, in bold, behind a title), and where in its words.
fn stance_of_block(block: &TextBlock<'_>) -> Option<(Stance, usize)> {
    let words = block.words();
    let mut begin = 0;
    let mut labelled: Option<(Stance, usize)> = None;
    let marks = ['|', '—', '–', ':', ';', '.', '!', '(', '[', '*'];
    for part in words.split_inclusive(marks) {
        if let Some((label, _)) = split_label(part) {
            let stance = confirmed_stance(label, &words[begin..]);
            let stance = if is_title(block, &words[..begin]) {
                stance
            } else {
                stance.max(Stance::PartiallyAgreed)
            };
            if labelled.is_none_or(|(known, _)| stance > known) {
                labelled = Some((stance, begin));
            }
        }
        begin += part.len();
    }
    let in_words = stance_in_words(&words).map(|stance| (stance, 0));
    match (labelled, in_words) {
        (Some(label), Some(said)) if said.0 > label.0 => Some(said),
        (label, said) => label.or(said),
    }
}

/// Whether what stands in front of a label only says what it is about: names, a place, a cell, a bold title.
fn is_title(block: &TextBlock<'_>, before: &str) -> bool {
    if block.shape == BlockShape::Row {
        return before.trim().is_empty() || before.trim_end_matches(['*', ' ']).ends_with('|');
    }
    let before = before.trim_end_matches(is_ornament);
    let is_bold = before.is_empty() || block.head.starts_with("**");
    is_bold
        || is_plain(before)
        || before.split_whitespace().all(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_number = bare.bytes().all(|b| b.is_ascii_digit());
            is_number
                || PointId::parse(bare).is_some()
                || find_location(word).is_some()
                || is_filler(bare)
        })
}

/// The names in front of a statement (`**A1**, A2 — `, `Point 2: `, `1. `) and what follows them.
fn split_refs<'a>(block: &'a TextBlock<'_>) -> (PointRefs, &'a str) {
    let mut refs = PointRefs::default();
    if let BlockShape::Numbered(number) = block.shape {
        refs.ordinal = Some(number);
    }
    let mut text = block.head.as_str();
    if let Some((number, rest)) = split_number(text.trim_start_matches(['*', '_'])) {
        refs.ordinal = Some(number);
        text = rest;
    }
    if let Some((number, rest)) = split_named_number(text) {
        refs.ordinal = Some(number);
        text = rest;
    }
    let (ids, rest) = split_ids(text);
    refs.ids = ids;
    refs.place = find_location(&block.head);
    refs.leads_with_place = refs.ids.is_empty() && skip_place(rest).len() < rest.len();
    (refs, rest)
}

/// `Point 2`, `Finding #2`.
fn split_named_number(text: &str) -> Option<(u32, &str)> {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '#');
    let lower = bare.to_ascii_lowercase();
    let word = ["point", "finding", "issue", "item", "claim"]
        .iter()
        .find(|word| lower.starts_with(**word))?;
    let rest = bare[word.len()..].trim_start_matches([' ', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((rest[..digits].parse().ok()?, &rest[digits..]))
}

/// Names of points at the start of a text, and what follows them.
fn split_ids(text: &str) -> (Vec<PointId>, &str) {
    const LINKS: [&str; 7] = ["and", "point", "points", "re", "on", "to", "regarding"];
    let (mut ids, mut rest) = (Vec::new(), text);
    let mut after_ids = text;
    loop {
        let bare = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        // "A1. A2 …" begins a sentence of its own about A2.
        let between = &rest[..rest.len() - bare.len()];
        if !ids.is_empty() && between.contains(['.', ';', ':', '!', '?', '—', '–']) {
            break;
        }
        let end = bare
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(bare.len());
        let word = &bare[..end];
        match PointId::parse(word) {
            Some(id) => {
                ids.push(id);
                after_ids = &bare[end..];
            }
            None if LINKS.contains(&word.to_ascii_lowercase().as_str()) => {}
            None => break,
        }
        rest = &bare[end..];
    }
    if ids.is_empty() {
        (ids, text)
    } else {
        (
            ids,
            after_ids.trim_start_matches([
                '*', '_', ' ', ':', '—', '–', '-', '.', '·', ',', ')', ']', '|',
            ]),
        )
    }
}

/// Without the place in front of a statement: `` `a.rs:3`: Agreed ``.
fn skip_place(text: &str) -> &str {
    let bare = text.trim_start_matches(['*', '_', '(', '[']);
    let end = bare.find(char::is_whitespace).unwrap_or(bare.len());
    match find_location(&bare[..end]) {
        Some(_) => bare[end..].trim_start_matches([' ', '—', '–', '-', ':']),
        None => text,
    }
}

/// Without the words between a label and the names that it speaks of: "agreed with A1".
fn skip_links(text: &str) -> &str {
    let mut rest = text;
    while let Some(after) = ["with ", "about ", "on ", "to ", "for "]
        .iter()
        .find_map(|link| rest.strip_prefix(link))
    {
        rest = after;
    }
    rest
}

/// Nested items that say nothing by themselves belong to the item above them.
fn fold_children(blocks: Vec<TextBlock<'_>>) -> Vec<TextBlock<'_>> {
    let mut folded: Vec<TextBlock<'_>> = Vec::new();
    for mut block in blocks {
        let parent = folded
            .last_mut()
            .filter(|parent| parent.shape.is_item() && block.indent > parent.indent);
        let Some(parent) = parent else {
            folded.push(block);
            continue;
        };
        let parent_is_placed = find_location(&parent.head).is_some();
        let (own, rest) = split_refs(&block);
        let is_own = !own.ids.is_empty()
            || (own.place.is_some() && !parent_is_placed && split_label(&parent.head).is_none());
        let (above, title) = split_refs(parent);
        let is_answer = split_label(rest).is_some() && stance_of_block(parent).is_none();
        if is_own {
            folded.push(block);
        } else if is_answer && title.len() < 80 {
            let head = format!("{} — {}", join_refs(&above), block.head);
            block.head = head.trim_start_matches([' ', '—']).to_owned();
            block.shape = above.ordinal.map_or(block.shape, BlockShape::Numbered);
            // The parent was the title of this answer.
            let title = folded.pop();
            block.indent = title.map_or(block.indent, |title| title.indent);
            folded.push(block);
        } else {
            parent.head = format!("{} {}", parent.head, block.head);
            parent.rest.append(&mut block.rest);
        }
    }
    folded
}

fn join_refs(refs: &PointRefs) -> String {
    let ids = refs.ids.iter().map(PointId::to_string);
    let place = refs
        .place
        .iter()
        .map(|at| format!("`{}:{}`", at.path.display(), at.line));
    ids.chain(place).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
