//! What a rule would have said of the lines that a change removes: an edited line that a rule spoke of before is no news.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use council_protocol::change::BlobError;
use council_protocol::{BlobSource, FileChange, Hunk, LineKind, RepoPath, Severity, Side};

use crate::excuse::MARK;
use crate::pattern::pattern;
use crate::perspective::SECURITY;
use crate::rule::{BuiltinRule, HitList, RuleCheck, RuleHit, RuleScope};
use crate::scan::FoundHit;
use crate::view::{FileView, LineView};

/// Words that two lines must share, of all that they have, for one to be the other edited.
const MIN_SHARED_PERCENT: usize = 60;

/// Old lines of one block that a new line is held against; further ones excuse nothing, so that time stays linear.
const MAX_COMPARED_LINES: usize = 64;

/// Drops what the rules already had to say of the line before it was edited.
pub(crate) fn without_old_hits(
    file: &FileView<'_>,
    blobs: &dyn BlobSource,
    found: Vec<FoundHit>,
) -> Vec<FoundHit> {
    let editable = |f: &FoundHit| is_about_news(f.rule) && f.hit.line > 0;
    if file.removed_lines().next().is_none() || !found.iter().any(editable) {
        return found;
    }
    let reversed = reverse_change(file.change);
    let swapped = SwappedSides(blobs);
    let before = FileView::new(file.index, &reversed, &swapped);
    let mut old: BTreeMap<&'static str, BTreeMap<usize, Vec<OldHit>>> = BTreeMap::new();
    let mut kept = found;
    kept.retain(|f| {
        if !editable(f) {
            return true;
        }
        let old = old
            .entry(f.rule.info.id)
            .or_insert_with(|| hits_before(f.rule, &before));
        let Some(old) = hunk_of(file, f.hit.line).and_then(|hunk| old.get_mut(&hunk)) else {
            return true;
        };
        let code = code_at(file, f.hit.line);
        let severity = severity_of(f.rule, &f.hit);
        // What an attacker would gain by a similar line asks for a closer likeness.
        let alike = |old: &OldHit| {
            let is_same = is_edited(&old.code, &code) && !is_worse(&old.code, &code);
            old.severity >= severity && (f.rule.info.perspective != SECURITY || is_same)
        };
        match old.iter().take(MAX_COMPARED_LINES).position(alike) {
            // Each old line stands for one new one: a change cannot multiply it.
            Some(at) => {
                old.swap_remove(at);
                false
            }
            None => true,
        }
    });
    kept
}

/// Whether a rule speaks of what is new; a secret or a deceptive character is one however old.
fn is_about_news(rule: &BuiltinRule) -> bool {
    let line = matches!(rule.check, RuleCheck::Line { .. } | RuleCheck::NonAscii(_));
    line && !matches!(rule.scope, RuleScope::Always | RuleScope::Everywhere)
}

/// A removed line at which a rule spoke.
struct OldHit {
    code: String,
    severity: Severity,
}

fn severity_of(rule: &BuiltinRule, hit: &RuleHit) -> Severity {
    let own = rule.info.severity;
    hit.severity.map_or(own, |severity| severity.min(own))
}

pattern!(HOST, r"://([^/\s\x22'`)]+)");
pattern!(
    /// What strangers send.
    INPUT,
    r"(?i)\b(?:request|req|params|query|input|argv|body|cookies?|form|_GET|_POST|_REQUEST|_COOKIE)\b"
);

/// Whether a line means more than the one that it takes the place of: another host, or what strangers send.
fn is_worse(old: &str, new: &str) -> bool {
    let hosts = |text: &str| -> BTreeSet<String> {
        let found = HOST.captures_iter(text);
        found.map(|found| found[1].to_owned()).collect()
    };
    let is_elsewhere = !hosts(new).is_subset(&hosts(old));
    is_elsewhere || (INPUT.is_match(new) && !INPUT.is_match(old))
}

