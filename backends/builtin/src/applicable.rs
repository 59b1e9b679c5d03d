//! Which rules run, and which of them look at a file, and at a line of it.

use std::collections::{BTreeMap, HashSet};

use council_protocol::Severity;
use council_protocol::seat::{RuleLevel, RuleSettings};
use council_secrets::holds_bare_token;

use crate::language::Language;
use crate::needle::rules_in;
use crate::perspective::covers_perspective;
use crate::precision::is_on_request;
use crate::role::FileRole;
use crate::rule::{BuiltinRule, RuleCheck, RuleHit, RuleScope};
use crate::rules::RULES;
use crate::unicode::has_carriage_return;
use crate::view::{ChangeView, FileView, LineView};

/// Which rules run, and at what severity.
#[derive(Debug, Clone)]
pub(crate) struct ActiveRules {
    /// Indexes into [`RULES`].
    pub(crate) active: Vec<bool>,
    levels: BTreeMap<&'static str, Severity>,
}

impl ActiveRules {
    /// The rules of a perspective or of a councillor's role, or all where it is empty, as configuration left them.
    pub(crate) fn new(perspective: &str, settings: &RuleSettings) -> Self {
        let mut bench = Self {
            active: vec![false; RULES.len()],
            levels: BTreeMap::new(),
        };
        for (active, rule) in bench.active.iter_mut().zip(RULES) {
            let level = settings.levels.get(rule.info.id).copied();
            let seated = covers_perspective(perspective, rule.info.perspective) == Some(true);
            let runs = level.map_or(!is_on_request(rule.info.id), |level| {
                level != RuleLevel::Off
            });
            *active = seated && runs;
            if let Some(severity) = level.and_then(level_severity) {
                bench.levels.insert(rule.info.id, severity);
            }
        }
        bench
    }

    /// All rules that configuration did not switch off, those too that run only on request: what another judge claims
    /// is checked with everything that there is.
    pub(crate) fn all(settings: &RuleSettings) -> Self {
        let mut rules = Self::new("", settings);
        for (active, rule) in rules.active.iter_mut().zip(RULES) {
            *active = settings.levels.get(rule.info.id) != Some(&RuleLevel::Off);
        }
        rules
    }

    /// Those of the rules that are asked for.
    pub(crate) fn only(&self, wanted: impl Fn(&BuiltinRule) -> bool) -> Self {
        let mut rules = self.clone();
        for (active, rule) in rules.active.iter_mut().zip(RULES) {
            *active &= wanted(rule);
        }
        rules
    }

    /// How many rules run.
    pub(crate) fn len(&self) -> usize {
        self.active.iter().filter(|&&active| active).count()
    }

    /// The rules that run, by their ids.
    pub(crate) fn active_ids(&self) -> HashSet<&'static str> {
        let active = RULES.iter().zip(&self.active);
        active
            .filter(|(_, active)| **active)
            .map(|(rule, _)| rule.info.id)
            .collect()
    }

    /// Whether a rule runs.
    pub(crate) fn is_active(&self, rule: &BuiltinRule) -> bool {
        RULES
            .iter()
            .zip(&self.active)
            .any(|(r, &active)| active && r.info.id == rule.info.id)
    }

    /// What a rule finds counts as this much: what configuration says, else the less of rule and hit.
    pub(crate) fn hit_severity(&self, rule: &BuiltinRule, hit: &RuleHit) -> Severity {
        let own = rule.info.severity;
        let level = self.levels.get(rule.info.id).copied();
        level.unwrap_or_else(|| hit.severity.map_or(own, |severity| severity.min(own)))
    }

    /// The most that a rule can find.
    pub(crate) fn top_severity(&self, rule: &BuiltinRule) -> Severity {
        let level = self.levels.get(rule.info.id).copied();
        level.unwrap_or(rule.info.severity)
    }
}

fn level_severity(level: RuleLevel) -> Option<Severity> {
    match level {
        RuleLevel::Off => None,
        RuleLevel::Minor => Some(Severity::Minor),
        RuleLevel::Significant => Some(Severity::Significant),
        RuleLevel::Critical => Some(Severity::Critical),
    }
}

