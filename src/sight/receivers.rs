//! Whether a use of a name means what the change edits: by what it is called on, and by what its file imports.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::hints;
use super::name_source::is_known_as;
use super::search::{FileHits, FileOutline, is_whole_word};
use super::wanted::WantedName;
use super::words::{self, is_name};

/// How certain it is that a use means the changed thing, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It is called on the type or the module that the change edits, or imported from there.
    Exact = 0,
    /// Its file knows the type.
    Likely = 1,
    /// It has the same name.
    Possible = 2,
}

impl Certainty {
    pub(super) const ALL: [Self; 3] = [Self::Exact, Self::Likely, Self::Possible];
}

/// What a name is called on.
#[derive(Debug, PartialEq, Eq)]
enum Receiver<'t> {
    Nothing,
    Word(&'t str),
    /// The value of an expression, of which nothing is known.
    Other,
}

/// How certain a use is. Names that the change does not edit are not told apart.
pub(super) fn certainty(
    name: &WantedName,
    line: u32,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> Certainty {
    if name.homes.is_empty() {
        return Certainty::Possible;
    }
    let is_home = name.homes.contains(&file.path);
    let imports = || name.homes.iter().any(|home| reaches(file, outline, home));
    let is_exact = |receiver: &Receiver<'_>| match receiver {
        Receiver::Nothing if name.owners.is_empty() => is_home || imports(),
        Receiver::Nothing => is_home,
        Receiver::Word(word) if OWN.contains(word) => is_home,
        Receiver::Word(word) if name.owners.is_empty() => name
            .homes
            .iter()
            .any(|home| is_module(file, outline, home, word)),
        Receiver::Word(word) => {
            let mut owners = name.owners.iter();
            owners.any(|owner| is_alike(owner, word) || is_of_type(&file.text, word, owner))
        }
        Receiver::Other => false,
    };
    let code = outline.line(line);
    if receivers_of(code, &name.text).iter().any(is_exact) {
        Certainty::Exact
    } else if name.owners.iter().any(|owner| has_word(&file.text, owner)) {
        Certainty::Likely
    } else {
        Certainty::Possible
    }
}

/// Whether a line makes a value of a type, and does not only mention it.
pub(super) fn is_built(code: &str, name: &str) -> bool {
    whole_words(code, name).any(|at| {
        let behind = code[at + name.len()..].trim_start();
        let behind = match behind.strip_prefix('<') {
            Some(generics) => generics.split_once('>').map_or("", |(_, rest)| rest),
            None => behind,
        };
        let is_new = code[..at].trim_end().ends_with("new");
        is_new
            || ["(", "::new", ".new"]
                .iter()
                .any(|sign| behind.starts_with(sign))
    })
}

/// Whether a line names a field of the value whose method it stands in, which `value` may be a name of.
pub(super) fn is_held_by(code: &str, name: &str, value: Option<&str>) -> bool {
    let is_own = |word: &str| (OWN.contains(&word) && word != "super") || value == Some(word);
    let mut held = receivers_of(code, name).into_iter();
    held.any(|receiver| matches!(receiver, Receiver::Word(word) if is_own(word)))
        || whole_words(code, name).any(|at| code[..at].ends_with('@'))
}

/// What methods with everyday names are called on, by their names; none: on what no word names.
#[derive(Debug, Default)]
pub(super) struct CalledOn(BTreeMap<String, Option<BTreeSet<String>>>);

impl CalledOn {
    /// Reads calls of lines.
    pub(super) fn collect(&mut self, outline: &FileOutline<'_>, lines: &[u32]) {
        for &line in lines {
            let called = outline.words_at(line).iter();
            for word in called.filter(|word| words::is_common_method(word.text)) {
                let code = outline.line(line);
                for receiver in receivers_of(code, word.text) {
                    self.add(word.text, &receiver);
                }
            }
        }
    }

