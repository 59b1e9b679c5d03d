//! The corpus of changes whose defect lies outside of their hunks, each as a repository of its own.

use std::fmt::Write as _;

use council_protocol::Packet;

use crate::git::testing::Repo;
use crate::git::{self, ChangeRequest, ReviewedChange, TargetSpec, read_change};
use crate::packet::{ContextBounds, FileReaders, IgnoreGlobs, PacketMaterial, build_packet};

macro_rules! corpus {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../tests/fixtures/beyond-the-diff/", $name, ".txt")))),*]
    };
}

/// A change in a small repository, and the lines outside of it that tell its defect.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The message of the commit that brought the lines which the change removes.
    history: Option<String>,
    /// What such a message says.
    pub(crate) tells: Option<String>,
    pub(crate) files: Vec<CaseFile>,
}

pub(crate) struct CaseFile {
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
    pub(crate) fn telling(&self) -> Vec<(usize, &str)> {
        let after = self.lines.iter().filter(|(marker, _)| *marker != '<');
        let numbered = after.enumerate().filter(|(_, (marker, _))| *marker == '?');
        numbered
            .map(|(at, (_, text))| (at + 1, text.as_str()))
            .collect()
    }
}

pub(crate) fn all_cases() -> Vec<Case> {
    let texts = corpus![
        "python",
        "script",
        "go",
        "rust",
        "java",
        "c",
        "environment",
        "schema_keys",
        "object_keys",
        "routes",
        "messages",
        "inputs",
        "other_kinds",
        "accessors",
        "started",
        "overrides",
        "go_interfaces",
        "table_of_enum",
    ];
    texts
        .iter()
        .flat_map(|(name, text)| read_cases(name, text))
        .collect()
}

/// Files that have nothing to do with any case.
const NOISE: usize = 20;

pub(crate) fn write_commit(out: &mut String, message: &str, files: &[(String, String)]) {
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
pub(crate) fn build(case: &Case) -> Repo {
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
pub(crate) fn prepare(repo: &Repo, range: &str) -> (ReviewedChange, Packet) {
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
pub(crate) fn untold(case: &Case, brief: &str) -> Vec<String> {
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
