//! What people see: read these snapshots as a user would.

use council_protocol::answer::Stance;
use council_protocol::change::{FileKind, FileStatus, Hunk};
use council_protocol::message::{Failure, FailureKind};
use council_protocol::{FileChange, Proof};
use council_secrets::Redactor;

use super::super::html::{self, PageMaterial};
use super::super::{
    DisplayOptions, FailOn, GatePolicy, Verbosity, judge, markdown, rdjson, sarif, terminal,
};
use super::{looks, samples};
use crate::council::outcome::Verdict;
use crate::text;

/// The terminal that most people have.
pub(super) const EIGHTY: DisplayOptions = DisplayOptions {
    width: 80,
    colour: false,
    unicode: true,
    verbosity: Verbosity::Normal,
    links: None,
    place: markdown::ReadingPlace::Clone,
};

#[test]
fn a_place_is_a_link_where_the_terminal_takes_links() {
    let look = DisplayOptions {
        colour: true,
        links: Some(super::super::LinkRoot::of_worktree(
            "/home/ann/my work".as_bytes(),
        )),
        ..EIGHTY
    };
    let linked = terminal::render(&samples::fail(), look, &[]);
    assert!(
        linked.contains("\u{1b}]8;;file:///home/ann/my%20work/"),
        "{linked}"
    );
    let colour = DisplayOptions {
        links: None,
        ..look
    };
    let bare = |text: &str| anstream::adapter::strip_str(text).to_string();
    assert_eq!(
        bare(&linked),
        bare(&terminal::render(&samples::fail(), colour, &[]))
    );
    let plain = DisplayOptions {
        colour: false,
        ..look
    };
    assert!(!terminal::render(&samples::fail(), plain, &[]).contains('\u{1b}'));
}

#[test]
fn terminal() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("terminal_{name}"),
            terminal::render(&report, EIGHTY, &[])
        );
    }
}

/// Law: why a judge abstains is told in the words of the one table, wherever people read it; its key is for programs.
#[test]
fn why_a_judge_abstains_is_told_in_words() {
    for kind in FailureKind::ALL {
        let mut report = samples::inconclusive();
        for failed in report
            .outcome
            .judges
            .iter_mut()
            .flat_map(|judge| &mut judge.failures)
        {
            failed.failure = Failure::new(kind, "the cause");
        }
        let verbose = DisplayOptions {
            verbosity: Verbosity::Verbose,
            width: 1000,
            ..EIGHTY
        };
        let comment = markdown::MarkdownOptions::default();
        for text in [
            terminal::render(&report, EIGHTY, &[]),
            terminal::render(&report, verbose, &[]),
            terminal::render_all(&report, verbose, &[]),
            markdown::render(&report, comment),
            html::render(&report, &PageMaterial::default()),
        ] {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(!text.contains(&format!("{kind}: ")), "{kind}: {text}");
            let is_told = text.contains(&format!("{}: the cause", kind.in_words()));
            // Whoever was asked to end did nothing wrong.
            assert!(is_told || kind == FailureKind::Cancelled, "{kind}: {text}");
        }
        assert!(!kind.in_words().starts_with(&kind.to_string()), "{kind}");
    }
}

/// A push is stopped on a small screen among the lines of other programs.
#[test]
fn a_hook_shows_at_most_three_lines_and_says_where_the_rest_is() {
    for (name, report) in samples::all() {
        for (_, look) in looks() {
            let text = terminal::render_hook(&report, look, 9, None);
            assert!(text.lines().count() <= 3, "{name}: {text}");
            let bare = terminal::render_hook(&report, look, 0, None);
            assert_eq!(bare.lines().count(), 1, "{name}: {bare}");
            let last = text.lines().last().unwrap();
            assert!(last.contains("git council show"), "{name}: {text}");
            for line in text.lines() {
                assert!(text::display_width(line) <= look.width, "{name}: {line}");
            }
        }
    }
    insta::assert_snapshot!(
        "hook_fail",
        terminal::render_hook(&samples::fail(), EIGHTY, 9, None)
    );
}

/// Ten seconds: the first and the last line say the verdict, and a finding takes no more than a line and what explains it.
#[test]
fn the_first_and_the_last_line_say_the_verdict() {
    for (name, report) in samples::all() {
        let text = terminal::render(&report, EIGHTY, &[]);
        let word = report.outcome.verdict.as_str();
        assert!(text.starts_with(word), "{name}: {text}");
        let last = text.lines().rev().find(|line| !line.starts_with(' '));
        assert!(last.unwrap().starts_with(word), "{name}: {text}");
    }
}

