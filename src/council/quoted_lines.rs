//! Which lines a quote takes up, and the blanks that its judge left out of it: they are missing in its suggestion, too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quoted_indents::{QuotedIndents, blanks};

/// The lines of a file that a quote stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuotedLines {
    /// How many they are; none: the quote runs over the ends of lines, or joins lines that are apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// The last line of the file, where its judge named lines behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_end: Option<u32>,
    /// The blanks with which the quote begins.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    own: String,
    /// The blanks that it left out before the line that it begins with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    first: String,
    /// The blanks that it left out before each other line; none: not the same ones everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest: Option<String>,
    /// Each indentation of the quote with the one in the file, where the quote has other blanks than the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indents: Vec<(String, String)>,
    /// The code alone, where the quote has more than that: numbers and markers of a diff, lines that the change removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The piece of the diff that is quoted, each line behind its mark, where it shows lines that the change removes among others
    /// that it leaves: it is about the removed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    piece: Option<String>,
    /// What stands in its first line before the quote, and in its last line behind it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    before: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    behind: String,
}

/// What begins a comment: a line that is quoted without it is quoted.
const COMMENTS: [&str; 5] = ["#", "//", "--", "/*", "<!--"];

impl QuotedLines {
    /// The lines of a quote, each with the blanks that stand before it in the file.
    pub fn of(quoted: &[(&str, &str)]) -> Self {
        let missing =
            |(line, indent): &(&str, &str)| Some(indent.strip_suffix(blanks(line))?.to_owned());
        let Some((head, others)) = quoted.split_first() else {
            return Self::default();
        };
        let first = missing(head).unwrap_or_default();
        let others = others.iter().filter(|(line, _)| !line.trim().is_empty());
        let left_out: Vec<Option<String>> = others.map(missing).collect();
        let rest = match left_out.split_first() {
            None => Some(first.clone()),
            Some((one, more)) => one
                .clone()
                .filter(|_| more.iter().all(|other| other == one)),
        };
        Self {
            lines: u32::try_from(quoted.len()).ok(),
            indents: other_indents(quoted),
            own: blanks(head.0).to_owned(),
            first,
            rest,
            ..Self::default()
        }
    }

    /// The same with the code that other lines of the quote say.
    #[must_use]
    pub fn with_code(self, code: Option<String>) -> Self {
        Self { code, ..self }
    }

    /// The same with the piece of the diff that the quote is.
    #[must_use]
    pub fn with_piece(self, piece: Option<String>) -> Self {
        Self { piece, ..self }
    }

    /// The piece of the diff that the quote is, if it is one about removed lines.
    pub fn piece_shown(&self) -> Option<&str> {
        self.piece.as_deref()
    }

    /// The same for a range of lines that ends behind the last one of its file.
    #[must_use]
    pub fn in_file_until(self, last: u32) -> Self {
        Self {
            file_end: Some(last),
            ..self
        }
    }

    /// The same for a quote that says more than these lines of code.
    #[must_use]
    pub fn without_marks(self, quote: &str, code: &[&str]) -> Self {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let code = code.join("\n");
        Self {
            code: (bare(quote) != bare(&code)).then_some(code),
            ..self
        }
    }

    /// The same of a quote that is a part of its lines: this stands before it, and that behind it. A comment is none of it.
    #[must_use]
    pub fn within(self, before: &str, behind: &str) -> Self {
        /// No suggestion has more of a line, and the line of a bundle would fill the memory.
        const MAX_BESIDE: usize = 64 << 10;
        let clip = |text: &str| text[..text.floor_char_boundary(MAX_BESIDE)].to_owned();
        let behind = behind.trim();
        let is_comment = COMMENTS.iter().any(|mark| behind.starts_with(mark));
        Self {
            before: clip(before.trim()),
            behind: clip(if is_comment { "" } else { behind }),
            ..self
        }
    }

    /// Whether a suggestion for these lines has what stands in them beside the quote: else it is for the quoted part, and
    /// would take the rest of the line away.
    fn has_all_of(&self, suggestion: &str) -> bool {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let suggestion = squeeze(suggestion);
        [&self.before, &self.behind]
            .into_iter()
            .all(|part| suggestion.contains(&squeeze(part)))
    }

    /// The code of these lines as far as it is known, blanks aside.
    pub(super) fn known_code(&self, quote: &str) -> String {
        let code = self.code.as_deref().unwrap_or(quote);
        [&self.before, code, &self.behind].concat()
    }

    /// The blanks before the first line in its file.
    pub(super) fn indent(&self) -> String {
        [self.first.as_str(), &self.own].concat()
    }

