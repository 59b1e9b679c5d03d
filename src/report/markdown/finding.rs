//! One finding as Markdown: its line, and in full with the quoted lines and what was said of it.

use council_protocol::{Finding, Location};

use super::SourceLinks;
use crate::council::outcome::JudgedFinding;
use crate::council::readable_description;
use crate::council::reproduction::SuggestionCheck;
use crate::report::document::FindingView;
use crate::report::places::{self, ShownPlace};
use crate::report::suggestion_words;
use crate::report::uri;
use crate::report::words;
use crate::text::{self, Passage, Untrusted};

/// Bounds that keep one finding readable: characters of prose and of a line in a list, lines of code.
const MAX_PROSE: usize = 1200;
const MAX_LINE: usize = 400;
const MAX_LINES: usize = 16;

/// One line of the list: how bad, where, what, and by which rule or whom.
pub(super) fn line(view: &FindingView<'_>, links: Option<&SourceLinks>) -> String {
    let thread = links.map_or(String::new(), |links| links.conversations(view));
    let severity = if view.weighs() {
        format!("**{}**", view.severity.as_str())
    } else {
        view.severity.as_str().to_owned()
    };
    let what = Untrusted::new(&text::clip_chars(&view.sentence(), MAX_LINE)).prose();
    format!(
        "- {severity} {}: {what}{}{thread}",
        linked_places(view, links),
        tail(view)
    )
}

/// ` (disputed) · `rule``.
fn tail(view: &FindingView<'_>) -> String {
    let state = match view.state {
        "" => String::new(),
        state => format!(" ({state})"),
    };
    match view.tag.as_str() {
        "" => state,
        tag if view.found.finding.rule.is_some() => {
            format!("{state} · {}", Untrusted::new(tag).code())
        }
        tag => format!("{state} · {}", Untrusted::new(tag).prose()),
    }
}

/// Its places, each as a link to the line at the reviewed commit, where there is one.
fn linked_places(view: &FindingView<'_>, links: Option<&SourceLinks>) -> String {
    let Some(links) = links.filter(|links| !links.commit.is_empty()) else {
        return Untrusted::new(&view.place).code();
    };
    let places = view.places.iter();
    let places: Vec<String> = places.map(|place| links.link_to(place)).collect();
    let left = view.many.saturating_sub(places.len());
    format!("{}{}", places.join(", "), places::and_more(left))
}

impl SourceLinks {
    /// ` · [conversation](URL)`, one for each place that has one: who answers in one of them answers there alone.
    fn conversations(&self, view: &FindingView<'_>) -> String {
        let threads = view.fingerprints.iter().map(|name| self.threads.get(*name));
        let threads: Vec<&String> = threads.flatten().collect();
        match threads.as_slice() {
            [] => String::new(),
            [one] if view.many == 1 => format!(" · [conversation]({one})"),
            [one] => format!(" · [conversation 1 of {}]({one})", view.many),
            many => {
                let link = |(nth, url): (usize, &&String)| format!("[{}]({url})", nth + 1);
                let links: Vec<String> = many.iter().enumerate().map(link).collect();
                format!(" · conversations {}", links.join(", "))
            }
        }
    }

    fn link_to(&self, place: &ShownPlace<'_>) -> String {
        let (text, location) = (Untrusted::new(&place.text).code(), place.location);
        let path = uri::encode_path(location.path.as_bytes());
        // A file that stays has a page at the reviewed commit, and may have another name at the base.
        let is_deleted = self.deleted.contains(&location.path);
        let (commit, line) = match place.old_line {
            Some(old) if is_deleted => (&self.base, old),
            _ if is_deleted => (&self.base, 0),
            _ => (&self.commit, location.line),
        };
        let removed = match place.old_line {
            Some(_) => " (removed)",
            None => "",
        };
        if commit.is_empty() {
            return format!("{text}{removed}");
        }
        let anchor = match (line, location.end_line) {
            (0, _) => String::new(),
            (line, Some(end)) if end > line => format!("#L{line}-L{end}"),
            (line, _) => format!("#L{line}"),
        };
        // GitHub draws these files, and then no line has an anchor.
        let is_drawn = location.path.extension().is_some_and(is_drawn_by_github);
        let plain = match is_drawn && line > 0 {
            true => "?plain=1",
            false => "",
        };
        let repository = &self.repository;
        format!("[{text}]({repository}/blob/{commit}/{path}{plain}{anchor}){removed}")
    }
}

