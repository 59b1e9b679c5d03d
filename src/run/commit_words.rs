//! Secrets in what the commits of a range say of themselves: no file shows them, and whoever fetches the range has them.

use council_builtin::secrets_of_text;
use council_protocol::task::CommitInfo;

/// The most that are told one by one.
const MAX_TOLD: usize = 5;

/// What of the commits' messages and authors holds a secret, the newest first. It does not fail a change, as nothing that
/// is added to it takes it out again.
pub(crate) fn secret_notes(commits: &[CommitInfo]) -> Vec<String> {
    let told = commits.iter().flat_map(|commit| {
        let words = [("message", &commit.message), ("author", &commit.author)];
        let mut holders = words.into_iter().filter_map(|(name, text)| {
            let found = secrets_of_text(name, text);
            found
                .first()
                .map(|secret| describe(commit, name, &secret.description))
        });
        holders.next()
    });
    let mut told: Vec<String> = told.collect();
    let more = told.len().saturating_sub(MAX_TOLD);
    told.truncate(MAX_TOLD);
    if more > 0 {
        told.push(format!("{more} more commits say a secret"));
    }
    told
}

/// What a commit gives away, without the secret.
fn describe(commit: &CommitInfo, name: &str, found: &str) -> String {
    let id = commit.id.get(..12).unwrap_or(&commit.id);
    format!(
        "the {name} of commit {id} holds a secret: {found} Replace the secret, and amend the commit."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(nth: usize, message: &str) -> CommitInfo {
        CommitInfo {
            id: format!("{nth:040x}"),
            author: "A <a@example.com>".into(),
            message: message.into(),
        }
    }

    #[test]
    fn what_a_commit_gives_away_is_told_without_it() {
        let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
        assert!(secret_notes(&[commit(1, "Read the key from the environment")]).is_empty());
        let said = commit(1, &format!("Try\n\nwith {token}\n"));
        let mut signed = commit(2, "More");
        signed.author = format!("{token} <a@example.com>");
        let notes = secret_notes(&[said.clone(), signed]);
        let [message, author] = &notes[..] else {
            panic!("{notes:?}")
        };
        assert!(message.starts_with("the message of commit 000000000000 holds a secret: "));
        assert!(author.starts_with("the author of commit 000000000000 holds a secret: "));
        assert!(!notes.concat().contains("NqVwYS81"), "{notes:?}");
        let many = secret_notes(&vec![said; 8]);
        assert_eq!(
            many.last().map(String::as_str),
            Some("3 more commits say a secret")
        );
    }
}
