//! Passwords that a program is given under a letter, or at a place, that no name speaks of: `commands.toml` has the programs.
//! A list of arguments is the same command line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::assigned::near_before;
use crate::matcher::PLACEHOLDER;
use crate::named::{NameKind, kind_of_name};
use crate::steps::looked_at;
use crate::value::is_secret_value;

const BUILT_IN: &str = include_str!("commands.toml");

/// The most words that are read of one command: a line of megabytes may hold a million of them.
const MAX_WORDS: usize = 64;

/// The kind of such a password, and the row of the table that describes it.
pub(crate) const KIND: &str = "command-password";

/// How some programs are given a password.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandRule {
    names: Vec<String>,
    /// What a line must have in it; none: one of the names.
    #[serde(default)]
    keywords: Vec<String>,
    /// Options before the password: the next word, or behind `=`.
    #[serde(default)]
    apart: Vec<String>,
    /// Options whose own word goes on with it.
    #[serde(default)]
    glued: Vec<String>,
    /// Options that are given a user, a sign and the password.
    #[serde(default)]
    pairs: Vec<String>,
    #[serde(default = "default_sign")]
    sign: char,
    /// `word:n`: the nth word behind this one, options left out.
    #[serde(default)]
    behind: Vec<String>,
    /// The last word, where a group of letters holds this one.
    last: Option<char>,
    /// A word is a user, a slash and the password.
    login: Option<LoginForm>,
    /// Each word `NAME=…` has it behind the sign.
    #[serde(default)]
    settings: bool,
    /// It is the word behind a name of a secret, behind one of these words.
    #[serde(default)]
    named: Vec<String>,
    /// It is put into the program.
    input: Option<InputForm>,
    /// Of these words one stands in the command.
    #[serde(default)]
    with: Vec<String>,
}

/// What a program reads that it is given a password by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum InputForm {
    Word,
    /// A user, a sign and the password.
    Pair,
}

/// How the word of a user and a password ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LoginForm {
    /// With the password, or `@` and a place.
    Word,
    /// With `@` and a place.
    Place,
}

fn default_sign() -> char {
    ':'
}

/// The commands of a table.
#[derive(Debug)]
pub(crate) struct CommandTable {
    rules: Vec<CommandRule>,
    by_name: HashMap<String, Vec<usize>>,
}

/// A word of a command line, without its quotes.
#[derive(Debug, Clone)]
struct CommandWord {
    range: Range<usize>,
    /// Whether it goes on the word before it: `-p"…"`.
    is_joined: bool,
    /// Whether a sign before it ends the command: `a | b`.
    is_next: bool,
    /// Whether what the command before it writes is its input.
    is_piped: bool,
}

#[derive(Deserialize)]
struct CommandsToml {
    commands: Vec<CommandRule>,
}

impl CommandTable {
    /// The commands that are part of the program.
    pub(crate) fn built_in() -> &'static Self {
        #[expect(
            clippy::expect_used,
            reason = "a constant of this crate, read by a test"
        )]
        static TABLE: LazyLock<CommandTable> = LazyLock::new(|| {
            let file: CommandsToml = toml::from_str(BUILT_IN).expect("constant table");
            CommandTable::new(file.commands)
        });
        &TABLE
    }

    fn new(rules: Vec<CommandRule>) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            for name in &rule.names {
                by_name.entry(name.clone()).or_default().push(at);
            }
        }
        Self { rules, by_name }
    }

    /// The words that a line must have one of.
    pub(crate) fn keywords(&self) -> impl Iterator<Item = &str> {
        let words = self.rules.iter().flat_map(|rule| {
            let is_own = rule.keywords.is_empty();
            if is_own { &rule.names } else { &rule.keywords }
        });
        words.map(String::as_str)
    }

    pub(crate) fn has_keyword(&self, word: &str) -> bool {
        self.keywords().any(|own| own == word)
    }

    /// Where the passwords of the commands in a line stand.
    pub(crate) fn passwords_in(&self, line: &str) -> Vec<Range<usize>> {
        let words = words_of(line);
        let mut found = Vec::new();
        for at in 0..words.len() {
            let program = program_of(&line[words[at].range.clone()]);
            let rules = self
                .by_name
                .get(&*program)
                .into_iter()
                .flatten()
                .map(|at| &self.rules[*at]);
            for rule in rules {
                let command = command_at(&words, at);
                if !rule.is_due(line, command) {
                    continue;
                }
                found.extend(rule.passwords_of(line, command));
                let input = rule
                    .input
                    .and_then(|form| Some((form, input_of(line, &words, at)?)));
                found.extend(input.and_then(|(form, word)| match form {
                    InputForm::Word => Some(word),
                    InputForm::Pair => second_part(line, &word, rule.sign),
                }));
            }
        }
        found.retain(|value| is_password(line, value));
        found
    }
}