/// The removed lines at which a rule speaks: their code, by hunk.
fn hits_before(rule: &BuiltinRule, before: &FileView<'_>) -> BTreeMap<usize, Vec<OldHit>> {
    let mut lines: BTreeMap<usize, Vec<OldHit>> = BTreeMap::new();
    let (RuleCheck::Line { look, .. } | RuleCheck::NonAscii(look)) = rule.check else {
        return lines;
    };
    for line in before.added_lines() {
        // A suppression covers one line; the line that it stood on must not cover another.
        if line.text().contains(MARK) {
            continue;
        }
        let mut hits = HitList::default();
        look(&line, &mut hits);
        let worst = hits.0.iter().map(|hit| severity_of(rule, hit)).max();
        if let Some(severity) = worst
            && let Some(hunk) = hunk_of(before, line.number())
        {
            let code = line.without_comments().into_owned();
            lines
                .entry(hunk)
                .or_default()
                .push(OldHit { code, severity });
        }
    }
    lines
}

fn hunk_of(file: &FileView<'_>, line: u32) -> Option<usize> {
    let hunks = &file.change.hunks;
    let at = hunks
        .partition_point(|h| h.new_start <= line)
        .checked_sub(1)?;
    let end = hunks[at].new_start.saturating_add(hunks[at].new_lines);
    (line < end).then_some(at)
}

fn code_at(file: &FileView<'_>, number: u32) -> String {
    let at = file.line_index(number);
    let line = at.filter(|&at| file.lines[at].kind == LineKind::Added);
    line.map_or_else(String::new, |at| {
        LineView::new(file, at).without_comments().into_owned()
    })
}

/// Whether two lines share most of their words.
fn is_edited(old: &str, new: &str) -> bool {
    let words = |text: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if !word.is_empty() {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        counts
    };
    let (old, new) = (words(old), words(new));
    let total = old.values().sum::<usize>() + new.values().sum::<usize>();
    let shared: usize = old
        .iter()
        .map(|(word, n)| new.get(word).map_or(0, |m| *n.min(m)))
        .sum();
    shared * 2 * 100 >= total * MIN_SHARED_PERCENT
}

/// The change the other way round: what it removes is what it adds.
fn reverse_change(change: &FileChange) -> FileChange {
    FileChange {
        path: change.path_before().clone(),
        old_path: Some(change.path.clone()),
        old_mode: change.new_mode,
        new_mode: change.old_mode,
        old_id: change.new_id.clone(),
        new_id: change.old_id.clone(),
        old_size: change.new_size,
        new_size: change.old_size,
        hunks: change.hunks.iter().map(reverse_hunk).collect(),
        ..change.clone()
    }
}

fn reverse_hunk(hunk: &Hunk) -> Hunk {
    let mut body = String::with_capacity(hunk.body.len());
    for line in hunk.body.split_inclusive('\n') {
        match line.as_bytes().first() {
            Some(b'+') => body.push('-'),
            Some(b'-') => body.push('+'),
            _ => {
                body.push_str(line);
                continue;
            }
        }
        body.push_str(&line[1..]);
    }
    Hunk {
        old_start: hunk.new_start,
        old_lines: hunk.new_lines,
        new_start: hunk.old_start,
        new_lines: hunk.old_lines,
        section: hunk.section.clone(),
        body,
    }
}

/// Blobs with old and new exchanged.
struct SwappedSides<'a>(&'a dyn BlobSource);

impl BlobSource for SwappedSides<'_> {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let other = match side {
            Side::Old => Side::New,
            Side::New => Side::Old,
        };
        self.0.read(other, path)
    }

    fn has_blobs(&self) -> bool {
        self.0.has_blobs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_line_shares_most_of_its_words() {
        assert!(is_edited("except Exception:", "except Exception:"));
        assert!(is_edited(
            "a = load(super(str)) rescue nil",
            "a = load(super(str))"
        ));
        assert!(!is_edited("eval(trusted)", "eval(request_body)"));
        assert!(!is_edited("", "eval(x)"));
    }
}
