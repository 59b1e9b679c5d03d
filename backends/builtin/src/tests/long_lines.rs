//! Findings in lines that no hunk shows, for they are too long.

use std::sync::Arc;

use council_protocol::coverage::{CoverageState, FileCoverage};
use council_protocol::{RepoPath, Side};
use proptest::prelude::*;

use super::escapes::Bytes;
use crate::fixture::RuleFixture;
use crate::secret::without_secrets;

/// What a line of code that no hand wrote consists of.
fn piece() -> impl Strategy<Value = String> {
    let password =
        "[A-Z][a-z][0-9]{3}[A-Z][a-z0-9]{8}".prop_map(|word| format!("\"password\": \"{word}\", "));
    let token = "[A-Z2-7]{16}".prop_map(|id| format!("AKI{}{id} ", 'A'));
    let url = "[a-z0-9]{8}".prop_map(|word| format!("https://me:{word}@db.internal.net/ "));
    prop_oneof![
        password,
        token,
        url,
        "[a-z(); ]{1,12}",
        Just("é\u{301}/* ".to_owned())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: wherever a token stands in a line, and whatever stands around it, the finding quotes what everybody is shown of
    /// the line, so that the quote is found again.
    #[test]
    fn a_finding_quotes_the_line_as_it_is_shown(
        before in prop::collection::vec(piece(), 1..9), behind in prop::collection::vec(piece(), 1..9),
        left in 0_usize..300_000, right in 0_usize..100_000, indent in "[ \t]{0,3}",
    ) {
        let fill = |pieces: &[String], bytes: usize| -> String {
            let whole = pieces.concat();
            whole.repeat(bytes / whole.len() + 1)
        };
        let token = ["ghp_", "Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"].concat();
        let line = format!("{indent}{}k = \"{token}\"; {}", fill(&before, left), fill(&behind, right));
        let mut fixture = RuleFixture::parse("=== web/data.js\n+x\n");
        let packet = Arc::make_mut(&mut fixture.packet);
        packet.files[0].hunks.clear();
        packet.files[0].new_size = Some(line.len() as u64);
        let path: RepoPath = "web/data.js".into();
        let state = CoverageState::Opaque { what: "too large".to_owned(), lowers: true };
        packet.coverage.files = vec![FileCoverage { path, state }];
        let mut blobs = Bytes::default();
        blobs.0.insert(Side::New, format!("// a\n{line}\n").into_bytes().into());
        let seat = super::seat("security", &[]);
        let mut judge = super::BuiltinJudge::new(&seat, fixture.packet.clone(), Arc::new(blobs)).unwrap();
        let answer = super::ask(&mut judge, 1, council_protocol::task::Task::Review);
        let shown = without_secrets("web/data.js", &line);
        prop_assert!(answer.findings.iter().any(|f| f.rule.as_deref() == Some("provider-token")));
        for finding in &answer.findings {
            prop_assert!(finding.quote.chars().count() > 20, "{}", finding.quote);
            prop_assert!(shown.contains(&finding.quote), "{}", finding.quote);
        }
    }
}
