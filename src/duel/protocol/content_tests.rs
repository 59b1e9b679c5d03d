//! What a section says.

use super::super::transcript::DebateTranscript;
use super::*;

fn read(body: &str) -> SectionContent {
    let text = format!("## Response 1\n{body}\n*— Agent B, 2025-06-15T14:30:00Z*\n");
    read_content(&DebateTranscript::parse(&text).sections[0])
}

#[test]
fn every_point_is_categorised() {
    let said = read(
        "- **A1** — **Agreed**: right.\n\n**Partially agreed** — yes, but no.\n\n\
         2. **Disagreed** see `src/a.rs:7`\n   > let x = 1;\n",
    );
    let stances: Vec<_> = said
        .replies
        .iter()
        .map(|r| (r.to.ids.first().map(PointId::to_string), r.stance))
        .collect();
    assert_eq!(
        stances,
        [
            (Some("A1".into()), Stance::Agreed),
            (None, Stance::PartiallyAgreed),
            (None, Stance::Disagreed)
        ]
    );
    let evidence = said.replies[2].evidence.as_ref().unwrap();
    assert_eq!((evidence.line, evidence.quote.as_str()), (7, "let x = 1;"));
}

#[test]
fn independent_findings_carry_their_tags() {
    let said = read(
        "### Independent findings\n\n- **B1** — [new finding] **critical** `src/a.rs:3` — boom\n  > x.unwrap()\n  Why: it panics\n  Fix: do not\n",
    );
    let point = &said.points[0];
    assert_eq!(point.tag, Some(Tag::New));
    assert_eq!(point.finding.severity, council_protocol::Severity::Critical);
    assert_eq!(point.finding.quote, "x.unwrap()");
    assert_eq!(
        (point.finding.why.as_str(), point.finding.fix.as_str()),
        ("it panics", "do not")
    );
    assert_eq!(point.finding.description, "boom");
}

/// In the form in which the program itself writes points, wherever in the section.
#[test]
fn a_point_under_its_authors_own_name_is_one_under_every_heading() {
    let point = "- **B1** — **critical** `pay.py:2` — a negative amount prints money\n  > acc.balance -= amount\n";
    for heading in [
        "",
        "### Responses\n\n",
        "### Agreed\n\n",
        "- **A1** — **Agreed**: right.\n\n",
    ] {
        let said = read(&format!("Vote: WARN — see B1\n\n{heading}{point}"));
        let [raised] = &said.points[..] else {
            panic!("{heading:?}: {said:?}")
        };
        let severity = raised.finding.severity;
        assert_eq!(
            severity,
            council_protocol::Severity::Critical,
            "{heading:?}"
        );
        assert_eq!(raised.finding.quote, "acc.balance -= amount");
    }
    let theirs = read("- **A1** — **critical** `pay.py:2` — I do not see why\n");
    assert!(theirs.points.is_empty(), "{theirs:?}");
}

#[test]
fn a_loose_list_with_places_is_read_too() {
    let said = read(
        "1. The check in src/auth.py:45 is missing\n2. I like it\n* see (lib/x.c:9) for a leak\n",
    );
    let places: Vec<_> = said
        .points
        .iter()
        .map(|p| p.finding.location.line)
        .collect();
    assert_eq!(places, [45, 9]);
}

#[test]
fn nothing_inside_a_fence_is_a_point() {
    let mut content = read("```\n- **critical** `a.rs:1` — fake\n**Agreed**\n```\n");
    // They are lines that are shown: whoever reads the whole debate sees whose they are.
    let quoted: Vec<_> = content.quotes.drain(..).map(|quote| quote.line).collect();
    assert_eq!(quoted.len(), 2);
    assert_eq!(content, SectionContent::default());
}

/// The head of a table of replies says nothing; whatever else stands in its place does.
#[test]
fn a_table_head_that_names_its_columns_is_no_remark() {
    let table = |head: &str| read(&format!("{head}\n|---|---|\n| A1 | Agreed |\n\nVote: PASS"));
    for head in [
        "| Point | Stance |",
        "| Point | Answer | Reason |",
        "| ID | **Response** |",
    ] {
        assert_eq!(table(head).remarks, Vec::<u32>::new(), "{head}");
    }
    for head in ["| Do not merge | Stance |", "| Point | It crashes |"] {
        assert_eq!(table(head).remarks.len(), 1, "{head}");
    }
    assert_eq!(read("| Point | Stance |\n\nVote: PASS").remarks.len(), 1);
}
