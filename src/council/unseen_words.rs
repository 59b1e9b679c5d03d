//! Whether a judge says in its own words that it was shown no change, or only a part of it. Whoever has not read cannot
//! pass.
//!
//! Words about the code under review sound alike ("no diff is shown for binary files"), so each form is known from its first
//! word to its last, and stands at the beginning of what is said or behind words of the judge about itself.

use std::sync::LazyLock;

use council_protocol::{Coverage, Failure, FailureKind};
use serde_json::Value;

use super::own_words::sentences;
use super::plain_words::{Words, excerpt};

/// Who wrote a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// Whoever was sent the change, and may say that it was not.
    Model,
    /// Rules, which read it themselves. To search the words of five of them was 7 % of a small review.
    Rules,
}

/// How much of the change a judge says that it was not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnseenPart {
    All,
    Some,
}

/// Lists of words that stand in forms by their names.
const LISTS: &[(&str, &str)] = &[
    (
        "PLACES",
        "prompt message request input conversation packet brief context task session anfrage nachricht",
    ),
    ("ADJECTIVES", "actual full real unified git"),
    (
        "ALL_THINGS",
        "diff diffs patch patches change changes changeset hunks commit pr code file files contents \
     content",
    ),
    (
        "ANYTHING",
        "diff diffs patch change changes changeset files code anything prompt",
    ),
    (
        "BEHIND",
        "content contents text itself section block you provided sent",
    ),
    ("CANT", "don't didn't can't cannot couldn't haven't never"),
    (
        "CHANGE",
        "diff diffs patch patches change changes changeset hunks commit pr",
    ),
    ("CODE", "files code"),
    (
        "DETERMINERS",
        "the a an any this that your my actual full whole entire complete real all of requested \
     proposed provided attached",
    ),
    (
        "DE_BETWEEN",
        "wurde wurden war waren ist sind mir uns im in der dem mit prompt anfrage nachricht",
    ),
    ("DE_CHANGE", "diff patch änderung änderungen"),
    (
        "DE_GIVEN",
        "mitgeschickt mitgeliefert mitgegeben mitgesendet gezeigt übergeben übermittelt bereitgestellt \
     beigefügt enthalten angehängt geschickt gesendet vorgelegt geliefert angezeigt gegeben vorhanden",
    ),
    (
        "DE_SEEN",
        "erhalten bekommen gesehen sehen finden gefunden öffnen lesen gelesen einsehen abrufen laden \
     zugreifen",
    ),
    (
        "DE_THERE",
        "es mir uns leider wurde wurden war waren ist sind hier im prompt ja",
    ),
    (
        "DE_THINGS",
        "diff diffs patch änderung änderungen code dateien dateiinhalt quelltext",
    ),
    (
        "DE_WHOLE",
        "diff diffs patch patches änderung änderungen prompt prompts",
    ),
    ("DIFF", "diff diffs patch patches hunks"),
    ("EDITED", "changed modified edited reviewed code"),
    (
        "GIVEN",
        "provided included given attached shown supplied pasted presented",
    ),
    ("HANDED", "shown given provided sent supplied presented"),
    ("HOLD", "include contain show have hold"),
    (
        "IN_PARTS",
        "first second last beginning start part parts portion half of the this your few lines hundred",
    ),
    ("KEIN", "kein keine keinen keinerlei"),
    (
        "LACKING",
        "empty missing blank truncated cut incomplete unavailable unreadable absent",
    ),
    ("ME", "i we i'm we're"),
    (
        "PARTS",
        "first second last top beginning start part parts portion half fragment piece excerpt",
    ),
    ("PROMPT", "prompt brief packet"),
    ("RESTS", "rest remainder end remaining"),
    (
        "SAW",
        "see saw seen read shown given received view viewed have had get got reviewed review",
    ),
    (
        "SEE",
        "see seen receive received find found access view read open retrieve load get got have review \
     inspect",
    ),
    (
        "SEEMS",
        "was were is are has have been got seems appears seemed appeared looks to be also apparently",
    ),
    (
        "SENT",
        "sent received submitted uploaded shared displayed transmitted",
    ),
    (
        "SHOWN_THERE",
        "diff diffs patch patches change changes changeset hunks code file files",
    ),
    ("THERE", "there was were is are"),
    (
        "THINGS",
        "diff diffs patch patches change changes changeset hunks commit pr code",
    ),
    (
        "VISIBLE_SENT",
        "visible available accessible provided included given attached shown supplied sent \
     submitted shared displayed",
    ),
    ("WAS", "was were is are has have had"),
    ("WASNT", "wasn't weren't isn't aren't hasn't haven't"),
    ("WHERE", "prompt conversation context brief input"),
    (
        "WHOLE",
        "diff diffs patch patches change changes changeset hunks commit pr prompt brief packet",
    ),
];

