//! Notes under `refs/notes/council`: lines of JSON on reviewed commits, and what was dismissed on the empty tree.
//!
//! Every line stands for itself, so that `git notes merge --strategy=cat_sort_uniq` of two people's notes loses nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use super::env::GitEnvironment;
use super::error::GitError;
use super::git_cli::runner::RunError;
use super::git_cli::user::UserGit;
use super::id::ObjectId;
use super::objects::ObjectReader;
use super::{open, tree};
use council_files as safe_file;

/// Where the notes are.
pub(crate) const NOTES_REF: &str = "refs/notes/council";

/// How deep git fans out its notes.
const MAX_FANOUTS: usize = 4;

/// The notes of a repository, for reading.
pub struct CouncilNotes {
    objects: ObjectReader,
    root: Option<ObjectId>,
}

impl CouncilNotes {
    /// Opens the notes as they are now; a repository without any is an empty notebook.
    ///
    /// # Errors
    ///
    /// As opening the repository, and a ref that names no commit.
    pub fn open(dir: &Path, env: &GitEnvironment) -> Result<Self, GitError> {
        let objects = ObjectReader::new(open::open_repository(dir, env)?);
        let root = match objects.store.commit_of(NOTES_REF) {
            Some(commit) => Some(objects.commit(commit)?.tree),
            None => None,
        };
        Ok(Self { objects, root })
    }

    /// The lines that stand on an object, named by its whole id; none on one that is not well formed.
    ///
    /// # Errors
    ///
    /// Objects of the notes that are missing or damaged.
    pub fn lines_on(&self, object: &str) -> Result<Vec<String>, GitError> {
        let hex = object.is_ascii() && ObjectId::from_hex(object).is_some();
        let Some(root) = self.root.filter(|_| hex) else {
            return Ok(Vec::new());
        };
        for depth in 0..=MAX_FANOUTS {
            if let Some(entry) =
                tree::find_in_tree(&self.objects, root, fanout_path(object, depth).as_bytes())?
            {
                let bytes = self.objects.blob(entry.id)?;
                let text = String::from_utf8_lossy(&bytes);
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                return Ok(lines.map(str::to_owned).collect());
            }
        }
        Ok(Vec::new())
    }

    /// The objects that have notes, by their whole ids, in the order of these.
    ///
    /// # Errors
    ///
    /// As [`Self::lines`].
    pub fn noted_objects(&self) -> Result<Vec<String>, GitError> {
        let Some(root) = self.root else {
            return Ok(Vec::new());
        };
        let named = |path: Vec<u8>| {
            let path: Vec<u8> = path.into_iter().filter(|&b| b != b'/').collect();
            let hex = String::from_utf8(path).ok()?;
            ObjectId::from_hex(&hex).map(|_| hex)
        };
        let all = tree::list_tree(&self.objects, root)?;
        Ok(all
            .into_iter()
            .filter_map(|(path, _)| named(path))
            .collect())
    }

    /// The lines on the empty tree: what holds for the whole repository.
    ///
    /// # Errors
    ///
    /// As [`Self::lines`].
    pub fn repository_lines(&self) -> Result<Vec<String>, GitError> {
        self.lines_on(&self.empty_tree())
    }

    /// The object that stands for the whole repository.
    pub fn empty_tree(&self) -> String {
        self.objects.store.format.empty_tree().to_hex()
    }
}

/// `0123…` as `01/23/…`, `depth` levels deep.
fn fanout_path(hex: &str, depth: usize) -> String {
    let (dirs, rest) = hex.split_at((2 * depth).min(hex.len()));
    let mut path = String::with_capacity(hex.len() + depth);
    for at in (0..dirs.len()).step_by(2) {
        path.push_str(&dirs[at..at + 2]);
        path.push('/');
    }
    path + rest
}

/// Adds a line to the note on an object, under a lock of ours: two of our processes lose nothing of each other's.
/// `council_dir` is `council` of the git directory that all worktrees share.
///
/// # Errors
///
/// As `git notes` fails, e.g. when git does not know who commits.
pub fn add_line(
    git: &UserGit,
    council_dir: &Path,
    object: &str,
    line: &str,
) -> Result<(), RunError> {
    replace_lines(
        git,
        council_dir,
        object,
        &BTreeSet::new(),
        &[line.to_owned()],
    )
}

