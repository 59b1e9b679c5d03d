//! Whatever the change and the budget: what counts as reviewed was shown.

use proptest::prelude::*;

use super::*;

fn any_file(index: usize) -> impl Strategy<Value = FileChange> {
    let text = proptest::collection::vec("[ -~]{0,30}|\\PC{0,8}|[a-z]{3000}", 1..16);
    (text, "(src|docs|auth|tests)/[a-z]{1,12}")
        .prop_map(move |(text, path)| added(&format!("{path}{index}.rs"), &text.join("\n")))
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
        prop_assert!(brief.text.len() <= budget_bytes.max(SMALLEST_BUDGET));
        prop_assert_eq!(&brief, &prompter().render_brief(&packet, &class).unwrap());
        for (file, covered) in packet.files.iter().zip(&brief.coverage.files) {
            prop_assert_eq!(&file.path, &covered.path);
            if covered.state == CoverageState::Reviewed {
                for line in file.hunks.iter().flat_map(Hunk::lines) {
                    let (shown, _) = redact_source(&Redactor::default(), None, line.text);
                    prop_assert!(brief.text.contains(&format!("+{shown}\n")), "{}", shown);
                }
            }
        }
    }
}