    /// What a quote leaves out before a line with these blanks, with which the lines begin that it speaks of: some of them,
    /// or none in a row.
    pub fn before(indent: &str, quote: &str, lines: Option<u32>) -> Self {
        let quote = quote.trim_start_matches(['\n', '\r']);
        Self {
            lines,
            indents: Vec::new(),
            ..Self::of(&[(quote, indent)])
        }
    }

    /// The same with the indentations of the lines that are quoted.
    #[must_use]
    pub fn with_indents_of(self, quoted: &Self) -> Self {
        Self {
            indents: quoted.indents.clone(),
            ..self
        }
    }

    /// A suggestion as it has to stand in the file, where it lacks what its quote lacks; none: that cannot be told.
    pub fn complete(&self, suggestion: &str, quote: &str) -> Option<String> {
        if !self.has_all_of(suggestion) {
            return None;
        }
        if !self.indents.is_empty() {
            return QuotedIndents(&self.indents).put_into_file(suggestion);
        }
        let (head, rest) = match suggestion.split_once('\n') {
            Some((head, rest)) => (head, rest),
            None => (suggestion, ""),
        };
        let is_whole = suggestion.is_empty() || blanks(head) != self.own;
        if is_whole {
            return Some(suggestion.to_owned());
        }
        let depths: Vec<usize> = depths(rest).collect();
        let is_flat = depths.iter().all(|&depth| depth == 0);
        let rest_as_quoted = self.rest.as_deref();
        let before_rest = match rest_as_quoted {
            Some("") if !self.is_shallower(&depths, quote) => "",
            // Every line was put at the margin: what stands deeper is lost.
            other if other != Some(&self.first) && is_flat && !depths.is_empty() => return None,
            _ => &self.first,
        };
        let lines = suggestion.split_inclusive('\n').enumerate();
        let indented = lines.map(|(nth, line)| match (line.trim().is_empty(), nth) {
            (true, _) => line.to_owned(),
            (false, 0) => format!("{}{line}", self.first),
            (false, _) => format!("{before_rest}{line}"),
        });
        Some(indented.collect())
    }

    /// Whether lines of a suggestion stand less deep than any of the quote: then they are told from the margin.
    fn is_shallower(&self, suggested: &[usize], quote: &str) -> bool {
        let first = self.own.len() + self.first.len();
        let quoted = quote.trim_start_matches('\n').split_once('\n');
        let least = quoted.and_then(|(_, rest)| depths(rest).min());
        let least = least.unwrap_or(first).min(first);
        suggested.iter().any(|&depth| depth < least)
    }
}

/// Each indentation of these lines with the one in their file; none where the quote only leaves some of it out.
fn other_indents(quoted: &[(&str, &str)]) -> Vec<(String, String)> {
    let lines = quoted.iter().filter(|(line, _)| !line.trim().is_empty());
    let pairs: Vec<(&str, &str)> = lines
        .map(|(line, indent)| (blanks(line), *indent))
        .collect();
    let is_other = pairs.iter().any(|(own, indent)| !indent.ends_with(own));
    let mut known: Vec<(String, String)> = Vec::new();
    for (own, indent) in pairs.iter().filter(|_| is_other) {
        let pair = ((*own).to_owned(), (*indent).to_owned());
        if !known.contains(&pair) {
            known.push(pair);
        }
    }
    known
}

