//! `docs/rules.md`, made from the rules and from what was measured of them.

use std::fmt::Write as _;

use council_protocol::Severity;

use crate::perspective::PERSPECTIVES;
use crate::precision::{
    BY_RULE, FOLLOW_UPS, FOLLOWED_COMMITS, FollowUp, Judged, MEASURED_APART, READINGS, YOUNGER,
    commits_read, is_on_request,
};
use crate::prose::wrap_prose;
use crate::role::describe_folders;
use crate::rule::Guarded;
use crate::rule::RuleInfo;
use crate::rules::RULES;

const INTRODUCTION: &str = "# The built-in rules\n\n\
    `git council explain RULE` shows what this page says of the rule, without what was measured. A test generates the page from the rules.\n\n\
    A **critical** finding fails the change. A **significant** one is a warning; with `fail-on = \"warn\"` it fails \
    the change, too. A **minor** one is a note, and never fails it.\n\n\
    To switch a rule off, or to give it another severity, set it in a trusted configuration:\n\n\
    ```toml\n\
    [rules]\n\
    skipped-test = \"off\"        # or \"minor\", \"significant\", \"critical\"\n\
    ```\n\n\
    To silence a rule in one place, write the comment `council: allow(RULE) reason` on the line or above it. The \
    comment takes effect from the next change on, so that a change cannot excuse itself. It excuses no secret on a new \
    line: whoever wrote it meant another one.\n\n\
    Rules about secrets, deceptive text, conflict markers, CI and agent files check every file, including vendored, \
    generated, minified and binary ones. The other rules skip those. In what your own `review.ignore` leaves out, \
    conflict markers are not looked for. Passwords in tests are mostly made up, so \
    `credential-assignment`, `credential-in-url` and `hidden-secret` leave tests out; tokens and private keys are \
    reported there, too. A rule that already matched a line before the change does not report \
    that line again. A minor rule reports at most one finding per change.\n\n\
    Where agents judge and `builtin` is not among them, the rules are heard beside them: what is critical, what models \
    are not shown (secrets), and warnings of attacks on the review itself or on the machine that reviews ({GUARDS}). \
    A judge that obeys such an attack says nothing of it, so its silence takes nothing away.\n";

/// The rules about attacks on the review, as prose names them.
fn guards() -> String {
    let guards = RULES.iter().filter(|rule| rule.guards == Guarded::Review);
    let named: Vec<String> = guards.map(|rule| format!("`{}`", rule.info.id)).collect();
    named.join(", ")
}

const METHOD: &str = "\n## How often the rules were right\n\n\
    Rules guard against known patterns; they do not review. On ordinary commits they almost never report anything.\n\n\
    To measure that, the rules were run on ten sets of repositories: nine sets of six, with 175 commits per repository \
    (250 in the eighth set), and a tenth set of twenty-one, with 200 commits each. The rules had not been tuned on any of \
    them. The commits were taken at even distances from the main line (the newest 3,400, in the tenth set the newest \
    1,000), without merges. Each finding was judged by itself: *right* (true, and worth a reviewer's time), *noise* \
    (true, but nobody would act on it) or *wrong*. After each set, the causes of wrong findings were fixed, each kind \
    with a test (`wrong_classes.rs`, `wrong_classes_around.rs` and `wrong_classes_tenth.rs` in \
    `backends/builtin/src/tests`).\n\n\
    The last set is the one that counts. It was read on 26 November 2026 with all rules of that day. With 7 wrong \
    findings on 4,200 commits the true rate lies between 0.0007 and 0.0034 (Poisson, 95 %). Of 40 warnings and failures 4 \
    were wrong, and no failure was. left-out-file gave 73 more notes, which are not in the row: by them \
    wrong or noisy findings were 0.0293 per commit, so since then it runs only if you set it. \
    The ninth set was read on 24 November; 11 of its 20 findings are notes of left-out-file. The seventh set was read \
    after the eighth, with three newer rules (container-root, removed-assertion, unpinned-image). 19 of its noisy \
    findings were of one kind, the same new file in several folders, and no longer occur; the other 8 are 0.0076 per \
    commit. The limits are 0.002 wrong findings per commit, and 0.015 wrong or noisy ones. A rule that would exceed \
    them runs only if you set it.\n\n\
    Since the tenth set was read, the causes of its wrong findings were fixed, and these of its noisy ones \
    (`noisy_classes`, beside the tests above). A note instead of a warning: a private key that the same folder of tests \
    holds already, tests in a folder of known failures, a stub that a trait asks for, a promise dropped while cleaning \
    up, a repository that `Cargo.toml` names, a file with the same checksum on another host of the same domain, \
    `husky install` that became `husky`, and a new job of GitHub's own actions that writes on issues. Told once instead \
    of several times: the rights of one list, compiled files of one kind, and unfinished code of one file. No longer \
    reported: identifiers in brackets in SQL, a Go error that the file drops in the same line elsewhere, a message that \
    cannot be printed, and a few lines with other line endings. No other repository has been read with these rules \
    since, so the figures below are those of before. On 647 commits of the tenth set (those with findings, and 500 \
    more) the rules now say the same 40 right things, none of the 7 wrong ones, and 19 of the 47 noisy ones as before: \
    6 are gone, 12 are told once with others, and 10 are notes. Nothing new is said. They were tuned on these commits, \
    so that proves no bound.\n\n\
    | repositories | commits | findings | right | noise | wrong | wrong per commit | wrong or noise per commit |\n\
    |---|---|---|---|---|---|---|---|\n";

