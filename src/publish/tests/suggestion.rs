//! What a forge writes that commits a suggestion is what `apply` writes.

use council_protocol::Location;
use proptest::prelude::*;

use super::plan::{report, seen, wishes};
use crate::publish::*;
use crate::run::suggestion::replace_lines;

/// The lines and the block of the comment on a finding; none: it offers nothing to commit.
fn offered(at: &Location, suggestion: &str) -> Option<(u32, u32, Vec<String>)> {
    let mut report = report(1);
    let finding = &mut report.outcome.findings[0].finding;
    finding.location = at.clone();
    finding.suggestion = Some(suggestion.to_owned());
    let actions = plan_actions(&report, &seen(), &wishes());
    let comment = actions.into_iter().find_map(|action| match action {
        PublishAction::Review { mut comments, .. } => comments.pop(),
        _ => None,
    })?;
    let lines: Vec<&str> = comment.body.split('\n').collect();
    let begin = lines
        .iter()
        .position(|line| line.trim_start_matches('`') == "suggestion" && line.starts_with("```"))?;
    let fence = lines[begin].strip_suffix("suggestion")?;
    let text = lines[begin + 1..].iter().take_while(|line| **line != fence);
    let text = text.map(|line| (*line).to_owned()).collect();
    Some((
        comment.start_line.unwrap_or(comment.line),
        comment.line,
        text,
    ))
}

proptest! {
    /// Whatever is suggested for whichever lines: the comment's block in the place of its lines is the file that `apply`
    /// writes.
    #[test]
    fn a_committed_block_is_what_is_applied(
        lines in prop::collection::vec("[ \t]{0,3}[a-z`]{0,4}", 1..8),
        (first, more) in (0usize..8, 0usize..4),
        suggestion in "([ \t]{0,3}[a-z`]{0,5}\n?){0,4}",
    ) {
        let first = first % lines.len();
        let last = (first + more).min(lines.len() - 1);
        let number = |index: usize| u32::try_from(index).unwrap() + 1;
        let at = Location {
            path: "src/a.rs".into(),
            line: number(first),
            end_line: (last > first).then_some(number(last)),
        };
        let text = lines.join("\n") + "\n";
        let applied = replace_lines(text.as_bytes(), &at, &suggestion, "", Some(text.as_bytes())).unwrap();
        if let Some((start, end, block)) = offered(&at, &suggestion) {
            let (before, behind) = (&lines[..start as usize - 1], &lines[end as usize..]);
            let committed = [before, &block, behind].concat();
            let committed: String = committed.iter().map(|line| format!("{line}\n")).collect();
            prop_assert_eq!(committed, String::from_utf8(applied).unwrap(), "{:?}", suggestion);
        }
    }
}

#[test]
fn an_end_of_a_line_alone_puts_an_empty_line_there() {
    let at = Location {
        path: "src/a.rs".into(),
        line: 2,
        end_line: None,
    };
    let empty = offered(&at, "\n").unwrap();
    assert_eq!(empty, (2, 2, vec![String::new()]));
    assert_eq!(offered(&at, "").unwrap(), (2, 2, Vec::new()));
}