    fn add(&mut self, name: &str, receiver: &Receiver<'_>) {
        let known = self
            .0
            .entry(name.to_owned())
            .or_insert_with(|| Some(BTreeSet::new()));
        match receiver {
            Receiver::Word(word) if !OWN.contains(word) => {
                if let Some(known) = known {
                    known.insert((*word).to_owned());
                }
            }
            _ => *known = None,
        }
    }

    /// What a method is called on; none: it may be anybody's.
    pub(super) fn of(&self, name: &str) -> Option<BTreeSet<String>> {
        self.0.get(name).cloned().flatten()
    }
}

/// Words for the value whose method is running.
const OWN: [&str; 5] = ["self", "this", "Self", "cls", "super"];

/// Whether a method of a type, or a function of a file, may be what is called on one of these variables: it is called like
/// the type or the file, or one of the texts says that it is of this type.
pub(super) fn may_be_called_on(
    receivers: &BTreeSet<String>,
    owner: Option<&str>,
    path: &RepoPath,
    texts: &[&str],
) -> bool {
    let shown = path.display();
    let name = shown.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    receivers.iter().any(|word| match owner {
        Some(owner) => {
            is_alike(owner, word) || texts.iter().any(|text| is_of_type(text, word, owner))
        }
        None => word == stem,
    })
}

/// Whether a text says of a variable that it is of a type: `x: T`, `x = new T(…)`, `x := &T{…}`, `T x`.
fn is_of_type(text: &str, word: &str, owner: &str) -> bool {
    const BETWEEN: [&str; 7] = ["new", "mut", "const", "final", "readonly", "await", "make"];
    let joins = |between: &str| {
        let signs = |c: char| " \t:=&*?<>(".contains(c);
        between.len() < MAX_BETWEEN
            && between
                .split(signs)
                .all(|part| part.is_empty() || BETWEEN.contains(&part))
    };
    whole_words(text, owner).any(|at| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[line..at];
        let behind = text[at + owner.len()..].lines().next().unwrap_or_default();
        let mut named = whole_words(before, word).map(|place| &before[place + word.len()..]);
        let mut typed = whole_words(behind, word).map(|place| &behind[..place]);
        named.any(|between| !between.is_empty() && joins(between))
            || typed.any(|between| !between.is_empty() && joins(between) && !between.contains('('))
    })
}

/// The most bytes between a variable and its type.
const MAX_BETWEEN: usize = 40;

/// Whether a variable is called like a type: `pool`, `self._pools` and `Pool` are a `Pool`.
fn is_alike(owner: &str, word: &str) -> bool {
    const LEAST: usize = 3;
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let (owner, word) = (plain(owner), plain(word));
    let holds = |a: &str, b: &str| b.len() >= LEAST && a.contains(b);
    owner == word || holds(&owner, &word) || holds(&word, &owner)
}

/// Whether a line asks a variable for a member that is called as a type is: `user.can_edit()`.
pub(super) fn is_called_like(owner: &str, code: &str, member: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let mut receivers = receivers_of(code, member).into_iter();
    receivers.any(|one| matches!(one, Receiver::Word(word) if plain(word) == plain(owner)))
}

/// Whether a word stands for the module of a changed file: by its name, or because the file imports it so.
fn is_module(file: &FileHits, outline: &FileOutline<'_>, home: &RepoPath, word: &str) -> bool {
    let shown = home.display();
    let importing = || {
        outline
            .imports_of(&file.path, &shown)
            .any(|line| whole_words(line, word).next().is_some())
    };
    is_known_as(&shown, word) || importing()
}

