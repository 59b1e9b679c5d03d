//! The page and the XML formats: whatever is in them is text.

use std::collections::BTreeSet;

use council_protocol::FileChange;
use council_protocol::change::{FileKind, FileStatus, Hunk};
use proptest::prelude::*;

use super::super::html::{self, PageMaterial, PromptText};
use super::super::{GatePolicy, Report, checkstyle, junit};
use super::{poison, samples};
use crate::council::outcome::VerdictReason;
use crate::text::testing::{all_visible, hostile};

/// What a browser would make of `text` if anything in the page let it.
const ATTACKS: &str = "</style></script><script>alert(1)</script><img src=x onerror=alert(1)><a href=\"javascript:alert(1)\">\
    \" onmouseover=\"alert(1)\" ' onfocus='x <!-- --> ]]> <?x?> &lt;script&gt; &#60;script&#62; \u{0} \u{202e}txt.exe <base href=//e>";

/// A tag with its attributes.
#[derive(Debug)]
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
}

/// Every tag of a document whose attributes are all in double quotation marks, as ours are; raw elements are skipped.
fn tags(mut rest: &str) -> Vec<Tag<'_>> {
    let mut found = Vec::new();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let mut attributes = Vec::new();
        let end = rest.find([' ', '>']).unwrap();
        let name = &rest[..end];
        rest = rest[end..].trim_start();
        while !rest.starts_with('>') {
            let end = rest.find(['=', '>', ' ']).unwrap();
            let key = &rest[..end];
            rest = &rest[end..];
            let value = match rest.strip_prefix("=\"") {
                Some(value) => {
                    let end = value.find('"').unwrap();
                    rest = &value[end + 1..];
                    &value[..end]
                }
                None => "",
            };
            rest = rest.trim_start();
            attributes.push((key, value));
        }
        rest = &rest[1..];
        if let "style" | "script" = name {
            let end = rest.find(&format!("</{name}>")).unwrap();
            rest = &rest[end..];
        }
        found.push(Tag { name, attributes });
    }
    found
}

/// A change whose lines are `text`, beside the lines that the samples quote.
fn material(text: &str) -> PageMaterial {
    let lines: Vec<&str> = text.lines().collect();
    let body: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    let files = samples::fail().outcome.findings.into_iter().map(|found| {
        let location = found.finding.location;
        FileChange {
            path: location.path,
            old_path: None,
            status: FileStatus::Modified,
            kind: FileKind::Text,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_id: None,
            new_id: None,
            old_size: None,
            new_size: None,
            similarity: None,
            moved_from: None,
            lossy: false,
            hunks: vec![Hunk {
                old_start: 1,
                old_lines: 0,
                new_start: location.line.max(1),
                new_lines: lines.len() as u32,
                section: text.to_owned(),
                body: body.clone(),
            }],
        }
    });
    PageMaterial {
        files: files.collect(),
        prompts: vec![PromptText {
            title: text.to_owned(),
            text: text.to_owned(),
        }],
        ..PageMaterial::default()
    }
}

/// Fails where a page has an element, an attribute or an address that is not ours.
fn is_inert(page: &str) -> Result<(), TestCaseError> {
    const NAMES: &str = "html head meta title link style body a header div span button h1 h2 h3 h4 p code strong small ul ol li \
        main nav section article details summary figure figcaption table thead tbody tr th td dl dt dd pre mark footer kbd script";
    const ATTRIBUTES: &str = "lang charset http-equiv content name rel href id class type hidden tabindex aria-label \
        aria-labelledby aria-hidden role scope colspan open";
    let (names, attributes): (BTreeSet<&str>, BTreeSet<&str>) = (
        NAMES.split_whitespace().collect(),
        ATTRIBUTES.split_whitespace().collect(),
    );
    for tag in tags(page) {
        let name = tag.name.trim_start_matches('/');
        prop_assert!(names.contains(name) || name == "!DOCTYPE", "{tag:?}");
        if name == "!DOCTYPE" {
            continue;
        }
        for (key, value) in &tag.attributes {
            prop_assert!(attributes.contains(key), "{tag:?}");
            let own = value.starts_with('#') || *value == "data:,";
            prop_assert!(*key != "href" || own, "{tag:?}");
        }
    }
    let count = |tag: &str| page.matches(tag).count();
    prop_assert_eq!(
        (
            count("<script"),
            count("<style"),
            count("</script>"),
            count("</style>")
        ),
        (1, 1, 1, 1)
    );
    let hidden = page.lines().find(|line| !all_visible(line));
    prop_assert_eq!(hidden, None);
    Ok(())
}