const TODAY: &str = "\nWhat each rule reported on the commits of all ten sets: on the last with the rules of 26 November 2026, on the \
    ninth with those of 24 November, on the two before it with those of 23 November, on the others with those that had \
    been fixed after the sixth. \
    left-out-file is counted below. Other rules that are not listed reported nothing:\n\n\
    | rule | findings | right | noise | wrong |\n\
    |---|---|---|---|---|\n";

const FOLLOWED: &str = "\n[left-out-file](#left-out-file) says what history says, so history tells how often it is right: of the \
    newest 1,000 commits of six main lines, those of which it speaks, and those after which the file that it names was \
    changed within the next ten commits. History was read without the limit of time. This share flatters the rule: many \
    files change often anyway. In the tenth set 45 of 73 files were changed soon after, and chance alone gives 34; read \
    one by one, 4 notes named something that was really left out, and 69 were noise.\n\n\
    | repository | commits | notes | followed | share |\n\
    |---|---|---|---|---|\n";

/// The whole page.
pub(crate) fn rules_page() -> String {
    let introduction = INTRODUCTION.replace("{GUARDS}", &guards());
    let mut page = format!("{introduction}\n{}\n{METHOD}", describe_folders());
    for reading in READINGS {
        let judged = reading.judged;
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            reading.repositories,
            reading.commits,
            judged.findings(),
            judged.right,
            judged.noise,
            judged.wrong,
            a_commit(judged.wrong, reading.commits),
            a_commit(judged.wrong + judged.noise, reading.commits),
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
    push_follow_ups(&mut page);
    for perspective in &PERSPECTIVES {
        let _ = write!(page, "\n## {}\n\n{}\n", perspective.name, perspective.focus);
        for rule in RULES {
            if rule.info.perspective == perspective.name {
                push_rule(&mut page, &rule.info);
            }
            if rule.info.perspective == perspective.name && rule.info.id == "provider-token" {
                push_providers(&mut page);
            }
        }
    }
    wrap_prose(&page)
}

/// Whose tokens are known, each provider once.
fn push_providers(page: &mut String) {
    let mut names: Vec<&str> = Vec::new();
    for (_, provider) in council_secrets::SecretTable::built_in().reported_rules() {
        if !names.contains(&provider) {
            names.push(provider);
        }
    }
    let _ = write!(page, "\nIt knows the tokens of: {}.\n", names.join(", "));
}

/// What came of the notes of `left-out-file`.
fn push_follow_ups(page: &mut String) {
    let share = |part: u32, whole: u32| match whole {
        0 => "–".to_owned(),
        whole => format!("{:.2}", f64::from(part) / f64::from(whole)),
    };
    page.push_str(FOLLOWED);
    for one in &FOLLOW_UPS {
        let (notes, followed) = (one.notes, one.followed);
        let _ = writeln!(
            page,
            "| {} | {FOLLOWED_COMMITS} | {notes} | {followed} | {} |",
            one.repository,
            share(followed, notes)
        );
    }
    let (notes, followed) = follow_ups();
    let (commits, precision) = (followed_commits(), share(followed, notes));
    let _ = writeln!(
        page,
        "| all | {commits} | {notes} | {followed} | {precision} |"
    );
}

/// How many notes there were, and after how many the file was changed.
fn follow_ups() -> (u32, u32) {
    let sum = |of: fn(&FollowUp) -> u32| FOLLOW_UPS.iter().map(of).sum();
    (sum(|one| one.notes), sum(|one| one.followed))
}

fn followed_commits() -> usize {
    FOLLOWED_COMMITS as usize * FOLLOW_UPS.len()
}

fn a_commit(findings: u32, commits: u32) -> String {
    format!("{:.4}", f64::from(findings) / f64::from(commits))
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
        info.whole_why(),
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
        _ if is_on_request(info.id) => "**Runs only if you set it under `[rules]`.**",
        _ if info.id == "secret-file" => {
            "**Significant: warns.** Critical, and fails the change, if the name itself holds a token."
        }
        Severity::Critical => "**Critical: fails the change.**",
        Severity::Significant => "**Significant: warns.**",
        Severity::Minor => "**Minor: a note.**",
    }
}

/// How often it was wrong.
fn precision(id: &str) -> String {
    let younger = YOUNGER.iter().find(|(rule, _)| *rule == id);
    let commits = younger.map_or_else(commits_read, |(_, commits)| *commits);
    let apart = MEASURED_APART.iter().find(|(rule, _)| *rule == id);
    match BY_RULE.iter().find(|(rule, _)| *rule == id) {
        None if id == "left-out-file" => {
            "Of 73 notes on 4200 ordinary commits 4 named something that was really left out."
                .to_owned()
        }
        _ if is_on_request(id) => {
            "Not measured: it reports too often to run by default.".to_owned()
        }
        None if apart.is_some() => apart.map_or_else(String::new, |(_, words)| (*words).to_owned()),
        None if commits == 0 => "Not measured on ordinary commits yet.".to_owned(),
        None => format!("No finding on {commits} ordinary commits."),
        Some((_, judged)) => format!(
            "Wrong in {} of {} findings on {commits} ordinary commits.",
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
