//! One `git cat-file --batch` for all objects of a change.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::error::GitError;
use crate::git_cli::runner::{GitRunner, PlumbingCommand, RunError};
use crate::id::ObjectId;
use crate::limits::MAX_BLOB;
use crate::object_store::ObjectKind;

/// A process that hands out objects.
pub(crate) struct CatFileBatch {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Result<CatFileReply, String>>,
    deadline: std::time::Duration,
}

enum CatFileReply {
    Missing,
    TooLarge(usize),
    Object(ObjectKind, Vec<u8>),
}

impl CatFileBatch {
    pub(crate) fn start(runner: &GitRunner) -> Result<Self, GitError> {
        let mut child = runner.spawn_piped(PlumbingCommand::CatFile, &["--batch"])?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let Some((stdin, stdout)) = pipes else {
            return Err(process_lost("its pipes are gone"));
        };
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let answer = read_reply(&mut stdout);
                let over = answer.is_err();
                if sender.send(answer).is_err() || over {
                    return;
                }
            }
        });
        Ok(Self {
            child,
            stdin,
            answers,
            deadline: runner.deadline,
        })
    }

    /// Asks for an object. The process is gone when it fails, and given back when it does not.
    #[expect(clippy::type_complexity, reason = "the process and its answer")]
    pub(crate) fn request_object(
        mut self,
        wanted: ObjectId,
        limit: usize,
    ) -> Result<(Self, Option<(ObjectKind, Vec<u8>)>), GitError> {
        let asked = writeln!(self.stdin, "{wanted}").and_then(|()| self.stdin.flush());
        asked.map_err(|error| process_lost(&error.to_string()))?;
        let answer = self.answers.recv_timeout(self.deadline);
        let answer = answer.map_err(|_| RunError::Deadline {
            command: "cat-file",
            deadline: self.deadline,
        })?;
        match answer.map_err(|cause| process_lost(&cause))? {
            CatFileReply::Missing => Ok((self, None)),
            CatFileReply::Object(kind, bytes) if bytes.len() <= limit => {
                Ok((self, Some((kind, bytes))))
            }
            CatFileReply::Object(_, bytes) => Err(too_large(wanted, bytes.len(), limit)),
            CatFileReply::TooLarge(size) => Err(too_large(wanted, size, limit)),
        }
    }
}

impl Drop for CatFileBatch {
    fn drop(&mut self) {
        // Gone already, or gone now; either way it is reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `<id> SP <kind> SP <size> LF <bytes> LF`, or `<id> SP missing LF`.
fn read_reply(stdout: &mut impl BufRead) -> Result<CatFileReply, String> {
    let mut header = String::new();
    let read = stdout
        .take(4096)
        .read_line(&mut header)
        .map_err(|error| error.to_string())?;
    if read == 0 {
        return Err("it ended".to_owned());
    }
    let mut words = header.split_whitespace().skip(1);
    let kind = match words.next() {
        Some("commit") => ObjectKind::Commit,
        Some("tree") => ObjectKind::Tree,
        Some("blob") => ObjectKind::Blob,
        Some("tag") => ObjectKind::Other,
        Some("missing") => return Ok(CatFileReply::Missing),
        _ => return Err(format!("it says {:?}", header.trim_end())),
    };
    let size: usize = words
        .next()
        .and_then(|size| size.parse().ok())
        .ok_or("it says no size")?;
    let all = size as u64 + 1;
    if size > MAX_BLOB {
        let skipped = std::io::copy(&mut stdout.take(all), &mut std::io::sink());
        return skipped
            .map(|_| CatFileReply::TooLarge(size))
            .map_err(|error| error.to_string());
    }
    let mut bytes = Vec::with_capacity(size + 1);
    stdout
        .take(all)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() != size + 1 {
        return Err("it ended in the middle of an object".to_owned());
    }
    bytes.truncate(size);
    Ok(CatFileReply::Object(kind, bytes))
}

fn process_lost(cause: &str) -> GitError {
    GitError::Runner(RunError::Start {
        command: "cat-file",
        cause: cause.to_owned(),
    })
}

fn too_large(id: ObjectId, size: usize, limit: usize) -> GitError {
    GitError::TooLarge {
        what: format!("object {id}"),
        size: format!("{size} bytes"),
        limit: format!("{limit} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_one_after_another() {
        let mut said = &b"aa blob 3\na\nb\nbb missing\ncc tree 0\n\n"[..];
        assert!(
            matches!(read_reply(&mut said), Ok(CatFileReply::Object(ObjectKind::Blob, bytes)) if bytes == b"a\nb")
        );
        assert!(matches!(read_reply(&mut said), Ok(CatFileReply::Missing)));
        assert!(
            matches!(read_reply(&mut said), Ok(CatFileReply::Object(ObjectKind::Tree, bytes)) if bytes.is_empty())
        );
        assert!(read_reply(&mut said).is_err());
    }

    #[test]
    fn what_is_cut_off_or_not_understood_is_no_answer() {
        for said in ["aa blob 9\nshort", "aa what 3\nabc\n", "aa blob\n", "x"] {
            assert!(read_reply(&mut said.as_bytes()).is_err(), "{said}");
        }
    }
}