/// A file of one changed line.
fn file(path: &str, number: u32, line: &str) -> FileChange {
    FileChange {
        path: path.into(),
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
            old_start: number,
            old_lines: 0,
            new_start: number,
            new_lines: 1,
            section: String::new(),
            body: format!("+{line}\n"),
        }],
    }
}

/// The line of a finding, and the one below it, in a report that has this file at hand.
fn marked(line: &str, quote: &str) -> (String, String) {
    let mut report = samples::fail();
    report.outcome.findings[0].finding.quote = quote.to_owned();
    let files = [file("src/db.rs", 42, line)];
    let text = terminal::render(&report, EIGHTY, &files);
    let mut lines = text.lines().skip_while(|line| !line.starts_with("  42 | "));
    let mut next = || lines.next().unwrap_or_else(|| panic!("{text}")).to_owned();
    (next(), next())
}

/// A quote is what a judge copied; the file has it with its indentation and what stands around it.
#[test]
fn a_finding_shows_the_line_of_the_file_with_carets_below_what_is_quoted() {
    assert_eq!(
        marked("\tlet query = build(name);", "build(name)"),
        (
            "  42 |     let query = build(name);".to_owned(),
            format!("     | {}^^^^^^^^^^^", " ".repeat(16))
        )
    );
    // Where the file says something else there is only the quote.
    let (line, _) = marked("\tsomething_else();", "build(name)");
    assert_eq!(line, "  42 | build(name)");
    // What stands far to the right is what must be seen.
    let (line, below) = marked(
        &format!("{} build(name); more();", "x".repeat(300)),
        "build(name)",
    );
    let at = line.chars().position(|c| c == 'b').unwrap();
    assert!(
        line.starts_with("  42 | …x") && line.ends_with("build(name); more();"),
        "{line}"
    );
    assert_eq!(
        below.chars().position(|c| c == '^'),
        Some(at),
        "{line}\n{below}"
    );
    assert_eq!(below.matches('^').count(), "build(name)".len());
}

/// The same below several lines: as far as what is quoted of them reaches, and no wider than the page.
#[test]
fn a_quote_of_several_lines_has_carets_below_the_last_one() {
    let carets = |lines: &[&str], quote: &str| {
        let mut report = samples::fail();
        report.outcome.findings[0].finding.quote = quote.to_owned();
        let files = [file("src/db.rs", 42, &lines.join("\n+"))];
        let text = terminal::render(&report, EIGHTY, &files);
        let mut below = text
            .lines()
            .skip_while(|line| !line.starts_with("  42 | "))
            .take_while(|line| line.contains(" | "));
        let marked = below.find(|line| line.contains('^')).map(str::to_owned);
        assert!(
            text.lines().all(|line| text::display_width(line) <= 80),
            "{text}"
        );
        marked.unwrap_or_else(|| panic!("{text}"))
    };
    let code = ["    for i in all {", "        sum += i;", "    }"];
    assert_eq!(
        carets(&code, "for i in all {\n    sum += i;\n}"),
        format!("     |     {}", "^".repeat(14))
    );
    assert_eq!(
        carets(&code[..2], "all {\n        sum += i;"),
        format!("     |         {}", "^".repeat(10))
    );
    // Where no file is at hand, the quote stands for its lines.
    assert_eq!(carets(&["other"], "a(b);\n  c();"), "     | ^^^^^^");
    let wide = "x".repeat(300);
    carets(&[&wide, &wide], &format!("{wide}\n{wide}"));
    // Ten lines are not all shown, and marked all the same.
    carets(&["y();"; 10], &["y();"; 10].join("\n"));
}

/// A vote for FAIL under WARN is explained on its line, and nothing is explained that needs no explanation.
#[test]
fn a_vote_that_is_not_the_verdict_has_a_reason() {
    const WHY: &str = "findings decide, and none of them fails the change";
    let mut report = samples::warn();
    assert!(!terminal::render(&report, EIGHTY, &[]).contains(WHY));
    report.outcome.judges[0].counted = Some(council_protocol::Vote::Fail);
    let wide = DisplayOptions {
        width: 200,
        ..EIGHTY
    };
    for text in [
        terminal::render(&report, wide, &[]),
        markdown::render(&report, markdown::MarkdownOptions::default()),
    ] {
        let line = text.lines().find(|line| line.contains("1 FAIL (security)"));
        assert!(line.unwrap().contains(WHY), "{text}");
    }
    assert!(!terminal::render(&samples::fail(), wide, &[]).contains(WHY));
}