/// The rules that apply to one file.
pub(crate) struct RulesHere {
    pub(crate) of_file: Vec<&'static BuiltinRule>,
    /// By index into [`RULES`].
    pub(crate) of_line: Vec<bool>,
    pub(crate) non_ascii: Vec<&'static BuiltinRule>,
    /// The rule about tokens that only their shape gives away.
    of_tokens: Option<&'static BuiltinRule>,
    /// The rule about what the file's Secrets of Kubernetes hold, where it may have some.
    of_manifests: Option<&'static BuiltinRule>,
    pub(crate) any_line: bool,
}

pub(crate) fn rules_for(file: &FileView<'_>, bench: &ActiveRules) -> RulesHere {
    let mut here = RulesHere {
        of_file: Vec::new(),
        of_line: vec![false; RULES.len()],
        non_ascii: Vec::new(),
        of_tokens: None,
        of_manifests: None,
        any_line: false,
    };
    for (index, (&rule, &active)) in RULES.iter().zip(&bench.active).enumerate() {
        if !active || !applies_to_file(rule, file) {
            continue;
        }
        match rule.check {
            RuleCheck::File(_) => here.of_file.push(rule),
            RuleCheck::Line { .. } => {
                here.of_line[index] = true;
                match rule.info.id {
                    "provider-token" => here.of_tokens = Some(rule),
                    "hidden-secret" if file.has_manifests() => here.of_manifests = Some(rule),
                    _ => {}
                }
            }
            RuleCheck::NonAscii(_) => here.non_ascii.push(rule),
            RuleCheck::Change(_) => {}
        }
        here.any_line |= matches!(rule.check, RuleCheck::Line { .. } | RuleCheck::NonAscii(_));
    }
    here
}

/// What of a file's path decides which rules look at it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathFacts {
    pub(crate) language: Language,
    pub(crate) role: FileRole,
    pub(crate) is_workflow: bool,
}

/// Whether a rule looks at a file at all.
fn applies_to_file(rule: &BuiltinRule, file: &FileView<'_>) -> bool {
    let facts = PathFacts {
        language: file.language,
        role: file.role,
        is_workflow: file.is_workflow(),
    };
    applies_to_path(rule, facts)
}

/// The same for a path of which nothing else is known.
pub(crate) fn applies_to_path(rule: &BuiltinRule, file: PathFacts) -> bool {
    let language = rule.languages.is_empty() || rule.languages.contains(&file.language);
    let scope = match rule.scope {
        RuleScope::Always | RuleScope::AnyFile => true,
        RuleScope::OutsideTests | RuleScope::TextOutsideTests => file.role != FileRole::Test,
        RuleScope::Everywhere | RuleScope::Fresh => file.role != FileRole::Foreign,
        RuleScope::Production => file.role == FileRole::Production,
        RuleScope::Tests => {
            matches!(file.role, FileRole::Test | FileRole::Production) && file.language.is_code()
        }
        RuleScope::Workflows => file.is_workflow,
    };
    language && scope
}

/// Whether a rule looks at a line of a file that it looks at.
pub(crate) fn applies_to_line(
    change: &ChangeView<'_>,
    line: &LineView<'_, '_>,
    rule: &BuiltinRule,
) -> bool {
    match rule.scope {
        RuleScope::Always | RuleScope::Everywhere | RuleScope::Workflows => true,
        RuleScope::AnyFile | RuleScope::Fresh => !change.removes_line(line.text()),
        RuleScope::OutsideTests | RuleScope::TextOutsideTests | RuleScope::Production => {
            !line.in_test() && !change.removes_line(line.text())
        }
        RuleScope::Tests => line.in_test() && !change.removes_line(line.text()),
    }
}

/// The rules that should look at a line.
pub(crate) fn candidate_rules(here: &RulesHere, text: &str) -> Vec<&'static BuiltinRule> {
    let mut rules: Vec<&'static BuiltinRule> = Vec::new();
    for owner in rules_in(text).filter(|&owner| here.of_line[owner]) {
        let rule = RULES[owner];
        if !rules.iter().any(|r| r.info.id == rule.info.id) {
            rules.push(rule);
        }
    }
    // What has no word by which it could be found.
    let tokens = here.of_tokens.filter(|_| holds_bare_token(text));
    for rule in tokens.into_iter().chain(here.of_manifests) {
        if !rules.iter().any(|r| r.info.id == rule.info.id) {
            rules.push(rule);
        }
    }
    if !here.non_ascii.is_empty() && (!text.is_ascii() || has_carriage_return(text)) {
        rules.extend(&here.non_ascii);
    }
    rules
}
