//! The closed forms that deny: nothing is left to do, nothing is wrong, nothing breaks, nobody is affected. Whoever
//! adds an
//! exception has not denied.

use super::consent::{CONDITIONS, RESERVATIONS};
use super::plain_words::{FAULTS, Words};

/// What may lead to a denial.
const LEADING: &str = "i we have had see saw found find noticed spotted request recommend suggest \
     propose there is are was were that and so therefore thus then";

/// What may stand between the denial and what it denies, and is all of it.
const FURTHER: &str = "further more other additional code such any new";

/// What somebody may ask for, and what joins two of those.
const WORK: &str = "change changes action actions edit edits modification modifications adjustment adjustments \
     correction corrections revision revisions rework work follow up ups followup followups fix fixes or \
     and";

/// Faults of a change.
const FAULT_NOUNS: &str = "issue issues problem problems fault faults bug bugs defect defects error errors \
     mistake mistakes flaw flaws regression regressions finding findings concern \
     concerns objection objections";

/// What is wrong with something.
const WRONG: &str = "wrong amiss suspicious problematic objectionable";

/// What is wanted, behind the work.
const WANTED: &str = "needed required necessary requested";

/// What there might be to do, behind `nothing to` or `no changes to`.
const TO_DO: &str =
    "do change fix correct mend address add make suggest request propose recommend report";

/// What may stand behind a denial and leaves it whole.
const BEHIND: &str = "here now left at all in of for on to with from this the that it its whole change diff patch code \
     commit me my side is are was were found seen remain remains before merge merging time";

/// Verbs between what is denied and what is said of it.
const COPULAS: &str = "is are was were be seems seem";

/// What happens to whoever bears the consequences.
pub(super) const HARMED: &[&str] = &["affected", "impacted", "touched", "altered", "harmed"];

/// Words with which a denial begins behind other words.
const JOINTS: &str = "and but that so because since as while which";

/// The most words between a denial and its verb: `no existing caller is affected`.
const MAX_SUBJECT: usize = 3;

/// Of [`RESERVATIONS`] and [`CONDITIONS`], those that take something out of a denial wherever they stand.
const EXCEPTIONS: &[&str] = &[
    "but",
    "however",
    "except",
    "excepting",
    "unless",
    "although",
    "though",
    "once",
    "until",
    "till",
    "provided",
    "other than",
    "apart from",
    "aside from",
    "besides",
    "barring",
    "save for",
    "with the exception",
    "as long as",
    "so long as",
];

/// What a denial is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denied {
    Work,
    Faults,
}

/// Whether a statement denies that anything is wrong or left to do, and says nothing else.
pub(super) fn denies_all(words: &Words) -> bool {
    let words = skip(&words.0, LEADING);
    denial(words).is_some_and(|(_, rest)| skip(rest, BEHIND).is_empty())
}

/// Whether a sentence denies something and takes a part of it back: `no changes needed except …`. It asks for that
/// part.
pub(super) fn has_exception(sentence: &str) -> bool {
    let words = Words::of(sentence).0;
    (0..words.len()).any(|at| {
        let said = &words[at..];
        let work = denial(said);
        let (denied, rest) = match work.or_else(|| harm_denial(said)) {
            Some(found) => found,
            None => return false,
        };
        let rest = Words(rest.to_vec());
        let of_work = || rest.has_any(RESERVATIONS) || rest.has_any(CONDITIONS);
        rest.has_any(EXCEPTIONS) || denied == Denied::Work && of_work()
    })
}

/// Whether the subject of a verb at this place is nobody: `no caller is …`, `none of them is …`.
pub(super) fn is_nobody(words: &[String], verb: usize) -> bool {
    let first = verb.saturating_sub(MAX_SUBJECT + 1);
    (first..verb).any(|at| {
        let begins = at == 0 || is_in(JOINTS, &words[at - 1]);
        let subject = &words[at + 1..verb];
        // `no guard means f is …` has a subject of its own behind the denial.
        let is_short =
            subject.len() < MAX_SUBJECT || subject.first().is_some_and(|word| word == "of");
        let denies = ["no", "none", "neither", "nobody", "nothing"].contains(&words[at].as_str());
        begins && is_short && denies
    })
}