/// The forms in which somebody was shown nothing: one word of each list; of one with a star any number, or none. `$` is the
/// end, or what leads on to what follows from it; `@` is the same with something named before it.
const NOTHING_SHOWN: &[&str] = &[
    "THERE* no|zero ADJECTIVES* THINGS content|to|review* SEEMS* GIVEN $",
    "THERE* no|zero ADJECTIVES* DIFF SEEMS* SENT $",
    "THERE* no|zero ADJECTIVES* file|files SEEMS* provided|shown|attached|pasted $",
    "THERE* no|zero ADJECTIVES* ALL_THINGS SEEMS* VISIBLE_SENT @",
    "there is|are|was|were|seems|to|be* no ADJECTIVES* DIFF $",
    "there is|are|was|were|seems|to|be* no CHANGE @",
    "there is|are|was|were|seems|to|be* no ADJECTIVES* code @",
    "the|this|your|my WHERE do|does|did not|never actually* HOLD DETERMINERS* EDITED* SHOWN_THERE $",
    "the|this|your|my WHERE doesn't|didn't|don't actually* HOLD DETERMINERS* EDITED* SHOWN_THERE $",
    "the|this|your|my WHERE contains|includes|has|shows no ADJECTIVES* EDITED* SHOWN_THERE $",
    "this|your|my message|request do|does|did not actually* HOLD DETERMINERS* EDITED* SHOWN_THERE $",
    "this|your|my message|request doesn't|didn't actually* HOLD DETERMINERS* EDITED* SHOWN_THERE $",
    "this|your|my message|request contains|includes|has|shows no ADJECTIVES* EDITED* SHOWN_THERE $",
    "DETERMINERS* changed|modified|edited|reviewed file|files|code WAS not been* VISIBLE_SENT $",
    "DETERMINERS* changed|modified|edited|reviewed file|files|code WASNT been* VISIBLE_SENT $",
    "DETERMINERS* THINGS BEHIND* WAS not|never been|actually* GIVEN $",
    "DETERMINERS* THINGS BEHIND* WASNT been|actually* GIVEN $",
    "DETERMINERS* ALL_THINGS BEHIND* WAS not been* VISIBLE_SENT @",
    "DETERMINERS* ALL_THINGS BEHIND* WASNT been* VISIBLE_SENT @",
    "DETERMINERS* DIFF BEHIND* SEEMS SEEMS* empty|missing|blank|unavailable|absent $",
    "DETERMINERS* CHANGE SEEMS SEEMS* empty|missing|unavailable|absent $",
    "ME also|unfortunately* CANT actually|been|able|to* SEE access|to* DETERMINERS* CHANGE BEHIND* $",
    "ME also|unfortunately* do|did|can|could|have not|never actually|been|able|to* SEE access|to* DETERMINERS* \
     CHANGE BEHIND* $",
    "ME also|was|am|were|have|been* unable to SEE access|to* DETERMINERS* CHANGE BEHIND* $",
    "ME was|am|were|have|been* unable to SEE any|the|your* CODE $",
    "ME was|am|were not able to SEE DETERMINERS* CHANGE BEHIND* $",
    "ME CANT SEE any|the|your* CODE $",
    "ME do|did|can|could not SEE any|the|your* CODE $",
    "ME was|were|have|am* not|never|wasn't|weren't|haven't been|actually* HANDED with|access|to* DETERMINERS* \
     ANYTHING $",
    "ME was|were|have|been* shown|given|sent|provided|received|saw|see|got with* no|zero actual|full|real* \
     diff|diffs|patch|change|changes|code|files $",
    "ME was|were|have|been* shown|given|sent|provided|received nothing $",
    "ME have|had no access to DETERMINERS* diff|patch|change|changes|code|files $",
    "ME have no DIFF $",
    "nothing was provided $",
    "nothing was HANDED @",
    "without seeing* DETERMINERS* DIFF BEHIND* i|we cannot|can't|couldn't|can|could",
    "please|could|can|kindly you|please|kindly* paste|provide|share|send|attach|upload|include|supply|resend \
     me|us|with* DETERMINERS* code* diff|diffs|patch|change|changes|changeset|code|files BEHIND* $",
    "paste|provide|share|send|attach|upload|resend DETERMINERS* diff|patch|changes|code BEHIND* @",
    // German.
    "der|die|das|mein|dein|ihr* prompt|kontext|anfrage|nachricht enthält|enthielt leider* KEIN eigentliche* DE_THINGS $",
    "DE_THERE* KEIN eigentliche|eigentlicher|vollständiger* DE_THINGS DE_BETWEEN* DE_GIVEN $",
    "mir|uns liegt|liegen|lag|lagen leider* KEIN DE_THINGS vor $",
    "mir|uns wurde nichts DE_GIVEN $",
    "ich|wir sehe|sehen|sah|sahen|finde|erhielt|bekam leider|hier|im|prompt* KEIN DE_THINGS $",
    "ich|wir habe|haben|kann|konnte|konnten leider|hier|im|prompt* KEIN DE_THINGS DE_BETWEEN* DE_SEEN $",
    "der|die|das|mein* DE_CHANGE fehlt|fehlen $",
    "der|die|das|mein* DE_CHANGE ist|sind|war|scheint leider|offenbar|wohl* leer zu|sein* $",
    "der|die|das* DE_THINGS wurde|wurden|war|waren|ist|sind mir|uns|leider* nicht DE_BETWEEN* DE_GIVEN $",
    "ich|wir konnte|konnten|kann|können|habe|haben auf|den|die|das|diese|diesen|leider* DE_THINGS leider* nicht \
     DE_SEEN $",
    "ich|wir|habe|haben|hatte|leider* KEIN zugriff|zugang auf|zum|zur den|die|das* DE_THINGS $",
    "bitte mir|uns* \
     füge|fügen|schicke|schick|schicken|sende|senden|stelle|stellen|gib|geben|zeige|zeigen|poste|liefere \
     sie|mir|uns|den|die|das|vollständigen|ganzen* DE_THINGS sie|mir|uns|hier* ein|bei|mit|an|bereit* $",
    "bitte mir|uns|den|die|das|vollständigen|ganzen* DE_THINGS mir|uns|hier* \
     einfügen|mitschicken|mitsenden|schicken|senden|beifügen|bereitstellen|anhängen|zeigen $",
];