/// How many blanks stand before each line that has more than blanks.
fn depths(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| blanks(line).len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines, each with the blanks before it.
    type TextBlock = Vec<(String, String)>;

    /// How a judge copies lines.
    #[derive(Debug, Clone, Copy)]
    enum CopyStyle {
        Verbatim,
        Trimmed,
        Dedented,
    }

    fn copied(lines: &[(String, String)], style: CopyStyle) -> String {
        let text: Vec<String> = lines
            .iter()
            .map(|(indent, code)| format!("{indent}{code}"))
            .collect();
        let margin = lines
            .iter()
            .map(|(indent, _)| indent.len())
            .min()
            .unwrap_or(0);
        match style {
            CopyStyle::Verbatim => text.join("\n"),
            CopyStyle::Trimmed => text.join("\n").trim().to_owned(),
            CopyStyle::Dedented => text
                .iter()
                .map(|line| &line[margin..])
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    fn block(unit: &'static str) -> impl Strategy<Value = TextBlock> {
        let line = (0usize..4, "[a-z]{4,8}\\(\\)");
        let line = line.prop_map(move |(depth, code)| (unit.repeat(depth), code));
        prop::collection::vec(line, 1..6)
    }

    fn blocks() -> impl Strategy<Value = (TextBlock, TextBlock)> {
        prop::sample::select(vec!["    ", "\t", "  "])
            .prop_flat_map(|unit| (block(unit), block(unit)))
    }

    fn completed(quote: &str, suggestion: &str, lines: &[(String, String)]) -> Option<String> {
        let indents = lines.iter().map(|(indent, _)| indent.as_str());
        let quoted: Vec<(&str, &str)> = quote.lines().zip(indents).collect();
        QuotedLines::of(&quoted).complete(suggestion, quote)
    }

    proptest! {
        /// However a judge copies what it quotes and what it suggests, as long as it copies both in one way from one
        /// margin: the same text stands in the file.
        #[test]
        fn what_a_judge_left_out_of_both_is_put_in(
            (mut lines, mut wanted) in blocks(),
            style in prop::sample::select(vec![CopyStyle::Verbatim, CopyStyle::Trimmed, CopyStyle::Dedented]),
        ) {
            let least = |lines: &[(String, String)]| lines.iter().map(|(indent, _)| indent.clone()).min().unwrap();
            // They begin at one depth and have one margin, as a change to lines mostly does.
            let margin = least(&lines);
            lines[0].0.clone_from(&margin);
            for line in &mut wanted {
                line.0 = line.0.clone().max(margin.clone());
            }
            wanted[0].0.clone_from(&margin);
            // One line shows no style: more lines behind it are taken to be told from its margin.
            prop_assume!(lines.len() > 1 || wanted.len() == 1 || !matches!(style, CopyStyle::Trimmed));
            let (quote, suggestion) = (copied(&lines, style), copied(&wanted, style));
            let completed = completed(&quote, &suggestion, &lines);
            prop_assert_eq!(completed, Some(copied(&wanted, CopyStyle::Verbatim)), "{:?} {:?}", quote, suggestion);
        }

        /// Whatever the quote: nothing but blanks at the beginning of lines is added to a suggestion.
        #[test]
        fn nothing_but_blanks_is_put_in(
            (lines, _) in blocks(), quote in "[ \tab\n]{0,20}", suggestion in "[ \tab\n\r]{0,20}",
        ) {
            let bare = |text: &str| text.split('\n').map(|line| line.trim_start_matches([' ', '\t']).to_owned()).collect::<Vec<_>>();
            if let Some(completed) = completed(&quote, &suggestion, &lines) {
                prop_assert_eq!(bare(&completed), bare(&suggestion));
            }
        }
    }

    #[test]
    fn a_suggestion_without_indentation_gets_that_of_its_line() {
        let put = |suggestion, quote| {
            QuotedLines::of(&[(quote, "\t")])
                .complete(suggestion, quote)
                .unwrap()
        };
        assert_eq!(put("y = x", "y = x / 0"), "\ty = x");
        assert_eq!(
            put("if x:\n\n    y = x", "y = x / 0"),
            "\tif x:\n\n\t    y = x"
        );
        assert_eq!(put("\ty = x", "y = x / 0"), "\ty = x");
        assert_eq!(
            put("y = x", "\ty = x / 0"),
            "y = x",
            "the quote has it: it is meant"
        );
        assert_eq!(put("", "y = x / 0"), "");
    }

    #[test]
    fn a_suggestion_for_a_part_of_a_line_is_none_for_the_line() {
        let quote = "order.amount / order.count";
        let within = |before, behind| QuotedLines::of(&[(quote, "    ")]).within(before, behind);
        let part = within("return ", "");
        assert_eq!(
            part.complete("order.amount / (order.count or 1)", quote),
            None
        );
        assert_eq!(part.complete("", quote), None, "the rest was not quoted");
        for whole in [
            "return order.amount / (order.count or 1)",
            "if order.count:\n    return order.amount",
        ] {
            assert!(part.complete(whole, quote).is_some(), "{whole}");
        }
        assert_eq!(within("", ";").complete("order.amount", quote), None);
        assert_eq!(
            within("", "  # twice")
                .complete("order.amount", quote)
                .unwrap(),
            "    order.amount"
        );
    }

    #[test]
    fn lines_that_were_all_put_at_the_margin_are_no_suggestion() {
        let quote = "if x:\nrun(x)\nelse:";
        let quoted =
            QuotedLines::of(&[("if x:", "    "), ("run(x)", "        "), ("else:", "    ")]);
        assert_eq!(quoted.complete("if x:\nwalk(x)\nelse:", quote), None);
        assert_eq!(quoted.complete("if y:", quote).unwrap(), "    if y:");
        assert_eq!(
            quoted.complete("if x:\n    walk(x)\nelse:", quote).unwrap(),
            "    if x:\n        walk(x)\n    else:"
        );
    }
}
