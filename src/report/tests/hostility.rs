//! Whatever a change or a judge writes, no surface obeys it, and secrets stay out.

use council_protocol::message::Usage;
use council_protocol::{RepoPath, RoundNumber, SeenLines, SeenPart, ToolCall};
use council_secrets::Redactor;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::super::{
    DisplayOptions, GatePolicy, Report, ReviewSubject, Verbosity, agent, checkstyle, gitlab, html,
    json, judge, junit, markdown, rdjson, sarif, terminal,
};
use super::{looks, parts, poison, samples};
use crate::text;
use crate::text::testing::{acts, all_visible, hostile};

proptest! {
    // Every case renders every surface.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever a change or a judge writes, every surface shows it and none obeys it.
    #[test]
    fn t10_t11_t18_no_surface_obeys_untrusted_text(text in hostile()) {
        let report = poison::report(&text);
        for (_, look) in looks() {
            for page in [terminal::render(&report, look, &[]), terminal::render_all(&report, look, &[])] {
                for line in page.lines() {
                    prop_assert!(all_visible(line), "{line:?}");
                    prop_assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
                }
            }
        }
        let (seat, answers) = poison::answers(&text);
        let mut files: Vec<String> = answers.iter().map(|a| judge::render_judge(&seat, a.round, a, &Redactor::default())).collect();
        for (file, answer) in files.iter().zip(&answers) {
            let again = judge::parse_judge_file(file);
            prop_assert!(again.is_some());
            // What is shaped like a secret is not kept: such a file is read, and says less.
            if Redactor::default().redact_words(&text).text == text {
                prop_assert_eq!(again.as_ref(), Some(answer));
            }
        }
        for place in [markdown::ReadingPlace::Clone, markdown::ReadingPlace::Conversation] {
            let options = markdown::MarkdownOptions { frontmatter: false, place, ..Default::default() };
            files.push(markdown::render(&report, options));
        }
        for file in &files {
            prop_assert!(file.lines().all(|l| all_visible(&l.replace('\t', ""))), "{file}");
            acts_nowhere(file)?;
        }
        for line in agent::render(&report, GatePolicy::default()).lines() {
            prop_assert!(all_visible(&line.replace('\t', "")) && !line.starts_with("::") && !line.contains("##["), "{line:?}");
        }
        for json in [json::render(&report, GatePolicy::default()), sarif::render(&report, GatePolicy::default()), rdjson::render(&report, GatePolicy::default()), gitlab::render(&report, GatePolicy::default())] {
            prop_assert!(json.lines().all(|l| !l.chars().any(text::is_hidden) && !l.contains("##[")), "{json}");
            prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        }
    }

    /// A trimmed report is within its bound and still Markdown.
    #[test]
    fn trimmed_markdown_keeps_its_bound(text in hostile(), max in 200usize..12_000) {
        let report = poison::report(&text);
        let options = markdown::MarkdownOptions { frontmatter: false, max_bytes: Some(max), fold: true, ..Default::default() };
        let file = markdown::render(&report, options);
        prop_assert!(file.len() <= max);
        prop_assert!(file.starts_with("# FAIL"), "{file}");
        acts_nowhere(&file)?;
    }
}

/// Fails where Markdown has a link, an image, foreign HTML, or text that GitHub acts upon.
fn acts_nowhere(file: &str) -> Result<(), TestCaseError> {
    let options = Options::all() - Options::ENABLE_SMART_PUNCTUATION;
    let (mut code, mut prose) = (0, String::new());
    for event in Parser::new_ext(file, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code += 1,
            Event::End(TagEnd::CodeBlock) => code -= 1,
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_)) => {
                prop_assert!(false, "{event:?} in {file}");
            }
            Event::InlineHtml(html) if &*html == "<code>" => code += 1,
            Event::InlineHtml(html) if &*html == "</code>" => code -= 1,
            Event::Html(html) | Event::InlineHtml(html) => {
                let ours = ["details>", "summary>"];
                prop_assert!(
                    ours.iter().any(|o| html.contains(o)) && html.len() < 120,
                    "{html} in {file}"
                );
            }
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::TaskListMarker(_) => {
                prop_assert!(false, "{event:?} in {file}");
            }
            Event::Text(text) if code == 0 => prose.push_str(&text),
            Event::Code(_) => prose.push(' '),
            Event::End(_) => prose.push('\n'),
            _ => {}
        }
    }
    prop_assert_eq!(code, 0);
    prop_assert!(!acts(&prose), "{}", prose);
    Ok(())
}