impl CommandRule {
    fn is_due(&self, line: &str, command: &[CommandWord]) -> bool {
        let is_with = |word: &CommandWord| is_one(&self.with, &line[word.range.clone()]);
        self.with.is_empty() || command.iter().any(is_with)
    }

    fn passwords_of(&self, line: &str, command: &[CommandWord]) -> Vec<Range<usize>> {
        let text = |word: &CommandWord| &line[word.range.clone()];
        let mut found = Vec::new();
        for at in 1..command.len() {
            found.extend(given(line, command, at, &self.apart, false));
            found.extend(given(line, command, at, &self.glued, true));
            let apart = given(line, command, at, &self.pairs, false);
            let pair = apart.or_else(|| given(line, command, at, &self.pairs, true));
            found.extend(pair.and_then(|pair| second_part(line, &pair, self.sign)));
        }
        if self.settings {
            found.extend((1..command.len()).filter_map(|at| value_of_word(line, command, at)));
        }
        found.extend(value_of_named(line, command, &self.named));
        let login = self.login.and_then(|form| {
            let mut words = command[1..].iter();
            words.find_map(|word| password_of_login(line, word, form))
        });
        found.extend(login);
        let places = self.behind.iter();
        found.extend(places.filter_map(|place| word_behind(line, command, place)));
        let is_grouped = |word: &CommandWord| {
            let letters = text(word).strip_prefix('-');
            letters.is_some_and(|letters| {
                letters.bytes().all(|b| b.is_ascii_alphabetic())
                    && self.last.is_some_and(|last| letters.contains(last))
            })
        };
        let last = self.last.and(command.last());
        found.extend(
            last.filter(|_| command.iter().any(is_grouped))
                .map(|word| word.range.clone()),
        );
        found
    }
}

fn is_one(known: &[String], word: &str) -> bool {
    known.iter().any(|one| one == word)
}

/// The value of a word `NAME=…`, also of one that `--from-literal=` is given.
fn value_of_word(line: &str, command: &[CommandWord], at: usize) -> Option<Range<usize>> {
    let place = command[at].range.clone();
    let word = &line[place.clone()];
    let setting = word.strip_prefix("--from-literal=").unwrap_or(word);
    let (name, value) = setting
        .split_once('=')
        .filter(|_| !setting.starts_with('-'))?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    let joined = command.get(at + 1).filter(|next| next.is_joined);
    match (!name.is_empty() && name.bytes().all(is_name), value) {
        (false, _) => None,
        (true, "") => joined.map(|next| next.range.clone()),
        (true, _) => Some(place.end - value.len()..place.end),
    }
}

