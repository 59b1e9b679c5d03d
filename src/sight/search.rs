//! Names searched in files: many names in one pass over each.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use council_protocol::RepoPath;
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionSpan};

use super::declared::{bare_name, enum_members};
use super::definitions::{DefinedName, DefinitionKind, definitions_in};
use super::hints;
use super::import_names::imported_names;
use super::import_names::name::ImportedName;
use super::imported::packages::is_module_file;
use super::lexed::LexedLines;
use super::limits::SearchLimits;
use super::locals::DeclaredNames;
use super::nearest::NearestFiles;
use super::words::{self, CodeWord, WordUse};
use super::{call_forms, schema, spelled};
use crate::git::{ReviewedTree, map_parallel};

/// A larger file is data, or made by a program.
pub(super) const MAX_FILE: usize = 512 << 10;

/// How often a name is noted in one file.
const MAX_HITS: usize = 12;

/// A longer name is none that a person wrote, in bytes. The automaton of a word such as `AAAA…` takes time in the square of
/// its length to build: 40,000 letters took 20 s, before any bound of time is looked at.
const MAX_NAME: usize = 200;

/// So many files are read between two looks at the clock.
const BATCH: usize = 64;

/// A name in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameHit {
    /// Index of the name.
    pub(super) name: usize,
    /// The line, from 1.
    pub(super) line: u32,
}

/// A file that has one of the names.
#[derive(Debug, Clone)]
pub(super) struct FileHits {
    pub(super) path: RepoPath,
    pub(super) text: Arc<str>,
    pub(super) hits: Vec<NameHit>,
}

/// What a search found, the nearest file first.
#[derive(Debug, Default)]
pub(super) struct NameHits {
    pub(super) files: Vec<FileHits>,
    /// Files without hits that tell of others: manifests, and what hands on the names of a folder.
    pub(super) kept: Vec<FileHits>,
    /// The files that it came by.
    pub(super) seen: Vec<RepoPath>,
    /// How many files were read.
    pub(super) read: usize,
    pub(super) is_cut: bool,
    /// Files that are too large to read.
    pub(super) too_large: usize,
    /// Files whose objects are not here, as in a partial clone, or are damaged.
    pub(super) missing: usize,
    /// Whether it was time that ended it.
    pub(super) is_late: bool,
}

/// Names that are searched for together.
pub(super) struct NameSearch<'k> {
    automaton: Option<AhoCorasick>,
    /// Which name each pattern of the automaton is.
    searched: Vec<usize>,
    /// Of each name, whether only calls of it count.
    calls_alone: Vec<bool>,
    /// Files that are kept for their path, whatever stands in them.
    keeps: &'k (dyn Fn(&RepoPath) -> bool + Sync),
    /// Files that are kept beside the others.
    tells: &'k (dyn Fn(&RepoPath) -> bool + Sync),
    /// Files that are read as well.
    also: fn(&[u8]) -> bool,
}

impl<'k> NameSearch<'k> {
    pub(super) fn new(names: &[String]) -> Self {
        let short = names.iter().enumerate();
        let short = short.filter(|(_, name)| (1..=MAX_NAME).contains(&name.len()));
        let (searched, patterns): (Vec<usize>, Vec<&String>) = short.unzip();
        Self {
            automaton: automaton_of(&patterns).filter(|_| !patterns.is_empty()),
            searched,
            calls_alone: vec![false; names.len()],
            keeps: &|_| false,
            tells: &|_| false,
            also: |_| false,
        }
    }

    /// Short names are in every file, often as variables: of these only calls count.
    pub(super) fn calls_alone(self, calls_alone: Vec<bool>) -> Self {
        Self {
            calls_alone,
            ..self
        }
    }

    /// Some files tell by their path.
    pub(super) fn keeping(self, keeps: &'k (dyn Fn(&RepoPath) -> bool + Sync)) -> Self {
        Self { keeps, ..self }
    }

    /// Some files tell of others.
    pub(super) fn telling(self, tells: &'k (dyn Fn(&RepoPath) -> bool + Sync)) -> Self {
        Self { tells, ..self }
    }

    /// Some names stand in other files than code and settings.
    pub(super) fn also_in(self, also: fn(&[u8]) -> bool) -> Self {
        Self { also, ..self }
    }

    fn reads(&self, path: &[u8]) -> bool {
        is_searched(path) || (self.also)(path) || is_module_file(path)
    }

