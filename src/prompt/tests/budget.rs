//! What fits, what does not, and what is said about it.

use super::*;
use crate::prompt::MAX_EDITED_LINE;
use crate::prompt::brief::MIN_BRIEF_BYTES;

#[test]
fn what_was_withheld_or_cut_is_not_covered() {
    let long = format!("{}\nb\n", "a".repeat(MAX_EDITED_LINE + 3_000));
    let change = packet(
        vec![added("a.js", &long), added("prod.key", "the key is 0a0b\n")],
        framing(),
    );
    let brief = brief(&change);
    assert!(
        brief
            .text
            .contains("[3000 more bytes of this line are not shown]")
    );
    let states: Vec<_> = brief.coverage.files.iter().map(|f| &f.state).collect();
    assert_eq!(
        states,
        [
            &CoverageState::Truncated { shown: 1, total: 2 },
            &CoverageState::Truncated { shown: 0, total: 1 }
        ]
    );
}

/// Law: a line that the change edits is shown whole as far as a brief shows lines at all, and then its file is read; one
/// around it takes no more room than 2,000 bytes.
#[test]
fn a_paragraph_on_one_line_is_shown_whole() {
    for bytes in [1_900, 2_100, 9_000, MAX_EDITED_LINE] {
        let paragraph = |end: char| format!("{}{end}", "word ".repeat(bytes / 5 - 1));
        let body = format!(
            " {}\n-{}\n+{}\n",
            paragraph('c'),
            paragraph('r'),
            paragraph('a')
        );
        let mut file = added("README.md", "");
        file.status = FileStatus::Modified;
        file.hunks = vec![Hunk {
            old_start: 1,
            old_lines: 2,
            new_start: 1,
            new_lines: 2,
            section: String::new(),
            body,
        }];
        let brief = brief(&packet(vec![file], framing()));
        assert_eq!(brief.coverage.gaps().count(), 0, "{bytes}");
        for end in ['r', 'a'] {
            assert!(brief.text.contains(&paragraph(end)), "{bytes} {end}");
        }
        assert_eq!(
            brief.text.contains(&paragraph('c')),
            bytes <= 2_000,
            "{bytes}"
        );
    }
}

/// A change of about a thousand lines in files of every kind.
fn thousand() -> Packet {
    let code = |n: usize| -> String {
        (0..n)
            .map(|i| format!("    let value_{i} = compute(input, {i})?;\n"))
            .collect()
    };
    let files = (0..10)
        .map(|i| added(&format!("src/part_{i}.rs"), &code(100)))
        .collect();
    packet(files, framing())
}

#[test]
fn three_quarters_of_a_debate_are_one_prefix() {
    let brief = brief(&thousand()).text;
    let others = || vec![peer("A", Vote::Fail, 3), peer("B", Vote::Warn, 3)];
    let task = || Task::Debate {
        restatement: "I hold that it is half done.".to_owned(),
        branch: DebateBranch::Disagreed,
        peers: others(),
        dropped: 0,
        settled: 0,
        framing: Some(framing()),
        suites: Vec::new(),
    };
    let mut prompts = Vec::new();
    for name in ["security", "error-paths", "tests"] {
        let seat = seat(name, "Look at the change from this side.");
        prompts.push(format!("{brief}{}", turn(&seat, 1, &Task::Review)));
        prompts.push(format!("{brief}{}", turn(&seat, 2, &task())));
    }
    let first = &prompts[0];
    let same = |other: &String| {
        first
            .bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let shared = prompts.iter().map(same).min().unwrap() * prompts.len();
    let all: usize = prompts.iter().map(String::len).sum();
    assert!(shared * 100 >= all * 75, "{shared} of {all}");
}

#[test]
fn a_budget_is_filled_with_the_most_telling_first_and_gaps_are_named() {
    let code = "x\n".repeat(300);
    let files = vec![
        added("docs/guide.md", &code),
        added("src/auth/token.rs", &code),
        added("src/huge.rs", &"let y = 1;\n".repeat(20_000)),
        added("src/small.rs", &code),
    ];
    let class = BriefClass {
        budget_bytes: 12_000,
        ..BriefClass::default()
    };
    let brief = prompter()
        .render_brief(&packet(files, framing()), &class)
        .unwrap();
    assert!(
        brief.text.len() <= class.budget_bytes,
        "{}",
        brief.text.len()
    );
    let states: Vec<_> = brief
        .coverage
        .files
        .iter()
        .map(|f| f.state.clone())
        .collect();
    assert_eq!(
        (&states[1], &states[3]),
        (&CoverageState::Reviewed, &CoverageState::Reviewed)
    );
    assert!(
        matches!(
            states[2],
            CoverageState::Truncated {
                shown: 1..,
                total: 20_000
            }
        ),
        "{states:?}"
    );
    assert!(
        brief
            .text
            .contains("added src/huge.rs: +20000 -0; SHOWN IN PART: ")
    );
}

#[test]
fn more_files_than_can_be_named_are_counted_by_folder() {
    let files = (0..2_000)
        .map(|i| file(&format!("lib_{}/{i}.rs", i % 20)))
        .collect();
    let class = BriefClass {
        budget_bytes: 0,
        ..BriefClass::default()
    };
    let brief = prompter()
        .render_brief(&packet(files, framing()), &class)
        .unwrap();
    assert!(brief.text.len() <= MIN_BRIEF_BYTES, "{}", brief.text.len());
    assert!(brief.text.contains(" more files that are not named here: "));
    assert!(!brief.coverage.is_complete());
}
