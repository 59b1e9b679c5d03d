//! What functions of Go say that they return: `resp` of `resp, err := get(url)` is an `*http.Response`.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hints::split_name;
use super::super::locals::{is_declared, place_of};
use super::super::made_by::assigned_value;
use super::super::name_source::{ImportedFrom, NameSource};
use super::super::search::FileOutline;
use super::super::words::{WordUse, is_name};
use super::known::KnownTree;
use super::source::before_dot;

/// The function of its package that gave a variable its value, and the place of that among what it returns; none: another
/// thing gave it one.
pub(super) fn returned_by(
    outline: &FileOutline<'_>,
    path: &RepoPath,
    line: u32,
    before: &str,
) -> Option<NameSource> {
    let held = before_dot(before).filter(|_| outline.language() == Language::Go)?;
    let begin = held.trim_end_matches(is_name).len();
    let word = Some(&held[begin..]).filter(|_| !held[..begin].ends_with('.'))?;
    let head = u32::try_from(outline.outermost_function(line)?.head).ok()?;
    let mut makers = BTreeSet::new();
    for at in head..=line {
        let code = outline.line(at);
        let words = outline.words_at(at).iter();
        for one in words.filter(|one| one.text == word && one.how == WordUse::Plain) {
            let place = place_of(code, one);
            if !is_declared(Language::Go, place) {
                continue;
            }
            let (called, _) = assigned_value(place)?.split_once('(')?;
            let is_plain = !called.is_empty() && called.chars().all(is_name);
            let list = code[..place.1].rsplit("if ").next().unwrap_or_default();
            makers.insert((is_plain.then_some(called)?, list.matches(',').count()));
        }
    }
    let only = makers.pop_first().filter(|_| makers.is_empty());
    only.map(|(called, at)| NameSource::Returned(path.clone(), called.to_owned(), at))
}

impl KnownTree {
    /// What a source says at last, where it leads to what a function returns; `member` is what the value is asked for.
    pub(in crate::sight) fn source_behind(&self, source: &NameSource, member: &str) -> NameSource {
        let NameSource::Returned(path, function, at) = source else {
            return source.clone();
        };
        let found = self.returned_type(path, function, *at);
        found.map_or(NameSource::Value, |(file, typed)| {
            self.member_behind(&file, &typed, member)
        })
    }

    /// A type that a function of a package says that it returns, with the file that says so.
    fn returned_type(
        &self,
        path: &RepoPath,
        function: &str,
        at: usize,
    ) -> Option<(String, String)> {
        let shown = path.display();
        let folder = split_name(&shown).0;
        let files = self
            .texts
            .iter()
            .filter(|(file, _)| file.ends_with(".go") && split_name(file).0 == folder);
        let head = format!("func {function}(");
        let mut heads = files.filter_map(|(file, text)| {
            let line = text.lines().find(|line| line.starts_with(&head))?;
            Some((file.clone(), result_of(line, at)?))
        });
        heads.next()
    }

    fn member_behind(&self, file: &str, typed: &str, member: &str) -> NameSource {
        let Some((package, name)) = typed.split_once('.') else {
            return NameSource::Member(RepoPath::from(file), typed.to_owned());
        };
        let imported = self.imported_by(file);
        let brought = imported.iter().find(|one| one.local == package);
        brought.map_or(NameSource::Value, |one| {
            let mut steps = one.steps();
            steps.extend([name.to_owned(), member.to_owned()]);
            NameSource::From(ImportedFrom {
                file: RepoPath::from(file),
                module: one.module.clone(),
                steps,
            })
        })
    }
}

/// The type at a place of what the head of a function returns, where it is one type or a pointer to it.
fn result_of(head: &str, at: usize) -> Option<String> {
    let results = behind_parameters(head.split_once('(')?.1)?.trim();
    let results = results.trim_end_matches('{').trim();
    let inner = results
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let result = inner.unwrap_or(results).split(',').nth(at)?.trim();
    let typed = result.rsplit(' ').next()?.trim_start_matches('*');
    let is_type = !typed.is_empty() && typed.chars().all(|c| is_name(c) || c == '.');
    is_type.then(|| typed.to_owned())
}

fn behind_parameters(parameters: &str) -> Option<&str> {
    let mut depth = 1_usize;
    let end = parameters.char_indices().find(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map(|(at, _)| &parameters[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_what_it_returns() {
        for (head, at, typed) in [
            (
                "func get(url string) (*http.Response, error) {",
                0,
                Some("http.Response"),
            ),
            (
                "func get(url string) (*http.Response, error) {",
                1,
                Some("error"),
            ),
            ("func get(do func(int) error) *Conf {", 0, Some("Conf")),
            ("func get() (conf Conf, err error) {", 0, Some("Conf")),
            ("func get() []Route { return nil }", 0, None),
            ("func get() {", 0, None),
        ] {
            assert_eq!(result_of(head, at).as_deref(), typed, "{head}");
        }
    }
}