/// The forms in which somebody was shown only a part.
const PART_SHOWN: &[&str] = &[
    "DETERMINERS* WHOLE BEHIND* SEEMS SEEMS* truncated|cut|incomplete off|short* $",
    "DETERMINERS* PROMPT SEEMS SEEMS* LACKING $",
    "my input|context|view SEEMS SEEMS* truncated|cut|incomplete off|short* $",
    "DETERMINERS* WHOLE just|seems|to|appears* ends|stops|breaks|end|stop|break abruptly|off|midway $",
    "ME can|could|was|were|have|had|been* only been|able|to* SAW the|a|an|some* PARTS IN_PARTS* WHOLE* $",
    "ME can|could|was|were|have|had|been* SAW to* only|just the|a|an|some* PARTS IN_PARTS* WHOLE* $",
    "only the|a|an|some* PARTS IN_PARTS* WHOLE WAS been* GIVEN $",
    "only the|a|an|some* PARTS IN_PARTS* WHOLE WAS VISIBLE_SENT @",
    "the* RESTS part|half|portion|of|the|this|your* WHOLE WAS not|never been* GIVEN $",
    "the* RESTS part|half|portion|of|the|this|your* WHOLE SEEMS SEEMS* missing|truncated|cut off* $",
    "ME did|could|do|can|have not SEE the* RESTS of the|this|your* WHOLE $",
    "ME didn't|couldn't|don't|can't|cannot|haven't SEE the* RESTS of the|this|your* WHOLE $",
    "parts|part|half of|the|this|your* diff|patch|prompt|brief|packet SEEMS SEEMS* missing|truncated|cut off* $",
    // German.
    "der|die|das|mein* diff|patch|prompt ist|war|scheint|wurde|wirkt|bricht leider|offenbar|wohl|mir* \
     abgeschnitten|unvollständig|gekürzt|ab zu|sein|worden* $",
    "ich|wir|mir|uns habe|haben|wurde|wurden|sah|sehe|konnte|konnten nur den|einen|ein|die|der|ersten|erste* \
     teil|hälfte|anfang|ausschnitt des|der|vom|von|dem* DE_WHOLE* gesehen|gezeigt|lesen|sehen|gelesen|erhalten* \
     $",
    "der|die|das* rest des|der|vom* DE_WHOLE fehlt|wurde|war|ist mir|uns|nicht* DE_GIVEN* $",
];

