//! Whatever the change and the budget: what counts as reviewed was shown.

use proptest::prelude::*;

use super::*;

fn any_file(index: usize) -> impl Strategy<Value = FileChange> {
    // A long line repeats itself: drawing each of its letters took most of the test's time.
    let long = "[a-z]{30}".prop_map(|part| part.repeat(100));
    let line = prop_oneof![2 => "[ -~]{0,30}|\\PC{0,8}", 1 => long];
    let text = proptest::collection::vec(line, 1..16);
    (text, "(src|docs|auth|tests)/[a-z]{1,12}")
        .prop_map(move |(text, path)| added(&format!("{path}{index}.rs"), &text.join("\n")))
}

fn any_block() -> impl Strategy<Value = ContextBlock> {
    (0_usize..ContextKind::ALL.len(), 1_u32..80, 0_u32..20).prop_map(|(kind, last, skipped)| {
        let text: String = (1..=last)
            .map(|line| format!("around line {line}\n"))
            .collect();
        let body = match kind {
            0..5 => ContextBody::Lines {
                text: text.into(),
                start: last.saturating_sub(skipped).max(1),
                end: last,
            },
            _ => ContextBody::Words(text),
        };
        ContextBlock {
            kind: ContextKind::ALL[kind],
            path: "src/around.rs".into(),
            about: "src/a0.rs".into(),
            note: "definition of `x`".to_owned(),
            body,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_brief_keeps_to_its_budget_and_says_what_it_shows(
        files in (any_file(0), any_file(1), any_file(2), any_file(3)),
        budget_bytes in 0_usize..40_000,
    ) {
        let packet = packet(vec![files.0, files.1, files.2, files.3], framing());
        let class = BriefClass { budget_bytes, ..BriefClass::default() };
        let brief = prompter().render_brief(&packet, &class).unwrap();
        prop_assert!(brief.text.len() <= budget_bytes.max(MIN_BRIEF_BYTES));
        prop_assert_eq!(&brief, &prompter().render_brief(&packet, &class).unwrap());
        for (file, covered) in packet.files.iter().zip(&brief.coverage.files) {
            prop_assert_eq!(&file.path, &covered.path);
            if covered.state == CoverageState::Reviewed {
                for line in file.hunks.iter().flat_map(Hunk::lines) {
                    let (shown, _) = redact_source(&Redactor::default(), Some(&file.path), line.text);
                    prop_assert!(brief.text.contains(&format!("+{shown}\n")), "{}", shown);
                }
            }
        }
    }

    #[test]
    fn what_stands_around_takes_only_what_the_change_leaves(
        file in any_file(0),
        blocks in proptest::collection::vec(any_block(), 0..12),
        gaps in proptest::collection::vec("[a-z ]{1,60}", 0..3),
        (budget_bytes, context_bytes) in (0_usize..40_000, 0_usize..20_000),
    ) {
        let blocks: Vec<ContextBlock> = blocks
            .into_iter()
            .map(|block| ContextBlock { about: file.path.clone(), ..block })
            .collect();
        let packet = packet(vec![file], framing());
        let class = BriefClass { budget_bytes, context_bytes, ..BriefClass::default() };
        let around = ChangeContext { blocks: &blocks, gaps: &gaps };
        let bare = prompter().render_brief(&packet, &class).unwrap();
        let brief = prompter().render_filled_brief(&packet, around, &class).unwrap();
        prop_assert!(brief.text.len() <= budget_bytes.max(MIN_BRIEF_BYTES));
        prop_assert_eq!(&brief.coverage, &bare.coverage);
        let context: usize = brief.sizes.context.iter().map(|(_, used)| used.bytes).sum();
        prop_assert!(context <= context_bytes);
        // What the search left out is told wherever there is room for it, also where it found nothing.
        let words: usize = gaps.iter().map(|gap| gap.len() + 3).sum();
        let room = budget_bytes.saturating_sub(bare.text.len() + 1_700).min(context_bytes);
        if room >= words {
            for gap in &gaps {
                prop_assert!(brief.text.contains(&format!("[{gap}]\n")), "{}", gap);
            }
        }
        let left: usize = brief.sizes.context.iter().map(|(_, used)| used.left).sum();
        let is_told = brief.text.contains("[left out for lack of room: ");
        prop_assert!(!is_told || left > 0);
        prop_assert!(is_told || left == 0 || room < words + 130, "{} of {}", left, room);
        prop_assert_eq!(brief.sizes.is_full, budget_bytes.max(MIN_BRIEF_BYTES).saturating_sub(bare.text.len() + 1_600) < context_bytes);
        // What is shown stands behind its number, and nothing of it before the change.
        let (before, _) = brief.text.split_once("## Context").unwrap_or((&brief.text, ""));
        prop_assert!(!before.contains("around line"));
    }
}
