//! Runs rules over a change: one pass of one automaton over the added lines finds the lines worth asking about.

use std::collections::BTreeMap;

use council_protocol::Severity;
use council_protocol::seat::{RuleLevel, RuleSettings};

use crate::excuse::Excuses;
use crate::needle::{Needles, needles};
use crate::perspective::covers;
use crate::role::Role;
use crate::rule::{Check, Hit, Hits, Rule, Scope};
use crate::rules::RULES;
use crate::view::{ChangeView, FileView, LineView};

/// A finding of a rule, at the severity that counts here.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) hit: Hit,
}

/// Which rules run, and at what severity.
#[derive(Debug, Clone)]
pub(crate) struct Bench {
    /// Indexes into [`RULES`].
    active: Vec<bool>,
    levels: BTreeMap<&'static str, Severity>,
}

impl Bench {
    /// The rules of a perspective or of a councillor's role, or all where it is empty, as configuration left them.
    pub(crate) fn new(perspective: &str, settings: &RuleSettings) -> Self {
        let mut bench = Self {
            active: vec![false; RULES.len()],
            levels: BTreeMap::new(),
        };
        for (active, rule) in bench.active.iter_mut().zip(RULES) {
            let level = settings.levels.get(rule.info.id).copied();
            let seated = covers(perspective, rule.info.perspective) == Some(true);
            *active = seated && level != Some(RuleLevel::Off);
            if let Some(severity) = level.and_then(severity) {
                bench.levels.insert(rule.info.id, severity);
            }
        }
        bench
    }

    /// How many rules run.
    pub(crate) fn len(&self) -> usize {
        self.active.iter().filter(|&&active| active).count()
    }

    /// Whether a rule runs.
    pub(crate) fn runs(&self, rule: &Rule) -> bool {
        RULES
            .iter()
            .zip(&self.active)
            .any(|(r, &active)| active && r.info.id == rule.info.id)
    }

    /// What a rule finds counts as this much: what configuration says, else the less of rule and hit.
    fn severity(&self, rule: &Rule, hit: &Hit) -> Severity {
        let own = rule.info.severity;
        let level = self.levels.get(rule.info.id).copied();
        level.unwrap_or_else(|| hit.severity.map_or(own, |severity| severity.min(own)))
    }
}

fn severity(level: RuleLevel) -> Option<Severity> {
    match level {
        RuleLevel::Off => None,
        RuleLevel::Minor => Some(Severity::Minor),
        RuleLevel::Significant => Some(Severity::Significant),
        RuleLevel::Critical => Some(Severity::Critical),
    }
}

/// Everything that the rules of `bench` find, in the order of the packet's files, then by line and rule; what is
/// excused in place is left out.
pub(crate) fn scan(change: &ChangeView<'_>, bench: &Bench) -> Vec<Found> {
    let mut found = scan_whole(change, bench);
    for file in &change.files {
        found.extend(scan_file(change, file, bench));
    }
    found.sort_by(|a, b| {
        let key = |f: &Found| (f.hit.file, f.hit.line, f.rule.info.id);
        key(a).cmp(&key(b))
    });
    found
}

/// What the rules find that look at the change as a whole.
pub(crate) fn scan_whole(change: &ChangeView<'_>, bench: &Bench) -> Vec<Found> {
    let mut found = Vec::new();
    for (rule, _) in RULES
        .iter()
        .zip(&bench.active)
        .filter(|(_, active)| **active)
    {
        if let Check::Change(look) = rule.check {
            collect(rule, bench, &mut found, |hits| look(change, hits));
        }
    }
    without_excused(change, found)
}

