//! Laws of the layouts: however a point is laid out, it is the same point.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::Severity;

use super::DuelRole;
use super::point_standing::PointStanding;
use super::standing::point_standings;
use super::transcript::DebateTranscript;

/// A point as its author means it.
#[derive(Debug, Clone)]
struct MeantPoint {
    severity: &'static str,
    line: u32,
    text: &'static str,
}

const TEXTS: [&str; 6] = [
    "SQL injection in find_user",
    "The name is put into the statement unescaped.",
    "A missing value finds the wrong person",
    "f returns `a | b` where the caller expects a list.",
    "critical sections are entered twice",
    "Every row is loaded at once: memory grows without a bound.",
];

const QUOTE: &str = "query = run(name)";

fn meant() -> impl Strategy<Value = Vec<MeantPoint>> {
    let point = (
        select(&["critical", "significant", "minor"][..]),
        1u32..9,
        select(&TEXTS[..]),
    );
    let point = point.prop_map(|(severity, line, text)| MeantPoint {
        severity,
        line,
        text,
    });
    prop::collection::vec(point, 1..3)
}

/// `Critical`, as agents write it in labels and headings.
fn capital(severity: &str) -> String {
    severity[..1].to_uppercase() + &severity[1..]
}

const LAYOUTS: usize = 18;

/// One point in a layout. Places are far apart, so that no two points are one.
fn laid_out(layout: usize, id: &str, nth: usize, point: &MeantPoint) -> String {
    let (severity, text) = (point.severity, point.text);
    let line = point.line + u32::try_from(nth).unwrap_or(0) * 50;
    let place = format!("`users.py:{line}`");
    let large = capital(severity);
    let code = format!("```python\n{QUOTE}\n```\n");
    match layout {
        0 => format!("- **{id}** — **{severity}** {place} — {text}\n  > {QUOTE}\n"),
        1 => format!(
            "### {id} — {text}\n\n**Severity:** {severity}\n**Location:** {place}\n\n{code}"
        ),
        2 => format!(
            "### {id}: {text}\n\n- **Severity**: {large}\n- **File:** users.py, line {line}\n\n{code}"
        ),
        3 => format!(
            "### {id}\n\n**Location:** {place}\n**Severity:** {large}\n\n{text}\n\n> {QUOTE}\n"
        ),
        4 => format!("### {large}\n\n- **{id}** {place} — {text}\n  > {QUOTE}\n"),
        5 => format!("**{large} issues:**\n\n1. **{id}** {place} — {text}\n   > {QUOTE}\n"),
        6 => format!(
            "**{id}** — {text}\n\nSeverity: {severity}\nFile: `users.py`\nLine: {line}\n\n{code}"
        ),
        7 => format!("**{id}: {text}**\n- Severity: {large}\n- Location: {place}\n\n{code}"),
        8 => format!(
            "| ID | Severity | Location | Code | Problem |\n|---|---|---|---|---|\n| {id} | {large} | {place} | `{QUOTE}` | {} |\n",
            cell(text)
        ),
        9 => format!(
            "| Location | Problem | ID | Severity | Code |\n|:--|:--|---|---|---|\n| {place} | {} | {id} | {severity} | `{QUOTE}` |\n",
            cell(text)
        ),
        10 => format!(
            "| ID | File | Line | Severity | Issue | Quote |\n|---|---|---|---|---|---|\n| {id} | users.py | {line} | {large} | {} | `{QUOTE}` |\n",
            cell(text)
        ),
        11 => format!("{id} is {severity}: {place} — {text}\n> {QUOTE}\n"),
        12 => format!("**{id}** ({severity}) at {place}: {text}\n> {QUOTE}\n"),
        13 => {
            format!("#### {id} — {text}\n**Severity:** {large} | **Location:** {place}\n\n{code}")
        }
        14 => format!(
            "1. **{id}** — {text}\n   - Severity: {large}\n   - Location: {place}\n   > {QUOTE}\n"
        ),
        15 => format!("### {large}\n\n#### {id} — {text}\n\n**Location:** {place}\n\n{code}"),
        16 => format!(
            "**ID:** {id}\n**Severity:** {severity}\n**Location:** {place}\n**Description:** {text}\n\n{code}"
        ),
        _ => format!("### {id} — {large} — {place}\n\n**Problem:** {text}\n\n> {QUOTE}\n"),
    }
}

