//! Code as it is compared from one version to the next: what a formatter sets anew makes no other code.
//!
//! White space is none of it, nor are brackets that only let an expression stand on lines of its own, a comma behind the last
//! item of a list that stands on several lines, or which quotes a plain text has. Brackets within a line are: a mend often
//! consists of nothing else.

use std::ops::{Range, RangeInclusive};

/// Words behind which a bracket holds an expression and no arguments.
const BEFORE_EXPRESSIONS: [&str; 12] = [
    "return", "yield", "assert", "in", "not", "and", "or", "await", "throw", "raise", "is",
    "import",
];

/// Words behind which brackets may stand around a condition or be left out.
const BEFORE_CONDITIONS: [&str; 3] = ["if", "elif", "while"];

/// Words that go on with a condition behind a bracket: anything else there is what depends on it.
const AFTER_CONDITIONS: [&str; 8] = ["and", "or", "is", "in", "not", "if", "as", "instanceof"];

/// Comments that may stand within a line of code.
const INNER_COMMENTS: [(&str, &str); 2] = [("/*", "*/"), ("<!--", "-->")];

/// What a plain text between quotes has none of: with it one kind of quotes means something else than the other.
const NOT_PLAIN: [char; 7] = ['"', '\'', '`', '\\', '$', '#', '{'];

/// A text of code, to look for others in it.
pub(crate) struct CodeLetters {
    letters: String,
    /// Where the letters of each line end.
    ends: Vec<usize>,
}

/// How many letters are told before and behind a quote.
const BESIDE: usize = 8;

/// What may stand behind a line of code and makes no other code of it: a comment, or what a formatter adds.
const AFTER_CODE: [&str; 7] = ["#", "//", "--", "/*", "<!--", ";", "{"];

/// Where a quote stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodePlace<'c> {
    /// Its lines, counted from 0.
    pub(crate) lines: RangeInclusive<usize>,
    /// Whether it begins its first line.
    pub(crate) begins_line: bool,
    /// Whether its last line says no more, a comment aside.
    pub(crate) ends_line: bool,
    /// The letters of code right before it and right behind it, at most [`BESIDE`] each. The semicolon of a statement that was
    /// joined to it is none: on a line of its own it may have none.
    pub(crate) before: &'c str,
    pub(crate) behind: &'c str,
}

/// A letter of code, with the line in which it stands.
struct CodeLetter {
    letter: char,
    line: usize,
    is_first: bool,
    is_last: bool,
    /// Whether it stands between quotes, or is one of them.
    is_text: bool,
    /// What a bracket holds.
    holds: HeldCode,
    counts: bool,
}

/// What a bracket holds, by what stands before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeldCode {
    Arguments,
    Expression,
    Condition,
}

