//! Who sent a patch, and what they say: the mail headers that `git format-patch` writes.

use council_protocol::task::{CommitInfo, Framing};

use super::lines::PatchLines;

/// How many mails of a series are told.
const MAX_MAILS: usize = 100;

/// What the mails of a patch say about it; nothing for a bare diff.
pub(crate) fn mail_framing(bytes: &[u8]) -> Framing {
    let mut lines = PatchLines::new(bytes);
    let mut commits = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(id) = separator_id(line).filter(|_| commits.len() < MAX_MAILS) {
            commits.push(read_mail(&mut lines, id));
        }
    }
    let title = commits
        .first()
        .map(|commit: &CommitInfo| commit.message.lines().next().unwrap_or_default().to_owned());
    Framing {
        title: title.unwrap_or_default(),
        body: String::new(),
        commits,
    }
}

/// Whether a header of a mail, or of a part of one, says that the text below it has to be decoded: mail programs and lists
/// write patches so, and `git am` applies what comes of it.
pub(super) fn is_encoded(line: &[u8]) -> bool {
    const NAME: &[u8] = b"content-transfer-encoding:";
    let Some((name, value)) = line.split_at_checked(NAME.len()) else {
        return false;
    };
    let is_plain = [&b"7bit"[..], b"8bit", b"binary"]
        .iter()
        .any(|plain| value.trim_ascii().eq_ignore_ascii_case(plain));
    name.eq_ignore_ascii_case(NAME) && !is_plain
}

/// `From <id> Mon Sep 17 00:00:00 2001`: the id.
fn separator_id(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?;
    let (id, date) = line.strip_prefix("From ")?.split_once(' ')?;
    let hex = matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit());
    (hex && date.contains(':')).then(|| id.to_owned())
}

fn read_mail(lines: &mut PatchLines<'_>, id: String) -> CommitInfo {
    let (mut author, mut subject, mut in_subject) = (String::new(), String::new(), false);
    for line in lines
        .by_ref()
        .map(|line| String::from_utf8_lossy(line).trim_end().to_owned())
    {
        if line.is_empty() {
            break;
        }
        if let Some(from) = line.strip_prefix("From: ") {
            author = from.to_owned();
        }
        if let Some(text) = line.strip_prefix("Subject: ") {
            subject = text.to_owned();
        } else if in_subject && line.starts_with(' ') {
            subject.push_str(&line);
        }
        in_subject = line.starts_with("Subject: ") || (in_subject && line.starts_with(' '));
    }
    let bare = subject
        .strip_prefix("[PATCH")
        .and_then(|rest| rest.split_once("] "))
        .map(|(_, bare)| bare.to_owned());
    let mut message = bare.unwrap_or(subject) + "\n\n";
    while let Some(line) = lines.peek() {
        if line.trim_ascii_end() == b"---"
            || line.starts_with(b"diff -")
            || line.starts_with(b"Index: ")
        {
            break;
        }
        lines.next();
        message.push_str(&String::from_utf8_lossy(line));
        message.push('\n');
    }
    CommitInfo {
        id,
        author,
        message: message.trim_end().to_owned() + "\n",
    }
}