    /// Reads files until they or a bound end.
    pub(super) fn run(
        &self,
        mut files: NearestFiles<'_>,
        tree: &ReviewedTree,
        limits: &SearchLimits,
    ) -> NameHits {
        let mut found = NameHits::default();
        let mut bytes = 0;
        if self.automaton.is_none() {
            return found;
        }
        loop {
            let room = BATCH.min(limits.files.saturating_sub(found.read));
            if room == 0 || bytes > limits.bytes || limits.is_over() {
                found.is_cut = files.any(|file| self.reads(&file.path));
                found.is_late = found.is_cut && limits.is_over();
                return found;
            }
            let mut batch: Vec<_> = files
                .by_ref()
                .filter(|file| self.reads(&file.path))
                .take(room)
                .collect();
            if batch.is_empty() {
                return found;
            }
            found.read += batch.len();
            let looked = map_parallel(&mut batch, &|file| {
                let bytes = tree.read_text(file)?;
                Ok::<_, crate::git::GitError>(bytes.map(|bytes| {
                    let is_plain = is_searched(&file.path) || (self.also)(&file.path);
                    let hits = match is_plain {
                        true => self.search_bytes(&bytes),
                        false => Vec::new(),
                    };
                    (bytes.len(), hits, bytes)
                }))
            });
            for (file, looked) in batch.into_iter().zip(looked) {
                found.missing += usize::from(looked.is_err());
                let Ok(Some((size, hits, text))) = looked else {
                    continue;
                };
                bytes += size;
                found.too_large += usize::from(size > MAX_FILE);
                let path = RepoPath::new(file.path);
                found.seen.push(path.clone());
                let is_hit = !hits.is_empty() || (size <= MAX_FILE && (self.keeps)(&path));
                if is_hit || (size <= MAX_FILE && (self.tells)(&path)) {
                    let kept = match is_hit {
                        true => &mut found.files,
                        false => &mut found.kept,
                    };
                    kept.push(FileHits {
                        path,
                        text: String::from_utf8_lossy(&text).into(),
                        hits,
                    });
                }
            }
        }
    }

    pub(super) fn search_bytes(&self, bytes: &[u8]) -> Vec<NameHit> {
        let Some(automaton) = self.automaton.as_ref().filter(|_| bytes.len() <= MAX_FILE) else {
            return Vec::new();
        };
        let mut counts = vec![0_usize; self.calls_alone.len()];
        let (mut line, mut counted) = (1_u32, 0);
        let mut hits: Vec<NameHit> = Vec::new();
        for found in automaton.find_overlapping_iter(bytes) {
            let name = self.searched[found.pattern().as_usize()];
            let is_call = || {
                let next = bytes.get(found.end());
                next.is_some_and(|b| matches!(b, b'(' | b'<' | b':'))
            };
            if counts[name] >= MAX_HITS
                || !is_whole_name(bytes, found.start(), found.end())
                || (self.calls_alone[name] && !is_call())
            {
                continue;
            }
            let between = bytes.get(counted..found.start()).unwrap_or_default();
            line += u32::try_from(memchr::memchr_iter(b'\n', between).count()).unwrap_or(0);
            counted = counted.max(found.start());
            let hit = NameHit { name, line };
            if hits.last() != Some(&hit) {
                counts[name] += 1;
                hits.push(hit);
            }
        }
        hits
    }
}

/// What finds these names, where one may be a part of another.
fn automaton_of(patterns: &[&String]) -> Option<AhoCorasick> {
    /// A table of all steps takes a kilobyte or less for each byte of a name.
    const MAX_TABLE: usize = 16 << 10;
    /// A prefilter looks for the rarest bytes of the names: of more names than these, one stands in nearly every word,
    /// and stopping there took half of the instructions of a search.
    const FEW: usize = 8;
    let bytes: usize = patterns.iter().map(|pattern| pattern.len()).sum();
    let kind = (bytes <= MAX_TABLE).then_some(AhoCorasickKind::DFA);
    AhoCorasick::builder()
        .kind(kind)
        .prefilter(patterns.len() <= FEW)
        .build(patterns)
        .ok()
}

pub(super) fn is_whole_word(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let before = start.checked_sub(1).map(|at| bytes[at]);
    !before.is_some_and(is_name) && !bytes.get(end).copied().is_some_and(is_name)
}

/// The same of a name that may begin or end with another sign: `/orders` stands at the end of `/api/orders`.
pub(super) fn is_whole_name(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_sign = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_punctuation() && *b != b'_')
    };
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    let begins = is_sign(start) || !start.checked_sub(1).is_some_and(|at| is_plain(&bytes[at]));
    let ends = end.checked_sub(1).is_some_and(is_sign) || !bytes.get(end).is_some_and(is_plain);
    begins && ends
}

