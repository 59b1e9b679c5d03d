//! `docs/rules.md`, made from the rules and from what was measured of them.

use std::fmt::Write as _;

use council_protocol::Severity;

use crate::perspective::PERSPECTIVES;
use crate::precision::{BY_RULE, COMMITS, Judged, READINGS, is_on_request};
use crate::rule::RuleInfo;
use crate::rules::RULES;

const INTRODUCTION: &str = "# The built-in rules\n\n\
    Written from the rules by a test; `git council explain RULE` shows the same. Configuration (`rules.levels`) switches a \
    rule off, or on, or gives it another level. A comment on a line or above it, `council: allow(RULE) reason`, silences a \
    rule there from the next change on.\n\n\
    A **critical** finding fails a gate, a **significant** one warns (and fails a gate with `fail-on = \"warn\"`), a \
    **minor** one is a note and stops nothing.\n\n\
    Rules against secrets, deceptive text, CI and agent files look at every file, vendored, generated, packed and binary \
    ones too. The others leave alone what is somebody else's. An edited line of which a rule had spoken before is no \
    news, and a minor rule speaks once in a change.\n";

const METHOD: &str = "\n## How often they were right\n\n\
    Rules guard, they do not review: on ordinary commits they are nearly always silent. Six times the rules were run over \
    175 commits of each of six repositories that nobody had tuned them on, taken at even distances out of the newest \
    3,400 without merges. Every finding was judged by itself, from its line and its commit's message, and from the diff \
    where these did not settle it: *right* (true, and worth a reviewer's time), *noise* (true, and nobody would act on \
    it) or *wrong*. What was wrong was mended before the next reading, each class with a test \
    (`backends/builtin/src/tests/wrong_classes.rs`). The last reading is the one that counts: since then, only the \
    matcher of the secrets rules has been exchanged for the one of the redactor. The bound is 0.002 wrong and 0.015 wrong \
    or noisy findings a commit; a rule that would break it runs only on request.\n\n\
    | repositories | findings | right | noise | wrong | wrong a commit | wrong or noise a commit |\n\
    |---|---|---|---|---|---|---|\n";

const TODAY: &str = "\nThe rules of today on the commits of all six readings; those that are not listed were silent:\n\n\
    | rule | spoke | right | noise | wrong |\n\
    |---|---|---|---|---|\n";

/// The whole page.
pub(crate) fn rules_page() -> String {
    let mut page = format!("{INTRODUCTION}{METHOD}");
    for reading in READINGS {
        let judged = reading.judged;
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} |",
            reading.repositories,
            judged.findings(),
            judged.right,
            judged.noise,
            judged.wrong,
            a_commit(judged.wrong),
            a_commit(judged.wrong + judged.noise),
        );
    }
    page.push_str(TODAY);
    for (id, judged) in BY_RULE {
        let Judged {
            right,
            noise,
            wrong,
        } = judged;
        let spoke = judged.findings();
        let _ = writeln!(
            page,
            "| [{id}](#{id}) | {spoke} | {right} | {noise} | {wrong} |"
        );
    }
    for perspective in &PERSPECTIVES {
        let _ = write!(page, "\n## {}\n\n{}\n", perspective.name, perspective.focus);
        for rule in RULES {
            if rule.info.perspective == perspective.name {
                push_rule(&mut page, &rule.info);
            }
        }
    }
    page
}

fn a_commit(findings: u32) -> String {
    format!("{:.4}", f64::from(findings) / f64::from(COMMITS))
}

fn push_rule(page: &mut String, info: &RuleInfo) {
    let mut rest = info.summary.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    let summary: String = first.chain(rest).collect();
    let _ = write!(
        page,
        "\n### {}\n\n{summary} ({}). {} {}\n\n{}\n\n{}\n",
        info.id,
        info.category,
        effect(info),
        precision(info.id),
        info.why,
        info.fix
    );
    for example in info.examples {
        let (path, bad, good) = (example.path, visible(example.bad), visible(example.good));
        let _ = write!(
            page,
            "\n```text\n{path}: bad\n{bad}\n{path}: good\n{good}```\n"
        );
    }
}

/// What the rule blocks.
fn effect(info: &RuleInfo) -> &'static str {
    match info.severity {
        _ if is_on_request(info.id) => "**Runs only where `rules.levels` gives it a level.**",
        Severity::Critical => "**Critical: fails a gate.**",
        Severity::Significant => "**Significant: warns.**",
        Severity::Minor => "**Minor: a note.**",
    }
}

/// How often it was wrong.
fn precision(id: &str) -> String {
    let commits = COMMITS * u32::try_from(READINGS.len()).unwrap_or(u32::MAX);
    match BY_RULE.iter().find(|(rule, _)| *rule == id) {
        _ if is_on_request(id) => "Not measured: it speaks too often to run unasked.".to_owned(),
        None => format!("Silent on {commits} ordinary commits."),
        Some((_, judged)) => format!(
            "Wrong {} of the {} times that it spoke on {commits} ordinary commits.",
            judged.wrong,
            judged.findings()
        ),
    }
}

/// Characters outside ASCII as escapes: the page must not hold what the rules warn of.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    shown
}