/// The same with several lines at once, in the place of `old` ones.
///
/// # Errors
///
/// As [`add_line`].
pub fn replace_lines(
    git: &UserGit,
    council_dir: &Path,
    object: &str,
    old: &BTreeSet<String>,
    lines: &[String],
) -> Result<(), RunError> {
    let _lock = lock_notes(council_dir)?;
    refuse_symbolic(git)?;
    let there = match run_notes(git, &["show", object], &[]) {
        Ok(there) => String::from_utf8_lossy(&there).into_owned(),
        Err(RunError::Failed { code: Some(1), .. }) => String::new(),
        Err(error) => return Err(error),
    };
    let lines: BTreeSet<&str> = there
        .lines()
        .filter(|line| !old.contains(*line))
        .chain(lines.iter().map(String::as_str))
        .filter(|line| !line.trim().is_empty())
        .collect();
    let text = lines
        .into_iter()
        .fold(String::new(), |text, line| text + line + "\n");
    run_notes(
        git,
        &["add", "--force", "--file", "-", object],
        text.as_bytes(),
    )
    .map(drop)
}

/// Keeps a text as the note on itself, and says the name of its object. So it travels with the notes, two people's merge
/// without a conflict, and `git log --notes` shows it nowhere, because it is on no commit.
///
/// # Errors
///
/// As [`add_line`].
pub fn keep_text(git: &UserGit, council_dir: &Path, text: &str) -> Result<String, RunError> {
    let args = ["-w", "--stdin"].map(OsStr::new);
    let object = git.run_writing("hash-object", &args, text.as_bytes())?;
    let object = String::from_utf8_lossy(&object).trim().to_owned();
    let _lock = lock_notes(council_dir)?;
    refuse_symbolic(git)?;
    run_notes(
        git,
        &["add", "--force", "--reuse-message", &object, &object],
        &[],
    )?;
    Ok(object)
}

/// Held while notes are read and written again.
fn lock_notes(council_dir: &Path) -> Result<std::fs::File, RunError> {
    let start = |cause: std::io::Error| RunError::Start {
        command: "notes",
        cause: cause.to_string(),
    };
    safe_file::make_folder(council_dir).map_err(start)?;
    let lock = safe_file::open_append(&council_dir.join("notes.lock")).map_err(start)?;
    lock.lock().map_err(start)?;
    Ok(lock)
}

