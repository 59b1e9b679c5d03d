//! Whether a use of a name means what the change edits: by what it is called on, and by what its file imports.

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::candidates::WantedName;
use super::hints;
use super::search::{FileHits, FileOutline, is_whole_word};
use super::words::is_name;

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
        Receiver::Word("self" | "this" | "Self" | "cls" | "super") => is_home,
        Receiver::Word(word) if name.owners.is_empty() => name
            .homes
            .iter()
            .any(|home| is_module(file, outline, home, word)),
        Receiver::Word(word) => name.owners.iter().any(|owner| is_alike(owner, word)),
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

/// Whether a variable is called like a type: `pool`, `self._pools` and `Pool` are a `Pool`.
fn is_alike(owner: &str, word: &str) -> bool {
    const LEAST: usize = 3;
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let (owner, word) = (plain(owner), plain(word));
    let holds = |a: &str, b: &str| b.len() >= LEAST && a.contains(b);
    owner == word || holds(&owner, &word) || holds(&word, &owner)
}

/// Whether a word stands for the module of a changed file: by its name, or because the file imports it so.
fn is_module(file: &FileHits, outline: &FileOutline<'_>, home: &RepoPath, word: &str) -> bool {
    let shown = home.display();
    let (folder, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
    let stem = name.split('.').next().unwrap_or(name);
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let importing = || {
        outline
            .imports_of(&file.path, &shown)
            .any(|line| whole_words(line, word).next().is_some())
    };
    word == stem || (word == parent && !word.is_empty()) || importing()
}

/// Whether code in a file can name what a changed file defines without its module.
fn reaches(file: &FileHits, outline: &FileOutline<'_>, home: &RepoPath) -> bool {
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
        || outline
            .imports_of(&file.path, &home.display())
            .next()
            .is_some()
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
