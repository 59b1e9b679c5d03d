//! What else is a secret, in the form of a gitleaks configuration of the user's own.
//!
//! Read are the `[[rules]]` (`id`, `regex`, `secretGroup`, `entropy`, `keywords`) and the allowlists by `regexes` and
//! `stopwords`. Allowlists by path or commit are not: a secret of a test file is no less shown to somebody else. The rules
//! that gitleaks brings along (`extend.useDefault`) are not here; ours are in force beside these.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// The most bytes of one compiled pattern: gitleaks' own largest one needs about a tenth.
const MOST_COMPILED: usize = 64 << 20;

static IN_FORCE: OnceLock<Rules> = OnceLock::new();

/// Rules beside the built-in ones.
#[derive(Debug)]
pub struct Rules {
    /// SHA-256 of the text that they were read from.
    digest: String,
    /// The words without which no rule applies, each once.
    words: RegexSet,
    /// The rules that a word calls for, in the order of the words.
    called: Vec<Vec<usize>>,
    /// The rules that apply to every line.
    always: Vec<usize>,
    rules: Vec<Rule>,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Rule {
    id: String,
    pattern: Regex,
    group: usize,
    entropy: f64,
    allowed: Vec<Allowed>,
}

/// What is no secret, though a rule matches it.
#[derive(Debug)]
struct Allowed {
    patterns: RegexSet,
    stopwords: Vec<String>,
    target: Target,
}

/// What the patterns of an allowlist are held against.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    #[default]
    Secret,
    Match,
    Line,
}

#[derive(Deserialize)]
struct FileText {
    #[serde(default)]
    rules: Vec<RuleText>,
    allowlist: Option<AllowText>,
    #[serde(default)]
    allowlists: Vec<AllowText>,
    #[serde(default)]
    extend: ExtendText,
}

#[derive(Default, Deserialize)]
struct ExtendText {
    path: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleText {
    id: String,
    regex: Option<String>,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    keywords: Vec<String>,
    allowlist: Option<AllowText>,
    #[serde(default)]
    allowlists: Vec<AllowText>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AllowText {
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default)]
    regex_target: Target,
    #[serde(default)]
    condition: String,
    /// Allowlists that hold for some rules only.
    #[serde(default)]
    target_rules: Vec<String>,
}

