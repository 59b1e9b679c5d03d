//! Whether a sentence beside a PASS takes a stand: it asks for something, refuses, doubts or judges. An honest one describes
//! the change, or what its judge did, in a few forms; of the first person and of judgements those are known, not the others.

use super::consent::REASSURING;
use super::denials::{HARMED, denies_all, has_exception, is_nobody};
use super::own_words::says_nothing;
use super::plain_words::{Words, is_place_word};

/// Words with which somebody asks for something.
const ASKING: &[&str] = &[
    "need",
    "needs",
    "needed",
    "must",
    "should",
    "shall",
    "ought",
    "shouldn't",
    "mustn't",
    "has to",
    "have to",
    "requires",
    "is required",
    "are required",
    "please",
    "wants",
    "wanted",
    "awaits",
    "until",
    "unless",
    "provided that",
    "only if",
    "only when",
    "only once",
    "only after",
    "as long as",
    "before it can",
    "before it goes",
    "before it lands",
    "before it is merged",
    "before it is ready",
    "before it may",
    "before it gets",
    "before this",
    "before the change",
    "before i",
    "before we",
    "before merging",
    "before merge",
    "before the merge",
    "before landing",
    "before release",
    "before approval",
    "would",
    "could",
    "might",
    "wait",
    "postpone",
    "hold this",
    "hold it",
    "asks for",
    "ask for",
    "calls for",
    "call for",
    "up to the author",
    "first be",
    "not yet",
    "not before",
    "still open",
    "let's",
];

/// What sounds so, and asks for nothing.
const ASKS_NOTHING: &[&str] = &[
    "should be fine",
    "should be safe",
    "should be ok",
    "should be okay",
    "should be correct",
    "should be good",
    "should be sound",
    "should be harmless",
    "should work",
    "would merge",
    "would approve",
    "would accept",
    "would ship",
    "need not",
    "needs no",
    "needs not",
    "needs nothing",
    "nothing needs",
    "nothing must",
    "nothing should",
    "nothing has to",
    "no longer needs",
    "no longer need",
    "not needed",
    "as needed",
    "if needed",
    "when needed",
    "where needed",
    "not need",
    "doesn't need",
    "don't need",
    "as it should",
    "as they should",
    "only when needed",
];

/// Words of somebody who doubts.
const DOUBTS: &[&str] = &[
    "concern",
    "concerns",
    "concerning",
    "doubt",
    "doubts",
    "doubtful",
    "reservation",
    "reservations",
    "objection",
    "objections",
    "object",
    "misgivings",
    "caveat",
    "caveats",
    "worry",
    "worries",
    "worried",
    "worrying",
    "risk",
    "risks",
    "risky",
    "dangerous",
    "danger",
    "unsafe",
    "insecure",
    "missing",
    "lacks",
    "lack",
    "incomplete",
    "insufficient",
    "premature",
    "unfinished",
    "unclear",
    "untested",
    "unjustified",
    "flaw",
    "flaws",
    "flawed",
    "problem",
    "problems",
    "problematic",
    "issue",
    "issues",
    "regression",
    "regressions",
    "trouble",
    "mistake",
    "mistakes",
    "worse",
    "unacceptable",
    "reject",
    "refuse",
    "veto",
    "disagree",
    "oppose",
    "against",
    "unconvinced",
    "unfortunately",
    "sadly",
    "alas",
    "beware",
];

/// Words that deny such a doubt, or tell of one that is over.
const DENIALS: &[&str] = &[
    "no",
    "not",
    "nothing",
    "none",
    "without",
    "never",
    "neither",
    "nor",
    "isn't",
    "aren't",
    "don't",
    "doesn't",
    "didn't",
    "cannot",
    "can't",
    "fixes",
    "fix",
    "fixed",
    "resolves",
    "resolved",
    "removes",
    "reduces",
    "avoids",
    "prevents",
    "addresses",
    "addressed",
    "solves",
    "guards",
    "handles",
    "reports",
    "rejects",
    "refuses",
    "closes",
    "mitigates",
    "if",
    "when",
    "adds",
    "detects",
    "checks",
];

/// Between what is judged and the judgement.
const COPULAS: &[&str] = &[
    "is", "are", "looks", "look", "seems", "seem", "appears", "feels", "remains", "becomes",
];

/// Behind them stands a case of the program.
const CASES: &[&str] = &[
    "when", "if", "where", "while", "whenever", "that", "which", "who", "because", "since",
    "whether",
];

