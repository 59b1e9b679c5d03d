//! Runs rules over a change: one pass of one automaton over the added lines finds the lines worth asking about.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use council_protocol::change::{FileKind, NoBlobs};
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, FileChange, Severity};

use crate::applicable::{ActiveRules, applies_to_line, candidate_rules, rules_for};
use crate::copied_key::lower_copied_keys;
use crate::excuse::{MARK, SuppressionLedger};
use crate::flood::{FloodGate, UnreadLines};
use crate::old_side::without_old_hits;
use crate::opaque::{moved_from_samples, moved_in, visit_added_parts};
use crate::perspective::SECURITY;
use crate::review::{shown_quote, shown_within};
use crate::rule::{BuiltinRule, HitList, RuleCheck, RuleHit, RuleScope};
use crate::rules::RULES;
use crate::view::{ChangeView, FileView, LineView};

/// A finding of a rule, at the severity that counts here.
#[derive(Debug, Clone)]
pub(crate) struct FoundHit {
    pub(crate) rule: &'static BuiltinRule,
    pub(crate) severity: Severity,
    pub(crate) hit: RuleHit,
    /// Lines of the file that the rule was not asked about after this one.
    pub(crate) unread: Option<UnreadLines>,
}

/// Everything that the rules of `bench` find, in the order of the packet's files, then by line and rule; what is
/// excused in place is left out.
pub(crate) fn scan_change(change: &ChangeView<'_>, bench: &ActiveRules) -> Vec<FoundHit> {
    let mut found = scan_whole(change, bench);
    found.extend(scan_files(change, bench));
    lower_copied_keys(change, bench, &mut found);
    found.sort_by(|a, b| {
        let key = |f: &FoundHit| (f.hit.file, f.hit.line, f.rule.info.id);
        key(a).cmp(&key(b))
    });
    found
}

/// Changed lines from which on files are looked at on several processors.
const MIN_LINES_FOR_THREADS: usize = 2_000;

/// The most processors that look at files at once: each of them holds the texts of the file that it looks at.
const MAX_THREADS: usize = 4;

/// What the rules find in all files, in no order.
fn scan_files(change: &ChangeView<'_>, bench: &ActiveRules) -> Vec<FoundHit> {
    let next = AtomicUsize::new(0);
    let look = || {
        let mut found = Vec::new();
        while let Some(file) = change.files.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(scan_file(change, file, bench));
        }
        found
    };
    let threads = match change.line_count() {
        ..MIN_LINES_FOR_THREADS => 1,
        _ => thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS)),
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(look)).collect();
        let mut found = look();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => resume_unwind(panic),
            }
        }
        found
    })
}

/// What the rules find that look at the change as a whole.
pub(crate) fn scan_whole(change: &ChangeView<'_>, bench: &ActiveRules) -> Vec<FoundHit> {
    let mut found = Vec::new();
    for (rule, _) in RULES
        .iter()
        .zip(&bench.active)
        .filter(|(_, active)| **active)
    {
        if let RuleCheck::Change(look) = rule.check {
            collect_hits(rule, bench, &mut found, |hits| look(change, hits));
        }
    }
    found.retain(|f| !is_machine_made(f, &change.files[f.hit.file]));
    without_excused(change, found)
}

/// What the rules find in one file and its lines.
pub(crate) fn scan_file(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
) -> Vec<FoundHit> {
    without_excused(change, find_in_file(change, file, bench))
}

/// What the rules find in the files of a change and an excuse silences there.
pub(crate) fn scan_excused(change: &ChangeView<'_>, bench: &ActiveRules) -> Vec<FoundHit> {
    let has_excuse = |file: &&FileView<'_>| file.lines.iter().any(|line| line.text.contains(MARK));
    let files = change.files.iter().filter(has_excuse);
    let mut found: Vec<FoundHit> = files
        .flat_map(|file| find_in_file(change, file, bench))
        .collect();
    let mut excuses = SuppressionLedger::default();
    found.retain(|f| is_excused(change, &mut excuses, f));
    found.sort_by_key(|f| (std::cmp::Reverse(f.severity), f.hit.file, f.hit.line));
    found
}

/// The same, excused or not.
fn find_in_file(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
) -> Vec<FoundHit> {
    let blobs = change.blobs;
    let mut found = match moved_in(file) {
        Some(whole) => {
            let whole = FileView::new(file.index, &whole, blobs);
            look_at_file(change, &whole, bench)
        }
        None => without_old_hits(file, blobs, look_at_file(change, file, bench)),
    };
    let withheld = scan_withheld(change, file, bench, &found);
    found.extend(withheld);
    found.extend(scan_moved_samples(change, file, bench, &found));
    found.retain(|f| !is_machine_made(f, file));
    found
}