impl Rules {
    /// Reads a gitleaks configuration.
    ///
    /// # Errors
    /// What is wrong with it, naming the rule.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: FileText = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(more) = file.extend.path.or(file.extend.url) {
            return Err(format!(
                "it extends `{more}`, which is not read: give one file with all rules"
            ));
        }
        let (mut rules, mut always) = (Vec::new(), Vec::new());
        let mut calls: HashMap<String, Vec<usize>> = HashMap::new();
        for text in file.rules {
            // A rule without a pattern is about the name of a file.
            let Some(pattern) = &text.regex else { continue };
            let index = rules.len();
            if text.keywords.is_empty() {
                always.push(index);
            }
            for word in &text.keywords {
                calls.entry(word.to_lowercase()).or_default().push(index);
            }
            let cannot = |error| format!("rule `{}`: {error}", text.id);
            rules.push(Rule {
                pattern: compile(pattern).map_err(cannot)?,
                allowed: allowed(text.allowlist.into_iter().chain(text.allowlists))
                    .map_err(cannot)?,
                group: text.secret_group,
                entropy: text.entropy,
                id: text.id,
            });
        }
        let mut calls: Vec<(String, Vec<usize>)> = calls.into_iter().collect();
        calls.sort();
        let words = calls.iter().map(|(word, _)| regex::escape(word));
        let words = RegexSetBuilder::new(words).case_insensitive(true).build();
        let general = file
            .allowlists
            .into_iter()
            .filter(|allow| allow.target_rules.is_empty());
        Ok(Self {
            digest: crate::packet::sha256(text.as_bytes()),
            words: words.map_err(|error| format!("its keywords: {error}"))?,
            called: calls.into_iter().map(|(_, rules)| rules).collect(),
            always,
            rules,
            allowed: allowed(file.allowlist.into_iter().chain(general))
                .map_err(|error| format!("the allowlist: {error}"))?,
        })
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Puts them in force for the rest of this process: every text that is redacted goes through them. The first ones
    /// that are put in force stay.
    pub fn enforce(self) {
        // A process has one configuration.
        let _ = IN_FORCE.set(self);
    }

    /// `line` without what these rules call a secret.
    fn replace(&self, line: &mut Cow<'_, str>, count: &mut usize) {
        let mut due = self.always.clone();
        due.extend(
            self.words
                .matches(line)
                .iter()
                .flat_map(|word| &self.called[word]),
        );
        due.sort_unstable();
        due.dedup();
        for rule in due {
            let rule = &self.rules[rule];
            let secrets = self.secrets(rule, line);
            if secrets.is_empty() {
                continue;
            }
            *count += secrets.len();
            *line = Cow::Owned(without(line, &secrets, &rule.id));
        }
    }

    /// Where a rule finds secrets in a line.
    fn secrets(&self, rule: &Rule, line: &str) -> Vec<Range<usize>> {
        let is_secret = |found: &Captures<'_>| {
            let secret = rule.secret(found)?;
            let (whole, text) = (found.get(0)?.as_str(), secret.as_str());
            let is_allowed = |allowed: &Allowed| allowed.holds(text, whole, line);
            let counts = !text.contains("[redacted: ")
                && (rule.entropy <= 0.0 || entropy(text) > rule.entropy)
                && !rule.allowed.iter().chain(&self.allowed).any(is_allowed);
            (counts && !secret.is_empty()).then(|| secret.range())
        };
        rule.pattern
            .captures_iter(line)
            .filter_map(|found| is_secret(&found))
            .collect()
    }
}

impl Rule {
    /// The group that is named, else the first one that took part, else the whole match (as gitleaks has it).
    fn secret<'a>(&self, found: &Captures<'a>) -> Option<regex::Match<'a>> {
        match self.group {
            0 => (1..found.len())
                .filter_map(|group| found.get(group))
                .find(|part| !part.is_empty())
                .or_else(|| found.get(0)),
            group => found.get(group),
        }
    }
}

impl Allowed {
    fn holds(&self, secret: &str, whole: &str, line: &str) -> bool {
        let target = match self.target {
            Target::Secret => secret,
            Target::Match => whole,
            Target::Line => line,
        };
        let lower = secret.to_lowercase();
        self.patterns.is_match(target) || self.stopwords.iter().any(|word| lower.contains(word))
    }
}

/// The digest of the rules in force beside the built-in ones.
pub fn in_force() -> Option<&'static str> {
    IN_FORCE.get().map(|rules| rules.digest.as_str())
}

/// `line` without what the rules in force call a secret.
pub(super) fn replace(line: &mut Cow<'_, str>, count: &mut usize) {
    if let Some(rules) = IN_FORCE.get() {
        rules.replace(line, count);
    }
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&as_written_for_go(pattern))
        .size_limit(MOST_COMPILED)
        .build()
}

/// A pattern in Go's dialect: there, a brace that begins no repetition stands for itself.
fn as_written_for_go(pattern: &str) -> String {
    #[expect(clippy::expect_used, reason = "a constant pattern, compiled by a test")]
    static PARTS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\{")
            .expect("constant pattern")
    });
    let replaced = PARTS.replace_all(pattern, |part: &Captures<'_>| match &part[0] {
        "{" => r"\{".to_owned(),
        other => other.to_owned(),
    });
    replaced.into_owned()
}

/// The allowlists that look at the text alone. One that wants a path, too, allows nothing here.
fn allowed(texts: impl Iterator<Item = AllowText>) -> Result<Vec<Allowed>, regex::Error> {
    let looks_at_text = |allow: &AllowText| !allow.condition.eq_ignore_ascii_case("and");
    let read = |allow: AllowText| {
        let patterns =
            RegexSetBuilder::new(allow.regexes.iter().map(|text| as_written_for_go(text)))
                .size_limit(MOST_COMPILED)
                .build()?;
        Ok(Allowed {
            patterns,
            stopwords: allow
                .stopwords
                .iter()
                .map(|word| word.to_lowercase())
                .collect(),
            target: allow.regex_target,
        })
    };
    texts.filter(looks_at_text).map(read).collect()
}