/// An error where the ref of the notes is another's name: git would put the notes onto that branch.
fn refuse_symbolic(git: &UserGit) -> Result<(), RunError> {
    match git.run_reading("symbolic-ref", &["--quiet", NOTES_REF]) {
        Ok(named) => Err(RunError::Start {
            command: "notes",
            cause: format!(
                "{NOTES_REF} leads to {}, and notes are written through no other ref; git symbolic-ref --delete {NOTES_REF} \
                 removes it",
                named.trim()
            ),
        }),
        Err(RunError::Failed { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn run_notes(git: &UserGit, args: &[&str], stdin: &[u8]) -> Result<Vec<u8>, RunError> {
    let args: Vec<&OsStr> = ["--ref", NOTES_REF]
        .iter()
        .chain(args)
        .map(|word| OsStr::new(*word))
        .collect();
    git.run_writing("notes", &args, stdin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    fn user(repo: &Repo) -> UserGit {
        let path = std::env::var("PATH").unwrap_or_default();
        let people = [
            ("PATH", path.as_str()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@x"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@x"),
        ];
        UserGit::new(repo.path(), &Repo::env(&people)).unwrap()
    }

    fn add(repo: &Repo, object: &str, line: &str) {
        add_line(&user(repo), &repo.path().join(".git/council"), object, line).unwrap();
    }

    fn lines(repo: &Repo, object: &str) -> Vec<String> {
        CouncilNotes::open(repo.path(), &GitEnvironment::default())
            .unwrap()
            .lines_on(object)
            .unwrap()
    }

    #[test]
    fn a_fan_of_notes_is_a_path() {
        assert_eq!(fanout_path("0123456789", 0), "0123456789");
        assert_eq!(fanout_path("0123456789", 2), "01/23/456789");
    }

    #[test]
    fn lines_are_added_sorted_and_kept_once() {
        let repo = Repo::new();
        let head = repo.write("a", "a\n").commit("first");
        assert_eq!(lines(&repo, &head), [""; 0]);
        for line in ["{\"b\":1}", "{\"a\":1}", "{\"b\":1}"] {
            add(&repo, &head, line);
        }
        assert_eq!(lines(&repo, &head), ["{\"a\":1}", "{\"b\":1}"]);
        assert_eq!(
            repo.git(&["notes", "--ref=council", "show", &head]),
            "{\"a\":1}\n{\"b\":1}"
        );
        assert_eq!(lines(&repo, "no id"), [""; 0]);
    }

    #[test]
    fn notes_are_written_onto_no_branch() {
        let repo = Repo::new();
        let head = repo.write("a", "a\n").commit("first");
        let folder = repo.path().join(".git/council");
        for target in ["refs/heads/main", "refs/heads/new", "refs/notes/other"] {
            repo.git(&["symbolic-ref", NOTES_REF, target]);
            let refused = add_line(&user(&repo), &folder, &head, "{}").unwrap_err();
            assert!(refused.to_string().contains(target), "{refused}");
            assert!(keep_text(&user(&repo), &folder, "text").is_err());
            assert_eq!(repo.git(&["rev-parse", "main"]), head);
            let refs = repo.git(&["for-each-ref", "--format=%(refname)"]);
            assert!(!refs.contains("new") && !refs.contains("other"), "{refs}");
        }
        repo.git(&["symbolic-ref", "--delete", NOTES_REF]);
        add(&repo, &head, "{}");
    }

    #[test]
    fn a_text_is_kept_on_itself_and_shown_with_no_commit() {
        let repo = Repo::new();
        let head = repo.write("a", "a\n").commit("first");
        let folder = repo.path().join(".git/council");
        let keep = || keep_text(&user(&repo), &folder, "a long text").unwrap();
        let object = keep();
        assert_eq!(keep(), object);
        add(&repo, &head, "short");
        assert_eq!(lines(&repo, &object), ["a long text"]);
        let log = repo.git(&["log", "--notes=council"]);
        assert!(
            log.contains("short") && !log.contains("a long text"),
            "{log}"
        );
        repo.git(&["notes", "--ref=council", "prune"]);
        repo.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(lines(&repo, &object), ["a long text"]);
    }

    #[test]
    fn what_holds_for_all_stands_on_the_empty_tree() {
        let repo = Repo::new();
        repo.write("a", "a\n").commit("first");
        let book = CouncilNotes::open(repo.path(), &GitEnvironment::default()).unwrap();
        add(&repo, &book.empty_tree(), "{}");
        let book = CouncilNotes::open(repo.path(), &GitEnvironment::default()).unwrap();
        assert_eq!(book.repository_lines().unwrap(), ["{}"]);
        // git does not take the note for one on a lost object.
        repo.git(&["notes", "--ref=council", "prune"]);
        let book = CouncilNotes::open(repo.path(), &GitEnvironment::default()).unwrap();
        assert_eq!(book.repository_lines().unwrap(), ["{}"]);
    }

    #[test]
    fn many_notes_are_found_however_git_fans_them_out() {
        let repo = Repo::new();
        repo.write("a", "a\n").commit("first");
        let blobs: Vec<String> = (0..300)
            .map(|n| repo.pipe(&["hash-object", "-w", "--stdin"], format!("{n}").as_bytes()))
            .collect();
        let mut script = String::new();
        for blob in &blobs {
            script.push_str(&format!("{blob} {blob}\n"));
        }
        repo.pipe(
            &["notes", "--ref=council", "copy", "--stdin"],
            script.as_bytes(),
        );
        for (n, blob) in blobs.iter().enumerate().step_by(50) {
            add(&repo, blob, &format!("{{\"n\":{n}}}"));
            assert_eq!(lines(&repo, blob), [format!("{{\"n\":{n}}}")]);
        }
        let book = CouncilNotes::open(repo.path(), &GitEnvironment::default()).unwrap();
        let mut sorted: Vec<String> = blobs.into_iter().step_by(50).collect();
        sorted.sort();
        assert_eq!(book.noted_objects().unwrap(), sorted);
    }

    #[test]
    fn two_clones_merge_their_notes_without_loss() {
        let origin = Repo::new();
        let head = origin.write("a", "a\n").commit("first");
        let (one, two) = (Repo::clone_of(&origin, &[]), Repo::clone_of(&origin, &[]));
        add(&one, &head, "{\"by\":\"one\"}");
        add(&two, &head, "{\"by\":\"two\"}");
        add(&two, &head, "{\"by\":\"both\"}");
        add(&one, &head, "{\"by\":\"both\"}");
        let fetch = format!("+{NOTES_REF}:refs/notes/theirs");
        for (here, there) in [(&one, &two), (&two, &one)] {
            let path = there.path().to_str().unwrap().to_owned();
            here.git(&["fetch", "-q", &path, &fetch]);
            here.git(&[
                "notes",
                "--ref=council",
                "merge",
                "-q",
                "-s",
                "cat_sort_uniq",
                "refs/notes/theirs",
            ]);
        }
        for repo in [&one, &two] {
            let all = ["{\"by\":\"both\"}", "{\"by\":\"one\"}", "{\"by\":\"two\"}"];
            assert_eq!(lines(repo, &head), all);
        }
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let repo = Repo::new();
        let head = repo.write("a", "a\n").commit("first");
        std::thread::scope(|scope| {
            for n in 0..6 {
                let (repo, head) = (&repo, &head);
                scope.spawn(move || add(repo, head, &format!("{{\"n\":{n}}}")));
            }
        });
        assert_eq!(lines(&repo, &head).len(), 6);
    }
}