impl CodeLetters {
    pub(crate) fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let mut all = Vec::new();
        let mut count = 0;
        for line in lines {
            all.extend(letters_of(line, count));
            count += 1;
        }
        drop_wrapping_brackets(&mut all);
        drop_last_commas(&mut all);
        let (mut letters, mut ends) = (String::new(), Vec::new());
        let mut all = all.iter().filter(|letter| letter.counts).peekable();
        for line in 0..count {
            while let Some(letter) = all.next_if(|letter| letter.line == line) {
                letters.push(letter.letter);
            }
            ends.push(letters.len());
        }
        Self { letters, ends }
    }

    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// The lines at which a quote stands, counted from 0; none where it has no letters.
    pub(crate) fn places_of(&self, quote: &str) -> Vec<RangeInclusive<usize>> {
        let places = self.quoted_at(quote).into_iter();
        places.map(|place| place.lines).collect()
    }

    /// Where a quote stands, with what stands around it; nowhere if it has no letters.
    pub(crate) fn quoted_at(&self, quote: &str) -> Vec<CodePlace<'_>> {
        let wanted = Self::of(quote.lines()).letters;
        // A quote may begin or end within what is written on several lines.
        let cut = wanted.trim_start_matches(')').trim_end_matches(['(', ',']);
        let places = self.places_of_letters(&wanted);
        match places.is_empty() && cut.contains(char::is_alphanumeric) {
            true => self.places_of_letters(cut),
            false => places,
        }
    }

    fn places_of_letters(&self, wanted: &str) -> Vec<CodePlace<'_>> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let places = self.letters.match_indices(wanted);
        places
            .map(|(at, found)| self.place_between(at, at + found.len()))
            .collect()
    }

    /// The place of the letters from `from` up to `to`.
    fn place_between(&self, from: usize, to: usize) -> CodePlace<'_> {
        let line_at = |at: usize| self.ends.partition_point(|&end| end <= at);
        let (first, last) = (line_at(from), line_at(to - 1));
        let begin = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (before, behind) = self.letters.split_at(from);
        let behind = &behind[to - from..];
        let rest = &self.letters[to..self.ends[last]];
        let before = before.trim_end_matches(';');
        let far_before = before.char_indices().rev().nth(BESIDE - 1);
        let far_behind = behind.char_indices().nth(BESIDE);
        CodePlace {
            lines: first..=last,
            begins_line: from == begin,
            ends_line: rest.is_empty() || AFTER_CODE.iter().any(|mark| rest.starts_with(mark)),
            before: &before[far_before.map_or(0, |(at, _)| at)..],
            behind: &behind[..far_behind.map_or(behind.len(), |(at, _)| at)],
        }
    }
}

/// The letters of a line without blanks, and without what only says that it goes on in the next one.
fn letters_of(line: &str, number: usize) -> Vec<CodeLetter> {
    let line = line.trim();
    let line = line.strip_suffix('\\').unwrap_or(line).trim_end();
    let texts = texts_in(line);
    let comments = inner_comments(line, &texts);
    let plain = plain_quotes(line, &texts);
    let mut within = texts.iter().peekable();
    let letter_at = |(at, letter): (usize, char)| {
        while within.next_if(|text| *text.end() < at).is_some() {}
        CodeLetter {
            letter: if plain.binary_search(&at).is_ok() {
                '"'
            } else {
                letter
            },
            line: number,
            is_first: at == 0,
            is_last: at + letter.len_utf8() == line.len(),
            is_text: within.peek().is_some_and(|text| text.contains(&at)),
            holds: match letter {
                '(' => held_behind(&line[..at]),
                _ => HeldCode::Arguments,
            },
            counts: !letter.is_whitespace() && !comments.iter().any(|one| one.contains(&at)),
        }
    };
    line.char_indices().map(letter_at).collect()
}

/// Where comments stand within a line that has code beside them.
fn inner_comments(line: &str, texts: &[RangeInclusive<usize>]) -> Vec<Range<usize>> {
    let mut comments: Vec<Range<usize>> = Vec::new();
    for (open, close) in INNER_COMMENTS {
        let mut from = 0;
        while let Some(begin) = line[from..].find(open).map(|at| from + at) {
            from = begin + open.len();
            let is_text = texts.iter().any(|text| text.contains(&begin));
            let Some(end) = line[from..].find(close).map(|at| from + at + close.len()) else {
                break;
            };
            if !is_text {
                comments.push(begin..end);
                from = end;
            }
        }
    }
    let is_code = |(at, letter): (usize, char)| {
        letter.is_alphanumeric() && !comments.iter().any(|one| one.contains(&at))
    };
    match line.char_indices().any(is_code) {
        true => comments,
        false => Vec::new(),
    }
}

/// Where texts between quotes stand in a line, with their quotes. An apostrophe alone begins none.
fn texts_in(line: &str) -> Vec<RangeInclusive<usize>> {
    let (mut texts, mut from) = (Vec::new(), 0);
    let bytes = line.as_bytes();
    while let Some(open) = line[from..].find(['"', '\'', '`']).map(|at| from + at) {
        from = open + 1;
        if let Some(close) = closing_quote(bytes, open) {
            texts.push(open..=close);
            from = close + 1;
        }
    }
    texts
}