/// Whether GitHub shows files of this kind as what they describe, and not as their text.
fn is_drawn_by_github(extension: &str) -> bool {
    const DRAWN: [&str; 27] = [
        "adoc",
        "asc",
        "asciidoc",
        "creole",
        "csv",
        "geojson",
        "ipynb",
        "litcoffee",
        "markdown",
        "md",
        "mdown",
        "mdwn",
        "mediawiki",
        "mermaid",
        "mkd",
        "mkdn",
        "mmd",
        "org",
        "pod",
        "rdoc",
        "rst",
        "stl",
        "svg",
        "textile",
        "topojson",
        "tsv",
        "wiki",
    ];
    DRAWN.contains(&extension.to_ascii_lowercase().as_str())
}

/// The whole finding, and where else it is.
pub(super) fn full(view: &FindingView<'_>) -> String {
    let finding = &view.found.finding;
    let mut points = points(finding);
    let mut became = vec![view.state, view.support.as_str()];
    became.retain(|words| !words.is_empty());
    points.extend((!became.is_empty()).then(|| prose(&became.join("; "))));
    points.extend(view.opinions.iter().map(|opinion| prose(opinion)));
    let others: Vec<String> = view
        .others
        .iter()
        .map(|place| Untrusted::new(place).code())
        .collect();
    points.extend((!others.is_empty()).then(|| format!("**Also at:** {}", others.join(", "))));
    points.push(format!(
        "**Fingerprint:** {}",
        Untrusted::new(&view.found.fingerprint).code()
    ));
    let id = Untrusted::new(&view.found.id).prose();
    let heading = format!(
        "### {id}: {} at {}",
        finding.severity.as_str(),
        place(&finding.location)
    );
    join(&[
        heading,
        prose(&readable_description(&finding.description)),
        quote(finding),
        list(&points),
        suggestion(finding, view.found.suggestion_check.as_ref()),
    ])
}

/// A finding that is only noted, on a line: its id, why, its fix, where else it is, its fingerprint.
pub(super) fn note(view: &FindingView<'_>) -> String {
    let found = view.found;
    let also = view.others.join(", ");
    let remarks = [
        ("Why", view.why),
        ("Fix", view.fix),
        ("See", view.see),
        ("Also at", &also),
    ];
    let remarks: String = remarks
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(label, text)| format!(" **{label}:** {}", on_a_line(text)))
        .collect();
    let support = match view.support.as_str() {
        "" => String::new(),
        support => format!(" {}.", prose(support)),
    };
    format!(
        "- **{}** {} {}: {}{remarks}{support} {}",
        Untrusted::new(&found.id).prose(),
        view.severity.as_str(),
        Untrusted::new(&view.place).code(),
        prose(&view.sentence()),
        Untrusted::new(&found.fingerprint).code()
    )
}

/// A finding that does not count, and why not.
pub(super) fn rejected(view: &FindingView<'_>) -> String {
    format!(
        "- **{}** {} {}: {} ({})",
        Untrusted::new(&view.found.id).prose(),
        view.severity.as_str(),
        place(&view.found.finding.location),
        prose(&view.sentence()),
        prose(&view.support)
    )
}

/// The finding beside its lines, which need no quote there.
pub(super) fn beside(found: &JudgedFinding) -> String {
    let finding = &found.finding;
    let words::FindingRemarks { why, fix, .. } = words::finding_remarks(finding);
    let state = match words::lone_state(found) {
        none if none.is_empty() => none,
        state => format!(" ({state})"),
    };
    let mut parts = vec![format!(
        "**{}{state}:** {}",
        finding.severity.as_str(),
        prose(&readable_description(&finding.description))
    )];
    parts.extend(
        words::other_readings(found)
            .iter()
            .map(|other| prose(other)),
    );
    // A suggestion shows the fix.
    let fix = if finding.suggestion.is_some() {
        ""
    } else {
        fix
    };
    for (label, text) in [("Why", why), ("Fix", fix)] {
        if !text.trim().is_empty() {
            parts.push(remark(label, text));
        }
    }
    parts.join("\n\n")
}

/// Place and quoted lines, each as a block that ends with an empty line.
pub(super) fn place_and_quote(found: &JudgedFinding) -> String {
    let finding = &found.finding;
    let blocks = [place(&finding.location), quote(finding)];
    let filled = blocks.iter().filter(|block| !block.is_empty());
    filled.map(|block| format!("{block}\n\n")).collect()
}

