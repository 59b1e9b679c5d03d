//! Keys of answers: what a program takes from one, whoever asked for it still reads, in whatever language that is written.

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::receivers::Certainty;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{self, WordUse, is_name};
use super::answer_types::answer_fields;
use super::literals::{GivenTo, given_keys};
use super::place::{ReadingPlace, read_name};
use super::reader::{AnswerKey, Reader};

/// What reads the keys that a side had in its answers.
pub(super) fn keys_before(side: &ReadSide<'_>) -> Vec<WantedName> {
    let key = |text: String, is_literal: bool| {
        let key = AnswerKey {
            home: side.path.clone(),
            is_literal,
        };
        read_name(&text, NameReason::Removed, Reader::Answer(key))
    };
    let given = given_keys(side).into_iter();
    let given = given.filter(|(_, to)| *to == GivenTo::Client);
    let given = given.map(|(name, _)| key(name, true));
    let fields = answer_fields(side).into_iter();
    given.chain(fields.map(|name| key(name, false))).collect()
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line reads the key of an answer; none: it does not.
    pub(super) fn certainty_of_answer(&self, key: &AnswerKey) -> Option<Certainty> {
        let language = self.outline.language();
        let is_client = is_client(language) || words::is_template(&self.file.path.display());
        if self.file.path == key.home || !is_client {
            return None;
        }
        let is_other = language != Language::from_path(&key.home.display());
        if self.is_in_quotes() || (is_other && self.is_read()) {
            return Some(Certainty::Likely);
        }
        // In its own language a member of that name may be one of whatever the answer was made of.
        (key.is_literal && self.is_read()).then_some(Certainty::Possible)
    }

    pub(super) fn is_in_quotes(&self) -> bool {
        let words = self.outline.words_at(self.line).iter();
        let mut keys = words.filter(|word| word.how == WordUse::Key);
        keys.any(|word| words::is_name_of(word, self.name))
    }

    /// Whether the line reads a member of that name of something that it did not make itself.
    fn is_read(&self) -> bool {
        let is_script = self.outline.language() == Language::Script;
        self.around().iter().any(|(before, behind)| {
            is_member(before, behind) || (is_script && is_unpacked(before, behind))
        })
    }
}

/// Languages in which answers are read. Those of others are structs and tables of programs that run here.
fn is_client(language: Language) -> bool {
    language.is_code() && !matches!(language, Language::C | Language::Lua)
}

/// `o.totalPrice`, neither set nor called, and not of the value whose method is running.
fn is_member(before: &str, behind: &str) -> bool {
    const OWN: [&str; 4] = ["self", "this", "super", "cls"];
    let held = before.strip_suffix('.').or(before.strip_suffix("->"));
    let Some(held) = held.filter(|held| !held.ends_with('.')) else {
        return false;
    };
    let held = held.trim_end_matches(['?', '!']);
    let start = held.rfind(|c| !is_name(c)).map_or(0, |at| {
        at + held[at..].chars().next().map_or(1, char::len_utf8)
    });
    let behind = behind.trim_start();
    let is_set = behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
    !is_set && !behind.starts_with('(') && !OWN.contains(&&held[start..]) && !held.is_empty()
}

/// `const { id, totalPrice } = await load()`.
pub(super) fn is_unpacked(before: &str, behind: &str) -> bool {
    let begun = before.rsplit_once('{').map(|(begun, _)| begun.trim_end());
    let is_begun = begun.is_some_and(|begun| {
        ["const", "let", "var"]
            .iter()
            .any(|word| begun.ends_with(word))
    });
    let ended = behind.split_once('}').map(|(_, ended)| ended.trim_start());
    is_begun && ended.is_some_and(|ended| ended.starts_with('=') || ended.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_is_read_is_told_from_what_is_set_called_or_its_own() {
        let split = |code: &'static str| {
            let (before, behind) = code.split_once("sum").unwrap();
            (before, behind)
        };
        for code in [
            "o.sum.toFixed(2)",
            "a = o?.sum",
            "f(r.data.sum == 1)",
            "$o->sum;",
            "(a.sum)",
        ] {
            let (before, behind) = split(code);
            assert!(is_member(before, behind), "{code}");
        }
        for code in [
            "sum + 1",
            "o.sum = 1",
            "o.sum()",
            "this.sum",
            "self.sum",
            "[...sum]",
            ".sum",
        ] {
            let (before, behind) = split(code);
            assert!(!is_member(before, behind), "{code}");
        }
        let (before, behind) = split("const { id, sum, n } = await r.json();");
        assert!(is_unpacked(before, behind));
        let (before, behind) = split("function f({ id, sum }) {");
        assert!(!is_unpacked(before, behind));
    }
}