/// `in the prompt`, `im Prompt`.
const IN_PROMPT: &[&str] = &[
    "as part of the|this|that|your|my* PLACES",
    "in|with|within|from the|this|that|your|my* PLACES",
    "im|in|mit der|dem|dieser* PLACES",
];

/// How it may go on behind a form.
const LEADS_ON: &[&str] = &[
    "to me",
    "to us",
    "with me",
    "for me",
    "to review",
    "for review",
    "to judge",
    "here",
    "so",
    "and i",
    "and so",
    "and nothing",
    "and there",
    "but",
    "because",
    "at all",
    "anywhere",
    "therefore",
    "thus",
    "after",
    "before",
    "at line",
    "midway",
    "halfway",
    "at the end",
    "damit",
    "zur",
    "und",
];

/// Words that stand before such a form and leave it what it is.
const BEFORE: &str = "there so but and however unfortunately note that because since as it seems appears looks \
     like sorry sadly also caveat warning limitation remark afraid then thus therefore here now pass nothing \
     cannot can't unable to review the reviewer for this leider es aber da weil hinweis achtung daher";

/// Words of a judge about itself, behind which it may come as well.
const SELF: &str = "i i'm i've we me my us ich wir mir uns";

/// Words before it by which it is about what the code does.
const CONDITIONS: &str = "if when whenever where unless until once while returns return raises throws says \
     prints message error test tests handles case cases function method user users caller callers wenn falls \
     sobald sofern ob";

/// The most words of a sentence that are looked at.
const MAX_WORDS: usize = 200;