/// A finding as a judge gave it, in that judge's own file.
pub(in crate::report) fn own(number: usize, finding: &Finding) -> String {
    let heading = format!(
        "### {number}. {} · {}",
        finding.severity.as_str(),
        place(&finding.location)
    );
    let mut points = points(finding);
    let class = match finding.category.as_str() {
        "" => finding.rule.as_deref(),
        category => Some(category),
    };
    points.extend(class.map(|class| format!("**Class:** {}", Untrusted::new(class).code())));
    join(&[
        heading,
        prose(&readable_description(&finding.description)),
        quote(finding),
        list(&points),
        suggestion(finding, None),
    ])
}

/// Path and line as a code span.
pub(super) fn place(location: &Location) -> String {
    Untrusted::new(&words::location_text(location)).code()
}

/// Prose of a judge, bounded.
pub(in crate::report) fn prose(text: &str) -> String {
    Untrusted::new(&text::clip_chars(text, MAX_PROSE)).prose()
}

fn points(finding: &Finding) -> Vec<String> {
    let words::FindingRemarks { why, fix, see } = words::finding_remarks(finding);
    [("Why", why), ("Fix", fix), ("See", see)]
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| remark(name, text))
        .collect()
}

/// A reason behind its name, with the lines that it has: paragraphs, points, code. They are ours, their text is not.
fn remark(name: &str, text: &str) -> String {
    let text = text::clip_chars(text, MAX_PROSE);
    let block = |passage: &Passage<'_>| match passage {
        Passage::Words(words) => Untrusted::new(words).prose(),
        Passage::Point { mark, words } => format!("{mark} {}", Untrusted::new(words).prose()),
        Passage::Code { info, lines } => {
            let fenced = Untrusted::new(&lines.join("\n")).fence(info, MAX_LINES);
            fenced.trim_end().to_owned()
        }
    };
    let passages = text::passages(&text);
    let mut out = format!("**{name}:**");
    for (at, passage) in passages.iter().enumerate() {
        let is_point = |passage: &Passage<'_>| matches!(passage, Passage::Point { .. });
        out.push_str(match (at, passage) {
            (0, Passage::Words(_)) => " ",
            // Points that follow each other are one list.
            _ if at > 0 && is_point(passage) && is_point(&passages[at - 1]) => "\n",
            _ => "\n\n",
        });
        out.push_str(&block(passage));
    }
    out
}

/// A reason on one line, without the fences of its code.
fn on_a_line(text: &str) -> String {
    let text = text::clip_chars(text, MAX_PROSE);
    let piece = |passage: Passage<'_>| match passage {
        Passage::Words(words) | Passage::Point { words, .. } => Untrusted::new(&words).prose(),
        Passage::Code { lines, .. } => {
            Untrusted::new(&Untrusted::new(&lines.join(" ")).line()).code()
        }
    };
    let pieces: Vec<String> = text::passages(&text).into_iter().map(piece).collect();
    pieces.join(" ")
}

fn quote(finding: &Finding) -> String {
    match finding.quote.trim() {
        "" => String::new(),
        _ => code(&finding.quote, finding),
    }
}

fn suggestion(finding: &Finding, check: Option<&SuggestionCheck>) -> String {
    let tried = check.map(suggestion_words).unwrap_or_default();
    let tried = match prose(&tried) {
        none if none.is_empty() => none,
        tried => format!(" ({tried})"),
    };
    match &finding.suggestion {
        None => String::new(),
        Some(text) if text.is_empty() => format!("Delete the quoted lines{tried}"),
        Some(text) => format!(
            "Replace the quoted lines with{tried}\n\n{}",
            code(text, finding)
        ),
    }
}

/// Lines of the reviewed file, highlighted by its extension.
fn code(lines: &str, finding: &Finding) -> String {
    let extension = finding.location.path.extension();
    let info = extension.filter(|e| e.len() <= 8).unwrap_or_default();
    let fenced = Untrusted::new(lines).fence(info, MAX_LINES);
    fenced.trim_end().to_owned()
}

fn list(points: &[String]) -> String {
    // What has lines of its own stands below the first word of its point.
    let below = |point: &String| match point.contains('\n') {
        true => point.replace('\n', "\n  ").replace("\n  \n", "\n\n"),
        false => point.clone(),
    };
    let lines: Vec<String> = points
        .iter()
        .map(|point| format!("- {}", below(point)))
        .collect();
    lines.join("\n")
}

fn join(blocks: &[String]) -> String {
    let filled = blocks.iter().map(String::as_str);
    let filled: Vec<&str> = filled.filter(|b| !b.is_empty()).collect();
    filled.join("\n\n")
}