/// A FAIL of findings that nobody confirmed says that the votes make it: elsewhere `unconfirmed` is why a change does not fail.
#[test]
fn a_fail_by_votes_says_so() {
    const WHY: &str = "more than half fail it, each for a reason that no other judge confirmed";
    let mut report = samples::fail();
    let wide = DisplayOptions {
        width: 200,
        ..EIGHTY
    };
    assert!(!terminal::render(&report, wide, &[]).contains(WHY));
    report.outcome.reason = crate::council::outcome::VerdictReason::CriticalUnconfirmed;
    for found in &mut report.outcome.findings {
        found.level = found
            .level
            .map(|_| crate::council::outcome::FindingLevel::Warn);
    }
    for text in [
        terminal::render(&report, wide, &[]),
        markdown::render(&report, markdown::MarkdownOptions::default()),
    ] {
        let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unwrapped.contains(WHY), "{text}");
    }
}

/// What a pull request shows, before anybody unfolds anything.
#[test]
fn a_comment_says_the_verdict_and_a_line_for_each_finding() {
    let links = markdown::SourceLinks {
        repository: "https://github.com/o/r".into(),
        commit: "a3f7c1e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a1".into(),
        base: String::new(),
        deleted: Default::default(),
        threads: [(
            "183e1c5b34f6d8a9".into(),
            "https://github.com/o/r/pull/1#discussion_r1".into(),
        )]
        .into(),
    };
    let options = markdown::MarkdownOptions {
        frontmatter: false,
        max_bytes: None,
        fold: true,
        links: Some(&links),
        place: markdown::ReadingPlace::Conversation,
        update: None,
        council: None,
        headless: false,
    };
    for (name, report) in samples::all() {
        let text = markdown::render(&report, options);
        let shown = text.split("<details>").next().unwrap();
        for inside in ["ingerprint", "held by", "Convergence", "git council"] {
            assert!(!shown.contains(inside), "{name}: {shown}");
        }
        if report.outcome.verdict == crate::council::outcome::Verdict::Pass
            && report.outcome.findings.is_empty()
        {
            assert_eq!(
                shown.lines().filter(|l| !l.is_empty()).count(),
                2,
                "{name}: {shown}"
            );
            assert!(
                text.ends_with("</details>\n"),
                "two lines and a fold: {text}"
            );
        }
        if ["fail", "pass", "warn", "inconclusive"].contains(&name) {
            insta::assert_snapshot!(format!("comment_{name}"), text);
        }
    }
}

/// Red where the verdict reads WARN: whoever sees the one must be told of the other, on every surface.
#[test]
fn a_warning_that_fails_the_run_says_so() {
    let mut report = samples::warn();
    assert!(!report.headline().contains("fails"));
    report.receipt.run.fail_on = Some(FailOn::Warn);
    let words = "the run fails, since fail-on is warn";
    assert!(report.headline().starts_with("WARN (") && report.headline().contains(words));
    let text = terminal::render(&report, DisplayOptions::default(), &[]);
    assert!(text.contains(words), "{text}");
    let markdown = markdown::render(&report, markdown::MarkdownOptions::default());
    assert!(markdown.contains(words), "{markdown}");
    report.outcome.verdict = Verdict::Fail;
    assert!(!report.headline().contains(words));
}

/// Whoever reads a comment has no run: `git council dismiss` would find nothing, and in CI its dismissal would not count.
#[test]
fn a_page_of_the_forge_names_only_what_can_be_done_there() {
    use markdown::ReadingPlace;
    let step = |place| {
        let options = markdown::MarkdownOptions {
            place,
            ..markdown::MarkdownOptions::default()
        };
        let text = markdown::render(&samples::fail(), options);
        let head = markdown::head(&samples::fail(), place, false);
        let line = text.lines().find(|line| line.starts_with("Next step"));
        let line = line.unwrap_or_else(|| panic!("{text}")).to_owned();
        assert!(head.contains(&line), "{head}");
        line
    };
    let clone = step(ReadingPlace::Clone);
    assert!(
        clone.contains("`git council dismiss F1 --because '…'`"),
        "{clone}"
    );
    let reply = step(ReadingPlace::Conversation);
    assert!(
        reply.contains("reply `/council dismiss because …`"),
        "{reply}"
    );
    let page = step(ReadingPlace::Forge);
    assert!(page.ends_with("docs/warn-and-merge.md"), "{page}");
    let agent = step(ReadingPlace::Agent);
    assert!(agent.contains("the tool `dismiss`"), "{agent}");
    for told in [reply, page, agent] {
        assert!(!told.contains("git council"), "{told}");
    }
}

