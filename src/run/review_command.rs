//! The command that repeats a review with other settings, as a shell reads it.

use std::path::Path;

use crate::config::KeyValue;
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shell::{shell_command, shell_quote};

/// The same review with these keys set otherwise: everything else that was asked for is kept. `dir` is how its
/// directory was named (`-C`), `given` what `--config` said. None: what was reviewed cannot be read twice, or is no
/// change.
pub(crate) fn review_command(
    request: &ReviewRequest,
    (dir, given): (Option<&Path>, &[KeyValue]),
    settings: &[(&str, String)],
) -> Option<String> {
    let mut words: Vec<String> = ["git", "council"].map(str::to_owned).into();
    if let Some(dir) = dir {
        words.extend(["-C".to_owned(), dir.to_str()?.to_owned()]);
    }
    words.push("review".to_owned());
    words.extend(target_words(&request.target)?);
    let checkout = match request.checkout {
        CheckoutUse::Trusted => Some("--trust-worktree"),
        CheckoutUse::Ignored => Some("--trusted-config"),
        CheckoutUse::AsConfigured | CheckoutUse::Stricter => None,
    };
    let deep = request.deep.then_some("--deep");
    words.extend(checkout.into_iter().chain(deep).map(str::to_owned));
    // The last of several wins, and of a list all count.
    let kept = given.iter().chain(&request.flags);
    let kept = kept.filter(|pair| !settings.iter().any(|(key, _)| *key == pair.key));
    let kept = kept.map(|pair| (pair.key.as_str(), pair.value.clone()));
    for (key, value) in kept.chain(settings.iter().cloned()) {
        words.extend(["--config".to_owned(), format!("{key}={value}")]);
    }
    if let Some(file) = &request.output {
        words.extend(["--output".to_owned(), file.to_str()?.to_owned()]);
    }
    if !request.pathspecs.is_empty() {
        words.push("--".to_owned());
        words.extend(request.pathspecs.iter().cloned());
    }
    Some(shell_command(words.iter().map(String::as_str)))
}

/// A pathspec that leaves out one file, as a shell reads it from any folder of the repository.
pub(crate) fn pathspec_without(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./ @+,=".contains(c);
    let starts_plainly = path.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
    let magic = if starts_plainly && path.chars().all(is_plain) {
        ":/!"
    } else {
        ":(top,exclude,literal)"
    };
    shell_quote(&format!("{magic}{path}"))
}

/// The target as it is written behind `git council review`.
fn target_words(target: &RequestedTarget) -> Option<Vec<String>> {
    let word = |word: String| Some(vec![word]);
    match target {
        RequestedTarget::Branch => Some(Vec::new()),
        RequestedTarget::Revision(revision) => word(revision.clone()),
        RequestedTarget::Unmerged(range) => word(format!("{}..{}", range.from, range.to)),
        RequestedTarget::Staged => word("--staged".to_owned()),
        RequestedTarget::Worktree => word("--worktree".to_owned()),
        RequestedTarget::Patch(file) if !target.is_standard_input() => {
            Some(vec!["--patch".to_owned(), file.to_str()?.to_owned()])
        }
        RequestedTarget::Patch(_) | RequestedTarget::Document(_) | RequestedTarget::Question(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(request: &ReviewRequest) -> Option<String> {
        review_command(request, (None, &[]), &[])
    }

    #[test]
    fn a_target_is_written_as_it_was_asked_for() {
        let words = |target| {
            let request = ReviewRequest {
                target,
                ..ReviewRequest::default()
            };
            let command = command(&request)?;
            Some(
                command
                    .strip_prefix("git council review")
                    .unwrap()
                    .to_owned(),
            )
        };
        assert_eq!(words(RequestedTarget::Branch).as_deref(), Some(""));
        let range = RequestedTarget::Revision("main..x".to_owned());
        assert_eq!(words(range).as_deref(), Some(" main..x"));
        let odd = RequestedTarget::Revision("HEAD@{2 days ago}".to_owned());
        assert_eq!(words(odd).as_deref(), Some(" 'HEAD@{2 days ago}'"));
        assert_eq!(words(RequestedTarget::Staged).as_deref(), Some(" --staged"));
        let patch = |file: &str| RequestedTarget::Patch(file.into());
        assert_eq!(
            words(patch("a b.diff")).as_deref(),
            Some(" --patch 'a b.diff'")
        );
        assert_eq!(words(patch("-")), None);
        assert_eq!(words(RequestedTarget::Question("why".to_owned())), None);
    }

    #[test]
    fn a_file_is_left_out_whatever_its_name_is() {
        assert_eq!(pathspec_without("a/b c.py"), "':/!a/b c.py'");
        assert_eq!(
            pathspec_without("a[1].py"),
            "':(top,exclude,literal)a[1].py'"
        );
        assert_eq!(pathspec_without("!a.py"), "':(top,exclude,literal)!a.py'");
        assert_eq!(
            pathspec_without("it's.py"),
            r"':(top,exclude,literal)it'\''s.py'"
        );
    }

    #[test]
    fn what_was_asked_for_is_kept_and_what_is_set_otherwise_is_not() {
        let pair = |key: &str, value: &str| KeyValue::new(key, value, "--x");
        let request = ReviewRequest {
            pathspecs: vec!["-x".to_owned(), ":!a b".to_owned(), "*.rs".to_owned()],
            flags: vec![
                pair("review.fail-on", "warn"),
                pair("review.large", "rank"),
                pair("review.ignore", "*.lock"),
            ],
            checkout: CheckoutUse::Ignored,
            deep: true,
            output: Some("r 1.json".into()),
            ..ReviewRequest::default()
        };
        let given = [pair("review.quorum", "1"), pair("limits.brief", "10K")];
        let settings = [
            ("review.large", "shard".to_owned()),
            ("limits.brief", "900K".to_owned()),
        ];
        assert_eq!(
            review_command(&request, (Some(Path::new("../a b")), &given), &settings).as_deref(),
            Some(
                "git council -C '../a b' review --trusted-config --deep --config review.quorum=1 --config review.fail-on=warn \
                 --config 'review.ignore=*.lock' --config review.large=shard --config limits.brief=900K \
                 --output 'r 1.json' -- -x ':!a b' '*.rs'"
            )
        );
    }
}
