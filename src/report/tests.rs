//! What holds for every renderer.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{
    CheckConclusion, FailOn, Gate, Look, Report, Verbosity, exit, json, judge, markdown, rdjson,
    samples, sarif, story, terminal,
};
use crate::council::exchange::CancelCause;
use crate::council::outcome::{Outcome, Reason, Verdict};
use crate::text;
use crate::text::testing::{acts, all_visible, hostile};

fn looks() -> [(&'static str, Look); 5] {
    let look = Look::default();
    let verbose = Look {
        verbosity: Verbosity::Verbose,
        ..look
    };
    [
        (
            "quiet",
            Look {
                verbosity: Verbosity::Quiet,
                ..look
            },
        ),
        ("normal", look),
        (
            "verbose",
            Look {
                width: 80,
                ..verbose
            },
        ),
        (
            "narrow",
            Look {
                width: 40,
                ..verbose
            },
        ),
        (
            "wide",
            Look {
                width: 300,
                ..verbose
            },
        ),
    ]
}

#[test]
fn terminal() {
    for (name, report) in samples::all() {
        let text = terminal::render(&report, Look::default());
        insta::assert_snapshot!(format!("terminal_{name}"), text);
    }
}

#[test]
fn terminal_verbose() {
    let look = Look {
        verbosity: Verbosity::Verbose,
        ..Look::default()
    };
    for (name, report) in [("warn", samples::warn()), ("fail", samples::fail())] {
        insta::assert_snapshot!(
            format!("terminal_verbose_{name}"),
            terminal::render(&report, look)
        );
    }
}

#[test]
fn markdown() {
    for (name, report) in samples::all() {
        let text = markdown::render(&report, markdown::Options::default());
        insta::assert_snapshot!(format!("markdown_{name}"), text);
    }
}

#[test]
fn story() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("story_{name}"),
            story::render(&report, Look::default())
        );
    }
}

#[test]
fn sarif() {
    for (name, report) in samples::all() {
        if ["fail", "inconclusive", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("sarif_{name}"), sarif::render(&report));
        }
    }
}

#[test]
fn rdjson() {
    for (name, report) in samples::all() {
        if ["pass", "fail", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("rdjson_{name}"), rdjson::render(&report));
        }
    }
}

#[test]
fn judge_files() {
    let (seat, answers) = samples::answers();
    for answer in answers {
        let file = judge::render(&seat, answer.round, &answer);
        assert!(file.starts_with("```json\n{\n"), "{file}");
        assert_eq!(judge::parse(&file), Some(answer.clone()));
        insta::assert_snapshot!(format!("judge_r{}", answer.round), file);
    }
}

#[test]
fn a_terminal_without_colour_gets_no_escapes_and_keeps_its_width() {
    for (name, report) in samples::all() {
        for (look_name, look) in looks() {
            for line in terminal::render(&report, look).lines() {
                assert!(
                    !line.chars().any(text::is_hidden),
                    "{name} {look_name}: {line:?}"
                );
                let named = line.contains("src/db.rs") || line.contains("src/server.rs");
                assert!(
                    text::width(line) <= if named { 400 } else { look.width },
                    "{name} {look_name}: {line}"
                );
                assert!(
                    !line.trim_start().starts_with("::") && !line.contains("##["),
                    "{name}: {line}"
                );
            }
        }
    }
}

#[test]
fn json_is_read_back_and_hides_nothing() {
    for (name, report) in samples::all() {
        let text = json::render(&report, Gate::default());
        assert!(
            !text.chars().any(|c| c != '\n' && text::is_hidden(c)),
            "{name}"
        );
        let again: Report = json::parse(&text).unwrap();
        assert_eq!(again, report, "{name}");
    }
}

#[test]
fn json_follows_its_schema() {
    let schema = json::schema().to_value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, report) in samples::all() {
        let value = serde_json::from_str(&json::render(&report, Gate::default())).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn json_of_another_version_is_refused() {
    let text = json::render(&samples::pass(), Gate::default())
        .replace("\"schema_version\": 1", "\"schema_version\": 2");
    let error = json::parse(&text).unwrap_err().to_string();
    assert!(error.contains("schema version 2"), "{error}");
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Fail,
        Verdict::Inconclusive,
        Verdict::Skipped,
    ])
}

