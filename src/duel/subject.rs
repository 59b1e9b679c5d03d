//! What a side argues over, bound to its commits: a name such as `HEAD` moves on, and whoever agrees must have read the same.

use council_protocol::Packet;
use council_protocol::packet::Target;

use crate::duel::protocol::render::one_line;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::packet::sha256;

/// Digits of an object id in a title.
const ID_DIGITS: usize = 12;

/// The fewest digits that are taken for an id in somebody else's title.
const MIN_ID_DIGITS: usize = 7;

/// The subject of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DuelSubject {
    /// As a person names it, on one line.
    label: String,
    /// What was read under that name: `base..head`, or the digest of what is in no commit.
    content: String,
}

impl DuelSubject {
    /// A subject of tests.
    #[cfg(test)]
    pub(crate) fn named(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            content: "0123456789ab".to_owned(),
        }
    }

    pub(crate) fn of(packet: &Packet) -> Self {
        Self {
            label: one_line(&packet.target.label),
            content: commits_of(&packet.target).unwrap_or_else(|| content_of(packet)),
        }
    }

    /// What stands behind `# Code Debate: `.
    pub(crate) fn title(&self) -> String {
        format!("{} ({})", self.label, self.content)
    }

    /// How the subject of a transcript differs from this one; none: it does not, or says less.
    pub(crate) fn other_subject(&self, text: &str) -> Option<String> {
        let subject = DebateTranscript::parse(text).subject?;
        (!self.is_meant(&subject)).then(|| {
            let own = self.title();
            format!("the debate is about {subject}, and this side reviews {own}")
        })
    }

    /// A title of a person may name no commit, or say something else in brackets.
    fn is_meant(&self, subject: &str) -> bool {
        let Some(rest) = subject.strip_prefix(&self.label) else {
            return false;
        };
        let remark = rest
            .trim()
            .strip_prefix('(')
            .and_then(|r| r.strip_suffix(')'));
        match remark {
            Some(named) if is_content(named) => is_same_content(&self.content, named),
            Some(_) => rest.starts_with(' '),
            None => rest.is_empty(),
        }
    }
}

/// The commits between which a change lies.
fn commits_of(target: &Target) -> Option<String> {
    let short = |id: &String| id.chars().take(ID_DIGITS).collect::<String>();
    let head = short(target.head.as_ref()?);
    Some(match &target.base {
        Some(base) => format!("{}..{head}", short(base)),
        None => head,
    })
}

/// A digest of what is in no commit: the index, the worktree, a patch, a document.
fn content_of(packet: &Packet) -> String {
    let files = packet.files.iter().map(|file| {
        let ids = (&file.old_id, &file.new_id);
        // Content without an id is known by its lines.
        let hunks = file.new_id.is_none().then_some(&file.hunks);
        (&file.path, &file.old_path, file.new_mode, ids, hunks)
    });
    let files: Vec<_> = files.collect();
    let bytes = serde_json::to_vec(&files).unwrap_or_default();
    let digest: String = sha256(&bytes).chars().take(ID_DIGITS).collect();
    format!("content {digest}")
}

/// Whether words in brackets say what was read: one or two ids, or a digest.
fn is_content(named: &str) -> bool {
    let is_id = |id: &str| id.len() >= MIN_ID_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    ids_of(named).into_iter().all(is_id)
}

fn ids_of(named: &str) -> Vec<&str> {
    let named = named.strip_prefix("content ").unwrap_or(named);
    named
        .split("..")
        .map(|id| id.trim_start_matches('.'))
        .collect()
}

/// Whether two mean the same, one of them perhaps with fewer digits. Who names one commit names the last.
fn is_same_content(own: &str, named: &str) -> bool {
    let (own, named) = (ids_of(own), ids_of(named));
    let is_same = |(a, b): (&&str, &&str)| {
        let digits = a.len().min(b.len());
        a[..digits].eq_ignore_ascii_case(&b[..digits])
    };
    own.iter().rev().zip(named.iter().rev()).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(label: &str, content: &str) -> DuelSubject {
        DuelSubject {
            label: label.into(),
            content: content.into(),
        }
    }

    fn refuses(own: &DuelSubject, title: &str) -> bool {
        let text = format!("# Code Debate: {title}\n\n## Opening\n");
        own.other_subject(&text).is_some()
    }

    #[test]
    fn another_commit_under_the_same_name_is_another_subject() {
        let own = bound("HEAD", "0123456789ab..fedcba987654");
        let title = own.title();
        for same in [
            "HEAD",
            &title,
            "HEAD (fedcba9)",
            "HEAD (0123456..FEDCBA987654321)",
            "HEAD (the hotfix)",
        ] {
            assert!(!refuses(&own, same), "{same}");
        }
        for other in [
            "HEAD~1",
            "HEADLESS",
            "HEAD(1)",
            "HEAD (1edcba9)",
            "HEAD (1123456..fedcba9)",
            "main (0123456789ab..fedcba987654)",
            "HEAD (content 0123456789ab)",
        ] {
            assert!(refuses(&own, other), "{other}");
        }
        assert!(own.other_subject("## Opening\n").is_none(), "it names none");
    }

    proptest::proptest! {
        #![proptest_config(crate::council::testing::config())]

        /// Two sides accept each other's titles exactly if both name and content are the same.
        #[test]
        fn titles_are_accepted_by_those_that_read_the_same(
            labels in ["HEAD|main|v1 [(]x[)]", "HEAD|main|v1 [(]x[)]"],
            contents in ["[ab]{12}|[ab]{12}[.][.][ab]{12}|content [ab]{12}", "[ab]{12}[.][.][ab]{12}|content [ab]{12}"],
            is_same in proptest::bool::ANY,
        ) {
            let one = bound(&labels[0], &contents[0]);
            let other = if is_same { one.clone() } else { bound(&labels[1], &contents[1]) };
            let last = |subject: &DuelSubject| ids_of(&subject.content).last().map(|id| id.to_string());
            proptest::prop_assert_eq!(refuses(&one, &other.title()), refuses(&other, &one.title()));
            if one.label != other.label || last(&one) != last(&other) {
                proptest::prop_assert!(refuses(&one, &other.title()));
            }
            proptest::prop_assert!(!is_same || !refuses(&one, &other.title()));
        }
    }
}
