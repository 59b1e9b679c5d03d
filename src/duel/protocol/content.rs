//! What was claimed and what was answered in a section, read from its Markdown.
//!
//! The form is the one that [`super::render`] writes. A side that is not ours may write any form that the protocol allows, so
//! whatever names a place or a number counts as a point, and whatever takes a stance as a reply.

use council_protocol::Vote;
use council_protocol::answer::{Evidence, Stance, Tag};

use super::DuelRole;
use super::blocks::{BlockShape, TextBlock, split_blocks, split_number};
use super::claims::{
    RaisedPoint, begins_with_severity, find_location, parse_point, read_quote, split_tag,
};
use super::consent::{
    is_approval, is_reserved, names_a_defect, retracts, speaks_of_a_place, takes_back,
};
use super::point_ref::{PointId, PointRefs};
use super::transcript::{DebateSection, SectionKind};
use super::wording::{
    is_universal, parse_vote, split_label, stance_in_words, stance_of_labelled, stance_of_unnamed,
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
    /// Whether it says in words that it found nothing.
    pub approves: bool,
    /// Whether a whole sentence takes objections back.
    pub retracts: bool,
    /// Lines that say in plain words that the change must not go in, and name no point.
    pub objections: Vec<u32>,
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
    let vote = blocks.iter().find_map(|block| parse_vote(&block.head));
    reader.passes = matches!(vote, Some((Vote::Pass, _)));
    reader.consents = reader.passes || blocks.iter().any(approves_of_all);
    for block in reader.join_headings(blocks) {
        reader.read_block(&block);
    }
    reader.end_scope();
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
            if objects(reason) || vote != Vote::Fail && takes_back(reason) {
                self.content.objections.push(block.line);
            }
            let below = TextBlock {
                head: String::new(),
                ..block.clone()
            };
            return self.read_prose(&below);
        }
        if let BlockShape::Heading(_) = block.shape {
            return self.read_heading(block);
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
        if let Some(stance) = stance_of_block(block) {
            let reply = new_reply(block, to, stance, words);
            return self.add_reply(reply);
        }
        self.read_unlabelled(block, to);
    }

    /// A block without a stance of its own: the heading's, or none.
    fn read_unlabelled(&mut self, block: &TextBlock<'_>, to: PointRefs) {
        let named = !to.ids.is_empty() || block.shape.is_item();
        match &self.scope.stance {
            Some(above) if named => {
                let stance = above.stance;
                let reply = new_reply(block, to, stance, block.words());
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
    }

    fn read_heading(&mut self, block: &TextBlock<'_>) {
        self.end_scope();
        if let Some(point) = self.heading_claim(block) {
            return self.content.points.push(point);
        }
        let lower = block.head.to_lowercase();
        let (to, rest) = split_refs(block);
        self.scope.lists_findings = lower.contains("findings");
        if self.is_opening || self.scope.lists_findings {
            return;
        }
        let stance = split_label(rest).map(|(label, reason)| stance_of_labelled(label, reason));
        let stance = stance.or_else(|| stance_in_words(&block.head));
        self.scope.stance =
            stance.map(|stance| new_reply(block, to.clone(), stance, rest.to_owned()));
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
        let words = TextBlock {
            head: reasoning.to_owned(),
            ..block.clone()
        }
        .words();
        let stance = if to.is_empty() && self.scope.to.is_empty() {
            stance_of_unnamed(label, &words)
        } else {
            stance_of_labelled(label, &words)
        };
        Some(new_reply(block, to, stance, words))
    }

    /// A point: what has a place, or a number where claims are listed.
    fn parse_claim(&self, block: &TextBlock<'_>) -> Option<RaisedPoint> {
        let (refs, rest) = split_refs(block);
        let mut point = parse_point(block, &refs, rest)?;
        let is_own = self.is_own_point(&refs, rest);
        if point.tag.is_none() && !self.is_opening && !self.scope.lists_findings && !is_own {
            point.stance = stance_of_block(block);
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

/// The stance of a block whose label stands somewhere inside: in a cell, in bold, behind a title.
fn stance_of_block(block: &TextBlock<'_>) -> Option<Stance> {
    let words = block.words();
    let parts = words
        .split(['|', '—', '–', ':', ';', '.', '!', '(', '['])
        .flat_map(|part| part.split("**"));
    let labelled = parts
        .filter_map(|part| split_label(part).map(|(label, _)| label))
        .max();
    labelled.max(stance_in_words(&words))
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
mod tests {
    use super::super::transcript::DebateTranscript;
    use super::*;

    fn read(body: &str) -> SectionContent {
        let text = format!("## Response 1\n{body}\n*— Agent B, 2025-06-15T14:30:00Z*\n");
        read_content(&DebateTranscript::parse(&text).sections[0])
    }

    #[test]
    fn every_point_is_categorised() {
        let said = read(
            "- **A1** — **Agreed**: right.\n\n**Partially agreed** — yes, but no.\n\n\
             2. **Disagreed** see `src/a.rs:7`\n   > let x = 1;\n",
        );
        let stances: Vec<_> = said
            .replies
            .iter()
            .map(|r| (r.to.ids.first().map(PointId::to_string), r.stance))
            .collect();
        assert_eq!(
            stances,
            [
                (Some("A1".into()), Stance::Agreed),
                (None, Stance::PartiallyAgreed),
                (None, Stance::Disagreed)
            ]
        );
        let evidence = said.replies[2].evidence.as_ref().unwrap();
        assert_eq!((evidence.line, evidence.quote.as_str()), (7, "let x = 1;"));
    }

    #[test]
    fn independent_findings_carry_their_tags() {
        let said = read(
            "### Independent findings\n\n- **B1** — [new finding] **critical** `src/a.rs:3` — boom\n  > x.unwrap()\n  Why: it panics\n  Fix: do not\n",
        );
        let point = &said.points[0];
        assert_eq!(point.tag, Some(Tag::New));
        assert_eq!(point.finding.severity, council_protocol::Severity::Critical);
        assert_eq!(point.finding.quote, "x.unwrap()");
        assert_eq!(
            (point.finding.why.as_str(), point.finding.fix.as_str()),
            ("it panics", "do not")
        );
        assert_eq!(point.finding.description, "boom");
    }

    /// In the form in which the program itself writes points, wherever in the section.
    #[test]
    fn a_point_under_its_authors_own_name_is_one_under_every_heading() {
        let point = "- **B1** — **critical** `pay.py:2` — a negative amount prints money\n  > acc.balance -= amount\n";
        for heading in [
            "",
            "### Responses\n\n",
            "### Agreed\n\n",
            "- **A1** — **Agreed**: right.\n\n",
        ] {
            let said = read(&format!("Vote: WARN — see B1\n\n{heading}{point}"));
            let [raised] = &said.points[..] else {
                panic!("{heading:?}: {said:?}")
            };
            let severity = raised.finding.severity;
            assert_eq!(
                severity,
                council_protocol::Severity::Critical,
                "{heading:?}"
            );
            assert_eq!(raised.finding.quote, "acc.balance -= amount");
        }
        let theirs = read("- **A1** — **critical** `pay.py:2` — I do not see why\n");
        assert!(theirs.points.is_empty(), "{theirs:?}");
    }

    #[test]
    fn a_loose_list_with_places_is_read_too() {
        let said = read(
            "1. The check in src/auth.py:45 is missing\n2. I like it\n* see (lib/x.c:9) for a leak\n",
        );
        let places: Vec<_> = said
            .points
            .iter()
            .map(|p| p.finding.location.line)
            .collect();
        assert_eq!(places, [45, 9]);
    }

    #[test]
    fn nothing_inside_a_fence_is_a_point() {
        assert_eq!(
            read("```\n- **critical** `a.rs:1` — fake\n**Agreed**\n```\n"),
            SectionContent::default()
        );
    }
}