/// What the rules about secrets find in a file that leaves the tests or examples, beside what was found already.
fn scan_moved_samples(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
    known: &[FoundHit],
) -> Vec<FoundHit> {
    let Some(whole) = moved_from_samples(file) else {
        return Vec::new();
    };
    let bench = &bench.only(|rule: &BuiltinRule| rule.info.category == "secrets");
    let whole = FileView::new(file.index, &whole, change.blobs);
    let mut found = look_at_file(change, &whole, bench);
    found.retain(|hit| !is_known(known, hit));
    found
}

/// Whether a rule spoke of a line already.
fn is_known(known: &[FoundHit], hit: &FoundHit) -> bool {
    let place = |found: &FoundHit| (found.rule.info.id, found.hit.line);
    known.iter().any(|old| place(old) == place(hit))
}

/// What the rules about secrets find in a file that the packet does not show: too large, or no text. Of one that configuration
/// leaves out the rules against attacks speak, too, since nobody else may read it.
fn scan_withheld(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
    known: &[FoundHit],
) -> Vec<FoundHit> {
    let is_left_out = change.is_left_out(file.index);
    let is_wanted = |rule: &BuiltinRule| {
        let finds_secrets =
            rule.info.category == "secrets" && matches!(rule.check, RuleCheck::Line { .. });
        finds_secrets || (is_left_out && is_against_attacks(rule))
    };
    let bench = &bench.only(is_wanted);
    if bench.len() == 0 || !(change.is_withheld(file.index) || file.change.kind == FileKind::Binary)
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut last_line = 0;
    let mut gate = FloodGate::default();
    visit_added_parts(file, change.blobs, &mut |part| {
        let view = FileView::new(file.index, &part.file, &NoBlobs);
        let mut here = look_at_lines(change, &view, bench, &mut gate);
        // Afterwards nobody has the text of the part, and half a token is shaped like none.
        for FoundHit { hit, .. } in &mut here {
            hit.quote = match hit.line == part.first_line() && hit.line == last_line {
                true => shown_within(&view, hit),
                false => shown_quote(&view, hit),
            };
        }
        if !part.is_text {
            here.retain(|f| f.rule.scope != RuleScope::TextOutsideTests);
            here.iter_mut().for_each(without_place);
        }
        last_line = part.last_line();
        found.extend(here);
    });
    // Parts of a long line overlap.
    found.sort_by_key(|f| (f.rule.info.id, f.hit.line));
    found.dedup_by_key(|f| (f.rule.info.id, f.hit.line));
    found.retain(|f| (!is_left_out || is_told_everywhere(f)) && !is_known(known, f));
    gate.tell(&mut found);
    found
}

/// In bytes that are no text there is no line that could be quoted.
fn without_place(found: &mut FoundHit) {
    let hit = &mut found.hit;
    (hit.line, hit.end_line) = (0, None);
    hit.quote.clear();
    hit.suggestion = None;
    hit.description
        .push_str(" It stands in a file that is no text.");
}

/// Whether a rule past which no name leads speaks of what the change adds to a file that globs leave out. Such a file is
/// shown, unless the user leaves it out.
pub(crate) fn speaks_of(file: &FileChange, blobs: &dyn BlobSource) -> bool {
    let change = ChangeView::of_file(file, blobs);
    let bench = ActiveRules::new("", &RuleSettings::default()).only(is_past_names);
    let counts = is_told_everywhere;
    let by_name = look_at_file(&change, &change.files[0], &bench);
    let mut speaks = by_name.iter().any(counts);
    visit_added_parts(&change.files[0], blobs, &mut |part| {
        if !speaks {
            let view = FileView::new(0, &part.file, &NoBlobs);
            speaks = look_at_part(&change, &view, &bench).iter().any(counts);
        }
    });
    speaks
}

/// Whether a finding is told of files that nobody is shown. What steers agents is, wherever it stands: they obey it in
/// `vendor/`, too.
fn is_told_everywhere(found: &FoundHit) -> bool {
    found.severity >= Severity::Significant || found.rule.info.category == "agents"
}

/// Whether a rule is one against attacks, which look also where the user wants no review.
fn is_against_attacks(rule: &BuiltinRule) -> bool {
    rule.info.perspective == SECURITY && is_for_every_file(rule)
}

/// Whether no name of a file leads past a rule: it is against attacks, or about what fails a change.
fn is_past_names(rule: &BuiltinRule) -> bool {
    let is_grave = rule.info.perspective == SECURITY || rule.info.severity == Severity::Critical;
    is_grave && is_for_every_file(rule)
}

fn is_for_every_file(rule: &BuiltinRule) -> bool {
    matches!(
        rule.scope,
        RuleScope::Always
            | RuleScope::AnyFile
            | RuleScope::OutsideTests
            | RuleScope::TextOutsideTests
            | RuleScope::Workflows
    )
}

