//! Secrets that a change adds, line by line, whatever excuses them: for commits that a later one of the same push takes
//! back. What was pushed once can be read, whether or not the tip still shows it.

use std::collections::HashSet;

use council_protocol::change::{FileKind, FileStatus, NoBlobs};
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, FileChange, Hunk, RepoPath, Severity};

use crate::applicable::ActiveRules;
use crate::opaque::visit_added_parts;
use crate::perspective::SECURITY;
use crate::scan::{FoundHit, look_at_part};
use crate::secret::without_secrets;
use crate::view::{ChangeView, FileView};

/// A secret that would fail a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedSecret {
    /// The rule that speaks.
    pub rule: &'static str,
    /// What it says, without the secret.
    pub description: String,
    /// The file's path, without secrets.
    pub path: String,
    /// The line on the reviewed side; 0 for the file as a whole.
    pub line: u32,
    /// What the secret is known again by: the text of its line, secret and all. Never to be shown.
    pub text: String,
}

/// The secrets among the lines that a change adds to a file. Its hunks are not needed.
pub fn added_secrets(file: &FileChange, blobs: &dyn BlobSource) -> Vec<AddedSecret> {
    let change = ChangeView::of_file(file, blobs);
    let whole = &change.files[0];
    let bench = secret_rules();
    let path = file.path.display();
    let shown = without_secrets("", &path);
    let secret = |found: &FoundHit, text: &str| AddedSecret {
        rule: found.rule.info.id,
        description: found.hit.description.clone(),
        path: shown.clone(),
        line: found.hit.line,
        text: text.trim().to_owned(),
    };
    let fails = |found: &&FoundHit| found.severity == Severity::Critical;
    let by_name = look_at_part(&change, whole, &bench);
    let by_name = by_name
        .iter()
        .filter(|found| found.hit.line == 0)
        .filter(fails);
    let mut secrets: Vec<AddedSecret> = by_name.map(|found| secret(found, &path)).collect();
    let mut known = HashSet::new();
    visit_added_parts(whole, blobs, &mut |part| {
        let view = FileView::new(0, &part.file, &NoBlobs);
        for found in look_at_part(&change, &view, &bench).iter().filter(fails) {
            let text = view.line_text(found.hit.line).unwrap_or_default();
            // Parts of a long line overlap.
            if found.hit.line > 0 && known.insert((found.rule.info.id, found.hit.line)) {
                secrets.push(secret(found, text));
            }
        }
    });
    secrets
}

/// The secrets in a text that lies in no file, such as the message of a commit; `name` says what it is.
pub fn secrets_of_text(name: &str, text: &str) -> Vec<AddedSecret> {
    if !text.contains('\0') {
        return secrets_of_lines(name, text);
    }
    // A NUL may be a part of each letter, as a header of a commit may announce it; or stand between two words.
    let mut secrets = secrets_of_lines(name, &text.replace('\0', ""));
    let between = secrets_of_lines(name, &text.replace('\0', "\n"));
    let is_news = |new: &AddedSecret| {
        let mut known = secrets.iter();
        !known.any(|old| old.rule == new.rule && old.text.contains(&new.text))
    };
    let news: Vec<AddedSecret> = between.into_iter().filter(is_news).collect();
    secrets.extend(news);
    secrets
}

fn secrets_of_lines(name: &str, text: &str) -> Vec<AddedSecret> {
    let lines: Vec<&str> = text.lines().collect();
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let hunk = Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: count,
        section: String::new(),
        body: lines.iter().map(|line| format!("+{line}\n")).collect(),
    };
    // A path of its own, so that none of the text's words make an example or a test of it.
    let file = FileChange {
        path: RepoPath::from("text"),
        old_path: None,
        status: FileStatus::Added,
        kind: FileKind::Text,
        old_mode: 0,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: vec![hunk],
    };
    let change = ChangeView::of_file(&file, &NoBlobs);
    let view = FileView::new(0, &file, &NoBlobs);
    let found = look_at_part(&change, &view, &secret_rules());
    let fails = found
        .iter()
        .filter(|found| found.severity == Severity::Critical);
    let secret = |found: &FoundHit| AddedSecret {
        rule: found.rule.info.id,
        description: found.hit.description.clone(),
        path: name.to_owned(),
        line: 0,
        text: view
            .line_text(found.hit.line)
            .unwrap_or_default()
            .trim()
            .to_owned(),
    };
    fails.map(secret).collect()
}

fn secret_rules() -> ActiveRules {
    ActiveRules::new(SECURITY, &RuleSettings::default())
        .only(|rule| matches!(rule.info.category, "secrets" | "secret-files"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::RuleFixture;

    #[test]
    fn a_text_outside_of_files_is_searched_like_one() {
        let token = ["gh", "p_Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"].concat();
        let key = [
            "-----BEGIN RSA PRI",
            "VATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf",
        ]
        .concat();
        for (text, rule) in [
            (format!("Tests\n\nexample: {token}"), "provider-token"),
            (format!("Docs\n\n{key}"), "private-key"),
        ] {
            let found = secrets_of_text("the message", &text);
            let [secret] = &found[..] else {
                panic!("{found:?}")
            };
            assert_eq!(
                (secret.rule, secret.path.as_str(), secret.line),
                (rule, "the message", 0)
            );
            assert!(!secret.description.contains(&token));
        }
        let wide: String = token.chars().flat_map(|c| [c, '\0']).collect();
        assert_eq!(secrets_of_text("the message", &wide).len(), 1);
        for token in [
            token.clone(),
            ["xhf", "_Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"].concat(),
        ] {
            let token = token.trim_start_matches('x');
            for text in [format!("hello\0{token}\n"), format!("hello\0{token}\0more")] {
                assert_eq!(secrets_of_text("the message", &text).len(), 1, "{text:?}");
            }
        }
        assert_eq!(
            secrets_of_text("the message", "Fix the parser\n\npassword = 'hunter2'\n"),
            []
        );
    }

    #[test]
    fn a_secret_is_found_by_its_line_and_an_excuse_changes_nothing() {
        let fixture = RuleFixture::parse(
            "=== src/a.py\n+# council: allow(provider-token) x\n+t = \"{|}ghp_{|}Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB\"\n",
        );
        let found = added_secrets(&fixture.packet.files[0], &*fixture.blobs);
        let [secret] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (secret.rule, secret.line, secret.path.as_str()),
            ("provider-token", 2, "src/a.py")
        );
        assert!(secret.text.starts_with("t = \"ghp_") && !secret.description.contains("ghp_"));
    }

    #[test]
    fn what_does_not_fail_a_change_is_not_listed() {
        let text = "=== tests/id.pem\n+-----BEGIN RSA PRI{|}VATE KEY-----\n+{|}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf\n";
        let fixture = RuleFixture::parse(text);
        assert_eq!(added_secrets(&fixture.packet.files[0], &*fixture.blobs), []);
        let fixture = RuleFixture::parse(&text.replace("tests", "src"));
        assert_eq!(
            added_secrets(&fixture.packet.files[0], &*fixture.blobs).len(),
            1
        );
    }
}