/// Judgements that are good ones, denied or not.
const APPROVING: &str = "ready mergeable complete clear consistent necessary sufficient acceptable appropriate reasonable needed";

/// What every place of a change should be.
const QUALITIES: &str = "safe correct right sound ok okay good fine guarded handled covered checked verified \
    validated escaped tested acceptable sufficient ready";

/// Words at which the judgement ends and the reasons begin.
const ENDS: &[&str] = &[
    "of", "that", "which", "to", "in", "for", "with", "by", "from", "and", "on", "at", "as",
    "because", "since", "where", "when", "within", "under", "into", "so", "over", "through",
    "before", "after", "than", "until", "twice", "once", "per", "without", "only",
];

/// What a change is of which nobody thinks ill.
const NEUTRAL: &str = "a an the one only just purely mostly mainly quite very rather fully entirely also still now well too all \
    more same new small minimal tiny short simple trivial plain mechanical local contained isolated limited narrow focused \
    straightforward cosmetic additive behavior behaviour preserving backward backwards compatible equivalent identical \
    consistent complete clear clean readable documented stable reasonable acceptable appropriate useful effective robust \
    defensive bounded valid necessary sufficient internal pure direct textual refactoring refactor rename renaming fix bugfix \
    cleanup addition test tests helper function method class constant update bump improvement correction move change changes \
    documentation comment configuration dependency version wrapper guard check rewrite replacement extraction removal \
    simplification feature option flag what how why done made called used checked run moved renamed replaced removed added \
    kept passed returned set read closed bound escaped validated parameterized parametrized typed logged caught stored \
    documented mergeable ready no not line lines file files never always both either each there here empty zero none null \
    true false public private optional required possible_to unaffected untouched preserved retained restored protected \
    serialized synchronized locked released freed flushed awaited quoted sanitized sanitised hashed encrypted signed verified \
    tested reviewed reached used needed unused dead unreachable updated extended shared copied computed derived inlined \
    consistently properly everywhere throughout uniformly \
    extracted merged split sorted ordered counted measured limited capped clamped rounded parsed read written sent \
    declared defined initialized initialised imported exported propagated rejected refused raised caught logged reported taken gone x";

/// What a reader does, behind "I".
const DEEDS: &str = "checked check read reviewed review looked look verified verify traced trace followed follow voted vote \
    compared compare ran run confirmed confirm tested test approve approved agree accept went searched examined inspected \
    considered studied walked understood merge pass stand base based rest looked keep kept recommend hold counted opened";

/// What a reader comes upon: behind it stands what it was.
const FINDINGS: &str = "found find see saw noticed know spotted think believe identified";

/// Behind a finding, where nothing was found, or what was understood.
const FOUND_NOTHING: &str =
    "no nothing none neither that it the each all every how where both this not any also only";

/// Words between "I" and the deed.
const BETWEEN: &str =
    "have had also now then carefully did do don't can not fully already therefore still";

/// Of a judge's own things, those that say nothing.
const OWN_THINGS: &str = "vote verdict position answer key evidence view review reading check judgement judgment conclusion \
    reason reasoning first only main analysis understanding round confidence";

/// Words of English sentences that other languages do not have.
const ENGLISH: &str = "the and this these are that by from with which each when is now only no nothing its before after than \
    into was for all not it i";

/// So many words without one of those are another language.
const MIN_FOREIGN_WORDS: usize = 6;

/// Whether a sentence takes a stand, or is in a language in which nobody here can tell.
pub(super) fn takes_stand(sentence: &str) -> bool {
    if says_nothing(sentence) {
        return false;
    }
    let prose = without_code(sentence);
    is_foreign(&prose)
        || has_exception(&prose)
        || prose
            .split([',', ';', ':', '(', ')', '—', '–'])
            .any(|clause| {
                let words = Words::of(clause);
                asks(&words) && !denies_all(&words)
                    || doubts(&words)
                    || judges(&words)
                    || speaks_for_itself(&words)
            })
}