/// What the name of a secret gets that stands behind one of these words: `config set github.token …`.
fn value_of_named(line: &str, command: &[CommandWord], heads: &[String]) -> Option<Range<usize>> {
    let text = |word: &CommandWord| &line[word.range.clone()];
    let head = command.iter().position(|word| is_one(heads, text(word)))?;
    let is_secret = |name: &str| {
        let kind = kind_of_name(name);
        kind == Some(NameKind::Secret)
            || (kind == Some(NameKind::Perhaps) && name.ends_with("oken"))
    };
    let named = |word: &CommandWord| is_secret(text(word).split('=').next().unwrap_or_default());
    let at = head + 1 + command[head + 1..].iter().position(named)?;
    match text(&command[at]).split_once('=') {
        Some((_, value)) => Some(command[at].range.end - value.len()..command[at].range.end),
        None => command.get(at + 1).map(|next| next.range.clone()),
    }
}

/// The word that is put into the program at a place: `echo … | program`, `program <<< …`, `program <(echo …)`.
fn input_of(line: &str, words: &[CommandWord], at: usize) -> Option<Range<usize>> {
    let text = |word: &CommandWord| &line[word.range.clone()];
    let command = command_at(words, at);
    for (at, word) in command.iter().enumerate() {
        let next = || command.get(at + 1).map(|next| next.range.clone());
        match text(word).strip_prefix("<<<") {
            Some("") => return next(),
            Some(rest) => return Some(word.range.end - rest.len()..word.range.end),
            None => {}
        }
        if ["<(echo", "<(printf"]
            .iter()
            .any(|open| text(word).ends_with(open))
        {
            return printed_word(line, &command[at + 1..]);
        }
    }
    // The command begins behind the last sign, with `sudo`, or with what it is a part of.
    let start = words[..=at].iter().rposition(|word| word.is_next)?;
    let piped = words[..start].iter().rposition(|word| word.is_next);
    let before = words
        .get(piped.unwrap_or(0)..start)
        .filter(|_| words[start].is_piped)?;
    let is_echo = |word: &CommandWord| ["echo", "printf"].contains(&text(word));
    let echo = before.iter().position(is_echo)?;
    printed_word(line, &before[echo + 1..])
}

/// The one word that `echo` and `printf` are given to write.
fn printed_word(line: &str, words: &[CommandWord]) -> Option<Range<usize>> {
    let text = |word: &&CommandWord| &line[word.range.clone()];
    let mut printed = words
        .iter()
        .filter(|word| !text(word).starts_with(['-', '%']));
    printed.next().map(|word| word.range.clone())
}

/// What an option at a place is given: in its own word, or else behind `=` or in the next word.
fn given(
    line: &str,
    command: &[CommandWord],
    at: usize,
    options: &[String],
    is_glued: bool,
) -> Option<Range<usize>> {
    let place = command[at].range.clone();
    let word = &line[place.clone()];
    let rests = options
        .iter()
        .filter_map(|one| word.strip_prefix(one.as_str()));
    let next = |is_due: &dyn Fn(&CommandWord) -> bool| {
        let next = command.get(at + 1).filter(|next| is_due(next));
        next.map(|next| next.range.clone())
    };
    let values = rests.filter_map(|rest| match (rest.strip_prefix('='), is_glued) {
        (Some(""), _) => next(&|word| word.is_joined),
        (Some(value), _) => Some(place.end - value.len()..place.end),
        (None, true) if rest.is_empty() => next(&|word| word.is_joined),
        (None, true) => Some(place.end - rest.len()..place.end),
        (None, false) if rest.is_empty() => next(&|_| true),
        (None, false) => None,
    });
    values.into_iter().next()
}

/// What stands behind the sign of a pair.
fn second_part(line: &str, pair: &Range<usize>, sign: char) -> Option<Range<usize>> {
    let (user, password) = line[pair.clone()].split_once(sign)?;
    (!user.is_empty()).then(|| pair.end - password.len()..pair.end)
}