/// Two judges see different holes in one line: whoever reads only one of them would dismiss the other unseen.
#[test]
fn every_critical_problem_of_a_line_is_on_every_surface() {
    let mut report = samples::fail();
    let found = &mut report.outcome.findings[0];
    assert_eq!(found.finding.severity, council_protocol::Severity::Critical);
    let mut other = found.members[0].clone();
    other.judge = "judge-b".into();
    other.finding.rule = None;
    other.finding.category = "money".into();
    other.finding.description = "Anybodywithdraws.".into();
    let mut milder = other.clone();
    milder.judge = "judge-c".into();
    milder.finding.severity = council_protocol::Severity::Minor;
    milder.finding.description = "Hardtoread.".into();
    found.members.extend([other, milder]);
    let holders: Vec<&str> = found.holding_members().map(|m| m.judge.as_str()).collect();
    assert!(
        holders.contains(&"judge-b") && !holders.contains(&"judge-c"),
        "{holders:?}"
    );
    let gate = GatePolicy::default();
    let beside = markdown::beside_a_line(&report.outcome.findings[0]);
    let full = markdown::MarkdownOptions {
        frontmatter: false,
        max_bytes: None,
        fold: false,
        links: None,
        update: None,
        council: None,
        place: markdown::ReadingPlace::Clone,
        headless: false,
    };
    let surfaces = [
        terminal::render(
            &report,
            DisplayOptions {
                verbosity: Verbosity::Normal,
                ..DisplayOptions::default()
            },
            &[],
        ),
        agent::render(&report, gate),
        markdown::render(&report, full),
        beside,
        sarif::render(&report, gate),
        rdjson::render(&report, gate),
        gitlab::render(&report, gate),
        junit::render(&report, gate),
        checkstyle::render(&report, gate),
    ];
    for surface in surfaces {
        assert!(surface.contains("Anybodywithdraws"), "{surface}");
    }
}

/// A usage with a text wherever one can stand.
fn told_usage() -> Usage {
    let call = ToolCall {
        tool: "search".into(),
        asked: "x".into(),
        seen: vec![SeenLines {
            path: "seen.py".into(),
            first: 1,
            last: 2,
        }],
        ..ToolCall::default()
    };
    let one = Usage {
        model: Some("m".into()),
        passed_over: vec!["n failed".into()],
        unread: vec!["u".into()],
        tool_calls: vec![call],
        without_tools: Some("w".into()),
        killed: Some("k".into()),
        looked_up: [RepoPath::from("looked.py")].into(),
        looked_up_in_part: [(RepoPath::from("part.py"), SeenPart { shown: 1, total: 2 })].into(),
        ..Usage::default()
    };
    Usage {
        earlier: vec![one.clone()],
        ..one
    }
}

