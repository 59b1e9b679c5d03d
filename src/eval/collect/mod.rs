//! Labelled changes from a repository's own history: one walk over the main line, oldest first.

mod behaviour;
mod blame;
mod messages;
mod mutation;
mod omission;
mod origins;
mod reverts;
mod telling;

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;
use council_syntax::lexer::Lexer;
use sha2::{Digest, Sha256};

use super::labelled::{
    Alteration, FileWeight, LabelConfidence, LabelSet, LabelledChange, LabelledPlace,
};
use crate::git::{ChangedLines, MainLineCommit};
use behaviour::is_product_file;
use blame::Blame;
use mutation::CodeLine;
use origins::LineOrigins;
use reverts::{ChangeFate, RevertLedger};
use telling::{code_of, is_product_code, is_test_code};

/// How long nothing of a clean change was mended, in seconds.
pub(crate) const CLEAN_SECONDS: i64 = 180 * 24 * 60 * 60;

/// A clean change adds so many lines of code.
const CLEAN_LINES: std::ops::RangeInclusive<u32> = 5..=400;

/// The most mutations of one commit.
const MAX_MUTATIONS: usize = 2;

/// Digits of a commit in an item's name.
const SHORT: usize = 12;

/// What is kept of a commit after the walk has gone on.
struct SeenCommit {
    id: String,
    seconds: i64,
    files: Vec<FileWeight>,
    /// How many lines it adds to product code.
    code_lines: u32,
    /// Its subject, without the number of a request, and that number.
    title: String,
    request: Option<u32>,
}

/// Watches the main line go by, oldest commit first, and labels what it saw.
#[derive(Default)]
pub(crate) struct LabelCollector {
    seen: Vec<SeenCommit>,
    origins: LineOrigins,
    blamed: BTreeMap<usize, Blame>,
    /// Which commits were reverted by which.
    reverts: RevertLedger,
    /// The changes beside whose lines a fix added some: nobody is blamed for that, and nobody is clean.
    guarded: BTreeSet<usize>,
    /// The changes of whose lines of product code one was changed while they could have become clean ones.
    touched: BTreeSet<usize>,
    /// What people dismissed.
    dismissed: BTreeMap<usize, Vec<(LabelledPlace, LabelConfidence)>>,
    built: Vec<LabelledChange>,
}

impl LabelCollector {
    /// Takes note of the next commit.
    pub(crate) fn see(&mut self, commit: &MainLineCommit) {
        let at = self.seen.len();
        self.note_reverts(at, commit);
        if messages::is_fix(&commit.message) {
            self.note_fix(commit);
        }
        self.note_removals(commit);
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        self.origins.apply_commit(number, &commit.files);
        let files: Vec<FileWeight> = commit.files.iter().map(weigh_file).collect();
        let code = files.iter().filter(|file| is_product_code(&file.path));
        let code_lines = code.map(FileWeight::added_lines).sum();
        self.build_omissions(commit, &files);
        self.build_mutations(commit, &files);
        self.seen.push(SeenCommit {
            id: commit.id.clone(),
            seconds: commit.seconds,
            files,
            code_lines,
            title: messages::plain_title(messages::title_of(&commit.message)).to_owned(),
            request: messages::request_of(&commit.message),
        });
    }

    /// Takes note of a finding that a person dismissed: about this commit, or else about the one that brought its line.
    /// Line numbers move: of several commits that brought such a line, it is the last one before the decision.
    pub(crate) fn note_dismissal(&mut self, commit: &str, place: LabelledPlace, seconds: i64) {
        let named = self.reverts.change_of(commit);
        let found = named.map(|at| (at, LabelConfidence::High));
        if let Some((at, confidence)) = found.or_else(|| self.bringer_of(&place, seconds)) {
            let of_commit = self.dismissed.entry(at).or_default();
            of_commit.push((place, confidence));
        }
    }

    fn bringer_of(&self, place: &LabelledPlace, seconds: i64) -> Option<(usize, LabelConfidence)> {
        let brings = |at: &usize| {
            let mut files = self.seen[*at].files.iter();
            files.any(|file| {
                let mut added = file.added.iter();
                let is_there = |(first, last): &(u32, u32)| (*first..=*last).contains(&place.first);
                file.path == place.path && (place.is_whole_file() || added.any(is_there))
            })
        };
        let all: Vec<usize> = (0..self.seen.len()).filter(brings).collect();
        let before = all
            .iter()
            .rev()
            .find(|at| self.seen[**at].seconds <= seconds);
        let confidence = match all.len() {
            1 => LabelConfidence::High,
            _ => LabelConfidence::Medium,
        };
        // What was decided before it was committed.
        before.or(all.first()).map(|at| (*at, confidence))
    }