/// The password of `USER/PASSWORD@PLACE`, which no path looks like: its user is one word.
fn password_of_login(line: &str, word: &CommandWord, form: LoginForm) -> Option<Range<usize>> {
    let text = &line[word.range.clone()];
    let login = ["userid=", "USERID="]
        .iter()
        .find_map(|name| text.strip_prefix(name))
        .unwrap_or(text);
    let (user, rest) = login.split_once('/')?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_$#\\\"".contains(&b);
    let password = match (rest.rsplit_once('@'), form) {
        (Some((password, _)), _) => password,
        (None, LoginForm::Word) => rest,
        (None, LoginForm::Place) => return None,
    };
    let start = word.range.end - rest.len();
    (!user.is_empty() && user.bytes().all(is_name)).then(|| start..start + password.len())
}

/// The nth word behind another one: `set:4`; behind `\\`: behind the share of a Windows computer.
fn word_behind(line: &str, command: &[CommandWord], place: &str) -> Option<Range<usize>> {
    let (head, count) = place.split_once(':')?;
    let count: usize = count.parse().ok()?;
    let is_head =
        |text: &str| program_of(text) == head || (head == r"\\" && text.starts_with(head));
    let at = command
        .iter()
        .position(|word| is_head(&line[word.range.clone()]))?;
    let is_option = |text: &str| text.starts_with('-') || is_windows_option(text);
    let words = command[at + 1..].iter();
    let mut words = words.filter(|word| !is_option(&line[word.range.clone()]));
    words
        .nth(count.checked_sub(1)?)
        .map(|word| word.range.clone())
}

/// `/add`, `/user:ann`.
fn is_windows_option(text: &str) -> bool {
    let name = text
        .strip_prefix('/')
        .and_then(|name| name.split(':').next());
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic()))
}

fn is_password(line: &str, place: &Range<usize>) -> bool {
    let value = &line[place.clone()];
    let before = near_before(line, place.start);
    !value.starts_with('-') && !value.contains(PLACEHOLDER) && is_secret_value(value, before, "")
}

/// `/usr/bin/mysql` is `mysql`.
fn program_of(word: &str) -> Cow<'_, str> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name.bytes().any(|b| b.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    }
}

/// The command that begins with this word.
fn command_at(words: &[CommandWord], at: usize) -> &[CommandWord] {
    let rest = &words[at..words.len().min(at + MAX_WORDS)];
    let end = rest.iter().skip(1).position(|word| word.is_next);
    end.map_or(rest, |end| &rest[..=end])
}

/// The words of a command line, or of a list of arguments.
fn words_of(line: &str) -> Vec<CommandWord> {
    let line = looked_at(line);
    let mut words = Vec::new();
    let (mut at, mut is_joined, mut is_next, mut is_piped) = (0, false, false, false);
    while let Some(sign) = line[at..].chars().next() {
        let rest = &line[at..];
        let start = at;
        if sign.is_whitespace() || "[](){},".contains(sign) {
            (at, is_joined) = (at + sign.len_utf8(), false);
            continue;
        }
        if "|;&".contains(sign) {
            // `||` is no pipe.
            is_piped = sign == '|' && !is_next;
            (at, is_joined, is_next) = (at + 1, false, true);
            continue;
        }
        let range = if "\"'".contains(sign) {
            let Some(inner) = quoted_word(rest, sign) else {
                (at, is_joined) = (at + 1, false);
                continue;
            };
            at += inner.len() + 2;
            start + 1..start + 1 + inner.len()
        } else {
            let is_end = |c: char| c.is_whitespace() || "\"'|;&".contains(c);
            let run = &rest[..rest.find(is_end).unwrap_or(rest.len())];
            at += run.len();
            start..start + run.trim_end_matches([',', ')', ']', '}']).len()
        };
        words.push(CommandWord {
            range,
            is_joined,
            is_next,
            is_piped,
        });
        (is_joined, is_next, is_piped) = (true, false, false);
    }
    words
}

/// What stands between quotes, if it is one word: a whole command is read as its words.
fn quoted_word(text: &str, quote: char) -> Option<&str> {
    let inner = &text[1..];
    let end = inner.find([quote, ' ', '\t'])?;
    inner[end..].starts_with(quote).then(|| &inner[..end])
}