/// Whatever field of a report is added next: no text of a judge, of a tool or of the change stands in it as it came.
#[test]
fn no_field_of_an_outcome_keeps_a_secret() {
    let secret = ["ghp_9XChaf688ZLcQSfg", "XwpbbYbwPNENDj3tSAmr"].concat();
    let mut clean = poison::report("");
    for judge in &mut clean.outcome.judges {
        judge.usage = Some(told_usage());
        judge.usage_by_round = [(RoundNumber::FIRST, told_usage())].into();
    }
    let poisoned = poison::poison_all(&clean, &secret);
    let subject = ReviewSubject {
        target: clean.target.clone(),
        change: clean.change,
        instructions: poisoned.receipt.instructions.clone(),
    };
    let facts = clean.receipt.run.clone();
    let report = Report::new(poisoned.outcome, subject, facts, &Redactor::default());
    let kept = places_of(&serde_json::to_value(&report).unwrap(), &secret, "");
    // How the user calls his agents and perspectives is his own; numbers of findings and of challenges are the program's.
    let ends = [".id", ".fingerprint", ".challenges.[]"];
    let is_own =
        |place: &String| place.contains(".seat.") || ends.iter().any(|end| place.ends_with(end));
    let kept: Vec<String> = kept.into_iter().filter(|place| !is_own(place)).collect();
    assert!(kept.is_empty(), "{kept:#?}");
}

/// Where a text stands in a value.
fn places_of(value: &serde_json::Value, text: &str, place: &str) -> Vec<String> {
    use serde_json::Value;
    let below = |name: &str, value| places_of(value, text, &format!("{place}.{name}"));
    match value {
        Value::String(own) => own
            .contains(text)
            .then(|| place.to_owned())
            .into_iter()
            .collect(),
        Value::Array(values) => values.iter().flat_map(|value| below("[]", value)).collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| below(name, value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[test]
fn t10_t26_a_secret_that_a_judge_quotes_is_on_no_surface() {
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let (mut outcome, subject, run) = parts::whole();
    outcome.findings = samples::fail().outcome.findings;
    let quote = format!("let key = \"{secret}\";");
    for found in &mut outcome.findings {
        found.finding.quote = quote.clone();
        found.finding.suggestion = Some(quote.clone());
        found.members[0].finding.why = format!("`{secret}` opens the account");
    }
    outcome.judges[0].key_insight = secret.clone();
    let mut examined = samples::examined();
    examined.outcome.ledger.rounds[0].stands[0].position = secret.clone();
    examined.outcome.ledger.rounds[1].stands[0].arguments = vec![secret.clone()];
    examined.outcome.ledger.messages[0].text = secret.clone();
    examined.outcome.ledger.interventions[0].about = secret.clone();
    examined.outcome.ledger.unchallenged[0].reason = secret.clone();
    examined.outcome.ledger.ballots[0].ballot.concession = secret.clone();
    outcome.ledger = examined.outcome.ledger;
    outcome.challenges = examined.outcome.challenges;
    outcome.challenges[0].answer = Some(secret.clone());
    outcome.rounds = 3;
    outcome.procedure = Some(crate::council::plan::Procedure::CrossExamination);
    let report = Report::new(outcome, subject, run, &Redactor::default());
    let (seat, mut answers) = samples::answers();
    answers[0].findings[0].quote = quote;
    let look = DisplayOptions {
        verbosity: Verbosity::Verbose,
        ..DisplayOptions::default()
    };
    let surfaces = [
        terminal::render(&report, look, &[]),
        terminal::render_all(&report, look, &[]),
        html::render(&report, &html::PageMaterial::default()),
        agent::render(&report, GatePolicy::default()),
        junit::render(&report, GatePolicy::default()),
        checkstyle::render(&report, GatePolicy::default()),
        gitlab::render(&report, GatePolicy::default()),
        markdown::render(&report, markdown::MarkdownOptions::default()),
        json::render(&report, GatePolicy::default()),
        sarif::render(&report, GatePolicy::default()),
        rdjson::render(&report, GatePolicy::default()),
        judge::render_judge(&seat, RoundNumber::FIRST, &answers[0], &Redactor::default()),
        markdown::session(&report).unwrap(),
    ];
    for surface in surfaces {
        assert!(!surface.contains(&secret), "{surface}");
    }
    assert!(
        report.outcome.findings[0]
            .finding
            .quote
            .contains("[redacted: aws-key]")
    );
    assert_eq!(report.outcome.findings[0].finding.suggestion, None);
}
