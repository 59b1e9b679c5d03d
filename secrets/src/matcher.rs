//! Where the secrets of a line stand.

use std::collections::HashSet;
use std::ops::Range;

use regex::Captures;

use crate::assigned::{self, assigned_secrets, near_before};
use crate::bare_token;
use crate::beside_name::drawn_beside_names;
use crate::commands::{self, CommandTable};
use crate::encoded_key::{MIN_TEXT, encoded_texts};
use crate::escape::Reading;
use crate::filler::is_filler;
use crate::glue::{is_within, join_ranges, without_glue};
use crate::known_spans::KnownSpans;
use crate::line_signs::{LineSigns, Sign};
use crate::literal::opens_literal;
use crate::match_bounds::{WordTail, is_of_blob, label_of, whole_token};
use crate::opaque::without_kinds;
use crate::plausible::{is_literal, is_placeholder, shannon_entropy};
use crate::respelled::PlainSpelling;
use crate::script::is_quoted;
use crate::steps::looked_at;
use crate::table::{Allowlist, SecretRule, SecretTable};
use crate::value::{is_drawn_value, is_secret_value};
use crate::worth::{is_nobodys_password, is_pair_of, is_plausible, is_worth_a_finding, place_name};

/// What stands where a secret stood, up to its kind.
pub(crate) const PLACEHOLDER: &str = "[redacted: ";

/// What gives a secret away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretShape {
    /// The shape that its provider gives it.
    Token,
    /// The place of a password in a URL.
    UrlPassword,
    /// A name such as `password` before a literal in quotes.
    QuotedValue,
    /// A name such as `PASSWORD` before all that is left of a line.
    BareValue,
    /// A place that is made for a secret: a header, an option of a command, an element of XML.
    PlacedValue,
}

/// One secret of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch<'t> {
    /// Its kind: the rule's id, as its placeholder names it.
    pub kind: &'t str,
    /// Whose it is, as the rule describes it.
    pub owner: &'t str,
    /// What gives it away.
    pub shape: SecretShape,
    /// All of it, the part that every token of its kind begins with included.
    pub span: Range<usize>,
    /// The part that is drawn at random.
    pub random: Range<usize>,
    /// The name that the value is assigned to, or the host that the password is for; empty for a token.
    pub label: Range<usize>,
    /// Whether it is worth a finding: it looks drawn, and is no placeholder.
    pub is_plausible: bool,
    /// Whether the table has its kind reported as a provider's.
    pub is_provider: bool,
}

impl SecretMatch<'_> {
    /// The same, drawn from its first sign to its last one.
    fn placed_at(self, place: Range<usize>) -> Self {
        Self {
            shape: SecretShape::Token,
            random: place.clone(),
            label: place.start..place.start,
            span: place,
            ..self
        }
    }
}

