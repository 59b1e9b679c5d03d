//! What a brief holds of changes whose defect lies outside of their hunks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use council_protocol::Packet;

use super::*;
use crate::council::plan::RunSeed;
use crate::git::tests::repo::Repo;
use crate::git::{self, ChangeRequest, TargetSpec, read_change};
use crate::packet::{ContextBounds, FileReaders, IgnoreGlobs, PacketMaterial, build_packet};
use crate::prompt::{BriefClass, ChangeContext, ContextKind, PromptBuilder};

macro_rules! corpus {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../tests/fixtures/beyond-the-diff/", $name, ".txt")))),*]
    };
}

/// A change in a small repository, and the lines outside of it that tell its defect.
struct Case {
    name: String,
    /// The message of the commit that brought the lines which the change removes.
    history: Option<String>,
    /// What such a message says.
    tells: Option<String>,
    files: Vec<CaseFile>,
}

struct CaseFile {
    path: String,
    /// Marker and text: `<` before the change, `>` after it, `?` telling, a space for both sides.
    lines: Vec<(char, String)>,
}

/// Reads the compact form: `=== case`, `--- file`, `<<` before, `>>` after, `??` telling, `~~ N` lines of filling.
fn read_cases(ending: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case {
                name: name.to_owned(),
                history: None,
                tells: None,
                files: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().unwrap();
        if let Some(path) = line.strip_prefix("--- ") {
            let path = path.to_owned();
            case.files.push(CaseFile {
                path,
                lines: Vec::new(),
            });
        } else if let Some(file) = case.files.last_mut() {
            file.push(ending, line);
        } else if let Some(message) = line.strip_prefix("history: ") {
            case.history = Some(message.to_owned());
        } else if let Some(words) = line.strip_prefix("tells: ") {
            case.tells = Some(words.to_owned());
        } else {
            panic!("{}: {line:?} is no header", case.name);
        }
    }
    cases
}

impl CaseFile {
    fn push(&mut self, ending: &str, line: &str) {
        let mark = if ending == "python" { "#" } else { "//" };
        if let Some(count) = line.strip_prefix("~~ ") {
            let count: usize = count.parse().unwrap();
            let filling = (0..count).map(|n| (' ', format!("{mark} filling {n}")));
            self.lines.extend(filling);
            self.lines.push((' ', String::new()));
            return;
        }
        let (marker, text) = match line.get(..2) {
            Some("<<") => ('<', &line[2..]),
            Some(">>") => ('>', &line[2..]),
            Some("??") => ('?', &line[2..]),
            _ => (' ', line),
        };
        self.lines.push((marker, text.to_owned()));
    }

    /// The text on the sides that `kept` says.
    fn text(&self, kept: &[char]) -> String {
        let lines = self
            .lines
            .iter()
            .filter(|(marker, _)| kept.contains(marker));
        lines.map(|(_, text)| format!("{text}\n")).collect()
    }

    /// The telling lines with their numbers after the change.
    fn telling(&self) -> Vec<(usize, &str)> {
        let after = self.lines.iter().filter(|(marker, _)| *marker != '<');
        let numbered = after.enumerate().filter(|(_, (marker, _))| *marker == '?');
        numbered
            .map(|(at, (_, text))| (at + 1, text.as_str()))
            .collect()
    }
}

fn all_cases() -> Vec<Case> {
    let texts = corpus!["python", "script", "go", "rust", "java", "c"];
    texts
        .iter()
        .flat_map(|(name, text)| read_cases(name, text))
        .collect()
}

/// Of 42 cases so many may be left for a judge to find with its tools.
const MAX_UNTOLD: usize = 2;

/// Files that have nothing to do with any case.
const NOISE: usize = 20;