/// A bar ends a cell.
fn cell(text: &str) -> String {
    text.replace('|', "and")
}

fn section(heading: &str, role: DuelRole, body: &str) -> String {
    format!("\n## {heading}\n\n{body}\n\n*— {role}, 2025-06-15T14:30:00Z*\n\n---\n")
}

/// The points that a side wrote so, in the opening or later.
fn read(body: &str, role: DuelRole) -> (Vec<PointStanding>, String) {
    let said = match role {
        DuelRole::A => section("Opening", role, body),
        DuelRole::B => {
            section("Opening", DuelRole::A, "Vote: PASS") + &section("Response 1", role, body)
        }
    };
    let text = format!("# Code Debate: HEAD\n{said}");
    (point_standings(&DebateTranscript::parse(&text)), text)
}

fn severity_named(word: &str) -> Severity {
    match word {
        "critical" => Severity::Critical,
        "minor" => Severity::Minor,
        _ => Severity::Significant,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// Its name, severity, place, quote and whole text are the author's, whatever the layout and whoever writes.
    #[test]
    fn a_point_is_the_same_in_every_layout(
        meant in meant(), layout in 0..LAYOUTS, role in select(&[DuelRole::A, DuelRole::B][..]), votes in any::<bool>(),
    ) {
        let body: String = meant.iter().enumerate().map(|(nth, point)| {
            laid_out(layout, &format!("{}{}", role.letter(), nth + 1), nth, point) + "\n"
        }).collect();
        let body = if votes { format!("Vote: FAIL\n\n{body}") } else { body };
        let (points, text) = read(&body, role);
        prop_assert_eq!(points.len(), meant.len(), "{}", text);
        for (nth, (point, meant)) in points.iter().zip(&meant).enumerate() {
            let found = &point.finding;
            let id = format!("{}{}", role.letter(), nth + 1);
            let line = meant.line + u32::try_from(nth).unwrap_or(0) * 50;
            prop_assert_eq!(point.id.to_string(), id, "{}", text);
            prop_assert_eq!(found.severity, severity_named(meant.severity), "{}", text);
            prop_assert_eq!(found.location.path.display().to_string(), "users.py", "{}", text);
            prop_assert_eq!(found.location.line, line, "{}", text);
            prop_assert_eq!(&found.quote, QUOTE, "{}", text);
            let told = if text.contains("|--") { cell(meant.text) } else { meant.text.to_owned() };
            prop_assert_eq!(&found.description, &told, "{}", text);
            prop_assert!(point.is_weighed && !point.is_settled(), "{}", text);
        }
    }

    /// An author who numbers instead of naming has the same points, in their order.
    #[test]
    fn a_numbered_point_is_the_same_in_every_layout(meant in meant(), layout in 0..5usize) {
        let body: String = meant.iter().enumerate().map(|(nth, point)| {
            let (large, text, n) = (capital(point.severity), point.text, nth + 1);
            let line = point.line + u32::try_from(nth).unwrap_or(0) * 50;
            match layout {
                0 => format!("### Issue {n}: {text}\n- **Severity:** {large}\n- **File:** users.py, line {line}\n\n"),
                1 => format!("**{large} issues:**\n\n{n}. `users.py:{line}` — {text}\n\n"),
                2 => format!("### {large}\n\n- `users.py:{line}` — {text}\n\n"),
                3 => format!("### {n}. {text}\n\n**Severity**: {large}\n**Location**: `users.py:{line}`\n\n"),
                _ => format!("{n}. **{text}**\n   - **Severity:** {large}\n   - **Location:** `users.py:{line}`\n"),
            }
        }).collect();
        let (points, text) = read(&format!("Vote: FAIL\n\n{body}"), DuelRole::A);
        let read: Vec<_> = points.iter().map(|point| (point.id.to_string(), point.finding.severity, point.finding.location.line)).collect();
        let written: Vec<_> = meant.iter().enumerate().map(|(nth, point)| {
            let line = point.line + u32::try_from(nth).unwrap_or(0) * 50;
            (format!("A{}", nth + 1), severity_named(point.severity), line)
        }).collect();
        prop_assert_eq!(read, written, "{}", text);
        for (point, meant) in points.iter().zip(&meant) {
            prop_assert!(point.finding.description.contains(meant.text.trim_end_matches('.')), "{:?} {}", point, text);
        }
    }

    /// A problem that stands behind the answer to another one is a point, too: nothing is settled before it is answered.
    #[test]
    fn a_problem_beside_an_agreement_is_a_point(
        form in 0..10usize, line in 10u32..99, severity in select(&["critical", "significant"][..]), link in select(&["Also ", ""][..]),
    ) {
        let what = "the admin check is gone";
        let said = match form {
            0 => format!("- **A1** — **Agreed**. {link}`users.py:{line}` — **{severity}**: {what}."),
            1 => format!("- **A1** — **Agreed**\n{link}`users.py:{line}` — **{severity}**: {what}."),
            2 => format!("| Point | Stance | Note |\n|---|---|---|\n| A1 | Agreed | {link}`users.py:{line}` — **{severity}**: {what} |"),
            3 => format!("**A1** — Agreed, it is so. {link}**{severity}**: {what} (`users.py:{line}`)"),
            4 => format!("- **A1** — **Agreed** — it is lost; {link}`users.py:{line}` ({severity}): {what}"),
            5 => format!("- **A1** — **Agreed**\n\n  The line below, `users.py:{line}`, is {severity}: {what}."),
            6 => format!("- **A1** — **Agreed**\n\nThe line below, `users.py:{line}`, is {severity}: {what}."),
            7 => format!("| Point | Position | Comment |\n|---|---|---|\n| A1 | Agreed | {link}users.py:{line} {severity}: {what} |"),
            8 => format!("- **A1** — **Agreed**. {link}users.py:{line} is {severity}: {what}."),
            _ => format!("- **A1** — **Agreed**\n  - {link}`users.py:{line}` — **{severity}** — {what}"),
        };
        let text = format!(
            "# Code Debate: HEAD\n{}{}",
            section("Opening", DuelRole::A, "- **A1** — **significant** `users.py:1` — it is lost"),
            section("Response 1", DuelRole::B, &said),
        );
        let points = point_standings(&DebateTranscript::parse(&text));
        prop_assert!(points[0].is_settled(), "{}", text);
        let second = points.get(1).map(|point| (point.id.to_string(), point.finding.severity, point.finding.location.line));
        prop_assert_eq!(second, Some(("B1".to_owned(), severity_named(severity), line)), "{}", text);
        prop_assert!(points[1].finding.description.contains(what), "{:?}", points[1]);
        prop_assert!(!points[1].is_settled(), "{}", text);
    }

    /// An opening that says how bad something is, and not where in the form of a place, holds a point all the same.
    #[test]
    fn a_severity_set_apart_is_a_point_without_a_place(form in 0..7usize, word in select(&["critical", "Critical", "blocker"][..])) {
        let body = match form {
            0 => format!("- **{word}**: SQL injection at line 8 of users.py."),
            1 => format!("#1 **{word}** `users.py:8` — SQL injection."),
            2 => format!("### 1. SQL injection ({word})\n\nIn `find_user` the name is put into the text."),
            3 => format!("### {word}: SQL injection\n\nIn `find_user` the name is put into the text."),
            4 => format!("- SQL injection in `find_user` ({word})"),
            5 => format!("{word} issues:\n\n- SQL injection in `find_user`"),
            _ => format!("### {word}: SQL injection\n\nIt stands at `users.py:8`, in `find_user`."),
        };
        let (points, text) = read(&body, DuelRole::A);
        prop_assert_eq!(points.len(), 1, "{}", text);
        let found = &points[0].finding;
        prop_assert_eq!(found.severity, Severity::Critical, "{}", text);
        prop_assert!(found.description.contains("SQL injection"), "{:?}", found);
        prop_assert_eq!(points[0].is_placed(), [0, 1, 6].contains(&form), "{}", text);
    }
}
