//! Which lines of the reviewed side a quote takes up, and which blanks before them it leaves out.

use council_protocol::evidence::normalize_blanks;
use council_protocol::{Location, Proof};

use super::search_text::SearchText;
use super::{PLACEHOLDER, QuoteProver, written_out};
use crate::council::QuotedLines;

impl QuoteProver {
    /// The lines of a quote that was found, said to stand at `location`; none: they are not on the reviewed side.
    pub(crate) fn quoted_lines(
        &mut self,
        location: &Location,
        quote: &str,
        proof: &Proof,
    ) -> Option<QuotedLines> {
        /// A line of a bundle has no blanks that somebody leaves out, and copies of it fill the memory.
        const MAX_QUOTE: usize = 64 << 10;
        let is_read = quote.len() <= MAX_QUOTE && !quote.trim().is_empty();
        if let Proof::Removed { old_line, .. } = proof {
            return self
                .removed_code(location, quote, *old_line)
                .filter(|_| is_read);
        }
        let begin = proof.place(location.line).filter(|_| is_read)?;
        let (first, last) = proof.span(location)?;
        let texts = self.texts_of(&self.resolved(location).path).ok()?;
        let quote = written_out(quote);
        let lines = texts
            .0
            .iter()
            .find_map(|text| text.quoted_at(begin, &quote));
        let indent = texts.0.first()?.indent_of(first);
        // What is hidden in a quote stands in no text; a line of it is a line all the same.
        let is_hidden = quote.contains(PLACEHOLDER) && quote.trim().lines().count() == 1;
        let count = lines
            .as_ref()
            .and_then(|quoted| quoted.lines)
            .or(is_hidden.then_some(1));
        let quoted = match lines {
            Some(quoted) if begin == first => quoted,
            // The range begins with another line than the quote, at a depth of its own.
            lines => QuotedLines::before(indent, &quote, count)
                .with_indents_of(&lines.clone().unwrap_or_default())
                .with_code(lines.and_then(|quoted| quoted.code)),
        };
        let end = texts.0.iter().find_map(SearchText::file_end);
        Some(match end.filter(|end| *end < last) {
            Some(end) => quoted.in_file_until(end),
            None => quoted,
        })
    }
}

impl QuoteProver {
    /// The code of a quote of removed lines, where it has more than that: whoever looks later whether a change still removes them
    /// finds no marker of a diff in it.
    fn removed_code(
        &mut self,
        location: &Location,
        quote: &str,
        old_line: u32,
    ) -> Option<QuotedLines> {
        let texts = self.texts_of(&self.resolved(location).path).ok()?;
        let mut texts = texts.0.iter();
        let code = texts.find_map(|text| text.removed_at(old_line, quote))?;
        let known = QuotedLines::default().without_marks(quote, &[code.trim_end()]);
        known.code.is_some().then_some(known)
    }
}

impl SearchText {
    /// The last line of the reviewed side; none: these lines are not all of it.
    fn file_end(&self) -> Option<u32> {
        let is_whole = self.numbers.is_none() && self.removed.is_none() && self.gone.is_none();
        u32::try_from(self.lines.len()).ok().filter(|_| is_whole)
    }

    /// How a quote reads that stands at this line before the change.
    fn removed_at(&self, old_line: u32, quote: &str) -> Option<String> {
        let at = self
            .removed
            .as_ref()?
            .iter()
            .position(|line| *line == old_line)?;
        self.lines.reading_at(u32::try_from(at + 1).ok()?, quote)
    }

    /// The lines that a quote takes up which begins at that line of the reviewed side; none: it stands there in no row.
    fn quoted_at(&self, line: u32, quote: &str) -> Option<QuotedLines> {
        if self.removed.is_some() && self.gone.is_none() {
            return None;
        }
        // Lines that the change removes have the number of the one behind them.
        let from = self.index_of(line);
        let same = (from..).take_while(|&at| {
            self.number_of(at) == line && self.lines.get(at as usize - 1).is_some()
        });
        same.take(self.lines.len()).find_map(|at| {
            let reading = self.lines.reading_at(at, quote)?;
            let is_blank = |line: &&str| line.trim().is_empty();
            let code: Vec<&str> = reading.trim_end().lines().skip_while(is_blank).collect();
            let kept = |index: usize| self.gone.as_ref().is_none_or(|gone| !gone[index]);
            let rows = (at as usize - 1..)
                .zip(code)
                .filter(|(index, _)| kept(*index));
            let rows: Vec<(&str, &str)> = rows
                .map(|(index, code)| (code, self.indents.get(index).unwrap_or_default()))
                .collect();
            let (before, behind) = self.beside(&rows, at as usize - 1);
            let code: Vec<&str> = rows.iter().map(|(code, _)| *code).collect();
            let quoted = QuotedLines::of(&rows)
                .without_marks(quote, &code)
                .with_piece(self.piece_at(at as usize - 1, &reading))
                .within(before, behind);
            Some(quoted).filter(|quoted| quoted.lines.is_some())
        })
    }