fn closing_quote(line: &[u8], open: usize) -> Option<usize> {
    let mut escaped = false;
    (open + 1..line.len()).find(|&at| {
        let is_end = line[at] == line[open] && !escaped;
        escaped = line[at] == b'\\' && !escaped;
        is_end
    })
}

/// Where apostrophes stand that might as well be the other quotes.
fn plain_quotes(line: &str, texts: &[RangeInclusive<usize>]) -> Vec<usize> {
    let is_plain = |text: &&RangeInclusive<usize>| {
        let (open, close) = (*text.start(), *text.end());
        line.as_bytes()[open] == b'\'' && !line[open + 1..close].contains(NOT_PLAIN)
    };
    let plain = texts.iter().filter(is_plain);
    plain
        .flat_map(|text| [*text.start(), *text.end()])
        .collect()
}

/// What a bracket holds behind this beginning of a line.
fn held_behind(before: &str) -> HeldCode {
    let bare = before.trim_end();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let word = bare
        .rsplit(|letter| !is_name(letter))
        .next()
        .unwrap_or_default();
    // `Vec<u8>(` and `vec!(` are calls, `=> (` is none.
    let is_joined = bare.len() == before.len() && bare.ends_with([')', ']', '>', '!']);
    match word {
        "" if is_joined => HeldCode::Arguments,
        "" => HeldCode::Expression,
        word if BEFORE_CONDITIONS.contains(&word) => HeldCode::Condition,
        word if BEFORE_EXPRESSIONS.contains(&word) => HeldCode::Expression,
        _ => HeldCode::Arguments,
    }
}

/// Leaves out brackets that only let an expression stand on lines of its own (the one ends its line, the other begins one), and
/// those around a whole condition.
fn drop_wrapping_brackets(all: &mut [CodeLetter]) {
    let mut open: Vec<usize> = Vec::new();
    let code: Vec<usize> = (0..all.len())
        .filter(|&at| !all[at].is_text && all[at].counts)
        .collect();
    for (nth, &at) in code.iter().enumerate() {
        if all[at].letter == '(' {
            open.push(at);
        }
        let Some(begin) = open.pop_if(|_| all[at].letter == ')') else {
            continue;
        };
        let next = code.get(nth + 1).map(|&next| &all[next]);
        let ends_condition = next.is_none_or(|next| {
            matches!(next.letter, ':' | '{')
                || next.line > all[at].line
                || begins_statement(all, &code[nth + 1..])
        });
        let is_needless = match all[begin].holds {
            HeldCode::Arguments => false,
            HeldCode::Expression => all[begin].is_last && all[at].is_first,
            HeldCode::Condition => ends_condition,
        };
        if is_needless {
            (all[begin].counts, all[at].counts) = (false, false);
        }
    }
}

/// Whether letters begin with a word that does not go on with a condition: `if (ok) run();`.
fn begins_statement(all: &[CodeLetter], code: &[usize]) -> bool {
    let letters = code.iter().map(|&at| (at, all[at].letter));
    let mut word = String::new();
    let mut last: Option<usize> = None;
    for (at, letter) in letters {
        let is_joined = last.is_none_or(|last| last + 1 == at);
        if !is_joined || !(letter.is_alphanumeric() || letter == '_' || letter == '$') {
            break;
        }
        word.push(letter);
        last = Some(at);
    }
    !word.is_empty() && !AFTER_CONDITIONS.contains(&word.as_str())
}