/// What the rules find in one file and its lines.
pub(crate) fn scan_file(change: &ChangeView<'_>, file: &FileView<'_>, bench: &Bench) -> Vec<Found> {
    let mut found = Vec::new();
    let here = rules_for(file, bench);
    for rule in here.of_file.iter().copied() {
        if let Check::File(look) = rule.check {
            collect(rule, bench, &mut found, |hits| look(file, hits));
        }
    }
    if file.is_text() && here.any_line {
        let needles = needles(change.lines());
        for line in file.added() {
            for rule in candidates(&here, needles, line.text()) {
                if counts(change, &line, rule) {
                    look_at(rule, &line, bench, &mut found);
                }
            }
        }
    }
    without_excused(change, found)
}

fn without_excused(change: &ChangeView<'_>, mut found: Vec<Found>) -> Vec<Found> {
    let mut excuses = Excuses::default();
    found.retain(|f| !excuses.cover(&change.files[f.hit.file], f.rule.info.id, f.hit.line));
    found
}

fn look_at(rule: &'static Rule, line: &LineView<'_, '_>, bench: &Bench, found: &mut Vec<Found>) {
    if let Check::Line { look, .. } | Check::NonAscii(look) = rule.check {
        collect(rule, bench, found, |hits| look(line, hits));
    }
}

fn collect(
    rule: &'static Rule,
    bench: &Bench,
    found: &mut Vec<Found>,
    look: impl FnOnce(&mut Hits),
) {
    let mut hits = Hits::default();
    look(&mut hits);
    found.extend(hits.0.into_iter().map(|hit| {
        let severity = bench.severity(rule, &hit);
        Found {
            rule,
            severity,
            hit,
        }
    }));
}

/// The rules that apply to one file.
struct RulesHere {
    of_file: Vec<&'static Rule>,
    /// By index into [`RULES`].
    of_line: Vec<bool>,
    non_ascii: Vec<&'static Rule>,
    any_line: bool,
}

fn rules_for(file: &FileView<'_>, bench: &Bench) -> RulesHere {
    let mut here = RulesHere {
        of_file: Vec::new(),
        of_line: vec![false; RULES.len()],
        non_ascii: Vec::new(),
        any_line: false,
    };
    for (index, (&rule, &active)) in RULES.iter().zip(&bench.active).enumerate() {
        if !active || !applies(rule, file) {
            continue;
        }
        match rule.check {
            Check::File(_) => here.of_file.push(rule),
            Check::Line { .. } => here.of_line[index] = true,
            Check::NonAscii(_) => here.non_ascii.push(rule),
            Check::Change(_) => {}
        }
        here.any_line |= matches!(rule.check, Check::Line { .. } | Check::NonAscii(_));
    }
    here
}

/// Whether a rule looks at a file at all.
fn applies(rule: &Rule, file: &FileView<'_>) -> bool {
    let language = rule.languages.is_empty() || rule.languages.contains(&file.language);
    let scope = match rule.scope {
        Scope::Everywhere | Scope::Fresh => file.role != Role::Foreign,
        Scope::Production => file.role == Role::Production,
        Scope::Tests => {
            matches!(file.role, Role::Test | Role::Production) && file.language.is_code()
        }
        Scope::Workflows => file.is_workflow(),
    };
    language && scope
}

/// Whether a rule looks at a line of a file that it looks at.
fn counts(change: &ChangeView<'_>, line: &LineView<'_, '_>, rule: &Rule) -> bool {
    match rule.scope {
        Scope::Everywhere | Scope::Workflows => true,
        Scope::Fresh => !change.removes(line.text()),
        Scope::Production => !line.in_test() && !change.removes(line.text()),
        Scope::Tests => line.in_test() && !change.removes(line.text()),
    }
}

/// The rules that should look at a line.
fn candidates(here: &RulesHere, needles: &Needles, text: &str) -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for owner in needles.owners_in(text).filter(|&owner| here.of_line[owner]) {
        let rule = RULES[owner];
        if !rules.iter().any(|r| r.info.id == rule.info.id) {
            rules.push(rule);
        }
    }
    if !here.non_ascii.is_empty() && !text.is_ascii() {
        rules.extend(&here.non_ascii);
    }
    rules
}
