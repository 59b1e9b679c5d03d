//! Commit objects, read as they are stored: a shallow boundary still names its parents, which libgit2 hides.

use council_protocol::task::CommitInfo;

use super::id::ObjectId;

/// The headers of a commit that matter here, and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitObject {
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    pub(super) author: String,
    /// When it was committed, in seconds since 1970; 0 where it does not say.
    pub(super) seconds: i64,
    pub(super) message: String,
    /// Its other headers: who committed it, signatures, and whatever else somebody put there. Untrusted text.
    pub(super) headers: String,
}

impl CommitObject {
    /// Reads the stored form; none when it has no tree.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n");
        let (head, message) = match end {
            Some(end) => (&bytes[..end], &bytes[end + 2..]),
            None => (bytes, &[][..]),
        };
        let (mut tree, mut parents, mut author) = (None, Vec::new(), String::new());
        let (mut seconds, mut headers) = (0, String::new());
        for line in head.split(|&b| b == b'\n') {
            let (key, value) =
                line.split_at(line.iter().position(|&b| b == b' ').unwrap_or(line.len()));
            let text = String::from_utf8_lossy(value.get(1..).unwrap_or_default());
            match key {
                b"tree" if tree.is_none() => tree = ObjectId::from_hex(&text),
                b"parent" => parents.push(ObjectId::from_hex(&text)?),
                b"author" => author = without_date(&text).to_owned(),
                b"committer" => seconds = seconds_of(&text),
                _ => {}
            }
            if !matches!(key, b"tree" | b"parent" | b"author") {
                headers.push_str(&String::from_utf8_lossy(line));
                headers.push('\n');
            }
        }
        let message = String::from_utf8_lossy(message).into_owned();
        Some(Self {
            tree: tree?,
            parents,
            author,
            seconds,
            message,
            headers,
        })
    }

    /// What the commit says about itself.
    pub(super) fn into_info(self, id: ObjectId) -> CommitInfo {
        CommitInfo {
            id: id.to_hex(),
            author: self.author,
            message: self.message,
        }
    }

    /// The first line of the message.
    pub(super) fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// `Name <mail> 1700000000 +0100` without what follows the mail.
fn without_date(author: &str) -> &str {
    author.rfind('>').map_or(author, |end| &author[..=end])
}

/// The seconds of `Name <mail> 1700000000 +0100`.
fn seconds_of(committer: &str) -> i64 {
    let (_, date) = committer.rsplit_once('>').unwrap_or_default();
    let seconds = date.split_whitespace().next();
    seconds.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_headers_and_message() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let raw = format!(
            "tree {id}\nparent {id}\nparent {id}\nauthor A <B> C <a@x> 1700000000 +0100\ncommitter Z <z@x> 1 +0000\n\
             gpgsig -----BEGIN\n tree {id}\n -----END\n\nsubject\n\nbody\n\nmore\n"
        );
        let commit = CommitObject::parse(raw.as_bytes()).unwrap();
        assert_eq!(commit.parents.len(), 2);
        assert_eq!(commit.author, "A <B> C <a@x>");
        assert_eq!(commit.seconds, 1);
        let headers =
            format!("committer Z <z@x> 1 +0000\ngpgsig -----BEGIN\n tree {id}\n -----END\n");
        assert_eq!(commit.headers, headers);
        assert_eq!(
            (commit.subject(), commit.message.as_str()),
            ("subject", "subject\n\nbody\n\nmore\n")
        );
    }

    #[test]
    fn an_empty_message_and_no_tree() {
        assert!(
            CommitObject::parse(
                b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a> 1 +0\n\n"
            )
            .is_some()
        );
        assert_eq!(CommitObject::parse(b"author A <a> 1 +0\n\nx"), None);
        assert_eq!(CommitObject::parse(b""), None);
    }
}
