//! One finding as Markdown: a heading, the quoted lines, and what was said of it.

use council_protocol::{Finding, Location};

use crate::council::outcome::{Disposition, JudgedFinding};
use crate::report::group::{self, FindingGroup, SharedOpinion};
use crate::report::words::{self, JudgeNames};
use crate::text::{self, Untrusted};

/// Bounds that keep one finding readable: characters of prose, lines of code, opinions, places.
const MOST_PROSE: usize = 1200;
const MOST_LINES: usize = 16;
const MOST_OPINIONS: usize = 12;
const MOST_PLACES: usize = 30;

/// The whole finding, and where else it is.
pub(super) fn full(group: &FindingGroup<'_>, names: &JudgeNames<'_>) -> String {
    let found = group.first;
    let finding = &found.finding;
    let mut points = points(finding);
    points.push(format!("**Held by:** {}", held(found, names)));
    let others = words::other_words(found, names);
    points.extend(others.iter().take(MOST_OPINIONS).map(|(who, words)| {
        format!(
            "**{} puts it:** {}",
            Untrusted::new(who).prose(),
            prose(words)
        )
    }));
    points.extend(
        group::group_opinions(found, names)
            .iter()
            .take(MOST_OPINIONS)
            .map(said),
    );
    let also = group.other_places(MOST_PLACES);
    let also: Vec<String> = also
        .iter()
        .map(|place| Untrusted::new(place).code())
        .collect();
    points.extend((!also.is_empty()).then(|| format!("**Also at:** {}", also.join(", "))));
    points.push(format!("**Fingerprint:** {}", fingerprint(found)));
    let id = Untrusted::new(&found.id).prose();
    let heading = format!(
        "### {id} · {} · {}",
        finding.severity.as_str(),
        place(&finding.location)
    );
    join(&[
        heading,
        prose(&finding.description),
        quote(finding),
        list(&points),
        suggestion(finding),
    ])
}

/// The finding beside its lines, which need no quote there.
pub(super) fn beside(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    let finding = &found.finding;
    let mut points = points(finding);
    points.push(format!("**Held by:** {}", held(found, names)));
    points.extend(
        group::group_opinions(found, names)
            .iter()
            .take(MOST_OPINIONS)
            .map(said),
    );
    points.push(format!("**Fingerprint:** {}", fingerprint(found)));
    let id = Untrusted::new(&found.id).prose();
    join(&[
        format!("**{id} · {}**", finding.severity.as_str()),
        prose(&finding.description),
        list(&points),
    ])
}

/// A finding as a judge gave it, in that judge's own file.
pub(in crate::report) fn own(number: usize, finding: &Finding) -> String {
    let heading = format!(
        "### {number}. {} · {}",
        finding.severity.as_str(),
        place(&finding.location)
    );
    let mut points = points(finding);
    let class = if finding.category.is_empty() {
        &finding.rule
    } else {
        &Some(finding.category.clone())
    };
    points.extend(
        class
            .iter()
            .map(|class| format!("**Class:** {}", Untrusted::new(class).code())),
    );
    join(&[
        heading,
        prose(&finding.description),
        quote(finding),
        list(&points),
        suggestion(finding),
    ])
}

/// One line of a list.
pub(super) fn brief(group: &FindingGroup<'_>, names: &JudgeNames<'_>) -> String {
    let found = group.first;
    let finding = &found.finding;
    let ids: Vec<String> = group
        .all_findings()
        .take(MOST_PLACES)
        .map(|f| Untrusted::new(&f.id).prose())
        .collect();
    let places = words::join_places(
        group.all_findings().map(|f| &f.finding.location),
        MOST_PLACES,
    );
    let text = format!(
        "**{}** {} {}: {}",
        ids.join(", "),
        finding.severity.as_str(),
        Untrusted::new(&places).code(),
        prose(&finding.description)
    );
    let fix = if finding.fix.trim().is_empty() {
        String::new()
    } else {
        format!(" *Fix:* {}", prose(&finding.fix))
    };
    format!(
        "- {text}{fix} Held by {}. {}",
        held(found, names),
        fingerprint(found)
    )
}