    /// A quote that begins at this index as the diff shows it, if it has lines that the change removes, and none that it adds:
    /// whoever quotes an added line beside a removed one speaks of what is there now.
    fn piece_at(&self, first: usize, reading: &str) -> Option<String> {
        let (gone, old) = (self.gone.as_ref()?, self.removed.as_ref()?);
        let is_blank = |line: &&str| line.trim().is_empty();
        let code = reading.trim_end().lines().skip_while(is_blank);
        let code: Vec<&str> = code.collect();
        let marks = gone.get(first..first + code.len())?;
        let is_added = old.get(first..first + code.len())?.contains(&0);
        let shown = code
            .iter()
            .zip(marks)
            .map(|(line, gone)| format!("{}{line}", if *gone { '-' } else { ' ' }));
        (marks.contains(&true) && marks.contains(&false) && !is_added)
            .then(|| shown.collect::<Vec<_>>().join("\n"))
    }

    /// What stands in the first of the quoted lines before the quote, and in the last behind it, both as they are compared.
    /// Nothing, where a line of it is gone or was only found without its blanks.
    fn beside(&self, rows: &[(&str, &str)], first: usize) -> (&str, &str) {
        let line = |index: usize| self.lines.get(index).unwrap_or_default();
        let [(begin, _), .., (end, _)] = rows else {
            let Some((only, _)) = rows.first() else {
                return ("", "");
            };
            return line(first)
                .split_once(normalize_blanks(only).as_str())
                .unwrap_or_default();
        };
        let before = line(first).strip_suffix(normalize_blanks(begin).as_str());
        let behind = line(first + rows.len() - 1).strip_prefix(normalize_blanks(end).as_str());
        (before.unwrap_or_default(), behind.unwrap_or_default())
    }