/// A text without the faults that `none` denies: `every caller was checked and none breaks`. Python's None denies
/// nothing: it
/// has a capital letter, or stands behind another word.
pub(super) fn without_denied_faults(text: &str) -> Words {
    let parts = text.split_inclusive(|c: char| ",;:.!?()—–\n".contains(c));
    let mut kept = Vec::new();
    for part in parts {
        let mut words = Words::of(part).0;
        let is_pronoun = !part.contains("None") || words.get(1).is_some_and(|word| word == "of");
        while let Some((at, end)) = denied_fault(&words).filter(|_| is_pronoun) {
            words.drain(at..end);
        }
        kept.append(&mut words);
    }
    Words(kept)
}

/// Where `none breaks` stands, or `none of the callers breaks`.
fn denied_fault(words: &[String]) -> Option<(usize, usize)> {
    let starts = (0..words.len())
        .filter(|at| words[*at] == "none" && (*at == 0 || is_in(JOINTS, &words[at - 1])));
    let mut found = starts.filter_map(|at| {
        let of = words.get(at + 1).is_some_and(|word| word == "of");
        let most = if of { MAX_SUBJECT } else { 0 };
        let mut ends = at + 1..=(at + 1 + most).min(words.len() - 1);
        let is_fault = |end: &usize| FAULTS.contains(&words.get(*end).map_or("", String::as_str));
        Some((at, ends.find(is_fault)? + 1))
    });
    found.next()
}

/// A denial at the beginning of words, and what stands behind it.
fn denial(words: &[String]) -> Option<(Denied, &[String])> {
    let (first, behind) = words.split_first()?;
    match first.as_str() {
        "no" => no_work(behind).or_else(|| no_fault(behind)),
        "nothing" => nothing(skip(
            behind,
            "further more else is are was were seems needs",
        )),
        _ => None,
    }
}

/// `further changes are needed`, behind `no`.
fn no_work(words: &[String]) -> Option<(Denied, &[String])> {
    let things = skip(words, FURTHER);
    let behind = skip(things, WORK);
    if behind.len() == things.len() {
        return None;
    }
    let wanted = wanted(skip(behind, COPULAS)).or_else(|| to_do(behind));
    wanted.map(|rest| (Denied::Work, rest))
}

/// `bugs`, behind `no`; nothing is said of a `bug report`.
fn no_fault(words: &[String]) -> Option<(Denied, &[String])> {
    let rest = one(skip(words, FURTHER), FAULT_NOUNS)?;
    Some((Denied::Faults, rest))
}

/// `wrong`, `needed` or `to fix`, behind `nothing`.
fn nothing(words: &[String]) -> Option<(Denied, &[String])> {
    let faults = || one(words, WRONG).map(|rest| (Denied::Faults, rest));
    let work = wanted(words).or_else(|| to_do(words));
    work.map(|rest| (Denied::Work, rest)).or_else(faults)
}

/// `caller is affected` behind `no`, and `none breaks`.
fn harm_denial(words: &[String]) -> Option<(Denied, &[String])> {
    let is_denial = ["no", "none", "neither"].contains(&words.first()?.as_str());
    let mut verbs = (1..words.len().min(MAX_SUBJECT + 3)).filter(|_| is_denial);
    let said = verbs.find_map(|at| {
        let harmed = is_in(COPULAS, &words[at - 1]) && HARMED.contains(&words[at].as_str());
        (harmed || FAULTS.contains(&words[at].as_str())).then_some(at + 1)
    })?;
    Some((Denied::Faults, &words[said..]))
}

fn wanted(words: &[String]) -> Option<&[String]> {
    one(words, WANTED)
}

fn to_do(words: &[String]) -> Option<&[String]> {
    let (to, behind) = words.split_first()?;
    (to == "to").then(|| one(behind, TO_DO))?
}

fn one<'w>(words: &'w [String], list: &str) -> Option<&'w [String]> {
    let (first, behind) = words.split_first()?;
    is_in(list, first).then_some(behind)
}

fn skip<'w>(words: &'w [String], list: &str) -> &'w [String] {
    let known = words.iter().take_while(|word| is_in(list, word)).count();
    &words[known..]
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

#[cfg(test)]
#[path = "denials_tests.rs"]
mod tests;
