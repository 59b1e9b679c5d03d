//! Options of a command line: whoever starts a program names them (`--out-dir`), in whatever file that stands.

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::search::FileOutline;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{is_compound, is_name};
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::spelling;

/// What gives the options that a side has on its edited lines.
pub(super) fn options_before(side: &ReadSide<'_>) -> Vec<WantedName> {
    let reader = |name: String| {
        let reader = Reader::Option(side.path.clone());
        read_name(&name, NameReason::Removed, reader)
    };
    options_of(side).into_iter().map(reader).collect()
}

/// The options on the edited lines of a side, without their hyphens.
pub(super) fn options_of(side: &ReadSide<'_>) -> Vec<String> {
    let options = |line: &u32| {
        let code = side.outline.without_comment(*line);
        let mut found = spelled_options(code);
        let is_set = code.contains("flag.") || code.contains("Flags()") || code.contains("lagSet");
        if is_set || code.contains(".option(") || code.contains("long =") {
            found.extend(first_literal(code));
        }
        found.extend(field_option(&side.outline, *line));
        if side.outline.language() == Language::Python {
            // Whoever calls the program in Python gives it as a keyword.
            let several = found.iter().filter(|name| name.contains('-'));
            let keywords: Vec<String> = several.map(|name| name.replace('-', "_")).collect();
            found.extend(keywords);
        }
        found
    };
    let all = side
        .lines
        .iter()
        .filter(|_| side.outline.language().is_code());
    all.flat_map(options).collect()
}

/// `--out-dir` where it stands in quotes, or as a pattern of a shell.
fn spelled_options(code: &str) -> Vec<String> {
    let places = code.match_indices("--").map(|(at, _)| at);
    let options = places.filter_map(|at| {
        let (before, behind) = (&code[..at], &code[at + 2..]);
        let end = behind
            .find(|c| !is_name(c) && c != '-')
            .unwrap_or(behind.len());
        let (name, rest) = behind.split_at(end);
        let is_quoted = before.contains(['"', '\'', '`']) || rest.starts_with(')');
        let is_begun = !before.ends_with(|c: char| is_name(c) || c == '-' || c == ')');
        is_option(name).filter(|_| is_quoted && is_begun)
    });
    options.collect()
}

/// The first string of a line, where an option may be called so.
fn first_literal(code: &str) -> Option<String> {
    let literal = code.split(['"', '\'']).nth(1)?;
    is_option(literal.trim_start_matches('-'))
}

fn is_option(name: &str) -> Option<String> {
    const LEAST: usize = 3;
    let is_begun = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    (name.len() >= LEAST && is_begun && is_plain && !name.ends_with('-')).then(|| name.to_owned())
}

/// The option of a field of Rust below `#[arg(long)]`.
fn field_option(outline: &FileOutline<'_>, line: u32) -> Option<String> {
    if outline.language() != Language::Rust || outline.function_span(line).is_some() {
        return None;
    }
    let field = super::super::fields::declared_field(Language::Rust, outline.line(line))?;
    let mut above = (1..line).rev().map(|at| outline.line(at).trim());
    let above = above
        .by_ref()
        .take_while(|code| code.starts_with("#[") || code.starts_with("//"));
    let is_long = |code: &str| {
        let given = ["arg(", "clap(", "structopt("]
            .iter()
            .find_map(|call| code.split_once(call));
        given.is_some_and(|(_, given)| {
            let mut parts = given.split([',', ')']).map(str::trim);
            parts.any(|part| part == "long")
        })
    };
    above
        .into_iter()
        .any(is_long)
        .then(|| spelling::kebab(field))
}

impl ReadingPlace<'_, '_> {
    /// Whether a line outside of the program that has it gives an option: `--out-dir dist`, `"-out-dir=dist"`, and beside the
    /// program's name also `out_dir="dist"`.
    pub(super) fn is_option(&self, home: &RepoPath) -> bool {
        let names_program = self.names_program(home);
        let is_told = is_compound(&self.name.replace('-', "_")) || names_program;
        self.file.path != *home
            && self.around().iter().any(|(before, behind)| {
                (is_told && is_dashed(before, behind))
                    || (names_program && is_keyword(before, behind))
            })
    }

    /// Whether the line names the file of a program, or the folder that it is called after.
    fn names_program(&self, home: &RepoPath) -> bool {
        let shown = home.display();
        let mut parts = shown.rsplit('/').take(2);
        let mut words = self.code().split(|c: char| !is_name(c) && c != '-');
        let stems: Vec<&str> = parts
            .by_ref()
            .map(|part| part.split('.').next().unwrap_or(part))
            .collect();
        words.any(|word| word.len() > 2 && stems.contains(&word))
    }
}

/// Whether a name stands behind the hyphens of an option.
fn is_dashed(before: &str, behind: &str) -> bool {
    let begun = before
        .strip_suffix('-')
        .map(|rest| rest.trim_end_matches('-'));
    let is_begun = begun.is_some_and(|begun| {
        begun.is_empty() || begun.ends_with([' ', '\t', '"', '\'', '`', '=', '(', '['])
    });
    is_begun && !behind.starts_with('-')
}

/// Whether a name is the keyword of an argument.
fn is_keyword(before: &str, behind: &str) -> bool {
    let is_set = behind.starts_with('=') && !behind.starts_with("==");
    is_set && before.trim_end().ends_with(['(', ','])
}
