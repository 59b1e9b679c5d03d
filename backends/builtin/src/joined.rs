//! Hits of one cause, told as one finding.

use std::collections::HashMap;

use council_protocol::Severity;

use crate::review::{MAX_DESCRIPTION_CHARS, clip_text};
use crate::scan::FoundHit;
use crate::told::{MORE_IN_CHANGE, MORE_IN_FILE, count_more};
use crate::view::ChangeView;

/// The hits of a rule with one for each group: its first, which counts the others. What fails a change is told wherever
/// it stands.
pub(crate) fn join_groups(change: &ChangeView<'_>, hits: &[&FoundHit]) -> Vec<FoundHit> {
    let mut groups: Vec<Vec<&FoundHit>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for &hit in hits {
        let name = name_of_group(hit);
        match name.and_then(|name| known.get(name)) {
            Some(&at) => groups[at].push(hit),
            None => {
                known.extend(name.map(|name| (name, groups.len())));
                groups.push(vec![hit]);
            }
        }
    }
    groups.iter().map(|group| lead(change, group)).collect()
}

fn name_of_group(found: &FoundHit) -> Option<&str> {
    let group = found.hit.group.as_ref()?;
    (found.severity < Severity::Critical).then_some(group.name.as_str())
}

fn lead(change: &ChangeView<'_>, group: &[&FoundHit]) -> FoundHit {
    let mut lead = group[0].clone();
    let others = &group[1..];
    if others.is_empty() {
        return lead;
    }
    let place = if others.iter().all(|found| found.hit.file == lead.hit.file) {
        MORE_IN_FILE
    } else {
        MORE_IN_CHANGE
    };
    let known = others.iter().map(|found| known_by(change, found));
    let more = count_more(
        others.len(),
        &format!("{place}{}", name_parts(others)),
        known,
    );
    // Its digits are what a dismissal goes by: they must not be cut off.
    let room = MAX_DESCRIPTION_CHARS.saturating_sub(more.chars().count());
    lead.hit.description = clip_text(&lead.hit.description, room).to_owned() + &more;
    lead
}

/// `: a, b`, as far as there is room for it.
fn name_parts(others: &[&FoundHit]) -> String {
    const MAX_BYTES: usize = 150;
    let groups = others.iter().filter_map(|found| found.hit.group.as_ref());
    let mut named = String::new();
    for part in groups.map(|group| format!("`{}`", group.part)) {
        let is_new = part != "``" && !named.contains(&part);
        if is_new && named.len() + part.len() <= MAX_BYTES {
            named += if named.is_empty() { ": " } else { ", " };
            named += &part;
        }
    }
    named
}

/// What a hit is known by among others: its text, or the file where it is about the file as a whole.
pub(crate) fn known_by(change: &ChangeView<'_>, found: &FoundHit) -> String {
    let hit = &found.hit;
    if hit.quote.is_empty() {
        format!("{}\0{}", change.files[hit.file].path, hit.description)
    } else {
        // A quote may be cut.
        let part = hit.group.as_ref().map_or("", |group| group.part.as_str());
        format!("{}{part}", hit.quote)
    }
}