/// A part of a form.
enum Slot {
    /// One of these words.
    One(Vec<&'static str>),
    /// Any number of these words, or none.
    Any(Vec<&'static str>),
    /// The end, or what leads on.
    End,
    /// What leads on, or where it was not shown.
    InPrompt,
}

type Form = Vec<Slot>;

struct Forms {
    nothing: Vec<Form>,
    part: Vec<Form>,
    in_prompt: Vec<Form>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms {
    nothing: NOTHING_SHOWN.iter().map(|form| read_form(form)).collect(),
    part: PART_SHOWN.iter().map(|form| read_form(form)).collect(),
    in_prompt: IN_PROMPT.iter().map(|form| read_form(form)).collect(),
});

fn read_form(form: &'static str) -> Form {
    let slots = form
        .split_whitespace()
        .map(|slot| match slot.strip_suffix('*') {
            _ if slot == "$" => Slot::End,
            _ if slot == "@" => Slot::InPrompt,
            Some(list) => Slot::Any(words_of(list)),
            None => Slot::One(words_of(slot)),
        });
    slots.collect()
}

/// The words of a list: one that has a name, or those between the bars.
fn words_of(list: &'static str) -> Vec<&'static str> {
    let named = LISTS.iter().find(|(name, _)| *name == list);
    let words = named.map_or(list, |(_, words)| words);
    words.split(['|', ' ']).collect()
}

/// Words by which a judge was not shown the whole change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnseenWords {
    part: UnseenPart,
    /// Where they stand, and the words.
    said: String,
}

impl UnseenWords {
    /// What an answer that votes PASS says in any field, or in the words before and behind it.
    pub(super) fn in_answer(answer: &Value, around: &(String, &str)) -> Option<Self> {
        let verdict = answer.get("verdict").and_then(Value::as_str);
        if !verdict.is_some_and(|vote| vote.trim().eq_ignore_ascii_case("PASS")) {
            return None;
        }
        let fields = answer.as_object().into_iter().flatten();
        let mut texts = fields.filter_map(|(name, inner)| Some((name.as_str(), inner.as_str()?)));
        let in_field = texts.find_map(|(name, text)| Self::of(name, text));
        let beside = |text: &str| Self::of("beside the answer", text);
        in_field
            .or_else(|| beside(&around.0))
            .or_else(|| beside(around.1))
    }

    /// Whether they are at odds with what the judge was sent. Of a change that does not fit into its brief it is right to
    /// say that it saw a part, and the report says so, too.
    pub(super) fn contradict(&self, sent: &Coverage) -> bool {
        self.part == UnseenPart::All || sent.files.iter().all(|file| file.state.is_complete())
    }

    /// The first such sentence of a text.
    pub(super) fn of(place: &str, text: &str) -> Option<Self> {
        // A sentence in bold letters ends with its marks, and not with its full stop.
        let plain = text.replace('*', "");
        let mut said = plain.lines().flat_map(sentences);
        said.find_map(|said| {
            let part = part_of(&without_quotes(&said))?;
            let said = format!("{place}: {}", excerpt(&said));
            Some(Self { part, said })
        })
    }

    /// Why an answer with these words does not count, for its judge and for the report.
    pub(super) fn failure(&self) -> Failure {
        let part = match self.part {
            UnseenPart::All => "no change",
            UnseenPart::Some => "only a part of the change",
        };
        let detail = format!(
            "{}. It says that it was shown {part}, and votes PASS. A judge that has read the change answers without these \
             words; one that has not says so again, and abstains",
            self.said
        );
        Failure::new(FailureKind::ContextCut, detail)
    }
}

fn part_of(sentence: &str) -> Option<UnseenPart> {
    let mut before = Before::default();
    for clause in sentence.split([',', ':', '(', ')', '—', '–', '.', '!', '?', ';']) {
        let words = Words::of(clause).0;
        let words: Vec<&str> = words.iter().map(|word| without_number(word)).collect();
        for (at, word) in words.iter().enumerate() {
            let is = |forms: &[Form]| forms.iter().any(|form| fits(&words[at..], form));
            if before.may_lead() && is(&FORMS.nothing) {
                return Some(UnseenPart::All);
            }
            if before.may_lead() && is(&FORMS.part) {
                return Some(UnseenPart::Some);
            }
            before.add(word);
        }
    }
    None
}

/// `few` for a number: how many lines somebody saw makes no other form.
fn without_number(word: &str) -> &str {
    match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => "few",
        false => word,
    }
}

/// What stands in a sentence before a form.
#[derive(Default)]
struct Before {
    words: usize,
    is_telling: bool,
    is_own: bool,
    is_about_code: bool,
}

impl Before {
    fn add(&mut self, word: &str) {
        self.words += 1;
        self.is_telling |= !is_in(BEFORE, word);
        self.is_own |= is_in(SELF, word);
        self.is_about_code |= is_in(CONDITIONS, word);
    }

    /// Whether a form may stand behind it.
    fn may_lead(&self) -> bool {
        !self.is_about_code && (self.is_own || !self.is_telling) && self.words < MAX_WORDS
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn fits(words: &[&str], form: &[Slot]) -> bool {
    let Some((slot, rest)) = form.split_first() else {
        return true;
    };
    let takes = |list: &[&str]| words.first().is_some_and(|word| list.contains(word));
    let leads = || leads_on(words) || FORMS.in_prompt.iter().any(|form| fits(words, form));
    match slot {
        Slot::One(list) => takes(list) && fits(&words[1..], rest),
        Slot::Any(list) => fits(words, rest) || takes(list) && fits(&words[1..], form),
        Slot::End => words.is_empty() || leads(),
        Slot::InPrompt => leads(),
    }
}

fn leads_on(words: &[&str]) -> bool {
    let begins = |phrase: &&str| {
        let mut words = words.iter();
        phrase
            .split(' ')
            .all(|wanted| words.next() == Some(&wanted))
    };
    LEADS_ON.iter().any(begins)
}

/// A sentence without what it quotes: those are somebody else's words, or code.
fn without_quotes(sentence: &str) -> String {
    let mut kept = String::new();
    let mut close = None;
    let mut quoted = String::new();
    for c in sentence.chars() {
        match (close, c) {
            (None, '`' | '"') => close = Some(c),
            (None, '“') => close = Some('”'),
            (None, '„') => close = Some('“'),
            (None, '«') => close = Some('»'),
            (None, _) => kept.push(c),
            (Some(end), _) if c == end => {
                kept.push_str("quoted");
                (close, quoted) = (None, String::new());
            }
            (Some(_), _) => quoted.push(c),
        }
    }
    // What is opened and never closed quotes nothing.
    kept + " " + &quoted
}

#[cfg(test)]
#[path = "unseen_words_tests.rs"]
mod tests;