/// Whether code in a file can name what a changed file defines without its module.
pub(super) fn reaches(file: &FileHits, outline: &FileOutline<'_>, home: &RepoPath) -> bool {
    let folder = |path: &RepoPath| {
        path.display()
            .rsplit_once('/')
            .map(|(folder, _)| folder.to_owned())
    };
    let language = Language::from_path(&home.display());
    let is_package = matches!(
        language,
        Language::Go | Language::Java | Language::Kotlin | Language::CSharp | Language::Scala
    );
    (is_package && folder(&file.path) == folder(home))
        || (language == Language::C && includes(file, outline, home))
        || outline
            .imports_of(&file.path, &home.display())
            .next()
            .is_some()
}

/// Whether a file of C includes another one: where the folders of includes lie only the build knows.
fn includes(file: &FileHits, outline: &FileOutline<'_>, home: &RepoPath) -> bool {
    let home = home.display();
    let is_it = |found: &String| {
        home.strip_suffix(found.as_str())
            .is_some_and(|before| before.ends_with('/'))
    };
    outline
        .import_lines(&file.path)
        .iter()
        .any(|(_, paths)| paths.iter().any(is_it))
}

/// What a name is called on, at each of its places on a line.
fn receivers_of<'t>(code: &'t str, name: &str) -> Vec<Receiver<'t>> {
    let receiver = |at: usize| {
        let before = &code[..at];
        let held = ["::", ".", "->"]
            .iter()
            .find_map(|sign| before.strip_suffix(sign));
        let Some(held) = held else {
            return Receiver::Nothing;
        };
        let held = held.trim_end_matches(['?', '!']);
        let held = match held.strip_suffix('>') {
            Some(generic) => generic.split_once('<').map_or(generic, |(plain, _)| plain),
            None => held,
        };
        let held = held.trim_end_matches("::");
        let begin = held.rfind(|c| !is_name(c)).map_or(0, |at| {
            at + held[at..].chars().next().map_or(1, char::len_utf8)
        });
        match &held[begin..] {
            "" => Receiver::Other,
            word => Receiver::Word(word),
        }
    };
    whole_words(code, name).map(receiver).collect()
}

fn whole_words<'t>(code: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let places = code.match_indices(name).map(|(at, _)| at);
    places.filter(move |&at| is_whole_word(code.as_bytes(), at, at + name.len()))
}

fn has_word(text: &str, word: &str) -> bool {
    whole_words(text, word).next().is_some()
}

impl<'t> FileOutline<'t> {
    /// The lines that import a file.
    fn imports_of<'a>(
        &'a self,
        path: &'a RepoPath,
        file: &'a str,
    ) -> impl Iterator<Item = &'t str> + 'a {
        let lines = self.import_lines(path).iter();
        let importing = lines.filter(move |(_, paths)| hints::is_among(paths, file));
        importing.map(move |(line, _)| self.line(*line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_is_called_on_is_read_from_its_line() {
        for (code, name, receiver) in [
            ("get(key)", "get", Receiver::Nothing),
            ("x = cache.get(key)", "get", Receiver::Word("cache")),
            ("self.pool?.get(1)", "get", Receiver::Word("pool")),
            ("Vec::<u8>::new()", "new", Receiver::Word("Vec")),
            ("Map<String, u8>::new()", "new", Receiver::Word("Map")),
            ("p->run()", "run", Receiver::Word("p")),
            ("make().run()", "run", Receiver::Other),
            ("größe.run()", "run", Receiver::Word("größe")),
        ] {
            assert_eq!(receivers_of(code, name), [receiver], "{code}");
        }
    }

    #[test]
    fn who_builds_a_type_is_told_from_who_mentions_it() {
        for (code, is_it) in [
            ("s = Session(url, 3)", true),
            ("return new Account(1, 2);", true),
            ("let t = new Timer<number>(1)", true),
            ("Foo.new(1)", true),
            ("Account open() {", false),
            ("class Sub(Session):", false),
            ("from app import Session", false),
        ] {
            let name = ["Session", "Account", "Timer", "Foo"]
                .into_iter()
                .find(|name| code.contains(name))
                .unwrap();
            assert_eq!(is_built(code, name), is_it, "{code}");
        }
    }
}
