//! What stands in a line that any rule could need: one look tells most lines of code from those that are read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::bare_token;
use crate::encoded_key::NUMBERS;
use crate::key_block::FRAME_SIGNS;
use crate::matcher::PLACEHOLDER;
use crate::name_words::{letters_of_names, names_beside};
use crate::respelled::{PlainSpelling, escape_marks};
use crate::spelled_key::spelled_marks;
use crate::table::SecretTable;
use crate::word_finder::WordFinder;

/// A reason to read a line by some of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A keyword of the built-in table.
    Keyword,
    /// The letters of a secret's name.
    Name,
    /// A name beside which a drawn value is a secret.
    Beside,
    /// A sign that is written in another way.
    Escape,
    /// The first bytes of a key, spelled out.
    Spelled,
    /// The frame of a key, or of what looks like one.
    Frame,
    /// The heading of a secret number.
    Number,
    /// A word of a Secret of Kubernetes.
    Object,
    /// What holds its values.
    Data,
    /// The key of a field whose name stands elsewhere.
    Field,
}

/// The signs of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineSigns {
    found: u16,
    /// How many signs of base64 stand side by side, at most; 0: fewer than any rule looks at.
    longest_run: usize,
}

/// The shortest run of base64 that a rule looks at.
const MIN_RUN: usize = bare_token::MIN_RUN;

/// A longer line is read by every rule: most of its signs would be there anyway.
const MAX_LINE: usize = 64 << 10;

impl LineSigns {
    /// Every sign: all rules read the line.
    pub(crate) const ALL: Self = Self {
        found: u16::MAX,
        longest_run: usize::MAX,
    };

    /// No sign: no rule looks at the line.
    pub(crate) const NONE: Self = Self {
        found: 0,
        longest_run: 0,
    };

    /// Whether no rule of ours looks at a line, whatever stands around it.
    pub(crate) fn is_quiet(line: &str) -> bool {
        Self::of(line) == Self::NONE
            && PlainSpelling::in_latin(line).is_none()
            && !line.contains(PLACEHOLDER)
    }

    pub(crate) fn of(line: &str) -> Self {
        static WORDS: LazyLock<Option<SignWords>> = LazyLock::new(SignWords::new);
        let words = WORDS.as_ref().filter(|_| line.len() <= MAX_LINE);
        words.map_or(Self::ALL, |words| Self {
            found: words.signs_of(line),
            longest_run: longest_run(line.as_bytes()),
        })
    }

    pub(crate) fn has(&self, sign: Sign) -> bool {
        self.found & bit(sign) != 0
    }

    /// Whether a run of base64 may be so long.
    pub(crate) fn has_run(&self, length: usize) -> bool {
        self.longest_run >= length
    }
}

const fn bit(sign: Sign) -> u16 {
    1 << sign as u16
}

/// The words of all signs.
struct SignWords {
    finder: WordFinder,
    /// What each word is a sign of.
    signs: Vec<u16>,
}

impl SignWords {
    fn new() -> Option<Self> {
        let mut signs: BTreeMap<String, u16> = BTreeMap::new();
        let mut add = |sign: Sign, words: &mut dyn Iterator<Item = String>| {
            words
                .for_each(|word| *signs.entry(word.to_ascii_lowercase()).or_default() |= bit(sign));
        };
        let owned = |word: &&str| (*word).to_owned();
        add(
            Sign::Keyword,
            &mut SecretTable::built_in().keywords.words().map(str::to_owned),
        );
        add(Sign::Name, &mut letters_of_names().map(str::to_owned));
        add(Sign::Beside, &mut names_beside().into_iter());
        add(Sign::Escape, &mut escape_marks().map(str::to_owned));
        add(Sign::Spelled, &mut spelled_marks().map(str::to_owned));
        add(Sign::Frame, &mut FRAME_SIGNS.iter().map(owned));
        add(Sign::Number, &mut NUMBERS.iter().map(owned));
        add(
            Sign::Object,
            &mut ["Secret", "SecureString"].iter().map(owned),
        );
        add(Sign::Data, &mut ["data"].iter().map(owned));
        add(Sign::Field, &mut ["value", "default"].iter().map(owned));
        let (words, signs): (Vec<String>, _) = signs.into_iter().unzip();
        let finder = WordFinder::new(words).ok()?;
        Some(Self { finder, signs })
    }

    fn signs_of(&self, line: &str) -> u16 {
        let mut signs = 0;
        let mut head = None;
        for found in self.finder.for_text(line).find_overlapping_iter(line) {
            let more = self.signs[found.pattern().as_usize()] & !signs;
            signs |= more;
            // Most code that has one of these words has it somewhere else.
            if more & AT_HEAD != 0 {
                let head = *head.get_or_insert_with(|| head_of(line));
                let is_field = found.start() <= head;
                let is_data = is_field || line.contains('{');
                signs &= !(u16::from(!is_field) * bit(Sign::Field));
                signs &= !(u16::from(!is_data) * bit(Sign::Data));
            }
        }
        signs
    }
}