fn any_reason() -> impl Strategy<Value = Reason> {
    prop::sample::select(vec![
        Reason::NoFindings,
        Reason::NotesOnly,
        Reason::CriticalCarried,
        Reason::CriticalContested,
        Reason::CriticalUnproven,
        Reason::SignificantCarried,
        Reason::VerdictWithoutFinding,
        Reason::Votes,
        Reason::BelowQuorum,
        Reason::IncompleteCoverage,
        Reason::UncheckedEvidence,
        Reason::Interrupted,
        Reason::Deadline,
        Reason::BackendLost,
        Reason::NothingToReview,
        Reason::AllSkipped,
    ])
}

fn any_cause() -> impl Strategy<Value = Option<CancelCause>> {
    prop::option::of(prop::sample::select(vec![
        CancelCause::Interrupted,
        CancelCause::Deadline,
        CancelCause::BackendLost,
    ]))
}

proptest! {
    /// Law: exit code, check conclusion and headline come from one object, and none is greener than another.
    #[test]
    fn headline_exit_code_and_conclusion_agree(
        verdict in any_verdict(), reason in any_reason(), cause in any_cause(), strict: bool, advisory: bool,
    ) {
        let (outcome, subject, mut run) = samples::parts();
        run.cut_short = cause;
        let outcome = Outcome { verdict, reason, ..outcome };
        let report = Report::new(outcome, subject, run);
        let fail_on = if strict { FailOn::Warn } else { FailOn::Fail };
        let line = report.bottom_line(Gate { fail_on, advisory });
        let word = line.headline.split(':').next().unwrap();
        let green = line.exit_code == exit::OK;
        prop_assert_eq!(word, report.verdict.word());
        prop_assert_eq!(green, matches!(word, "PASS" | "SKIPPED") || (word == "WARN" && !strict), "{:?}", &line);
        let passes = matches!(line.conclusion, CheckConclusion::Success | CheckConclusion::Neutral | CheckConclusion::Skipped);
        prop_assert_eq!(passes, green || (advisory && line.exit_code == exit::INCONCLUSIVE && report.reason != Reason::Deadline), "{:?}", &line);
        prop_assert_eq!(line.conclusion == CheckConclusion::Success, word == "PASS");
        if cause.is_some() {
            prop_assert!(!matches!(word, "PASS" | "WARN"), "{:?}", &line);
            prop_assert!(line.headline.ends_with("(INCOMPLETE)"), "{}", line.headline);
        }
        prop_assert_eq!(line.exit_code == exit::INTERRUPTED, cause == Some(CancelCause::Interrupted) || report.reason == Reason::Interrupted);
        prop_assert_ne!(line.unpublished(), exit::OK);
    }

}