impl SecretTable {
    /// The secrets of one line, in the order of the rules; they may overlap.
    pub fn find_secrets<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let line = &*without_kinds(line, &[self]);
        let signs = LineSigns::of(line);
        let plain = PlainSpelling::of_signed(line, &signs);
        self.find_signed(line, &signs, plain.as_ref())
    }

    /// The same for a line with these signs, in its plain spelling.
    pub(crate) fn find_signed<'t>(
        &'t self,
        line: &str,
        signs: &LineSigns,
        plain: Option<&PlainSpelling>,
    ) -> Vec<SecretMatch<'t>> {
        let mut secrets = Vec::new();
        if !self.is_built_in || signs.has(Sign::Keyword) || !self.always.is_empty() {
            secrets = self.find_written(line);
        }
        let mut more = Vec::new();
        if let Some(plain) = plain {
            let found = self.find_written(&plain.text).into_iter();
            let tokens = found.filter(|found| found.shape == SecretShape::Token);
            more.extend(tokens.map(|found| SecretMatch {
                span: plain.place_of(&found.span),
                random: plain.place_of(&found.random),
                label: plain.place_of(&found.label),
                ..found
            }));
        }
        if signs.has_run(MIN_TEXT) {
            more.extend(self.find_encoded(line));
        }
        if let Some(plain) = plain {
            let found = self.find_encoded(&plain.text).into_iter();
            more.extend(found.map(|found| {
                let place = plain.place_of(&found.span);
                found.placed_at(place)
            }));
        }
        if signs.has_run(bare_token::MIN_RUN) {
            more.extend(self.find_bare(line));
        }
        if !more.is_empty() {
            let mut known = KnownSpans::of(&secrets);
            more.retain(|new| known.insert(new));
            secrets.extend(more);
        }
        secrets.extend(self.find_renamed(line));
        let beside = signs.has(Sign::Beside).then(|| self.find_beside(line));
        for new in beside.unwrap_or_default() {
            let is_in = |old: &SecretMatch<'t>| {
                old.span.start < new.span.end && new.span.start < old.span.end
            };
            if !secrets.iter().any(is_in) {
                secrets.push(new);
            }
        }
        secrets
    }

    /// Tokens that only their shape gives away.
    fn find_bare<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let is_row = |rule: &&SecretRule| rule.is_reported && rule.id == bare_token::KIND;
        let found = bare_token::bare_tokens(line).filter_map(|place| {
            let rule = self.rules.iter().find(is_row)?;
            Some(SecretMatch {
                kind: &rule.id,
                owner: &rule.description,
                shape: SecretShape::Token,
                is_plausible: !is_filler(&line[place.clone()]),
                is_provider: true,
                label: place.start..place.start,
                random: place.clone(),
                span: place,
            })
        });
        found.collect()
    }

    /// Drawn values beside a name that says secret, whatever stands between the two.
    fn find_beside<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let Some(rule) = self.assigned_rule() else {
            return Vec::new();
        };
        let found = drawn_beside_names(line).into_iter();
        let found = found.filter(|(value, _)| !line[value.clone()].contains(PLACEHOLDER));
        let found = found.map(|(value, name)| SecretMatch {
            kind: &rule.id,
            owner: &rule.description,
            shape: SecretShape::BareValue.within(&line[..value.start]),
            is_plausible: !is_placeholder(&line[value.clone()]),
            is_provider: false,
            label: name,
            random: value.clone(),
            span: value,
        });
        found.collect()
    }

    /// The row after which is named what a name gets; none: the table is a user's own.
    fn assigned_rule(&self) -> Option<&SecretRule> {
        let is_row = |rule: &&SecretRule| rule.is_drawn && rule.id == assigned::KIND;
        self.rules.iter().find(is_row)
    }

    /// What the names of secrets get in a line.
    fn find_assigned<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let Some(rule) = self.assigned_rule() else {
            return Vec::new();
        };
        let found = assigned_secrets(line).into_iter();
        let found = found.map(|found| SecretMatch {
            kind: &rule.id,
            owner: &rule.description,
            shape: found.shape.within(&line[..found.value.start]),
            is_plausible: is_worth_a_finding(&found.text, &line[found.name.clone()]),
            is_provider: false,
            label: found.name,
            random: found.value.clone(),
            span: found.value,
        });
        found.collect()
    }

    /// The secrets of a line whose names have a letter of another script that looks like the Latin one.
    fn find_renamed<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let Some(latin) = PlainSpelling::in_latin(line) else {
            return Vec::new();
        };
        let found = self.find_written(&latin.text).into_iter();
        let found = found.map(|found| SecretMatch {
            span: latin.place_of(&found.span),
            random: latin.place_of(&found.random),
            label: latin.place_of(&found.label),
            ..found
        });
        found
            .filter(|found| !line[found.label.clone()].is_ascii())
            .collect()
    }

    /// The secrets of a line that base64 hides, each with all of its run.
    fn find_encoded<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let found = encoded_texts(line).filter_map(|(run, text)| {
            let mut inside = text.lines().flat_map(|line| self.find_written(line));
            let found = inside.find(|found| found.is_provider || found.is_plausible)?;
            Some(found.placed_at(run))
        });
        found.collect()
    }

    /// The secrets of a line that are written in it as they are.
    pub(crate) fn find_written<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let mut words = self
            .keywords
            .for_text(line)
            .find_overlapping_iter(looked_at(line))
            .peekable();
        // Most lines have no keyword, and cost nothing more.
        if words.peek().is_none() && self.always.is_empty() {
            return Vec::new();
        }
        // A line of many megabytes may hold a keyword millions of times.
        let mut is_due = vec![false; self.rules.len()];
        self.always.iter().for_each(|&rule| is_due[rule] = true);
        let (mut taken, mut has_command) = (Vec::new(), false);
        for found in words {
            has_command |= self.calls_command[found.pattern().as_usize()];
            let called = &self.called[found.pattern().as_usize()];
            called.iter().for_each(|&rule| is_due[rule] = true);
            // The others touch no underscore, which is all that they are asked about.
            if line.as_bytes()[found.start().saturating_sub(1)..found.end()].contains(&b'_') {
                taken.push(found.range());
            }
        }
        let due = || {
            self.rules
                .iter()
                .zip(&is_due)
                .filter(|(_, due)| **due)
                .map(|(rule, _)| rule)
        };
        let mut secrets: Vec<SecretMatch<'t>> = Vec::new();
        for rule in due() {
            secrets.extend(self.matches_of(rule, line));
        }
        if has_command {
            secrets.extend(self.find_commands(line));
        }
        // A line may be of many megabytes: one copy of it at a time.
        for reading in [Reading::Short, Reading::Long] {
            let Some(unglued) = without_glue(line, &taken, reading) else {
                continue;
            };
            for rule in due().filter(|rule| rule.shape == SecretShape::Token) {
                let same = secrets.iter().filter(|old| old.kind == rule.id);
                let key = |found: &SecretMatch<'t>| (found.random.clone(), found.is_provider);
                let mut known: HashSet<(Range<usize>, bool)> = same.map(key).collect();
                let more = self.matches_of(rule, &unglued);
                secrets.extend(more.filter(|new| known.insert(key(new))));
            }
        }
        // A row that knows the place names the secret. A line may hold a million of them.
        let spans_of = |is_due: fn(SecretShape) -> bool| {
            let due = secrets.iter().filter(|secret| is_due(secret.shape));
            let spans: Vec<Range<usize>> = due.map(|secret| secret.span.clone()).collect();
            join_ranges(&spans)
        };
        // What has no quotes may be an expression, in which the literal stands.
        let taken = spans_of(|_| true);
        let quoted = spans_of(|shape| shape != SecretShape::BareValue);
        let is_news = |new: &SecretMatch<'t>| {
            let taken = match new.shape {
                SecretShape::QuotedValue => &quoted,
                _ => &taken,
            };
            !is_within(taken, new.span.start) || !is_within(taken, new.span.end - 1)
        };
        let news = self.find_assigned(line).into_iter().filter(is_news);
        let news: Vec<_> = news.collect();
        secrets.extend(news);
        secrets
    }

    /// What the commands of a line are given as a password.
    fn find_commands<'t>(&'t self, line: &str) -> Vec<SecretMatch<'t>> {
        let Some(rule) = self.rules.iter().find(|rule| rule.id == commands::KIND) else {
            return Vec::new();
        };
        let found = CommandTable::built_in().passwords_in(line).into_iter();
        let found = found.map(|value| SecretMatch {
            kind: &rule.id,
            owner: &rule.description,
            shape: SecretShape::PlacedValue,
            is_plausible: is_worth_a_finding(&line[value.clone()], ""),
            is_provider: false,
            label: value.start..value.start,
            random: value.clone(),
            span: value,
        });
        found.collect()
    }

    /// The secrets of one rule in a line, in its order.
    fn matches_of<'t, 'l>(
        &'l self,
        rule: &'t SecretRule,
        line: &'l str,
    ) -> impl Iterator<Item = SecretMatch<'t>> + use<'t, 'l>
    where
        't: 'l,
    {
        let mut tail = WordTail::default();
        let mut allows_line = None;
        let found = rule.pattern.captures_iter(looked_at(line));
        found.filter_map(move |found| {
            // A line may be of many megabytes and hold a million matches: it is asked about once.
            let allows = || self.allowlists_of(rule).any(|list| list.allows_line(line));
            if *allows_line.get_or_insert_with(allows) {
                return None;
            }
            self.match_of(rule, &found, line, &mut tail)
        })
    }

    /// The allowlists of a rule, and those of all rules.
    fn allowlists_of<'l>(&'l self, rule: &'l SecretRule) -> impl Iterator<Item = &'l Allowlist> {
        rule.allowed.iter().chain(&self.allowed)
    }

    fn match_of<'t>(
        &self,
        rule: &'t SecretRule,
        found: &Captures<'_>,
        line: &str,
        tail: &mut WordTail,
    ) -> Option<SecretMatch<'t>> {
        let (whole, secret) = (found.get(0)?, rule.secret_of(found)?);
        let text = secret.as_str();
        let is_none = text.is_empty()
            || text.contains(PLACEHOLDER)
            || (rule.entropy > 0.0 && shannon_entropy(text) <= rule.entropy)
            || self
                .allowlists_of(rule)
                .any(|list| list.allows_match(text, whole.as_str()));
        if is_none || (rule.is_drawn && !is_drawn_value(text)) {
            return None;
        }
        let user = found.name("user").map_or("", |user| user.as_str());
        let is_secret = match rule.shape {
            SecretShape::Token => true,
            SecretShape::UrlPassword => {
                is_literal(text) && text != user && !is_nobodys_password(text)
            }
            _ => {
                let is_pair = whole.as_str().starts_with('(');
                (!is_pair || is_pair_of(line, whole.start()))
                    && is_secret_value(text, near_before(line, secret.start()), place_name(found))
            }
        };
        if !is_secret {
            return None;
        }
        let span = match rule.shape {
            SecretShape::Token => whole_token(line, &whole.range(), secret.range(), tail),
            _ => secret.range(),
        };
        let label = label_of(found, line).unwrap_or(secret.start()..secret.start());
        // What looks like a token within a file in base64 is one by accident. It is not shown, and no finding.
        let is_accident = rule.shape == SecretShape::Token
            && is_of_blob(line, &whole.range(), &secret.range(), rule.is_whole);
        Some(SecretMatch {
            kind: &rule.id,
            owner: &rule.description,
            shape: rule.shape.within(&line[..secret.start()]),
            is_provider: rule.is_reported && !is_accident,
            is_plausible: !is_accident && is_plausible(rule, text, user, &line[label.clone()]),
            span,
            random: secret.range(),
            label,
        })
    }
}

impl SecretRule {
    /// The group that is named, else the first one without a name that took part, else the whole match (as gitleaks has
    /// it).
    pub(crate) fn secret_of<'h>(&self, found: &Captures<'h>) -> Option<regex::Match<'h>> {
        if self.group > 0 {
            return found.get(self.group);
        }
        let mut groups = self.pattern.capture_names().zip(found.iter()).skip(1);
        groups
            .find_map(|(name, group)| group.filter(|part| name.is_none() && !part.is_empty()))
            .or_else(|| found.get(0))
    }
}

impl SecretShape {
    /// The shape of a value behind this text: within quotes no word is the name of something.
    pub(crate) fn within(self, before: &str) -> Self {
        match self {
            Self::BareValue if is_quoted(before) || opens_literal(before) => Self::PlacedValue,
            shape => shape,
        }
    }
}