/// Code in backticks and places are no words of the judge.
fn without_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let prose = if parts.len().is_multiple_of(2) {
        text.to_owned()
    } else {
        parts.into_iter().step_by(2).collect::<Vec<_>>().join(" x ")
    };
    let words = prose.split_whitespace();
    let words = words.map(|word| if is_place_word(word) { "x" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn is_foreign(prose: &str) -> bool {
    let words = Words::of(prose);
    let has_other_letters = prose.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    let is_english = words.0.iter().any(|word| is_in(ENGLISH, word));
    !is_english && (has_other_letters || words.0.len() >= MIN_FOREIGN_WORDS)
}

fn asks(words: &Words) -> bool {
    words.clone().without(ASKS_NOTHING).has_any(ASKING)
}

fn doubts(words: &Words) -> bool {
    words.has_any(DOUBTS) && !words.has_any(DENIALS)
}

/// `The change is …`, `auth is …`: behind it stands what nobody thinks ill of, up to the reasons.
fn judges(words: &Words) -> bool {
    let words = &words.0;
    let is_copula = |at: &usize| is_one(COPULAS, &words[*at]);
    // `when the list is empty` is a case, and no judgement.
    let mut main = (0..words.len()).take_while(|at| !is_one(CASES, &words[*at]));
    main.by_ref().filter(is_copula).any(|at| {
        let said = words[at + 1..].iter();
        let said: Vec<&str> = said
            .take_while(|word| !is_one(ENDS, word))
            .map(String::as_str)
            .collect();
        let is_unharmed = is_nobody(words, at);
        let is_known = |word: &&str| {
            let is_good = is_in(NEUTRAL, word) || is_one(REASSURING, word);
            is_good || is_unharmed && is_one(HARMED, word)
        };
        let is_there = at > 0 && words[at - 1] == "there";
        let is_denied = said.first() == Some(&"not");
        let is_good = |word: &&str| is_one(REASSURING, word) || is_in(APPROVING, word);
        match said.first() {
            Some(&"no" | &"nothing" | &"none") => false,
            _ if is_there => !said.iter().any(is_known_thing) && !is_single(&words[at + 1..]),
            _ if is_denied => said.iter().any(is_good),
            // `No path is safe`: what is good of nobody is missing.
            _ if is_unharmed && said.iter().any(|word| is_in(QUALITIES, word)) => true,
            _ => !said.iter().all(is_known),
        }
    })
}

/// How it is said that there is one, and no other.
const SINGLE: &str = "one single a only just exactly";

/// Of what there may be one without harm.
const SINGLE_THINGS: &str = "thread caller writer reader user process owner consumer producer call use \
    place implementation";

/// What may stand behind it.
const SINGLE_BEHIND: &str = "here now only of it this that in the program process file at a time";

/// `one thread`, and nothing else: `one thread without a lock` is a fault.
fn is_single(words: &[String]) -> bool {
    let counts = words.iter().take_while(|word| is_in(SINGLE, word)).count();
    let counted = words[..counts].iter();
    let is_one = counted
        .into_iter()
        .any(|word| word == "one" || word == "single");
    let thing = words.get(counts);
    let mut behind = words.iter().skip(counts + 1);
    is_one
        && thing.is_some_and(|thing| is_in(SINGLE_THINGS, thing))
        && behind.all(|word| is_in(SINGLE_BEHIND, word))
}

fn is_known_thing(word: &&str) -> bool {
    ["test", "tests", "guard", "guards", "check", "checks"].contains(word)
}

/// `I …`, `my …`: what a reader does is known, everything else is a stand.
fn speaks_for_itself(words: &Words) -> bool {
    let words: Vec<&str> = words.0.iter().map(String::as_str).collect();
    (0..words.len()).any(|at| {
        let behind = &words[at + 1..];
        match words[at] {
            "i" | "we" | "i've" | "we've" => !is_deed(behind),
            "my" | "our" => behind.first().is_none_or(|word| !is_in(OWN_THINGS, word)),
            "i'd" | "i'm" | "we'd" | "i'll" => true,
            _ => false,
        }
    })
}

/// Whether `I` is followed by what a reader does, or by what was not found.
fn is_deed(behind: &[&str]) -> bool {
    let Some(at) = behind.iter().position(|word| !is_in(BETWEEN, word)) else {
        // `I do.`, `I have no`: nothing that could be read.
        return behind.is_empty();
    };
    let (before, verb, after) = (&behind[..at], behind[at], &behind[at + 1..]);
    let is_denied = before.contains(&"not") || before.contains(&"don't");
    let has = before.iter().any(|word| ["have", "had"].contains(word));
    let is_nothing = |word: &&str| is_in(FOUND_NOTHING, word);
    if is_in(FINDINGS, verb) {
        is_denied || after.first().is_some_and(&is_nothing)
    } else if is_in(DEEDS, verb) {
        !is_denied
    } else {
        // `I have no objections`.
        has && is_nothing(&verb)
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn is_one(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

#[cfg(test)]
#[path = "stances_tests.rs"]
mod tests;