    fn build_omissions(&mut self, commit: &MainLineCommit, files: &[FileWeight]) {
        for (number, omission) in (1..).zip(omission::find_omissions(&commit.files)) {
            let Alteration::Leave { paths } = &omission.alteration else {
                continue;
            };
            let rest = files
                .iter()
                .filter(|file| !paths.contains(&file.path))
                .cloned();
            self.built.push(LabelledChange {
                id: item_name(LabelSet::Omission, &commit.id, Some(number)),
                set: LabelSet::Omission,
                confidence: omission.confidence,
                how: omission.how,
                mended_by: None,
                commit: commit.id.clone(),
                seconds: commit.seconds,
                files: rest.collect(),
                alteration: Some(omission.alteration),
                places: omission.places,
            });
        }
    }

    /// Puts a defect into lines of functions that the tests of the same commit name.
    fn build_mutations(&mut self, commit: &MainLineCommit, files: &[FileWeight]) {
        let tested = tested_words(&commit.files);
        if tested.is_empty() {
            return;
        }
        let mut candidates = Vec::new();
        for file in commit.files.iter().filter(|file| is_product_file(file)) {
            let path = String::from_utf8_lossy(&file.path).into_owned();
            let language = Language::from_path(&path);
            for block in tested_blocks(file, language, &tested) {
                for (at, line) in block.iter().enumerate() {
                    let before = block[..at].iter().rev().map(|before| &*before.code);
                    let next = block[at + 1..].iter().map(|next| &*next.code);
                    let is_code = |code: &&str| !code.trim().is_empty();
                    let code = CodeLine {
                        language,
                        text: line.text,
                        code: &line.code,
                        before: before.into_iter().find(is_code),
                        next: next.into_iter().find(is_code),
                    };
                    let mutated = mutation::mutate_line(code).into_iter();
                    candidates.extend(
                        mutated.map(|mutated| {
                            (path.clone(), line.number, line.text.to_owned(), mutated)
                        }),
                    );
                }
            }
        }
        candidates.sort_by_key(|(path, line, _, mutated)| {
            draw(&[&commit.id, path, &line.to_string(), mutated.what])
        });
        let chosen = spread_kinds(candidates, |(_, _, _, mutated)| mutated.kind());
        for (number, (path, line, was, mutated)) in
            (1..).zip(chosen.into_iter().take(MAX_MUTATIONS))
        {
            self.built.push(LabelledChange {
                id: item_name(LabelSet::Mutation, &commit.id, Some(number)),
                set: LabelSet::Mutation,
                confidence: mutated.confidence,
                how: format!("{} at {path}:{line}", mutated.what),
                mended_by: None,
                commit: commit.id.clone(),
                seconds: commit.seconds,
                places: vec![LabelledPlace {
                    path: path.clone(),
                    first: line,
                    last: line,
                }],
                alteration: Some(Alteration::EditLine {
                    path,
                    line,
                    was,
                    becomes: mutated.becomes,
                }),
                files: files.to_vec(),
            });
        }
    }

    /// The labels of these sets, the surest first and drawn by chance among equals, at most `limit` a set; then by time.
    pub(crate) fn finish(mut self, sets: &[LabelSet], limit: usize) -> Vec<LabelledChange> {
        let mut all = std::mem::take(&mut self.built);
        all.extend(self.szz_changes());
        let fates = self.reverts.fates();
        all.extend(self.reverted_changes(&fates));
        all.extend(self.clean_changes(&fates));
        all.extend(self.dismissed_changes());
        let mut chosen = Vec::new();
        for set in sets {
            let mut of_set: Vec<LabelledChange> =
                all.extract_if(.., |item| item.set == *set).collect();
            of_set.sort_by_key(|item| (std::cmp::Reverse(item.confidence), draw(&[&item.id])));
            if *set == LabelSet::Mutation {
                of_set = spread_kinds(of_set, |item| mutation::kind_of(&item.how));
            }
            of_set.truncate(limit);
            of_set.sort_by(|a, b| (a.seconds, &a.id).cmp(&(b.seconds, &b.id)));
            chosen.append(&mut of_set);
        }
        chosen
    }

    fn szz_changes(&self) -> Vec<LabelledChange> {
        let blamed = self
            .blamed
            .iter()
            .filter(|(at, _)| self.seen[**at].code_lines > 0);
        blamed
            .map(|(&at, blame)| LabelledChange {
                confidence: blame.confidence,
                how: blame.how.clone(),
                mended_by: Some(blame.fix.clone()),
                places: join_lines(&blame.lines),
                ..self.item(LabelSet::Szz, at)
            })
            .collect()
    }

    fn dismissed_changes(&self) -> Vec<LabelledChange> {
        let dismissed = self.dismissed.iter();
        dismissed
            .map(|(&at, places)| LabelledChange {
                confidence: places
                    .iter()
                    .map(|(_, sure)| *sure)
                    .min()
                    .unwrap_or(LabelConfidence::Low),
                how: "a person dismissed what is said of these places".to_owned(),
                places: places.iter().map(|(place, _)| place.clone()).collect(),
                ..self.item(LabelSet::Dismissals, at)
            })
            .collect()
    }

