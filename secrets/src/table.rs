//! A table of rules in the form of a gitleaks configuration: the built-in one, and one of the user's own.
//!
//! Read are the `[[rules]]` (`id`, `description`, `regex`, `secretGroup`, `entropy`, `keywords`, `tags`), the rules that
//! have a `path` alone (files that hold secrets), and the allowlists by `regexes` and `stopwords`. Allowlists by path or
//! commit are not read for rules with a pattern: a secret of a test file is no less shown to somebody else. The rules that
//! gitleaks brings along (`extend.useDefault`) are not here; the built-in ones are in force beside a user's.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::commands::CommandTable;
use crate::lazy::{LazyPattern, TableAuthor};
use crate::matcher::SecretShape;
use crate::word_finder::WordFinder;

const BUILT_IN: &str = include_str!("table.toml");

/// What is a secret.
#[derive(Debug)]
pub struct SecretTable {
    digest: String,
    /// Whether each line was searched for its keywords before.
    pub(crate) is_built_in: bool,
    /// The keywords of all rules, each once, in either case.
    pub(crate) keywords: WordFinder,
    /// The rules that a keyword calls for, in the order of the keywords.
    pub(crate) called: Vec<Vec<usize>>,
    /// The rules that apply to every line.
    pub(crate) always: Vec<usize>,
    pub(crate) rules: Vec<SecretRule>,
    pub(crate) files: Vec<FileRule>,
    pub(crate) allowed: Vec<Allowlist>,
    /// Of each keyword, whether a command may follow it.
    pub(crate) calls_command: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct SecretRule {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) pattern: LazyPattern<Regex>,
    pub(crate) group: usize,
    pub(crate) entropy: f64,
    pub(crate) shape: SecretShape,
    pub(crate) is_reported: bool,
    /// Whether a token of its kind is one only where no other sign of base64 stands beside it.
    pub(crate) is_whole: bool,
    /// Whether only a value that looks drawn is one.
    pub(crate) is_drawn: bool,
    pub(crate) allowed: Vec<Allowlist>,
}

/// Files whose name says that they hold secrets.
#[derive(Debug)]
pub(crate) struct FileRule {
    pub(crate) path: LazyPattern<Regex>,
    pub(crate) allowed: LazyPattern<RegexSet>,
    pub(crate) is_reported: bool,
    /// Whether only what looks drawn is secret in it.
    pub(crate) is_drawn: bool,
}

/// What is no secret, though a rule matches it.
#[derive(Debug)]
pub(crate) struct Allowlist {
    patterns: LazyPattern<RegexSet>,
    stopwords: Vec<String>,
    target: AllowTarget,
}

/// What the patterns of an allowlist are held against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AllowTarget {
    #[default]
    Secret,
    Match,
    Line,
}

/// Why a table cannot be used: what is wrong with it, naming the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError(String);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TableError {}

#[derive(Deserialize)]
struct TableToml {
    #[serde(default)]
    rules: Vec<RuleToml>,
    allowlist: Option<AllowToml>,
    #[serde(default)]
    allowlists: Vec<AllowToml>,
    #[serde(default)]
    extend: ExtendToml,
    /// What else stands at its top: what gitleaks knows and is not needed here, or a slip.
    #[serde(flatten)]
    others: BTreeMap<String, toml::Value>,
}

/// Tables and keys at the top of gitleaks' configuration that say nothing of what is a secret.
const UNUSED_KEYS: &[&str] = &["title", "description", "minVersion"];

impl TableToml {
    /// A file that names no secret, or does so under a name that nobody reads, hides nothing: its author has to know.
    fn check(&self) -> Result<(), TableError> {
        if let Some(more) = self.extend.path.as_ref().or(self.extend.url.as_ref()) {
            let why = "which is not read: give one file with all rules";
            return Err(TableError(format!("it extends `{more}`, {why}")));
        }
        let slip = self
            .others
            .keys()
            .find(|key| !UNUSED_KEYS.contains(&key.as_str()));
        if let Some(key) = slip {
            return Err(TableError(format!(
                "it has no table `{key}`: rules stand in `[[rules]]`, exceptions in `[[allowlists]]`"
            )));
        }
        if self.rules.is_empty() {
            return Err(TableError(
                "it has no rule: write each as `[[rules]]`".to_owned(),
            ));
        }
        Ok(())
    }
}