fn write_commit(out: &mut String, message: &str, files: &[(String, String)]) {
    let _ = write!(
        out,
        "commit refs/heads/main\ncommitter C <c@example.com> 1700000000 +0000\ndata {}\n{message}\n",
        message.len()
    );
    for (path, text) in files {
        let _ = write!(out, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    }
}

/// The repository of a case: the last commit of `main` is the change.
fn build(case: &Case) -> Repo {
    let side = |kept: &[char]| -> Vec<(String, String)> {
        let files = case.files.iter();
        files
            .map(|file| (file.path.clone(), file.text(kept)))
            .collect()
    };
    let mut stream = String::new();
    let mut first = match case.history {
        Some(_) => side(&[' ', '?']),
        None => side(&[' ', '?', '<']),
    };
    first.extend((0..NOISE).map(|n| {
        let text = format!("def noise_{n}(value):\n    return value + {n}\n");
        (format!("noise/part{}/n{n}.py", n % 4), text)
    }));
    write_commit(&mut stream, "Begin", &first);
    if let Some(message) = &case.history {
        write_commit(&mut stream, message, &side(&[' ', '?', '<']));
    }
    write_commit(
        &mut stream,
        "the author praises it",
        &side(&[' ', '?', '>']),
    );
    let repo = Repo::new();
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    repo
}

/// A change with its packet.
fn prepare(repo: &Repo, range: &str) -> (ReviewedChange, Packet) {
    let mut change = read_change(&ChangeRequest {
        dir: repo.path().to_path_buf(),
        spec: TargetSpec::parse(range),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    })
    .unwrap();
    let material = PacketMaterial {
        target: change.target.clone(),
        files: std::mem::take(&mut change.files),
        framing: std::mem::take(&mut change.framing),
        instructions: Vec::new(),
        ignore: IgnoreGlobs::new(&[]).unwrap(),
        opaque_lowers: false,
    };
    let readers = FileReaders {
        fill: &|file| change.fill_hunks(file).map_err(|error| error.to_string()),
        check: &|_| Ok(true),
        blobs: &*change.blobs,
        each: git::map_parallel,
    };
    let packet = build_packet(material, &readers, &ContextBounds::default());
    (change, packet)
}

fn look(change: &ReviewedChange, packet: &Packet) -> GatheredContext {
    let sight = Sight::around(change).unwrap();
    let limits = SearchLimits::within(Duration::from_secs(60));
    gather_context(&sight, packet, &limits)
}

fn render(packet: &Packet, gathered: &GatheredContext) -> String {
    let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
    let around = ChangeContext {
        blocks: &gathered.blocks,
        gaps: &gathered.gaps,
    };
    let brief = prompter.render_filled_brief(packet, around, &BriefClass::default());
    brief.unwrap().text.to_string()
}

/// Whether a brief shows a line with its path and its number.
fn shows(brief: &str, path: &str, number: usize, text: &str) -> bool {
    let mut is_here = false;
    for line in brief.lines() {
        if line.starts_with("=== ") {
            is_here = line.contains(path);
        } else if is_here
            && let Some((first, rest)) = line.trim_start().split_once(' ')
            && first == number.to_string()
            && rest.trim() == text.trim()
        {
            return true;
        }
    }
    false
}

/// The telling lines of a case that a brief does not show: what is left to be found with tools.
fn untold(case: &Case, brief: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for file in &case.files {
        for (number, text) in file.telling() {
            if !shows(brief, &file.path, number, text) {
                missing.push(format!("{}: {}:{number}: {text}", case.name, file.path));
            }
        }
    }
    let words = case
        .tells
        .iter()
        .filter(|words| !brief.contains(words.as_str()));
    missing.extend(words.map(|words| format!("{}: {words}", case.name)));
    missing
}

#[test]
fn a_brief_tells_what_lies_outside_of_the_change() {
    let cases = all_cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    let (mut missing, mut told_by_change) = (Vec::new(), Vec::new());
    for case in &cases {
        let telling = case
            .files
            .iter()
            .map(|file| file.telling().len())
            .sum::<usize>();
        assert!(
            telling + usize::from(case.tells.is_some()) > 0,
            "{}",
            case.name
        );
        let repo = build(case);
        let (change, packet) = prepare(&repo, "main~1..main");
        let gathered = look(&change, &packet);
        if untold(case, &render(&packet, &GatheredContext::default())).is_empty() {
            told_by_change.push(case.name.clone());
        }
        let brief = render(&packet, &gathered);
        assert!(!brief.contains("the author praises it"), "{}", case.name);
        missing.extend(untold(case, &brief));
    }
    assert_eq!(
        told_by_change,
        Vec::<String>::new(),
        "no defect outside of the hunks"
    );
    assert!(missing.len() <= MAX_UNTOLD, "{missing:#?}");
}

/// One case for tests of single properties.
fn case(name: &str) -> (Repo, ReviewedChange, Packet) {
    let cases = all_cases();
    let repo = build(cases.iter().find(|case| case.name == name).unwrap());
    let (change, packet) = prepare(&repo, "main~1..main");
    (repo, change, packet)
}

#[test]
fn the_same_change_gives_the_same_brief() {
    let (_repo, change, packet) = case("go/caller");
    let brief = || render(&packet, &look(&change, &packet));
    assert_eq!(brief(), brief());
}

#[test]
fn bounds_end_a_search_and_are_told() {
    let (_repo, change, packet) = case("python/caller");
    let sight = Sight::around(&change).unwrap();
    let limits = SearchLimits {
        files: 2,
        ..SearchLimits::within(Duration::from_secs(60))
    };
    let gathered = gather_context(&sight, &packet, &limits);
    assert_eq!(gathered.gaps.len(), 1, "{:?}", gathered.gaps);
    let over = SearchLimits::within(Duration::ZERO);
    let gathered = gather_context(&sight, &packet, &over);
    let named = |kind| gathered.blocks.iter().any(|block| block.kind == kind);
    assert!(!named(ContextKind::Use) && !gathered.gaps.is_empty());
}

#[test]
fn files_that_usually_change_along_are_named() {
    let repo = Repo::new();
    let mut stream = String::new();
    for round in 0..4 {
        let text = |name: &str| format!("{name} {round}\n");
        let files = [("schema.sql", text("s")), ("model.py", text("m"))];
        let files = files.map(|(path, text)| (path.to_owned(), text));
        write_commit(&mut stream, &format!("round {round}"), &files);
    }
    let other = [("other.py".to_owned(), "o\n".to_owned())];
    write_commit(&mut stream, "other", &other);
    let change = [("schema.sql".to_owned(), "changed\n".to_owned())];
    write_commit(&mut stream, "the change", &change);
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let gathered = look(&change, &packet);
    let companions = gathered
        .blocks
        .iter()
        .filter(|block| block.kind == ContextKind::Companion);
    let told: Vec<_> = companions
        .map(|block| (block.path.display(), block.note.as_str()))
        .collect();
    let note =
        "changed in 3 of the 3 earlier commits that changed schema.sql, and not in this change";
    assert_eq!(told, [("model.py".into(), note)]);
}

#[test]
fn secrets_around_a_change_are_taken_out() {
    let repo = Repo::new();
    let mut stream = String::new();
    let side = |limit: u8| {
        let client = "import os\n\ndef connect(limit):\n    password = \"hunter2!\"\n    return open_client(password, limit)\n";
        let filling = "# filling\n".repeat(170);
        vec![
            ("client.py".to_owned(), client.to_owned()),
            (
                "main.py".to_owned(),
                format!("from client import connect\n{filling}\n\nconnect({limit})\n"),
            ),
        ]
    };
    write_commit(&mut stream, "one", &side(1));
    write_commit(&mut stream, "two", &side(2));
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(brief.contains("def connect(limit):"), "{brief}");
    assert!(
        brief.contains("[redacted: secret]") && !brief.contains("hunter2!"),
        "{brief}"
    );
}