/// Whether a file can tell about names: code and settings, not what a program packed.
pub(super) fn is_searched(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let language = Language::from_path(&path);
    let settings = words::is_settings(language) || schema::is_schema(&path);
    let packed = path.contains(".min.") || path.ends_with(".lock") || path.ends_with("-lock.json");
    let is_code = language.is_code() || language == Language::Shell;
    let starts = path.ends_with("Procfile") || path.ends_with("crontab");
    (is_code || settings || starts || words::is_template(&path)) && !packed
}

/// What is known of a file with hits.
pub(super) struct FileOutline<'t> {
    language: Language,
    pub(super) functions: Vec<FunctionSpan>,
    pub(super) definitions: Vec<DefinedName>,
    pub(super) lexed: LexedLines<'t>,
    words: Vec<Vec<CodeWord<'t>>>,
    /// Import lines with where it may lie what they import.
    importing: OnceLock<Vec<(u32, Vec<String>)>>,
    /// The names that it imports.
    imported: OnceLock<Vec<ImportedName>>,
    /// Lines of statements that import.
    imports: BTreeSet<u32>,
    /// The lines without comments.
    uncommented: OnceLock<Vec<String>>,
    /// The variables and parameters of its functions.
    pub(super) locals: OnceLock<DeclaredNames<'t>>,
    /// The keys of settings by their whole paths, each with its line.
    pub(super) setting_paths: OnceLock<Vec<(u32, Vec<String>)>>,
    /// Whether a script has its names for itself.
    pub(super) is_module: OnceLock<bool>,
    /// The words of a script's lists of exports.
    pub(super) exported: OnceLock<HashSet<String>>,
}

impl<'t> FileOutline<'t> {
    pub(super) fn of(path: &RepoPath, text: &'t str) -> Self {
        let language = Language::from_path(&path.display());
        let mut functions = outline::functions(language, text);
        for function in &mut functions {
            function.name = bare_name(language, &function.name);
        }
        let lexed = LexedLines::of(language, text);
        Self {
            imports: hints::importing_lines(language, &lexed.lines),
            language,
            definitions: definitions_in(language, &lexed, &functions),
            functions,
            words: words::words_by_line(&path.display(), language, &lexed),
            lexed,
            importing: OnceLock::new(),
            imported: OnceLock::new(),
            uncommented: OnceLock::new(),
            locals: OnceLock::new(),
            setting_paths: OnceLock::new(),
            is_module: OnceLock::new(),
            exported: OnceLock::new(),
        }
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// The class whose head is on a line, which may be the second or third of it.
    pub(super) fn class_at(&self, line: u32) -> Option<&DefinedName> {
        const MAX_HEAD: u32 = 3;
        let is_head = |one: &&DefinedName| {
            let begins = one.kind == DefinitionKind::Type && one.head <= line;
            begins
                && line - one.head < MAX_HEAD
                && (one.head..line).all(|at| !self.line(at).contains(['{', '}', ';']))
        };
        let classes = self.definitions.iter().filter(is_head);
        classes.max_by_key(|one| one.head)
    }

    /// Where a class ends whose head goes on to a line. Of a head on several lines it is known only that the next class ends
    /// it.
    pub(super) fn end_of_class(&self, class: &DefinedName, line: u32) -> u32 {
        if class.end > line || self.line(line).contains('}') {
            return class.end;
        }
        let types = self
            .definitions
            .iter()
            .filter(|one| one.kind == DefinitionKind::Type);
        let next = types.map(|one| one.head).filter(|head| *head > line).min();
        next.map_or(self.last_line(), |next| next - 1)
    }

    /// A line, from 1.
    pub(super) fn line(&self, line: u32) -> &'t str {
        let index = (line as usize).wrapping_sub(1);
        self.lexed.lines.get(index).copied().unwrap_or_default()
    }

    /// Whether a name on a line is only imported there.
    pub(super) fn is_import(&self, line: u32) -> bool {
        self.imports.contains(&line)
    }