#[derive(Default, Deserialize)]
struct ExtendToml {
    path: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleToml {
    id: String,
    #[serde(default)]
    description: String,
    regex: Option<String>,
    path: Option<String>,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    allowlist: Option<AllowToml>,
    #[serde(default)]
    allowlists: Vec<AllowToml>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AllowToml {
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    regex_target: AllowTarget,
    #[serde(default)]
    condition: String,
    /// Allowlists that hold for some rules only.
    #[serde(default)]
    target_rules: Vec<String>,
}

impl SecretTable {
    /// The table that is part of the program.
    pub fn built_in() -> &'static Self {
        #[expect(
            clippy::expect_used,
            reason = "a constant of this crate, read by a test"
        )]
        static TABLE: LazyLock<SecretTable> = LazyLock::new(|| {
            SecretTable::parse_table(BUILT_IN, TableAuthor::Project).expect("constant table")
        });
        &TABLE
    }

    /// Reads a gitleaks configuration of a user's own.
    ///
    /// # Errors
    /// What is wrong with it, naming the rule.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        Self::parse_table(text, TableAuthor::User)
    }

    fn parse_table(text: &str, author: TableAuthor) -> Result<Self, TableError> {
        let file: TableToml =
            toml::from_str(text).map_err(|error| TableError(error.to_string()))?;
        file.check()?;
        let (mut rules, mut files, mut always) = (Vec::new(), Vec::new(), Vec::new());
        let mut calls: HashMap<String, Vec<usize>> = HashMap::new();
        for rule in file.rules {
            let cannot = {
                let id = rule.id.clone();
                move |error| TableError(format!("rule `{id}`: {error}"))
            };
            if rule.regex.is_none() {
                files.extend(parse_file_rule(rule, author).map_err(cannot)?);
                continue;
            }
            if rule.keywords.is_empty() {
                always.push(rules.len());
            }
            for word in &rule.keywords {
                calls
                    .entry(word.to_lowercase())
                    .or_default()
                    .push(rules.len());
            }
            rules.extend(parse_rule(rule, author).map_err(cannot)?);
        }
        let own = (author == TableAuthor::Project).then(CommandTable::built_in);
        for word in own.into_iter().flat_map(CommandTable::keywords) {
            calls.entry(word.to_owned()).or_default();
        }
        let mut calls: Vec<(String, Vec<usize>)> = calls.into_iter().collect();
        calls.sort();
        let calls_command = |word: &str| own.is_some_and(|own| own.has_keyword(word));
        let calls_command = calls.iter().map(|(word, _)| calls_command(word)).collect();
        let keywords = WordFinder::new(calls.iter().map(|(word, _)| word));
        let general = file
            .allowlists
            .into_iter()
            .filter(|allow| allow.target_rules.is_empty());
        let allowed = parse_allowlists(file.allowlist.into_iter().chain(general), author);
        Ok(Self {
            digest: hex::encode(Sha256::digest(text.as_bytes())),
            is_built_in: author == TableAuthor::Project,
            keywords: keywords.map_err(|error| TableError(format!("its keywords: {error}")))?,
            called: calls.into_iter().map(|(_, rules)| rules).collect(),
            always,
            rules,
            files,
            allowed: allowed.map_err(|error| TableError(format!("the allowlist: {error}")))?,
            calls_command,
        })
    }

    /// How many rules there are that look at text.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.files.is_empty()
    }

    /// SHA-256 of the text that it was read from, 64 hex digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The keywords of the rules that are reported, for whoever wants to look at lines with one of them only.
    pub fn reported_rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rules
            .iter()
            .filter(|rule| rule.is_reported)
            .map(|rule| (rule.id.as_str(), rule.description.as_str()))
    }
}

fn parse_rule(rule: RuleToml, author: TableAuthor) -> Result<Option<SecretRule>, regex::Error> {
    let Some(pattern) = rule.regex else {
        return Ok(None);
    };
    let is_own = author == TableAuthor::Project;
    let has_tag = |tag: &str| is_own && rule.tags.iter().any(|own| own == tag);
    let shape = if has_tag("url") {
        SecretShape::UrlPassword
    } else if has_tag("quoted") {
        SecretShape::QuotedValue
    } else if has_tag("placed") {
        SecretShape::PlacedValue
    } else if has_tag("bare") {
        SecretShape::BareValue
    } else {
        SecretShape::Token
    };
    Ok(Some(SecretRule {
        pattern: LazyPattern::one(author, pattern)?,
        group: rule.secret_group,
        entropy: rule.entropy,
        shape,
        is_reported: has_tag("report"),
        is_whole: has_tag("whole"),
        is_drawn: has_tag("drawn"),
        allowed: parse_allowlists(rule.allowlist.into_iter().chain(rule.allowlists), author)?,
        id: rule.id,
        description: rule.description,
    }))
}

fn parse_file_rule(rule: RuleToml, author: TableAuthor) -> Result<Option<FileRule>, regex::Error> {
    let Some(path) = rule.path else {
        return Ok(None);
    };
    let allowed = rule.allowlist.into_iter().chain(rule.allowlists);
    let allowed: Vec<String> = allowed.flat_map(|allow| allow.paths).collect();
    Ok(Some(FileRule {
        path: LazyPattern::one(author, path)?,
        allowed: LazyPattern::any_of(author, allowed)?,
        is_reported: rule.tags.iter().any(|tag| tag == "report"),
        is_drawn: rule.tags.iter().any(|tag| tag == "drawn"),
    }))
}

/// The allowlists that look at the text alone. One that wants a path, too, allows nothing here.
fn parse_allowlists(
    texts: impl Iterator<Item = AllowToml>,
    author: TableAuthor,
) -> Result<Vec<Allowlist>, regex::Error> {
    let looks_at_text = |allow: &AllowToml| !allow.condition.eq_ignore_ascii_case("and");
    let parse = |allow: AllowToml| {
        Ok(Allowlist {
            patterns: LazyPattern::any_of(author, allow.regexes)?,
            stopwords: allow.stopwords.iter().map(|w| w.to_lowercase()).collect(),
            target: allow.regex_target,
        })
    };
    texts.filter(looks_at_text).map(parse).collect()
}

impl Allowlist {
    /// Whether it takes every match of a line away.
    pub(crate) fn allows_line(&self, line: &str) -> bool {
        self.target == AllowTarget::Line && self.patterns.is_match(line)
    }

    /// Whether it takes one match away, whatever else stands in its line.
    pub(crate) fn allows_match(&self, secret: &str, whole: &str) -> bool {
        let is_match = match self.target {
            AllowTarget::Secret => self.patterns.is_match(secret),
            AllowTarget::Match => self.patterns.is_match(whole),
            AllowTarget::Line => false,
        };
        let lower = secret.to_lowercase();
        is_match || self.stopwords.iter().any(|word| lower.contains(word))
    }
}