/// The fingerprint, and the rule where there is one.
fn fingerprint(found: &JudgedFinding) -> String {
    let rule = found
        .finding
        .rule
        .iter()
        .map(|rule| Untrusted::new(rule).code());
    let parts: Vec<String> = std::iter::once(Untrusted::new(&found.fingerprint).code())
        .chain(rule)
        .collect();
    parts.join(" · ")
}

/// One line of the list of those that do not count.
pub(super) fn rejected(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    let who: Vec<String> = found
        .members
        .iter()
        .map(|m| Untrusted::new(names.get(&m.judge)).prose())
        .collect();
    format!(
        "- **{}** {} {}: {} ({}; said by {})",
        Untrusted::new(&found.id).prose(),
        found.finding.severity.as_str(),
        place(&found.finding.location),
        prose(&found.finding.description),
        Untrusted::new(&words::rejection_reason(found)).prose(),
        who.join(", ")
    )
}

/// Path and line as a code span.
pub(super) fn place(location: &Location) -> String {
    Untrusted::new(&words::location_text(location)).code()
}

/// Prose of a judge, bounded.
pub(in crate::report) fn prose(text: &str) -> String {
    Untrusted::new(&text::clip_chars(text, MOST_PROSE)).prose()
}

fn points(finding: &Finding) -> Vec<String> {
    let words::FindingRemarks { why, fix, see } = words::finding_remarks(finding);
    [("Why", why), ("Fix", fix), ("See", see)]
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| format!("**{name}:** {}", prose(text)))
        .collect()
}

fn quote(finding: &Finding) -> String {
    match finding.quote.trim() {
        "" => String::new(),
        _ => code(&finding.quote, finding),
    }
}

fn suggestion(finding: &Finding) -> String {
    match &finding.suggestion {
        None => String::new(),
        Some(text) => format!("Replace the quoted lines with\n\n{}", code(text, finding)),
    }
}

/// Lines of the reviewed file, highlighted by its extension.
fn code(lines: &str, finding: &Finding) -> String {
    let info = finding
        .location
        .path
        .extension()
        .filter(|e| e.len() <= 8)
        .unwrap_or_default();
    Untrusted::new(lines)
        .fence(info, MOST_LINES)
        .trim_end()
        .to_owned()
}

/// Who holds it and what became of it.
fn held(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    let holders: Vec<String> = words::holders(found, names)
        .iter()
        .map(|name| Untrusted::new(name).prose())
        .collect();
    let state = words::disposition_word(found.disposition);
    match holders.as_slice() {
        [] => format!("nobody, {state}"),
        [one] if found.disposition == Disposition::Unconfirmed => {
            format!("{one} alone, checked by nobody ({state})")
        }
        _ => format!("{} ({state})", holders.join(", ")),
    }
}

/// What others said of it, and what they have to show for it.
fn said(voices: &SharedOpinion<'_>) -> String {
    let opinion = voices.opinion;
    let proof = opinion
        .evidence
        .as_ref()
        .map_or("no evidence".to_owned(), |e| {
            let at = Untrusted::new(&format!("{}:{}", e.path.display(), e.line)).code();
            if opinion.resolves {
                format!("evidence at {at}")
            } else {
                format!("its evidence at {at} is not there")
            }
        });
    let stance = Untrusted::new(&voices.stance_words()).prose();
    format!("**{stance}:** {} ({proof})", prose(&opinion.reasoning))
}

fn list(points: &[String]) -> String {
    let lines: Vec<String> = points.iter().map(|point| format!("- {point}")).collect();
    lines.join("\n")
}

fn join(blocks: &[String]) -> String {
    let filled: Vec<&str> = blocks
        .iter()
        .map(String::as_str)
        .filter(|b| !b.is_empty())
        .collect();
    filled.join("\n\n")
}
