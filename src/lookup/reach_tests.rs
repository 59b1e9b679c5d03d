//! How far the tools carry: a scripted judge that is shown nothing but the change (`limits.context = 0`), over the corpus of
//! changes whose defect lies outside of their hunks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use council_agents::tools::LineRange;

use super::*;
use crate::git::testing::Repo;
use crate::sight::GatheredContext;
use crate::sight::tests::corpus::{Case, all_cases, build, prepare, untold, write_commit};
use crate::sight::tests::render;

/// Words of languages, which lead nowhere.
const KEYWORDS: &[&str] = &[
    "self", "this", "return", "char", "void", "const", "size_t", "struct", "public", "static",
    "final", "function", "export", "async", "await", "func", "string", "None", "null", "else",
    "while", "String", "error", "data", "name",
];

/// A changed file, as a judge reads it in the brief.
struct ReadFile {
    path: String,
    /// Number (of a removed line that of the next one), marker, text.
    lines: Vec<(u32, char, String)>,
}

/// A judge without a model, which knows nothing but the text that it is shown. It asks as a method of three steps says: who
/// else speaks of what changes, what that place says, and why the lines were there.
struct ScriptedJudge {
    files: Vec<ReadFile>,
}

impl ScriptedJudge {
    fn reading(brief: &str) -> Self {
        let mut files: Vec<ReadFile> = Vec::new();
        let (_, change) = brief.split_once("## The change").unwrap();
        for line in change.lines() {
            if let Some(head) = line.strip_prefix("=== ") {
                // `modified src/a.rs: +1 -1`.
                let path = head.split(' ').nth(1).unwrap().trim_end_matches(':');
                let path = path.to_owned();
                files.push(ReadFile {
                    path,
                    lines: Vec::new(),
                });
            } else if let Some(file) = files.last_mut() {
                file.lines.extend(numbered(line));
            }
        }
        for file in &mut files {
            let mut next = file.lines.last().map_or(1, |(number, ..)| number + 1);
            for (number, marker, _) in file.lines.iter_mut().rev() {
                match marker {
                    '-' => *number = next,
                    _ => next = *number,
                }
            }
        }
        Self { files }
    }

    /// Call 1: every line that has a word of what changes.
    fn find_words(&self) -> ToolQuery {
        let words: Vec<String> = self.words().into_iter().map(regex::escape).collect();
        ToolQuery::Search {
            regex: format!(r"\b({})\b", words.join("|")),
            glob: None,
        }
    }

    /// Call 2: the other file that has most of the words, around them.
    fn open_nearest(&self, found: &str) -> Option<ToolQuery> {
        let mut hits: BTreeMap<&str, (BTreeSet<String>, u32, u32)> = BTreeMap::new();
        let mut path = "";
        for line in found.lines() {
            if let Some(head) = line.strip_prefix("=== ") {
                path = head;
            } else if let Some((number, _, text)) = numbered(line)
                && self.files.iter().all(|file| file.path != path)
            {
                let hit = hits
                    .entry(path)
                    .or_insert((BTreeSet::new(), number, number));
                hit.0.extend(self.words_among(&text).map(str::to_owned));
                hit.2 = number;
            }
        }
        let (path, (_, from, to)) = hits
            .into_iter()
            .max_by_key(|(_, (words, ..))| words.len())?;
        let lines = LineRange {
            from: Some(from.saturating_sub(5).max(1)),
            to: Some(to + 5),
        };
        Some(ToolQuery::ReadFile {
            path: path.to_owned(),
            lines,
        })
    }

    /// The words of a text that the change has, too.
    fn words_among<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let known = self.words();
        words_of(text).filter(move |word| known.contains(word))
    }

    fn words(&self) -> BTreeSet<&str> {
        let shown = self.files.iter().flat_map(|file| &file.lines);
        shown.flat_map(|(.., text)| words_of(text)).collect()
    }

    /// Call 3: who brought the lines that are removed.
    fn ask_why(&self) -> Option<ToolQuery> {
        let mut files = self.files.iter();
        let (path, line) = files.find_map(|file| {
            let mut removed = file.lines.iter().filter(|(_, marker, _)| *marker == '-');
            removed.next().map(|(number, ..)| (&file.path, *number))
        })?;
        Some(ToolQuery::History {
            path: path.clone(),
            lines: LineRange {
                from: Some(line),
                to: Some(line),
            },
        })
    }
}