proptest! {
    // Every case renders every surface.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever a change or a judge writes, every surface shows it and none obeys it.
    #[test]
    fn t10_t11_t18_no_surface_obeys_untrusted_text(text in hostile()) {
        let report = samples::poisoned(&text);
        for (_, look) in looks() {
            for page in [terminal::render(&report, look), story::render(&report, look)] {
                for line in page.lines() {
                    prop_assert!(all_visible(line), "{line:?}");
                    prop_assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
                }
            }
        }
        let (seat, answers) = samples::poisoned_answers(&text);
        let mut files: Vec<String> = answers.iter().map(|a| judge::render(&seat, a.round, a)).collect();
        for (file, answer) in files.iter().zip(&answers) {
            let again = judge::parse(file);
            prop_assert_eq!(again.as_ref(), Some(answer));
        }
        files.push(markdown::render(&report, markdown::Options { frontmatter: false, max_bytes: None }));
        for file in &files {
            prop_assert!(file.lines().all(|l| all_visible(&l.replace('\t', ""))), "{file}");
            acts_nowhere(file)?;
        }
        for json in [json::render(&report, Gate::default()), sarif::render(&report), rdjson::render(&report)] {
            prop_assert!(json.lines().all(|l| !l.chars().any(text::is_hidden) && !l.contains("##[")), "{json}");
            prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        }
    }

    /// A trimmed report is within its bound and still Markdown.
    #[test]
    fn trimmed_markdown_keeps_its_bound(text in hostile(), max in 200usize..12_000) {
        let report = samples::poisoned(&text);
        let file = markdown::render(&report, markdown::Options { frontmatter: false, max_bytes: Some(max) });
        prop_assert!(file.len() <= max);
        prop_assert!(file.starts_with("# FAIL: "), "{file}");
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

#[test]
fn t21_a_report_that_is_greener_than_its_content_is_refused() {
    let forged = |report: &Report, from: &str, to: &str| {
        let text = json::render(report, Gate::default());
        assert!(text.contains(from), "{from}");
        json::parse(&text.replace(from, to)).map_err(|e| e.to_string())
    };
    let pass = |report: &Report, word: &str| {
        forged(
            report,
            &format!("\"verdict\": \"{word}\",\n  \"reason\""),
            "\"verdict\": \"PASS\",\n  \"reason\"",
        )
        .unwrap_err()
    };
    assert_eq!(
        pass(&samples::fail(), "FAIL"),
        "the report says PASS, but a finding in it weighs more: it was not written by git-council as it stands"
    );
    assert!(pass(&samples::warn(), "WARN").contains("a finding in it weighs more"));
    assert!(pass(&samples::inconclusive(), "INCONCLUSIVE").contains("too few judges counted"));
    assert!(pass(&samples::interrupted(), "INCONCLUSIVE").contains("the run was cut short"));
    assert!(pass(&samples::skipped(), "SKIPPED").contains("too few judges counted"));
    let counted = forged(&samples::inconclusive(), "\"counted\": 1", "\"counted\": 3").unwrap_err();
    assert!(counted.contains("counts other judges"), "{counted}");
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    for (name, report) in samples::all() {
        for (_, look) in looks() {
            let plain = terminal::render(&report, look);
            let painted = terminal::render(
                &report,
                Look {
                    colour: true,
                    ..look
                },
            );
            assert!(painted.contains('\u{1b}'), "{name}");
            let stripped = anstream::adapter::strip_str(&painted).to_string();
            assert_eq!(stripped, plain, "{name}");
        }
    }
}

#[test]
fn ascii_only_where_only_ascii_can_be_shown() {
    for report in [
        samples::fail(),
        samples::inconclusive(),
        samples::interrupted(),
    ] {
        let look = Look {
            unicode: false,
            ..Look::default()
        };
        for page in [
            terminal::render(&report, look),
            story::render(&report, look),
        ] {
            assert!(page.is_ascii(), "{page}");
        }
    }
}

#[test]
fn t10_t26_a_secret_that_a_judge_quotes_is_on_no_surface() {
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let (mut outcome, subject, run) = samples::parts();
    outcome.findings = samples::fail().findings;
    let quote = format!("let key = \"{secret}\";");
    for found in &mut outcome.findings {
        found.finding.quote = quote.clone();
        found.finding.suggestion = Some(quote.clone());
        found.members[0].finding.why = format!("`{secret}` opens the account");
    }
    outcome.judges[0].key_insight = secret.clone();
    let report = Report::new(outcome, subject, run);
    let (seat, mut answers) = samples::answers();
    answers[0].findings[0].quote = quote;
    let look = Look {
        verbosity: Verbosity::Verbose,
        ..Look::default()
    };
    let surfaces = [
        terminal::render(&report, look),
        story::render(&report, look),
        markdown::render(&report, markdown::Options::default()),
        json::render(&report, Gate::default()),
        sarif::render(&report),
        rdjson::render(&report),
        judge::render(&seat, 1, &answers[0]),
    ];
    for surface in surfaces {
        assert!(!surface.contains(&secret), "{surface}");
    }
    assert!(
        report.findings[0]
            .finding
            .quote
            .contains("[redacted: aws-key]")
    );
    assert_eq!(report.findings[0].finding.suggestion, None);
}

#[test]
fn judges_of_several_agents_are_named_with_them() {
    let mut report = samples::fail();
    report.judges[0].seat.agent.name = "codex".into();
    let text = terminal::render(&report, Look::default());
    assert!(
        text.contains("held by security (codex), hygiene (claude)"),
        "{text}"
    );
    assert!(text.contains("tests (claude) agrees"), "{text}");
}