    /// The blanks before a line of the reviewed side.
    fn indent_of(&self, line: u32) -> &str {
        let index = self.index_of(line);
        let at = (index as usize)
            .checked_sub(1)
            .filter(|_| self.number_of(index) == line);
        at.and_then(|at| self.indents.get(at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use council_protocol::Side;
    use council_protocol::change::NoBlobs;
    use council_secrets::Redactor;

    use super::super::tests::{Blobs, packet};
    use super::*;

    const PAY: &str =
        "fn pay() {\n    if due {\n        transfer(amount);\n        note(amount);\n    }\n}\n";

    fn quoted(
        prover: &mut QuoteProver,
        lines: (u32, Option<u32>),
        quote: &str,
    ) -> Option<QuotedLines> {
        let location = Location {
            path: "pay.rs".into(),
            line: lines.0,
            end_line: lines.1,
        };
        let (proof, _) = prover.prove_quote(&location, quote);
        prover.quoted_lines(&location, quote, &proof)
    }

    fn of_file() -> QuoteProver {
        let blobs = Blobs([((Side::New, "pay.rs"), PAY)].into());
        QuoteProver::new(packet(), Arc::new(blobs), Redactor::default())
    }

    #[test]
    fn a_quote_says_which_lines_it_takes_up_and_what_it_leaves_out_before_them() {
        let mut prover = of_file();
        let mut lines = |at, quote: &str| quoted(&mut prover, at, quote).unwrap();
        let both = [
            ("transfer(amount);", "        "),
            ("note(amount);", "        "),
        ];
        for (at, quote, expected) in [
            ((3, None), "transfer(amount);", QuotedLines::of(&both[..1])),
            (
                (9, None),
                "transfer(amount)",
                QuotedLines::of(&both[..1]).within("", ";"),
            ),
            (
                (3, None),
                "transfer(amount);\nnote(amount);\n",
                QuotedLines::of(&both),
            ),
            (
                (3, None),
                "```\ntransfer( amount );\nnote(amount);\n```",
                QuotedLines::of(&both)
                    .without_marks("```", &["transfer( amount );", "note(amount);"]),
            ),
            (
                (3, None),
                "transfer(amount); note(amount);",
                QuotedLines::before("        ", "transfer", None),
            ),
            (
                (3, None),
                "        transfer(amount);\n        note(amount);",
                QuotedLines::of(&[
                    ("        transfer(amount);", "        "),
                    ("        note(amount);", "        "),
                ]),
            ),
            // What a range leaves out is told of the line that it begins with.
            (
                (2, Some(4)),
                "note(amount);",
                QuotedLines::before("    ", "note(amount);", Some(1)),
            ),
            (
                (2, None),
                "if due {\n...\nnote(amount);",
                QuotedLines::before("    ", "if due {", None),
            ),
        ] {
            assert_eq!(lines(at, quote), expected, "{at:?} {quote:?}");
        }
        assert_eq!(quoted(&mut of_file(), (3, None), "nowhere(at, all);"), None);
    }

    /// A file that is indented by tabs, quoted with four blanks for each.
    #[test]
    fn what_is_quoted_with_other_blanks_is_put_in_with_those_of_the_file() {
        const TABS: &str = "fn f() {\n\tif due {\n\t\ttransfer(amount);\n\t}\n}\n";
        let blobs = Blobs([((Side::New, "pay.rs"), TABS)].into());
        let mut prover = QuoteProver::new(packet(), Arc::new(blobs), Redactor::default());
        for (lines, quote, suggestion, put) in [
            (
                (3, None),
                "        transfer(amount);",
                "        transfer(0);",
                Some("\t\ttransfer(0);"),
            ),
            (
                (2, None),
                "    if due {\n        transfer(amount);",
                "    if due {\n        if paid {\n            transfer(0);",
                Some("\tif due {\n\t\tif paid {\n\t\t\ttransfer(0);"),
            ),
            (
                (2, Some(3)),
                "        transfer(amount);",
                "    if paid {\n        transfer(0);",
                Some("\tif paid {\n\t\ttransfer(0);"),
            ),
            (
                (3, None),
                "        transfer(amount);",
                "        if paid {\n          transfer(0);",
                None,
            ),
            (
                (3, None),
                "transfer(amount);",
                "transfer(0);",
                Some("\t\ttransfer(0);"),
            ),
        ] {
            let found = quoted(&mut prover, lines, quote).unwrap();
            let completed = found.complete(suggestion, quote);
            assert_eq!(completed.as_deref(), put, "{quote:?} {suggestion:?}");
        }
    }

    /// Law: however a brief or a diff shows a line, what is known of its quote is the line: it is looked for in other commits.
    #[test]
    fn what_is_known_of_a_quote_is_its_code() {
        let mut prover = of_file();
        let code = "transfer(amount);";
        for shown in [
            "transfer(amount);",
            "        transfer(amount);",
            "3 +         transfer(amount);",
            "3           transfer(amount);",
            "3 |         transfer(amount);",
            "3:         transfer(amount);",
            "+        transfer(amount);",
            "`transfer(amount);`",
            "```rust\n        transfer(amount);\n```",
        ] {
            let found = quoted(&mut prover, (3, None), shown).unwrap();
            let known = found.code.as_deref().unwrap_or(shown);
            assert_eq!(known.trim(), code, "{shown:?}");
        }
    }

    #[test]
    fn the_packet_says_it_where_there_is_no_file() {
        let mut prover = QuoteProver::new(packet(), Arc::new(NoBlobs), Redactor::default());
        let expected = QuotedLines::of(&[("transfer(amount);", "    ")]);
        assert_eq!(
            quoted(&mut prover, (11, None), "transfer(amount);"),
            Some(expected.clone())
        );
        // Quoted as a hunk shows it: what is gone stands on no line.
        let both = "-    check_balance()?;\n+    transfer(amount);";
        let shown = QuotedLines::of(&[("    transfer(amount);", "    ")]);
        let shown = shown.without_marks(both, &["    transfer(amount);"]);
        assert_eq!(shown.code.as_deref(), Some("    transfer(amount);"));
        assert_eq!(quoted(&mut prover, (11, None), both), Some(shown));
        assert_eq!(quoted(&mut prover, (11, None), "check_balance()?;"), None);
        // Of kept lines around a removed one the piece is known, and which of them is gone.
        let piece = "fn pay() {\n-    check_balance()?;";
        let known = quoted(&mut prover, (10, None), piece).unwrap();
        let shown =
            QuotedLines::default().with_piece(Some(" fn pay() {\n-    check_balance()?;".into()));
        let bare = |text: &QuotedLines| text.piece_shown().map(|piece| piece.replace("    ", ""));
        assert_eq!(bare(&known), bare(&shown));
        // Of a removed line alone its code is known, without the marker of the diff.
        let gone = quoted(&mut prover, (11, None), "-    check_balance()?;").unwrap();
        assert_eq!(
            gone.code.as_deref().map(str::trim),
            Some("check_balance()?;")
        );
        assert_eq!(gone.lines, None);
    }
}