/// A line behind its number, as briefs and tools show it; of a removed line the number is not known.
fn numbered(line: &str) -> Option<(u32, char, String)> {
    let rest = line.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().unwrap_or(0);
    let rest = rest[digits..].trim_start_matches(|c| digits > 0 && c == ' ');
    let marker = rest.chars().next().filter(|c| matches!(c, '+' | '-'));
    match (digits, marker) {
        (0, Some('-')) => Some((0, '-', rest[1..].to_owned())),
        (0, _) => None,
        (_, Some('+')) => Some((number, '+', rest[1..].to_owned())),
        _ => Some((number, ' ', rest.to_owned())),
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.len() >= 4 && !KEYWORDS.contains(word) && !word.starts_with("filling"))
}

/// What the judge has read after three calls.
fn ask_thrice(lookup: &CodeLookup, brief: &str) -> String {
    let judge = ScriptedJudge::reading(brief);
    let bounds = || QueryBounds {
        max_bytes: 24 << 10,
        until: Instant::now() + Duration::from_secs(20),
    };
    let ask = |query: ToolQuery| {
        let result = lookup.run_query(&query, &bounds()).text;
        result.unwrap_or_else(|problem| format!("[{problem}]\n"))
    };
    let found = ask(judge.find_words());
    let opened = judge.open_nearest(&found).map(&ask).unwrap_or_default();
    let told = judge.ask_why().map(&ask).unwrap_or_default();
    found + &opened + &told
}

fn unreached(case: &Case) -> Vec<String> {
    let repo = build(case);
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &GatheredContext::default());
    let history = change.earlier_history();
    let blobs = Arc::clone(&change.blobs);
    let lookup = CodeLookup::over_change(Arc::new(packet), blobs, Redactor::default(), history);
    let read = ask_thrice(&lookup.unwrap(), &brief);
    assert!(!read.contains("the author praises it"), "{}", case.name);
    untold(case, &read)
}

/// A judge that is told of one commit must not take it for the only one where most lines were not followed.
#[test]
fn history_says_how_many_lines_it_did_not_follow() {
    let lines = |many: usize, edited: &str| {
        let rest: String = (1..many).map(|n| format!("value_{n} = {n}\n")).collect();
        format!("{edited}\n{rest}")
    };
    for many in [399, 400, 401, 1_000] {
        let repo = Repo::new();
        let mut stream = String::new();
        for edited in ["first = 1", "first = 2"] {
            write_commit(
                &mut stream,
                "Edit",
                &[("big.py".to_owned(), lines(many, edited))],
            );
        }
        repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
        let (change, packet) = prepare(&repo, "main~1..main");
        let history = change.earlier_history();
        let blobs = Arc::clone(&change.blobs);
        let lookup = CodeLookup::over_change(Arc::new(packet), blobs, Redactor::default(), history);
        let ask = |from: Option<u32>, to: Option<u32>| {
            let query = ToolQuery::History {
                path: "big.py".to_owned(),
                lines: LineRange { from, to },
            };
            let bounds = QueryBounds {
                max_bytes: 24 << 10,
                until: Instant::now() + Duration::from_secs(20),
            };
            lookup
                .as_ref()
                .unwrap()
                .run_query(&query, &bounds)
                .text
                .unwrap()
        };
        let told = format!("only the first 400 of {many} lines were followed");
        assert_eq!(ask(None, None).contains(&told), many > 400, "{many}");
        assert!(
            !ask(Some(many as u32 - 9), None).contains("were followed"),
            "{many}"
        );
    }
}

/// Cases of which the telling line has no word of the change, or only words of the language: a convention leads there, which
/// the brief follows (`sight::tests`) and a search for the change's words does not.
const LED_BY_BRIEF: [&str; 5] = [
    "script/typed-table",
    "accessors/laravel-acc",
    "started/py-import-str",
    "go interfaces/go-iface",
    "table of enum/go-iota",
];

#[test]
fn three_calls_reach_what_lies_outside_of_the_change() {
    let cases = all_cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    let is_led_to = |case: &&Case| !LED_BY_BRIEF.contains(&case.name.as_str());
    let missing: Vec<String> = cases.iter().filter(is_led_to).flat_map(unreached).collect();
    assert_eq!(missing, Vec::<String>::new());
    let led: Vec<&Case> = cases.iter().filter(|case| !is_led_to(case)).collect();
    assert_eq!(led.len(), LED_BY_BRIEF.len());
    assert!(led.into_iter().all(|case| !unreached(case).is_empty()));
}