/// Leaves out commas behind the last item of a list that ends on another line.
fn drop_last_commas(all: &mut [CodeLetter]) {
    let mut next: Option<(char, usize)> = None;
    for letter in all.iter_mut().rev().filter(|letter| letter.counts) {
        let is_closed =
            next.is_some_and(|(next, line)| matches!(next, ')' | ']' | '}') && line > letter.line);
        if letter.letter == ',' && !letter.is_text && is_closed {
            letter.counts = false;
        } else {
            next = Some((letter.letter, letter.line));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stands_in(text: &str, quote: &str) -> bool {
        !CodeLetters::of(text.lines()).places_of(quote).is_empty()
    }

    /// Code as it was written, and as formatters write it.
    const FORMATTED: [(&str, &str); 14] = [
        (
            "query = f\"SELECT {name}\"",
            "query = (\n    f\"SELECT {name}\"\n)",
        ),
        ("return a and b", "return (\n    a\n    and b\n)"),
        ("if a and b:", "if (\n    a\n    and b\n):"),
        ("if (a && b) {", "if (\n  a &&\n  b\n) {"),
        ("run(a, b)", "run(\n    a,\n    b,\n)"),
        ("let x = run(a)?.get(b);", "let x = run(a)?\n    .get(b);"),
        ("x = ['a', 'b']", "x = [\n    \"a\",\n    \"b\",\n]"),
        ("from m import a, b", "from m import (\n    a,\n    b,\n)"),
        ("total = a + b", "total = a \\\n    + b"),
        ("const f = (a) => g(a)", "const f = (a) => (\n  g(a)\n)"),
        ("if (ok) run(a);", "if (ok)\n  run(a);"),
        (
            "if (a && b) return one(two);",
            "if (a && b)\n    return one(two);",
        ),
        ("execute(a);", "execute(/* sql */ a);"),
        ("<a href={url}>", "<a <!-- link --> href={url}>"),
    ];

    #[test]
    fn code_that_a_formatter_wraps_is_the_same_code() {
        for (one, other) in FORMATTED {
            assert!(stands_in(other, one), "{one:?} in {other:?}");
            assert!(stands_in(one, other), "{other:?} in {one:?}");
        }
        for (text, quote) in [
            ("call(f\"SELECT {name}\", x)", "    f\"SELECT {name}\","),
            ("query = f\"SELECT {name}\"", "query = ("),
            ("query = (\n    f\"SELECT {name}\"\n)", "f\"SELECT {name}\""),
        ] {
            assert!(stands_in(text, quote), "{quote:?} in {text:?}");
        }
    }

    /// What a mend consists of, now and then.
    #[test]
    fn another_meaning_is_other_code() {
        for (text, quote) in [
            ("total = (a + b) * c", "total = a + b * c"),
            ("if (a or b) and c:", "if a or b and c:"),
            ("execute(sql, (name,))", "execute(sql, (name))"),
            ("execute(sql, (name))", "execute(sql, (name,))"),
            ("echo \"$name\"", "echo '$name'"),
            ("run(a, b)", "run(a)"),
            ("return", "run(a)"),
        ] {
            assert!(!stands_in(text, quote), "{quote:?} in {text:?}");
        }
        assert!(stands_in("anything", "").eq(&false));
    }

    proptest! {
        /// Wherever lines are broken and however deep they stand: code that is written on several lines is found, at its lines.
        #[test]
        fn a_statement_is_found_however_its_lines_are_broken(
            statement in 0..FORMATTED.len(), before in 0usize..4, depth in 0usize..9, behind in 0usize..3,
        ) {
            let (one, other) = FORMATTED[statement];
            let indent = " ".repeat(depth);
            let filler = |count: usize| (0..count).map(|n| format!("other_{n}()")).collect::<Vec<_>>();
            for (text, quote) in [(one, other), (other, one)] {
                let own = text.lines().map(|line| format!("{indent}{line}"));
                let lines: Vec<String> = filler(before).into_iter().chain(own).chain(filler(behind)).collect();
                let code = CodeLetters::of(lines.iter().map(String::as_str));
                let places = code.places_of(quote);
                prop_assert_eq!(places.len(), 1, "{:?} in {:?}", quote, lines);
                prop_assert_eq!(*places[0].start(), before);
                prop_assert!(*places[0].end() < before + text.lines().count());
            }
        }

        /// Nothing that anybody may write breaks it, and a text has itself.
        #[test]
        fn any_text_stands_in_itself(text in "[a-z(){},'\"`\\\\ \n=]{0,40}") {
            let code = CodeLetters::of(text.lines());
            prop_assert_eq!(code.places_of(&text).is_empty(), code.letters.is_empty());
        }
    }
}