#[test]
fn every_sample_is_a_page_with_its_headline_in_the_title_and_on_top() {
    for (name, report) in samples::all() {
        let page = html::render(&report, &PageMaterial::default());
        is_inert(&page).unwrap();
        let headline = html_text(&report.headline());
        assert!(page.contains(&format!("<title>{headline} · ")), "{name}");
        let (head, main) = page.split_once("<main").unwrap();
        assert!(head.contains(report.outcome.verdict.as_str()), "{name}");
        assert_eq!(
            main.matches("<article").count() > 0,
            report.weighty_findings().next().is_some(),
            "{name}"
        );
    }
}

#[test]
fn t10_attacks_on_a_page_are_text() {
    let report = poison::report(ATTACKS);
    let page = html::render(&report, &material(ATTACKS));
    is_inert(&page).unwrap();
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{page}"
    );
    let gate = GatePolicy::default();
    for xml in [
        junit::render(&report, gate),
        checkstyle::render(&report, gate),
    ] {
        assert_eq!(well_formed(&xml), Ok(()), "{xml}");
    }
}

proptest! {
    // Every case renders three documents.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn t10_no_page_has_an_element_of_somebody_else(text in hostile()) {
        let report = poison::report(&format!("{text}{ATTACKS}"));
        is_inert(&html::render(&report, &material(&text)))?;
        let mut by_votes = report.clone();
        by_votes.outcome.reason = VerdictReason::Votes;
        by_votes.outcome.findings.clear();
        for report in [report, by_votes] {
            let gate = GatePolicy::default();
            for xml in [junit::render(&report, gate), checkstyle::render(&report, gate)] {
                prop_assert_eq!(well_formed(&xml), Ok(()));
            }
        }
    }
}

/// Evidence is shown in the diff, with what the judge quoted marked.
#[test]
fn the_quote_is_marked_among_the_lines_around_it() {
    let report = samples::fail();
    let finding = &report.outcome.findings[0].finding;
    let quote = finding.quote.trim();
    let page = html::render(
        &report,
        &material(&format!("  before {quote} behind\nmore\n")),
    );
    let marked = format!("  before <mark>{}</mark> behind", html_text(quote));
    assert!(page.contains(&marked), "{marked}\n{page}");
}

/// A change of the size of a large report stays a page that a browser opens at once.
#[test]
fn a_page_of_many_findings_and_huge_lines_is_bounded() {
    let mut report: Report = samples::fail();
    let one = report.outcome.findings[0].clone();
    for at in 0..400 {
        let mut more = one.clone();
        (more.id, more.finding.rule) = (format!("F{}", at + 100), None);
        more.finding.description = format!("{at} {}", "x".repeat(8_000));
        report.outcome.findings.push(more);
    }
    let page = html::render(&report, &material(&"y".repeat(400_000)));
    assert!(page.len() < 10_000_000, "{}", page.len());
    assert_eq!(page.matches("<article").count(), 200);
}

fn html_text(text: &str) -> String {
    maud::html! { (text) }.into_string()
}

/// Whether every element of an XML document is closed in order, and no character in it is forbidden.
fn well_formed(xml: &str) -> Result<(), String> {
    let rest = xml
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .ok_or("no declaration")?;
    let forbidden = |c: &char| c.is_control() && !"\n\t".contains(*c);
    if let Some(c) = rest.chars().find(forbidden) {
        return Err(format!("{c:?}"));
    }
    let mut open = Vec::new();
    for tag in tags(rest) {
        match tag.name.strip_prefix('/') {
            Some(name) if open.last() == Some(&name) => drop(open.pop()),
            Some(name) => return Err(format!("</{name}> in {open:?}")),
            None => open.push(tag.name),
        }
    }
    open.is_empty()
        .then_some(())
        .ok_or(format!("{open:?} not closed"))
}