#[test]
fn markdown() {
    for (name, report) in samples::all() {
        let text = markdown::render(&report, markdown::MarkdownOptions::default());
        insta::assert_snapshot!(format!("markdown_{name}"), text);
    }
}

#[test]
fn show() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("show_{name}"),
            terminal::render_all(&report, EIGHTY, &[])
        );
    }
}

#[test]
fn the_session_is_written_down_as_a_whole() {
    assert_eq!(markdown::session(&samples::fail()), None);
    let session = markdown::session(&samples::examined()).unwrap();
    insta::assert_snapshot!("session_examined", session);
}

/// the cross-examination procedure, 3.1.6: round after round is there while the council sits, and nothing that looks like its verdict.
#[test]
fn the_minutes_grow_round_by_round_and_have_no_verdict() {
    let whole = samples::examined();
    for rounds in 1..=whole.outcome.ledger.rounds.len() {
        let mut so_far = whole.clone();
        so_far.outcome.ledger.rounds.truncate(rounds);
        so_far.outcome.ledger.ballots.clear();
        let minutes = markdown::minutes(&so_far).unwrap();
        let told = minutes.matches("### Round ").count();
        assert_eq!(told, rounds - 1, "{minutes}");
        assert!(!minutes.contains("## Verdict"), "{minutes}");
        assert!(minutes.contains("there is no verdict"), "{minutes}");
    }
    let mut nobody = whole;
    nobody.outcome.ledger.rounds.clear();
    assert_eq!(markdown::minutes(&nobody), None);
}

#[test]
fn sarif() {
    for (name, report) in samples::all() {
        if ["fail", "inconclusive", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(
                format!("sarif_{name}"),
                sarif::render(&report, GatePolicy::default())
            );
        }
    }
}

#[test]
fn rdjson() {
    for (name, report) in samples::all() {
        if ["pass", "fail", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(
                format!("rdjson_{name}"),
                rdjson::render(&report, GatePolicy::default())
            );
        }
    }
}

#[test]
fn judge_files() {
    let (seat, answers) = samples::answers();
    for answer in answers {
        let file = judge::render_judge(&seat, answer.round, &answer, &Redactor::default());
        assert!(file.starts_with("```json\n{\n"), "{file}");
        assert_eq!(judge::parse_judge_file(&file), Some(answer.clone()));
        insta::assert_snapshot!(format!("judge_r{}", answer.round), file);
    }
}

