//! Whatever may stand around the copy of a real line, it is found; whatever stands around a line that is not there, it is
//! not.

use proptest::prelude::*;

use crate::evidence::{FileLines, Proof, normalize_blanks, prove_quote};

/// What a judge does to a line on the way into its answer.
#[derive(Debug, Clone, Copy)]
enum Decoration {
    /// The number and the marker that a brief prints.
    Gutter(char),
    Numbers(&'static str),
    DiffMarker(char),
    Backticks(&'static str),
    StrayBacktick,
    Fence,
    Quotes(&'static str, &'static str),
    OuterBlanks,
    WiderBlanks,
    EscapedLineEnds,
    /// As a page would write it.
    Html,
    /// With the quotation marks of prose.
    Typographic,
    /// A character that nobody sees, behind each blank.
    NoWidth(char),
    /// The judge's own words behind the line.
    Remark(&'static str),
    /// The place before the line, as a compiler prints it.
    Place(&'static str),
    Bold,
    Semicolon,
}

fn decoration() -> impl Strategy<Value = Decoration> {
    use Decoration as D;
    prop_oneof![
        prop_oneof![Just('+'), Just('-'), Just(' ')].prop_map(D::Gutter),
        prop_oneof![
            Just(": "),
            Just(" | "),
            Just(":"),
            Just("  "),
            Just("→"),
            Just(" │ ")
        ]
        .prop_map(D::Numbers),
        prop_oneof![Just('+'), Just('-')].prop_map(D::DiffMarker),
        prop_oneof![Just("`"), Just("``"), Just("```")].prop_map(D::Backticks),
        Just(D::StrayBacktick),
        Just(D::Fence),
        prop_oneof![
            Just(("\"", "\"")),
            Just(("'", "'")),
            Just(("“", "”")),
            Just(("«", "»"))
        ]
        .prop_map(|(open, close)| D::Quotes(open, close)),
        Just(D::OuterBlanks),
        Just(D::WiderBlanks),
        Just(D::EscapedLineEnds),
        Just(D::Html),
        Just(D::Typographic),
        prop_oneof![
            Just("  # zz zz"),
            Just("  // zz zz"),
            Just(" <-- zz"),
            Just(" ← zz")
        ]
        .prop_map(D::Remark),
        prop_oneof![Just("a.py:"), Just("src/a.py:"), Just("./b/a.rs:")].prop_map(D::Place),
        Just(D::Bold),
        Just(D::Semicolon),
        prop_oneof![Just('\u{200b}'), Just('\u{2060}'), Just('\u{feff}')].prop_map(D::NoWidth),
    ]
}

fn decorate(text: &str, line: usize, decoration: Decoration) -> String {
    let each = |change: &dyn Fn(usize, &str) -> String| {
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(i, l)| change(line + i, l))
            .collect();
        lines.join("\n")
    };
    match decoration {
        Decoration::Gutter(marker) => each(&|n, l| format!("{n:>4} {marker}{l}")),
        Decoration::Numbers(behind) => each(&|n, l| format!("{n}{behind}{l}")),
        Decoration::DiffMarker(marker) => each(&|_, l| format!("{marker}{l}")),
        Decoration::Backticks(mark) => format!("{mark}{text}{mark}"),
        Decoration::StrayBacktick => format!("{text}`"),
        Decoration::Fence => format!("```rust\n{text}\n```"),
        Decoration::Quotes(open, close) => format!("{open}{text}{close}"),
        Decoration::OuterBlanks => format!("\n  \t{text}  \n\n"),
        Decoration::WiderBlanks => text.replace(' ', "  \t "),
        Decoration::EscapedLineEnds => text.replace('\n', "\\n"),
        Decoration::Typographic => text.replacen('"', "“", 1).replace('"', "”"),
        Decoration::Html => text.replace('"', "&quot;").replace('>', "&gt;"),
        // Nobody remarks on an ellipsis.
        Decoration::Remark(words) => each(&|_, l| {
            if l.trim() == "..." {
                l.to_owned()
            } else {
                format!("{l}{words}")
            }
        }),
        Decoration::Place(path) => each(&|n, l| format!("{path}{n}: {l}")),
        Decoration::Bold => format!("**{text}**"),
        Decoration::Semicolon => format!("{text};"),
        Decoration::NoWidth(c) => text.replace(' ', &format!(" {c}")),
    }
}

/// Lines of code, each with a word of its own; no word holds `zz`.
fn file() -> impl Strategy<Value = Vec<String>> {
    let line = (
        "[a-y]{3,8}",
        "[a-y]{3,8}",
        prop::option::of("[a-y]{3,8}"),
        0_usize..4,
    );
    prop::collection::vec(line, 3..14).prop_map(|lines| {
        let write = |(n, (name, call, comment, depth)): (
            usize,
            (String, String, Option<String>, usize),
        )| {
            let comment = comment.map_or(String::new(), |c| format!(" // {c}"));
            format!(
                "{}let {name}_{n} = {call}({n}, \"a b\");{comment}",
                " ".repeat(depth * 4)
            )
        };
        lines.into_iter().enumerate().map(write).collect()
    })
}

/// What of a file is quoted.
#[derive(Debug, Clone, Copy)]
enum Excerpt {
    Line,
    Part,
    Lines,
    LinesApart,
    Elided,
    WithoutComments,
    Flattened,
}

fn excerpt() -> impl Strategy<Value = Excerpt> {
    use Excerpt as E;
    prop_oneof![
        Just(E::Line),
        Just(E::Part),
        Just(E::Lines),
        Just(E::LinesApart),
        Just(E::Elided),
        Just(E::WithoutComments),
        Just(E::Flattened),
    ]
}

fn quote(lines: &[String], at: usize, excerpt: Excerpt) -> String {
    let uncommented = |line: &String| line.split(" //").next().unwrap_or_default().to_owned();
    let (first, last) = (&lines[at], &lines[lines.len() - 1]);
    let rest = &lines[at..(at + 3).min(lines.len())];
    match excerpt {
        Excerpt::Line => first.clone(),
        Excerpt::Part => first.trim().chars().skip(4).collect(),
        Excerpt::Lines => rest.join("\n"),
        Excerpt::LinesApart => format!("{first}\n{last}"),
        Excerpt::Elided => format!("{first}\n    ...\n{last}"),
        Excerpt::WithoutComments => rest.iter().map(uncommented).collect::<Vec<_>>().join("\n"),
        Excerpt::Flattened => rest.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" "),
    }
}

/// The last line cannot be joined with itself.
fn fits(lines: &[String], at: usize, excerpt: Excerpt) -> bool {
    !matches!(excerpt, Excerpt::LinesApart | Excerpt::Elided) || at + 1 < lines.len()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_decorated_copy_of_a_real_line_is_found_at_its_line(
        lines in file(),
        at in any::<prop::sample::Index>(),
        excerpt in excerpt(),
        decorations in prop::collection::vec(decoration(), 0..3),
    ) {
        let at = at.index(lines.len());
        prop_assume!(fits(&lines, at, excerpt));
        // A judge's own words stand behind the copy of a line, before anything is made of both.
        let mut decorations = decorations;
        decorations.sort_by_key(|d| !matches!(d, Decoration::Remark(_)));
        let is_spaced = |d: &Decoration| matches!(d, Decoration::WiderBlanks | Decoration::NoWidth(_));
        prop_assume!(!matches!(decorations.first(), Some(Decoration::Remark(_))) || !decorations.iter().any(is_spaced));
        // A number in front of a marker is a gutter; a marker in front of a number is no decoration that anything prints.
        let plain = quote(&lines, at, excerpt);
        let said = decorations.iter().fold(plain, |text, &d| decorate(&text, at + 1, d));
        let claimed = u32::try_from(at + 1).unwrap();
        prop_assert_eq!(prove_quote(&lines.join("\n"), claimed, &said), Proof::Verified, "{:?}", said);
    }

    /// A formatter sets blanks around operators, and a model leaves them out, or the other way round.
    #[test]
    fn blanks_around_operators_lose_no_line(
        lines in file(),
        at in any::<prop::sample::Index>(),
        wide in any::<bool>(),
        whole in any::<bool>(),
    ) {
        let at = at.index(lines.len());
        let plain = quote(&lines, at, if whole { Excerpt::Line } else { Excerpt::Part });
        let said = if wide { plain.replace('=', "  = ").replace('(', " ( ").replace(')', " )") } else { plain.replace(" = ", "=").replace(" (", "(") };
        let claimed = u32::try_from(at + 1).unwrap();
        prop_assert_eq!(prove_quote(&lines.join("\n"), claimed, &said), Proof::Verified, "{:?}", said);
    }

    #[test]
    fn what_is_not_in_the_file_is_not_found_whatever_stands_around_it(
        lines in file(),
        at in any::<prop::sample::Index>(),
        excerpt in excerpt(),
        decorations in prop::collection::vec(decoration(), 0..3),
        foreign in "zz[a-z]{2,6}",
        place in any::<prop::sample::Index>(),
    ) {
        let at = at.index(lines.len());
        prop_assume!(fits(&lines, at, excerpt));
        let plain = quote(&lines, at, excerpt);
        let words: Vec<usize> = plain.match_indices("let ").map(|(i, _)| i + 4).chain([plain.len()]).collect();
        let mut forged = plain.clone();
        forged.insert_str(*place.get(&words), &foreign);
        let said = decorations.iter().fold(forged, |text, &d| decorate(&text, at + 1, d));
        let claimed = u32::try_from(at + 1).unwrap();
        prop_assert!(!prove_quote(&lines.join("\n"), claimed, &said).resolves(), "{:?}", said);
    }

    #[test]
    fn any_text_is_searched_without_a_fault(text in ".{0,200}", quote in ".{0,80}", line in any::<u32>()) {
        let lines = FileLines::of(&text);
        let _ = (lines.prove(line, &quote), lines.nearest_line(line, &quote));
    }
}

const TEXT: &str = "fn main() {\n    let x = compute(1, \"a\"); // why\n    if x > 3 {\n\n        drop_all(x);\n    }\n    \
                    return foo(\n        a,\n        b);\n}\n";

#[test]
fn a_line_over_several_lines_may_be_quoted_in_one() {
    assert_eq!(prove_quote(TEXT, 7, "return foo( a, b);"), Proof::Verified);
    assert_eq!(
        prove_quote(TEXT, 3, "if x > 3 { drop_all(x);"),
        Proof::Verified
    );
}

#[test]
fn a_line_is_found_in_the_spellings_of_a_report() {
    for quote in [
        "a.rs:3: if x > 3 {",
        "./src/a.rs:3:5: if x > 3 {",
        "3. if x > 3 {",
        "**if x > 3 {**",
        "return foo(  # crashes",
        "drop_all(x); <-- here",
        "let x = compute(1, \"a\"); if x > 3 {",
    ] {
        assert!(prove_quote(TEXT, 3, quote).resolves(), "{quote}");
    }
    assert!(!prove_quote(TEXT, 3, "x  # if x > 4").resolves());
}

#[test]
fn lines_that_are_joined_stand_in_their_order() {
    let joined = "let x = compute(1, \"a\");\ndrop_all(x);";
    assert_eq!(prove_quote(TEXT, 2, joined), Proof::Verified);
    assert!(!prove_quote(TEXT, 2, "drop_all(x);\nlet x = compute").resolves());
}

/// Halves of two functions, and pieces of words, are code that nobody wrote.
#[test]
fn an_ellipsis_joins_no_halves_of_two_functions() {
    let text = "class Store:\n    def read(self, user):\n        if user.is_admin:\n            return rows\n        \
                return []\n\n    def clear(self, user):\n        delete_all()\n        log(user)\n";
    let stands = |quote: &str| prove_quote(text, 3, quote).resolves();
    assert!(stands("if user.is_admin:\n ...\n return []"));
    assert!(stands("class Store: ... def read(self, user):"));
    assert!(stands("if user [...] is_admin:"));
    for forged in [
        "if user.is_admin: ... delete_all()",
        "if user.is_admin:\ndelete_all()",
        "if user.is_admin: … def clear(self, user):",
        "if user [...] admin:",
        "if us … is_admin:",
    ] {
        assert!(!stands(forged), "{forged:?}");
    }
}

#[test]
fn decorations_alone_prove_nothing() {
    for quote in ["...", "// ...", "`", "``", "12 +", "\"\"", "1: }x"] {
        assert!(!prove_quote(TEXT, 2, quote).resolves(), "{quote:?}");
    }
}

#[test]
fn the_nearest_line_is_the_one_that_shares_most_words() {
    let lines = FileLines::of(TEXT);
    let nearest = lines.nearest_line(9, "`let x = compute(2)`");
    assert_eq!(nearest, Some((2, "let x = compute(1, \"a\"); // why")));
    assert_eq!(
        lines.nearest_line(5, "?!"),
        Some((5, "drop_all(x);")),
        "nothing alike: the line that was named"
    );
}

/// The forms in which lines are compared, put together from copies: what [`FileLines`] does without them.
mod plain {
    use icu_normalizer::ComposingNormalizerBorrowed;

    pub(super) fn squeezed(line: &str) -> String {
        let has_no_width = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        let visible = line.replace(has_no_width, "");
        let composed = ComposingNormalizerBorrowed::new_nfc().normalize(&visible);
        composed.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn tight(line: &str) -> String {
        let is_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let chars: Vec<char> = squeezed(line).chars().collect();
        let mut out: Vec<char> = Vec::new();
        for (at, &c) in chars.iter().enumerate() {
            if c != ' ' || is_word(out.last()) && is_word(chars.get(at + 1)) {
                out.push(c);
            }
        }
        squeezed(&out.into_iter().collect::<String>())
    }
}

fn text_of_all_kinds() -> impl Strategy<Value = String> {
    let piece = "[a-z_ (){};=+,\t\n]{0,6}|[\u{301}\u{338}e\u{e9}\u{200b}\u{feff}\u{2000}\u{a0}\u{3000}=\u{1100}\u{1161} ]{0,4}|\\PC{0,3}|\r\n";
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn lines_are_squeezed_and_tightened_as_by_copies(text in text_of_all_kinds()) {
        let all = |lines: &FileLines| -> Vec<String> {
            (0..lines.len()).filter_map(|i| lines.get(i)).map(str::to_owned).collect()
        };
        let lines = FileLines::of(&text);
        let plain: Vec<String> = text.lines().map(plain::squeezed).collect();
        prop_assert_eq!(all(&lines), plain.clone());
        let tight: Vec<String> = text.lines().map(plain::tight).collect();
        prop_assert_eq!(all(&lines.tightened()), tight);
        for line in plain {
            prop_assert_eq!(&normalize_blanks(&line), &line, "once more changes nothing");
        }
    }

    #[test]
    fn text_flows_over_the_ends_of_lines_as_by_copies(text in text_of_all_kinds(), from in any::<prop::sample::Index>(), len in 1..12_usize) {
        let lines = FileLines::of(&text);
        let (mut flat, mut starts) = (String::new(), Vec::new());
        for line in (0..lines.len()).filter_map(|index| lines.get(index)) {
            starts.push(flat.len());
            if !line.is_empty() {
                flat.push_str(line);
                flat.push(' ');
            }
        }
        let from = from.index(flat.chars().count() + 1);
        let wanted: String = flat.chars().skip(from).take(len).collect();
        let wanted = if wanted.trim().is_empty() { "x" } else { &wanted };
        let line_of = |(at, _)| starts.partition_point(|&start| start <= at) - 1;
        let plain: Vec<usize> = flat.match_indices(wanted).map(line_of).collect();
        prop_assert_eq!(lines.flowing(wanted), plain);
    }
}