/// `line` with `id` in the places of secrets, which come in order.
fn without(line: &str, secrets: &[Range<usize>], id: &str) -> String {
    let (mut out, mut end) = (String::with_capacity(line.len()), 0);
    for secret in secrets {
        out.push_str(&line[end..secret.start]);
        out.push_str(&format!("[redacted: {id}]"));
        end = secret.end;
    }
    out.push_str(&line[end..]);
    out
}

/// Shannon's, in bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, f64> = HashMap::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1.0;
    }
    let all: f64 = counts.values().sum();
    -counts
        .values()
        .map(|count| count / all)
        .map(|p| p * p.log2())
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#"
title = "ours"
[extend]
useDefault = true
[allowlist]
paths = ['''vendor/''']
stopwords = ["sample"]
[[rules]]
id = "house-token"
regex = '''(?i)\bhouse_([a-z0-9]{8})\b'''
keywords = ["house_"]
[[rules]]
id = "high"
regex = '''pin=([a-z0-9]{8})'''
entropy = 2.5
[[rules]]
id = "second"
regex = '''(user):(\w+)@'''
secretGroup = 2
[rules.allowlist]
regexes = ['''^nobody$''']
[[rules]]
id = "by-name"
path = '''\.p12$'''
"#;

    fn redacted(line: &str) -> (String, usize) {
        let rules = Rules::read(CONFIG).unwrap();
        let (mut text, mut count) = (Cow::Borrowed(line), 0);
        rules.replace(&mut text, &mut count);
        let once = text.clone().into_owned();
        rules.replace(&mut text, &mut 0);
        assert_eq!(text, once, "twice is once");
        (once, count)
    }

    #[test]
    fn its_rules_are_read_as_gitleaks_reads_them() {
        assert_eq!(Rules::read(CONFIG).unwrap().len(), 3);
        for (line, expected, secrets) in [
            ("a HOUSE_abcd1234 b", "a HOUSE_[redacted: house-token] b", 1),
            (
                "house_abcd1234, house_zzzz9999",
                "house_[redacted: house-token], house_[redacted: house-token]",
                2,
            ),
            ("house_sample12", "house_sample12", 0),
            ("pin=a1b2c3d4", "pin=[redacted: high]", 1),
            ("pin=aaaaaaaa", "pin=aaaaaaaa", 0),
            ("user:hunter2@host", "user:[redacted: second]@host", 1),
            ("user:nobody@host", "user:nobody@host", 0),
            ("nothing of this", "nothing of this", 0),
        ] {
            assert_eq!(redacted(line), (expected.to_owned(), secrets), "{line}");
        }
    }

    #[test]
    fn braces_stand_for_themselves_where_go_takes_them_so() {
        for (go, rust) in [
            (r"\$?{{[^}]+}}", r"\$?\{\{[^}]+}}"),
            (r"a{2}b{3,}c{4,5}d{x}", r"a{2}b{3,}c{4,5}d\{x}"),
            (r"\p{L}\x{41}[{]\{", r"\p{L}\x{41}[{]\{"),
            (r"[]{[:alpha:]{]{", r"[]{[:alpha:]{]\{"),
        ] {
            assert_eq!(as_written_for_go(go), rust);
            assert!(Regex::new(rust).is_ok(), "{rust}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let odd = "[[rules]]\nid = 'x'\nregex = '''(a'''\n";
        assert!(Rules::read(odd).unwrap_err().starts_with("rule `x`: "));
        let more = "[extend]\npath = '../base.toml'\n";
        assert!(
            Rules::read(more)
                .unwrap_err()
                .contains("it extends `../base.toml`")
        );
        assert!(Rules::read("rules = 3").is_err());
    }
}