    /// A line, or of an import over several lines all of them as one: `from lib import (`, `money,`, `)`.
    pub(super) fn import_statement(&self, line: u32) -> Cow<'t, str> {
        const MAX_STATEMENT: u32 = 100;
        let is_inner = |at: u32| {
            let code = self.line(at);
            self.is_import(at) && (code.starts_with([' ', '\t', ')', '}']) || code.is_empty())
        };
        if self.language != Language::Python || !is_inner(line) {
            return Cow::Borrowed(self.line(line));
        }
        let least = line.saturating_sub(MAX_STATEMENT).max(1);
        let Some(first) = (least..line).rev().find(|&at| !is_inner(at)) else {
            return Cow::Borrowed(self.line(line));
        };
        let last = (line..line.saturating_add(MAX_STATEMENT)).take_while(|&at| is_inner(at));
        let lines = (first..=last.last().unwrap_or(line)).map(|at| self.line(at));
        let plain = lines.map(|code| code.split('#').next().unwrap_or_default().trim());
        Cow::Owned(plain.collect::<Vec<_>>().join(" "))
    }

    /// The lines that import something, with where it may lie; `path` is the file's own.
    pub(super) fn import_lines(&self, path: &RepoPath) -> &[(u32, Vec<String>)] {
        self.importing
            .get_or_init(|| hints::import_lines(&path.display(), &self.lexed.lines))
    }

    /// The names that the file imports.
    pub(super) fn imported_names(&self) -> &[ImportedName] {
        self.imported
            .get_or_init(|| imported_names(self.language, &self.lexed.lines))
    }

    /// The words of a line, from 1.
    pub(super) fn words_at(&self, line: u32) -> &[CodeWord<'t>] {
        let index = (line as usize).wrapping_sub(1);
        self.words.get(index).map_or(&[], Vec::as_slice)
    }

    /// Its last line.
    pub(super) fn last_line(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    /// Whether a name stands on a line as code or as a key, not in a comment.
    pub(super) fn is_code(&self, line: u32, name: &str) -> bool {
        let mut words = self.words_at(line).iter();
        words.any(|word| words::is_name_of(word, name))
    }

    /// Whether a word stands on a line outside of comments, in whatever string.
    pub(super) fn spells(&self, line: u32, word: &str) -> bool {
        spelled::has_word(self.without_comment(line), word)
    }

    /// A line with its comments blanked out.
    pub(super) fn without_comment(&self, line: u32) -> &str {
        let lines = self
            .uncommented
            .get_or_init(|| self.lexed.without_comments());
        let code = lines.get((line as usize).wrapping_sub(1));
        code.map_or("", String::as_str)
    }

    /// How a word of a line is used, by what its function declares.
    pub(super) fn use_of(&self, line: u32, word: &CodeWord<'t>) -> WordUse {
        if word.how != WordUse::Plain || !self.language.is_code() {
            return word.how;
        }
        let code = self.line(line);
        // A word is a piece of its line.
        let at = (word.text.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
        if self.is_local(line, word.text) {
            WordUse::Local
        } else if call_forms::is_handed_on(code, at, at + word.text.len()) {
            WordUse::Handed
        } else {
            WordUse::Plain
        }
    }

    /// The members of its enums, each with its line.
    pub(super) fn enum_members(&self) -> Vec<(String, usize)> {
        enum_members(self.language, &self.lexed.masked())
    }

    /// The functions and the types of the file, by their heads.
    pub(super) fn heads(&self) -> impl Iterator<Item = u32> {
        let is_type = |one: &&DefinedName| one.kind != DefinitionKind::Value;
        self.definitions.iter().filter(is_type).map(|one| one.head)
    }

    /// The functions whose heads are lines of a definition.
    pub(super) fn functions_of(
        &self,
        defined: &DefinedName,
    ) -> impl Iterator<Item = &FunctionSpan> {
        let lines = defined.head as usize + 1..=defined.end as usize;
        self.functions
            .iter()
            .filter(move |one| lines.contains(&one.head))
    }

    /// Whether a line defines a name.
    pub(super) fn defines(&self, name: &str, line: u32) -> bool {
        self.definitions
            .iter()
            .any(|defined| defined.name == name && defined.head == line)
    }

    /// The smallest function with a name around a line.
    pub(super) fn function_span(&self, line: u32) -> Option<&FunctionSpan> {
        outline::enclosing(&self.functions, line as usize)
    }

    /// The functions with a name that hold a line, in no particular order: whoever can reach an inner one has it from the
    /// outer one.
    pub(super) fn functions_around(&self, line: u32) -> impl Iterator<Item = &FunctionSpan> {
        let named = self.functions.iter().filter(|span| !span.name.is_empty());
        named.filter(move |span| span.contains(line as usize))
    }

    /// The largest function that holds a line.
    pub(super) fn outermost_function(&self, line: u32) -> Option<&FunctionSpan> {
        // Outer ones stand before those that they hold.
        self.functions
            .iter()
            .find(|one| one.contains(line as usize))
    }

    pub(super) fn function_at(&self, line: u32) -> Option<String> {
        self.function_span(line).map(|span| span.name.clone())
    }
}