#[test]
fn a_terminal_without_colour_gets_no_escapes_and_keeps_its_width() {
    for (name, report) in samples::all() {
        for (look_name, look) in looks() {
            for line in terminal::render(&report, look, &[]).lines() {
                assert!(
                    !line.chars().any(text::is_hidden),
                    "{name} {look_name}: {line:?}"
                );
                let named = line.contains("src/db.rs") || line.contains("src/server.rs");
                assert!(
                    text::display_width(line) <= if named { 400 } else { look.width },
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
fn colours_say_nothing_that_words_do_not() {
    for (name, report) in samples::all() {
        for (_, look) in looks() {
            let plain = terminal::render(&report, look, &[]);
            let painted = terminal::render(
                &report,
                DisplayOptions {
                    colour: true,
                    ..look
                },
                &[],
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
        let look = DisplayOptions {
            unicode: false,
            ..DisplayOptions::default()
        };
        for page in [
            terminal::render(&report, look, &[]),
            terminal::render_all(&report, look, &[]),
        ] {
            assert!(page.is_ascii(), "{page}");
        }
    }
}

#[test]
fn judges_of_several_agents_are_named_with_them() {
    let mut report = samples::fail();
    report.outcome.judges[0].seat.agent.name = "codex".into();
    let text = terminal::render(&report, DisplayOptions::default(), &[]);
    assert!(
        text.contains("held by security (codex), hygiene (claude)"),
        "{text}"
    );
    assert!(text.contains("tests (claude) agrees"), "{text}");
}

/// Found in a real run: R1 was told with the sentence of R2.
#[test]
fn the_story_tells_each_round_in_its_own_words() {
    let mut report = samples::fail();
    report.outcome.judges[2].first_insight = "Every path has a test.".into();
    report.outcome.judges[2].key_insight = "I had missed the quote.".into();
    let text = terminal::render_all(&report, DisplayOptions::default(), &[]);
    assert!(
        text.contains("tests voted PASS: Every path has a test."),
        "{text}"
    );
}

#[test]
fn agreement_without_evidence_confirms_nothing() {
    let mut report = samples::fail();
    let opinions = report
        .outcome
        .findings
        .iter_mut()
        .flat_map(|f| &mut f.opinions);
    for opinion in opinions.filter(|o| o.stance == Stance::Agreed) {
        (opinion.evidence, opinion.resolves) = (None, false);
    }
    let text = terminal::render_all(&report, DisplayOptions::default(), &[]);
    assert!(text.contains("tests agreed with F1"), "{text}");
    assert!(!text.contains("confirmed F1"), "{text}");
}

#[test]
fn the_rounds_tell_who_took_a_finding_back() {
    let mut report = samples::fail();
    report.outcome.findings[2].members[0].withdrawn = true;
    let text = terminal::render_all(&report, DisplayOptions::default(), &[]);
    assert!(
        text.contains("hygiene took back F3, with evidence"),
        "{text}"
    );
}

/// Found in a real run: evidence of several lines ran together, and the same move was told once per judge.
#[test]
fn the_same_move_is_told_once_with_the_first_line_of_its_evidence() {
    let mut report = samples::fail();
    let mut change = report.outcome.judges[2].change.clone().unwrap();
    change.evidence.as_mut().unwrap().quote = "\n  first line\nsecond line".into();
    report.outcome.judges[2].change = Some(change.clone());
    report.outcome.judges[4].change = Some(change);
    let text = terminal::render_all(&report, DisplayOptions::default(), &[]);
    assert!(text.contains("tests and hygiene"), "{text}");
    assert!(text.contains("src/db.rs:42: first line"), "{text}");
    assert!(!text.contains("second line"), "{text}");
}

/// Whoever looks for a round that never took place does not find it: the round of ballots is none of challenges.
#[test]
fn the_round_of_ballots_is_no_round_of_challenges() {
    let counted = |report: &super::super::Report| {
        let text = terminal::render_all(report, EIGHTY, &[]);
        let rounds = text
            .lines()
            .filter(|line| line.contains("challenge each other"));
        (rounds.count(), text.contains("The final ballots"))
    };
    let mut report = super::debates::examined();
    let last = report.outcome.ledger.rounds.len() - 1;
    let with_ballots = counted(&report);
    report.outcome.ledger.rounds[last].ballots = true;
    assert_eq!(counted(&report), with_ballots);
    report.outcome.ledger.ballots.clear();
    assert_eq!(counted(&report), (with_ballots.0, true), "nobody cast one");
}

proptest::proptest! {
    /// A judge names a stretch of lines and quotes some of it: each shown line stands behind its own number, whether the
    /// change is at hand or not.
    #[test]
    fn each_line_of_code_stands_behind_its_own_number(
        begin in 40u32..50,
        length in 0u32..8,
        from in 0u32..8,
        count in 1u32..5,
        is_at_hand in proptest::bool::ANY,
        around in proptest::sample::select(vec!["", "\n", "\n  \n"]),
    ) {
        let from = begin + from.min(length);
        let mut report = samples::fail();
        let found = &mut report.outcome.findings[0];
        found.finding.location.line = begin;
        found.finding.location.end_line = Some(begin + length);
        let code = |number: u32| format!("call_{number}();");
        let quoted = (from..from + count).map(code).collect::<Vec<_>>().join("\n");
        found.finding.quote = format!("{around}{quoted}{around}");
        found.members[0].proof = match from == begin {
            true => Proof::Verified,
            false => Proof::Relocated { line: from },
        };
        let text: Vec<String> = (40..70).map(code).collect();
        let files = [file("src/db.rs", 40, &text.join("\n+"))];
        let files = if is_at_hand { &files[..] } else { &[] };
        let shown = terminal::render(&report, EIGHTY, files);
        for number in from..from + count.min(4) {
            let row = format!("  {number} | {}", code(number));
            proptest::prop_assert!(shown.lines().any(|line| line.trim_end() == row), "{}: {}", row, shown);
        }
    }
}