/// Whether a finding is about code that a program wrote or packed. Its header or its shape silences no rule against
/// attacks: anybody can write them.
fn is_machine_made(found: &FoundHit, file: &FileView<'_>) -> bool {
    let rule = found.rule;
    let generated = rule.info.perspective != SECURITY && file.is_generated();
    !is_for_every_file(rule) && (generated || file.is_packed_line(found.hit.line))
}

/// The lines of a packed file at which a rule matches that does not speak there, and the rule's name, in order.
pub(crate) fn silenced_by_packing(file: &FileView<'_>) -> Vec<(u32, &'static str)> {
    let lines_alone = |rule: &BuiltinRule| {
        matches!(rule.check, RuleCheck::Line { .. } | RuleCheck::NonAscii(_))
            && !is_for_every_file(rule)
    };
    let bench = ActiveRules::new("", &RuleSettings::default()).only(lines_alone);
    let change = ChangeView::of_file(file.change, &NoBlobs);
    let found = look_at_file(&change, file, &bench);
    let silenced = found.iter().filter(|f| file.is_packed_line(f.hit.line));
    let mut silenced: Vec<_> = silenced.map(|f| (f.hit.line, f.rule.info.id)).collect();
    silenced.sort_unstable();
    silenced
}

fn look_at_file(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
) -> Vec<FoundHit> {
    let mut gate = FloodGate::default();
    let mut found = look_at_lines(change, file, bench, &mut gate);
    gate.tell(&mut found);
    found
}

/// The same for a part of a file that the packet does not show, which may be one of very many.
pub(crate) fn look_at_part(
    change: &ChangeView<'_>,
    part: &FileView<'_>,
    bench: &ActiveRules,
) -> Vec<FoundHit> {
    look_at_lines(change, part, bench, &mut FloodGate::default())
}

fn look_at_lines(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    bench: &ActiveRules,
    gate: &mut FloodGate,
) -> Vec<FoundHit> {
    let mut found = Vec::new();
    let here = rules_for(file, bench);
    for rule in here.of_file.iter().copied() {
        if let RuleCheck::File(look) = rule.check {
            collect_hits(rule, bench, &mut found, |hits| look(file, hits));
        }
    }
    if file.is_text() && here.any_line {
        for line in file.added_lines() {
            for rule in candidate_rules(&here, line.text()) {
                if applies_to_line(change, &line, rule)
                    && gate.admits(rule.info.id, line.number(), line.text())
                {
                    let before = found.len();
                    check_line(rule, &line, bench, &mut found);
                    let is_final = |f: &&FoundHit| is_final(change, bench, f, line.text());
                    let finals = found[before..].iter().filter(is_final).count();
                    (0..finals).for_each(|_| gate.count(rule.info.id));
                }
            }
        }
    }
    found
}

fn without_excused(change: &ChangeView<'_>, mut found: Vec<FoundHit>) -> Vec<FoundHit> {
    let mut excuses = SuppressionLedger::default();
    found.retain(|f| !is_excused(change, &mut excuses, f));
    found
}

fn is_excused(change: &ChangeView<'_>, excuses: &mut SuppressionLedger, found: &FoundHit) -> bool {
    let file = &change.files[found.hit.file];
    !is_new_secret(change, found) && excuses.is_suppressed(file, found.rule.info.id, found.hit.line)
}

/// Whether a secret stands on a line that is new: an excuse was given for the one that it stood beside, and another one
/// under it is news.
fn is_new_secret(change: &ChangeView<'_>, found: &FoundHit) -> bool {
    let file = &change.files[found.hit.file];
    let text = file.line_text(found.hit.line);
    found.rule.info.category == "secrets"
        && file.is_added(found.hit.line)
        && !text.is_some_and(|text| change.removes_line(text))
}

/// Whether a finding in an added line is one whatever follows: no excuse covers it, and its rule says nothing worse.
fn is_final(change: &ChangeView<'_>, bench: &ActiveRules, found: &FoundHit, text: &str) -> bool {
    let is_new = found.rule.info.category == "secrets" && !change.removes_line(text);
    is_new && found.severity >= bench.top_severity(found.rule)
}

fn check_line(
    rule: &'static BuiltinRule,
    line: &LineView<'_, '_>,
    bench: &ActiveRules,
    found: &mut Vec<FoundHit>,
) {
    if let RuleCheck::Line { look, .. } | RuleCheck::NonAscii(look) = rule.check {
        collect_hits(rule, bench, found, |hits| look(line, hits));
    }
}

fn collect_hits(
    rule: &'static BuiltinRule,
    bench: &ActiveRules,
    found: &mut Vec<FoundHit>,
    look: impl FnOnce(&mut HitList),
) {
    let mut hits = HitList::default();
    look(&mut hits);
    found.extend(hits.0.into_iter().map(|hit| {
        let severity = bench.hit_severity(rule, &hit);
        FoundHit {
            rule,
            severity,
            hit,
            unread: None,
        }
    }));
}