/// The words that count as the key of a line alone; data may stand between braces as well.
const AT_HEAD: u16 = bit(Sign::Field) | bit(Sign::Data);

/// How far into a line its first key may begin.
fn head_of(line: &str) -> usize {
    let is_head = |b: &u8| b.is_ascii_alphanumeric() || b" \t-{\"'_".contains(b);
    line.bytes().take_while(is_head).count()
}

/// The length of the longest run of signs of base64, of those that a rule looks at.
fn longest_run(line: &[u8]) -> usize {
    let is_run = |b: &u8| b.is_ascii_alphanumeric() || b"+/-_=".contains(b);
    let (mut start, mut longest) = (0, 0);
    while let Some(window) = line.get(start..start + MIN_RUN) {
        // A run that begins in the window does not outlive the last sign in it that belongs to none.
        start += match window.iter().rposition(|b| !is_run(b)) {
            Some(last) => last + 1,
            None => {
                let length = line[start..].iter().take_while(|b| is_run(b)).count();
                longest = longest.max(length);
                length
            }
        };
    }
    longest
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::known::KnownValues;
    use crate::line_redactor::LineRedactor;
    use crate::redactor::SecretSpan;
    use crate::samples::{SecretSample, sample_secrets};
    use crate::{Redactor, SecretTable};

    /// What is found in each line of a text, and the values that a later line gives away.
    fn found_in(path: Option<&str>, lines: &[&str], signs: fn(&str) -> LineSigns) -> String {
        let redactor = Redactor::default();
        let mut reader: LineRedactor<'_> = redactor.lines(path);
        let found = lines.iter().map(|line| {
            let spans = reader.signed_spans(line, &signs(line));
            format!("{spans:?} {:?}\n", reader.take_late())
        });
        found.collect()
    }

    fn assert_same(path: Option<&str>, lines: &[&str]) {
        let quick = found_in(path, lines, LineSigns::of);
        let slow = found_in(path, lines, |_| LineSigns::ALL);
        let differs = quick
            .lines()
            .zip(slow.lines())
            .zip(lines)
            .find(|(both, _)| both.0 != both.1);
        assert_eq!(differs, None, "{path:?}");
        for line in lines {
            let table = SecretTable::built_in();
            let quick = table.find_secrets(line);
            let plain = PlainSpelling::of(line);
            let slow = table.find_signed(line, &LineSigns::ALL, plain.as_ref());
            assert_eq!(quick, slow, "{line}");
        }
    }

    /// Each file of this crate is full of examples, and so are its patterns.
    #[test]
    fn the_look_hides_nothing_of_what_this_crate_is_tested_with() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![root];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                // Examples of several lines stand in one line of the file.
                let lines: Vec<&str> = text.lines().flat_map(|line| line.split("\\n")).collect();
                count += lines.len();
                assert_same(Some("a.yml"), &lines);
            }
        }
        assert!(count > 10_000, "{count}");
    }

    #[test]
    fn a_line_of_code_has_no_sign() {
        for line in [
            "    let mut item_17 = value_4 + 89;",
            "fn main() {",
            "",
            "x = data(1);",
        ] {
            let signs = LineSigns::of(line);
            assert_eq!((signs.found, signs.longest_run), (0, 0), "{line}");
        }
        let signs = LineSigns::of("- value: x");
        assert!(signs.has(Sign::Field) && !signs.has(Sign::Name));
    }

    /// A line of code, in which there is mostly nothing to be seen, or one of anything.
    fn line_of_file() -> impl Strategy<Value = String> {
        let code = prop::sample::select(vec![
            "fn run(a: &[u8]) {",
            "    let x = [",
            "    \"abc\", 7,",
            "args:",
            "  - x: 1",
            "call(",
            "}",
            "",
            "[part]",
            "<tag",
            "a = b +",
        ]);
        let any = prop::collection::vec(piece(), 0..4);
        prop_oneof![
            3 => code.prop_map(str::to_owned),
            1 => any.prop_map(|parts| parts.concat()),
        ]
    }

    /// Lines of a file, among them perhaps those of a table with a column of passwords, whose first lines say nothing of it.
    fn lines_of_file() -> impl Strategy<Value = Vec<String>> {
        let lines = || prop::collection::vec(line_of_file(), 0..8);
        let table = prop::sample::select(vec![
            "",
            "====  =========\nUser  Password\n====  =========\nbob   hunter2fox\n====  =========",
            "<table>\n<tr>\n<th>Password</th>\n</tr>\n<tr>\n<td>\nhunter2fox\n</td>",
            "{|\n! Password\n|-\n| hunter2fox\n|}",
            "|===\n| User | Password\n\n| bob | hunter2fox\n|===",
            "+------+-----------+\n| User | Password |\n+======+======+\n| bob | hunter2fox |",
            ".. list-table::\n\n   * - User\n     - Password\n   * - bob\n     - hunter2fox",
        ]);
        (lines(), table, lines()).prop_map(|(before, table, behind)| {
            let table = table.lines().map(str::to_owned);
            before.into_iter().chain(table).chain(behind).collect()
        })
    }

    static SAMPLES: LazyLock<Vec<SecretSample>> = LazyLock::new(sample_secrets);

    /// Pieces of whatever some rule looks at.
    fn piece() -> impl Strategy<Value = String> {
        let words = WORDS_OF_RULES.iter().map(|word| (*word).to_owned());
        let words = words.chain(letters_of_names().map(str::to_owned));
        let words = words
            .chain(names_beside())
            .chain(escape_marks().map(str::to_owned));
        let words = words.chain(spelled_marks().map(str::to_owned));
        let words: Vec<String> = words.collect();
        let sample = any::<prop::sample::Index>()
            .prop_map(|at| SAMPLES[at.index(SAMPLES.len())].line.clone());
        prop_oneof![
            4 => prop::sample::select(words),
            3 => "[ \t:=,;(){}<>\"'`|.#-]{1,3}",
            2 => "[A-Za-z0-9+/_=-]{4,30}",
            1 => "[A-Za-z0-9+/]{40,80}",
            1 => sample,
            1 => "[a-zа-я\u{200b}]{1,6}",
        ]
    }

    const WORDS_OF_RULES: [&str; 30] = [
        "kind: Secret",
        "\"SecureString\"",
        "stringData:",
        "data:",
        "\"data\": {",
        "value = ",
        "- value: ",
        "default: ",
        "name: DB_PASSWORD",
        "resource \"kubernetes_secret\"",
        "secretGenerator:",
        "literals:",
        "---",
        "}",
        "{",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "PuTTY-User-Key-File-2",
        "p=MI",
        "v=DKIM1;",
        "privateExponent:",
        "priv:",
        "    00:e1:02:",
        "password:",
        "| user | password |",
        "| bob | Zk9LmPq3Rt7xW2vB |",
        "<password>",
        "\"Zk9LmPq3Rt7xW2vB\"",
        "value: Zk9LmPq3Rt7xW",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a rule that is not asked would have found nothing, in any line below any others.
        #[test]
        fn the_look_hides_nothing_that_the_rules_find(
            text in prop::collection::vec(prop::collection::vec(piece(), 0..5), 1..8),
            path in prop::sample::select(vec![None, Some("a.rs"), Some("run.sh"), Some(".env"), Some("k8s.yml")]),
        ) {
            let lines: Vec<String> = text.iter().map(|parts| parts.concat()).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_same(path, &lines);
        }

        /// Law: what is known of files is the same where every rule reads every line of them.
        #[test]
        fn what_is_passed_over_holds_no_value(
            texts in prop::collection::vec(lines_of_file(), 1..4),
            path in prop::sample::select(vec![None, Some("a.rs"), Some("run.sh"), Some(".env"), Some("k8s.yml")]),
        ) {
            let texts: Vec<Vec<&str>> = texts.iter().map(|lines| lines.iter().map(String::as_str).collect()).collect();
            let redactor = Redactor::default();
            let quick = redactor.values_of(texts.iter().map(|lines| (path.map(Cow::Borrowed), lines.clone())));
            let mut slow = KnownValues::default();
            for lines in &texts {
                let mut reader = redactor.lines(path);
                for line in lines {
                    let (spans, _) = reader.spans(line);
                    spans.iter().for_each(|span| slow.insert(line, span));
                    if let Some(path) = path.filter(|_| reader.is_read_with_others()) {
                        slow.lines.insert(path, line, &spans);
                    }
                    for value in reader.take_late() {
                        slow.insert(&value, &SecretSpan::of_known("secret", 0..value.len()));
                    }
                }
            }
            prop_assert_eq!(quick.told(), slow.told());
        }

        #[test]
        fn the_longest_run_is_told_where_a_rule_looks_at_it(line in "[a-c=/ .é]{0,90}|[a-c+_-]{20,60}") {
            let runs = line.split(|c: char| !(c.is_ascii_alphanumeric() || "+/-_=".contains(c)));
            let longest = runs.map(str::len).max().unwrap_or(0);
            let told = if longest >= MIN_RUN { longest } else { 0 };
            prop_assert_eq!(longest_run(line.as_bytes()), told);
        }
    }
}