    fn clean_changes(&self, fates: &[ChangeFate]) -> Vec<LabelledChange> {
        let end = self.seen.last().map_or(0, |seen| seen.seconds);
        let is_clean = |at: &usize| {
            let seen = &self.seen[*at];
            CLEAN_LINES.contains(&seen.code_lines)
                && seen.seconds + CLEAN_SECONDS <= end
                && !self.blamed.contains_key(at)
                && !fates[*at].is_touched()
                && !self.guarded.contains(at)
                && !self.touched.contains(at)
        };
        (0..self.seen.len())
            .filter(is_clean)
            .map(|at| LabelledChange {
                confidence: LabelConfidence::Medium,
                how: "nobody changed its lines in the 180 days after it".to_owned(),
                ..self.item(LabelSet::Clean, at)
            })
            .collect()
    }

    fn item(&self, set: LabelSet, at: usize) -> LabelledChange {
        let seen = &self.seen[at];
        LabelledChange {
            id: item_name(set, &seen.id, None),
            set,
            confidence: LabelConfidence::Low,
            how: String::new(),
            mended_by: None,
            commit: seen.id.clone(),
            seconds: seen.seconds,
            alteration: None,
            places: Vec::new(),
            files: seen.files.clone(),
        }
    }
}

fn item_name(set: LabelSet, commit: &str, number: Option<u32>) -> String {
    let short = &commit[..SHORT.min(commit.len())];
    let number = number
        .map(|number| format!("-{number}"))
        .unwrap_or_default();
    format!("{}-{short}{number}", set.as_str())
}

/// Chance that is the same in every run.
fn draw(words: &[&str]) -> [u8; 32] {
    Sha256::digest(words.join("\0").as_bytes()).into()
}

/// Every file keeps its number: lines are blamed by it.
fn weigh_file(file: &ChangedLines) -> FileWeight {
    let spans = file.spans.as_deref().unwrap_or_default();
    let added = spans.iter().filter(|span| !span.added.is_empty());
    let last = |first: u32, count: usize| first + u32::try_from(count).unwrap_or(1) - 1;
    FileWeight {
        path: String::from_utf8_lossy(&file.path).into_owned(),
        added: added
            .map(|span| (span.new_start, last(span.new_start, span.added.len())))
            .collect(),
    }
}

/// The words of lines that a commit adds to tests.
fn tested_words(files: &[ChangedLines]) -> BTreeSet<String> {
    let tests = files
        .iter()
        .filter(|file| is_test_code(&String::from_utf8_lossy(&file.path)));
    let lines = tests
        .flat_map(|file| file.spans.as_deref().unwrap_or_default())
        .flat_map(|span| &span.added);
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words
        .filter(|word| word.len() >= 4)
        .map(str::to_owned)
        .collect()
}

/// An added line of a function, and what of it is code.
struct TestedLine<'f> {
    number: u32,
    text: &'f str,
    code: String,
}

/// The added lines of each function which tests name: all lines of its span from its head on.
fn tested_blocks<'f>(
    file: &'f ChangedLines,
    language: Language,
    tested: &BTreeSet<String>,
) -> Vec<Vec<TestedLine<'f>>> {
    let mut blocks: Vec<Vec<TestedLine<'f>>> = Vec::new();
    for span in file.spans.as_deref().unwrap_or_default() {
        let mut is_tested = false;
        let mut lexer = Lexer::new(language);
        for (number, text) in (span.new_start..).zip(&span.added) {
            let mut code = code_of(&mut lexer, text);
            if let Some(name) = omission::opened_function(&code) {
                is_tested = tested.contains(&name);
                // A head is code, whatever an unknown line above it may have begun.
                lexer = Lexer::new(language);
                code = code_of(&mut lexer, text);
                blocks.extend(is_tested.then(Vec::new));
            }
            if let Some(block) = blocks.last_mut().filter(|_| is_tested) {
                block.push(TestedLine { number, text, code });
            }
        }
    }
    blocks
}

/// Lines as places: neighbours make one.
fn join_lines(lines: &BTreeSet<(String, u32)>) -> Vec<LabelledPlace> {
    let mut places: Vec<LabelledPlace> = Vec::new();
    for (path, line) in lines {
        match places.last_mut() {
            Some(place) if place.path == *path && place.last + 1 == *line => place.last = *line,
            _ => places.push(LabelledPlace {
                path: path.clone(),
                first: *line,
                last: *line,
            }),
        }
    }
    places
}

/// The same in turns, one of each kind at a time, and each kind in its order: most lines hold a condition, and a set of
/// those alone would measure one kind of defect.
fn spread_kinds<T, K: Ord>(items: Vec<T>, kind: impl Fn(&T) -> K) -> Vec<T> {
    let mut seen: BTreeMap<K, usize> = BTreeMap::new();
    let ranked = items.into_iter().map(|item| {
        let nth = seen.entry(kind(&item)).or_default();
        *nth += 1;
        (*nth, item)
    });
    let mut ranked: Vec<(usize, T)> = ranked.collect();
    ranked.sort_by(|(a, one), (b, other)| (a, kind(one)).cmp(&(b, kind(other))));
    ranked.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests;
