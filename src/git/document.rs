//! What is debated without being a change: a document, or a question.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::change::{FileKind, FileStatus, Hunk};
use council_protocol::packet::TargetKind;
use council_protocol::task::Framing;
use council_protocol::{FileChange, RepoPath};
use sha2::{Digest, Sha256};

use super::change::{HunkSource, RepositoryContext, ReviewedChange};
use super::decode::decode_text;
use super::patch_content::PatchContent;
use super::request::ChangeRequest;
use super::target;

/// Mode of an ordinary file.
const FILE_MODE: u32 = 0o100_644;

/// A document as a file that is new, so that a finding can quote its lines. Its authors' words beside it are not known.
pub(super) fn document_change(
    request: &ChangeRequest,
    bytes: &[u8],
    label: &str,
) -> ReviewedChange {
    let decoded = decode_text(bytes);
    let binary = decoded.is_none();
    let converted = matches!(decoded, Some(Cow::Owned(_)));
    let decoded = decoded.unwrap_or(Cow::Borrowed(bytes));
    let text = String::from_utf8_lossy(&decoded);
    let path = RepoPath::from(document_path(label));
    // A mark of the encoding alone says nothing either.
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let nothing = text
        .chars()
        .all(is_blank)
        .then(|| "the document is empty".to_owned());
    let file = FileChange {
        path: path.clone(),
        old_path: None,
        status: FileStatus::Added,
        kind: if binary {
            FileKind::Binary
        } else {
            FileKind::Text
        },
        old_mode: 0,
        new_mode: FILE_MODE,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: u64::try_from(bytes.len()).ok(),
        similarity: None,
        moved_from: None,
        lossy: converted || matches!(text, Cow::Owned(_)),
        hunks: Vec::new(),
    };
    // What is binary is not shown, and rules for secrets read it.
    let hunks = vec![whole_text_hunk(&text)];
    let files = if nothing.is_some() {
        Vec::new()
    } else {
        vec![file]
    };
    let found = ReadText {
        kind: TargetKind::File,
        label,
        files,
        hunks: HashMap::from([(path, hunks)]),
        nothing,
        bytes,
    };
    change_from_text(request, found)
}

/// A question: there is no file to quote from.
pub(super) fn topic_change(request: &ChangeRequest, question: &str) -> ReviewedChange {
    let question = question.trim();
    let found = ReadText {
        kind: TargetKind::Topic,
        label: question,
        files: Vec::new(),
        hunks: HashMap::new(),
        nothing: question
            .is_empty()
            .then(|| "the question is empty".to_owned()),
        bytes: question.as_bytes(),
    };
    change_from_text(request, found)
}

/// What a text comes to before its surroundings are known.
struct ReadText<'a> {
    kind: TargetKind,
    label: &'a str,
    files: Vec<FileChange>,
    hunks: HashMap<RepoPath, Vec<Hunk>>,
    nothing: Option<String>,
    bytes: &'a [u8],
}

fn change_from_text(request: &ChangeRequest, found: ReadText<'_>) -> ReviewedChange {
    let RepositoryContext { place, trusted, .. } = RepositoryContext::around_request(request);
    let hunks = Arc::new(PatchContent::of_text(found.hunks));
    ReviewedChange {
        target: target::make_target(found.kind, found.label.to_owned(), None, None),
        files: found.files,
        framing: Framing::default(),
        nothing: found.nothing,
        notes: Vec::new(),
        blobs: hunks.clone(),
        place,
        git_source: None,
        excluded: Default::default(),
        source: HunkSource::Patch {
            hunks,
            digest: Sha256::digest(found.bytes).to_vec(),
        },
        trusted,
    }
}

/// All lines as added ones.
fn whole_text_hunk(text: &str) -> Hunk {
    let mut body = String::with_capacity(text.len() + text.len() / 20);
    let mut lines = 0_u32;
    for line in text.split_inclusive('\n') {
        lines = lines.saturating_add(1);
        body.push('+');
        body.push_str(line);
    }
    if !text.ends_with('\n') {
        body.push_str("\n\\ No newline at end of file\n");
    }
    Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: lines,
        section: String::new(),
        body,
    }
}

/// The name under which findings point to a document: its path below the directory, else its last part.
fn document_path(label: &str) -> &str {
    let inside = !label.starts_with('/')
        && label
            .split('/')
            .all(|part| !matches!(part, "" | ".." | "."));
    let last = label
        .rsplit('/')
        .next()
        .filter(|last| !matches!(*last, "" | "." | ".."));
    match (inside, last) {
        (true, _) => label,
        (false, Some(last)) => last,
        (false, None) => "document",
    }
}

#[cfg(test)]
mod tests {
    use super::super::TargetSpec;
    use super::super::env::GitEnvironment;
    use super::*;

    fn read(spec: TargetSpec) -> ReviewedChange {
        let outside = tempfile::tempdir().unwrap();
        let request = ChangeRequest {
            dir: outside.path().to_owned(),
            spec,
            pathspecs: Vec::new(),
            env: GitEnvironment::from_vars(std::iter::empty()),
        };
        super::super::read_change(&request).unwrap()
    }

    fn document(text: &str) -> ReviewedChange {
        read(TargetSpec::Document(text.into(), "docs/PLAN.md".into()))
    }

    #[test]
    fn a_document_is_a_file_whose_lines_can_be_quoted() {
        let change = document("# Plan\n\nMove it.");
        assert_eq!(change.target.kind, TargetKind::File);
        assert_eq!(change.target.slug, "docs-plan-md");
        let mut file = change.files[0].clone();
        change.fill_hunks(&mut file).unwrap();
        let lines: Vec<_> = file.hunks[0].lines().map(|l| (l.new_no, l.text)).collect();
        assert_eq!(
            lines,
            [(Some(1), "# Plan"), (Some(2), ""), (Some(3), "Move it.")]
        );
        assert_eq!(
            (file.counts(), file.path.display().as_ref()),
            ((3, 0), "docs/PLAN.md")
        );
    }

    #[test]
    fn an_empty_text_is_nothing() {
        assert_eq!(
            document(" \n").nothing.as_deref(),
            Some("the document is empty")
        );
        assert!(document("\u{feff}\r\n").nothing.is_some());
        let topic = read(TargetSpec::Topic(" ".into()));
        assert_eq!(topic.nothing.as_deref(), Some("the question is empty"));
    }

    #[test]
    fn a_question_has_no_files() {
        let change = read(TargetSpec::Topic("Should we move to B?".into()));
        assert_eq!(
            (change.target.kind, change.files.len(), change.nothing),
            (TargetKind::Topic, 0, None)
        );
        assert_eq!(change.target.slug, "should-we-move-to-b");
    }

    #[test]
    fn a_name_never_leads_out() {
        for (label, name) in [
            ("../../etc/passwd", "passwd"),
            ("/abs/PLAN.md", "PLAN.md"),
            ("./PLAN.md", "PLAN.md"),
            ("..", "document"),
            ("a/b.md", "a/b.md"),
        ] {
            assert_eq!(document_path(label), name);
        }
    }
}
