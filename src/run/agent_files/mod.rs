//! What `git council agents install` writes for a coding agent: the server of its tools, a skill, a command. Each piece knows
//! whether what is there is ours, so that nothing of the user's is overwritten or removed.

pub(crate) mod clients;
mod json_entry;
pub(crate) mod setup;
mod step;
mod toml_entry;

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub(crate) use clients::{CLIENTS, InstallScope, pieces_for};
pub(crate) use json_entry::JsonEntry;
use step::EDITED;
pub(crate) use step::Step;
pub(crate) use toml_entry::TomlEntry;

use crate::run::error::RunError;
use crate::run::own_link::follow_own_link;
use crate::safe_file::{self, FileWriter};

/// Stands before the digest at the end of a file of ours.
const MARK: &str = "Written by `git council agents install`; an edited file is left alone: ";

/// Something that is written for a coding agent.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) path: PathBuf,
    pub(crate) kind: PieceKind,
}

#[derive(Debug, Clone)]
pub(crate) enum PieceKind {
    /// A Markdown file that is ours as a whole; TOML, if its name says so.
    Page(String),
    /// A property in a JSON file of the user's, which may have comments.
    Entry(JsonEntry),
    /// A table at the end of a TOML file of the user's.
    Lines(TomlEntry),
}

impl Piece {
    /// What installing it does to a file of this text.
    pub(crate) fn install_step(&self, now: Option<&str>) -> Step {
        match &self.kind {
            PieceKind::Page(text) => match now {
                Some(now) if now == self.signed_page(text) => Step::Nothing,
                Some(now) if !self.is_own_page(now) => Step::leave(EDITED),
                _ => Step::Write(self.signed_page(text)),
            },
            PieceKind::Entry(entry) => entry.install_step(now),
            PieceKind::Lines(entry) => entry.install_step(now.unwrap_or_default()),
        }
    }

    /// What removing it does to a file of this text.
    pub(crate) fn remove_step(&self, now: Option<&str>) -> Step {
        let Some(now) = now else {
            return Step::Nothing;
        };
        match &self.kind {
            PieceKind::Page(_) if self.is_own_page(now) => Step::Delete,
            PieceKind::Page(_) => Step::leave(EDITED),
            PieceKind::Entry(entry) => entry.remove_step(now),
            PieceKind::Lines(entry) => entry.remove_step(now),
        }
    }

    /// What is put into a file of the user's; none: the file is ours as a whole.
    pub(crate) fn entry_text(&self) -> Option<String> {
        match &self.kind {
            PieceKind::Page(_) => None,
            PieceKind::Entry(entry) => Some(entry.as_text()),
            PieceKind::Lines(entry) => Some(entry.in_one_line()),
        }
    }

    /// What encloses a comment at the end of a page.
    fn comment_signs(&self) -> (&'static str, &'static str) {
        match self.path.extension().is_some_and(|end| end == "toml") {
            true => ("\n# ", "\n"),
            false => ("\n<!-- ", " -->\n"),
        }
    }

    /// A page with the digest by which an edit is noticed.
    fn signed_page(&self, text: &str) -> String {
        let (begin, end) = self.comment_signs();
        format!("{text}{begin}{MARK}{}{end}", digest(text))
    }

    fn is_own_page(&self, now: &str) -> bool {
        let (begin, end) = self.comment_signs();
        let Some((text, mark)) = now.rsplit_once(begin) else {
            return false;
        };
        mark == format!("{MARK}{}{end}", digest(text))
    }

    /// The file as it is; none: there is none.
    pub(crate) fn read(&self) -> Result<Option<String>, RunError> {
        match safe_file::read_text(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RunError::usage(format!(
                "cannot read {}: {error}",
                self.path.display()
            ))),
        }
    }

    /// What is done instead of removing a file behind a link of the user's: it is emptied, so that the link leads somewhere.
    pub(crate) fn spare_linked(&self, step: Step) -> Step {
        let is_link = || self.path.is_symlink();
        match (&self.kind, step) {
            (PieceKind::Entry(_), Step::Delete) if is_link() => Step::Write("{}\n".to_owned()),
            (PieceKind::Lines(_), Step::Delete) if is_link() => Step::Write(String::new()),
            (_, step) => step,
        }
    }

    /// Where the file lies. The user's own link, such as that of a manager of dotfiles, stays and leads where it leads.
    pub(crate) fn place(&self, scope: &InstallScope) -> Result<PathBuf, RunError> {
        match scope {
            InstallScope::User { .. } => follow_own_link(&self.path)
                .map_err(|error| RunError::output(&self.path.display().to_string(), &error)),
            InstallScope::Project(_) => Ok(self.path.clone()),
        }
    }

    /// Carries a step out.
    pub(crate) fn carry_out(&self, step: &Step, scope: &InstallScope) -> Result<(), RunError> {
        let path = &self.place(scope)?;
        let cannot = |error| RunError::output(&path.display().to_string(), &error);
        match step {
            Step::Write(text) => self.write_at(path, text, scope).map_err(cannot),
            Step::Delete => {
                fs::remove_file(path).map_err(cannot)?;
                remove_own_folder(path);
                Ok(())
            }
            Step::Nothing | Step::Leave(_) => Ok(()),
        }
    }

    fn write_at(&self, path: &Path, text: &str, scope: &InstallScope) -> io::Result<()> {
        // Before any folder is made.
        safe_file::check_place(path)?;
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        // The user's file may hold tokens: nobody may read it who could not before.
        let kept = fs::metadata(path).map(|there| there.permissions()).ok();
        // A new one the agent may write tokens into.
        let is_own = matches!(scope, InstallScope::User { .. }) && self.entry_text().is_some();
        let kept = kept.or_else(|| is_own.then(|| fs::Permissions::from_mode(0o600)));
        let file = FileWriter::new(path);
        let file = match kept {
            Some(kept) => file.with_permissions(kept),
            None => file,
        };
        file.write(text.as_bytes())
    }
}

/// A skill has a folder of its own, which goes with it.
fn remove_own_folder(file: &Path) {
    let folder = file.parent();
    if let Some(folder) = folder.filter(|folder| folder.ends_with("git-council")) {
        // One with something else in it stays.
        let _ = fs::remove_dir(folder);
    }
}

fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Piece {
        page_at("x.md", text)
    }

    fn page_at(path: &str, text: &str) -> Piece {
        Piece {
            path: path.into(),
            kind: PieceKind::Page(text.to_owned()),
        }
    }

    fn lines() -> Piece {
        Piece {
            path: "x".into(),
            kind: PieceKind::Lines(TomlEntry {
                text: "[mcp_servers.git-council]\ncommand = \"git-council\"\n".to_owned(),
            }),
        }
    }

    fn written(step: Step) -> String {
        match step {
            Step::Write(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_is_renewed_and_removed_unless_it_was_edited() {
        let first = written(page("one\n").install_step(None));
        assert_eq!(page("one\n").install_step(Some(&first)), Step::Nothing);
        let second = written(page("two\n").install_step(Some(&first)));
        assert_eq!(page("one\n").remove_step(Some(&second)), Step::Delete);
        for edited in [
            second.replace("two", "mine"),
            "mine".to_owned(),
            String::new(),
        ] {
            assert_eq!(
                page("two\n").install_step(Some(&edited)),
                Step::leave(EDITED)
            );
            assert_eq!(
                page("two\n").remove_step(Some(&edited)),
                Step::leave(EDITED)
            );
        }
    }

    #[test]
    fn a_page_in_toml_is_signed_in_toml() {
        let piece = page_at("x.toml", "prompt = \"one\"\n");
        let text = written(piece.install_step(None));
        let read: toml::Table = text.parse().unwrap();
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!(piece.install_step(Some(&text)), Step::Nothing);
        assert_eq!(piece.remove_step(Some(&text)), Step::Delete);
        let edited = text.replace("one", "mine");
        assert_eq!(piece.remove_step(Some(&edited)), Step::leave(EDITED));
    }

    #[test]
    fn a_file_that_only_its_user_may_read_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for mode in [0o600, 0o400, 0o640] {
            fs::write(&path, "a = 1\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let piece = Piece {
                path: path.clone(),
                ..lines()
            };
            let scope = InstallScope::Project(folder.path().into());
            let step = piece.install_step(piece.read().unwrap().as_deref());
            piece.carry_out(&step, &scope).unwrap();
            let now = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(now, mode, "{now:o}");
            fs::remove_file(&path).unwrap();
        }
    }

    /// Law: a link of the user's stays through installing and removing, wherever it leads, and what lies behind it is there
    /// afterwards; one that leads to no folder is an error.
    #[test]
    fn no_link_of_the_user_s_is_replaced() {
        for (leads_to, text) in [("there", Some("{}\n")), ("there", None), ("missing", None)] {
            let folder = tempfile::tempdir().unwrap();
            let (home, kept) = (folder.path().join("home"), folder.path().join("kept"));
            let environment = crate::run::environment::ProcessEnvironment::from_vars(&[]);
            let scope = InstallScope::User { home, environment };
            fs::create_dir_all(kept.join("there")).unwrap();
            for client in CLIENTS {
                for piece in pieces_for(client, &scope, "git-council").unwrap() {
                    let target = kept.join(leads_to).join(client);
                    let text = text.filter(|_| matches!(piece.kind, PieceKind::Entry(_)));
                    if let Some(text) = text {
                        fs::write(&target, text).unwrap();
                    }
                    fs::create_dir_all(piece.path.parent().unwrap()).unwrap();
                    std::os::unix::fs::symlink(&target, &piece.path).unwrap();
                    let install = piece.install_step(piece.read().unwrap().as_deref());
                    let done = piece.carry_out(&install, &scope);
                    assert_eq!(done.is_ok(), leads_to == "there", "{piece:?}: {done:?}");
                    if done.is_ok() {
                        assert!(target.symlink_metadata().unwrap().is_file());
                        let remove = piece.remove_step(piece.read().unwrap().as_deref());
                        piece
                            .carry_out(&piece.spare_linked(remove), &scope)
                            .unwrap();
                        let is_page = matches!(piece.kind, PieceKind::Page(_));
                        assert_eq!(target.exists(), !is_page, "{piece:?}");
                    }
                    assert!(piece.path.is_symlink(), "{piece:?}");
                    let _ = fs::remove_file(&target);
                    let _ = fs::remove_file(&piece.path);
                }
            }
        }
    }

    /// A law: what is made in the user's home for an agent's settings is the user's alone; skills and what a project shares
    /// are for everybody.
    #[test]
    fn settings_in_the_home_are_made_for_their_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (home, top) = (folder.path().join("home"), folder.path().join("top"));
        let environment = crate::run::environment::ProcessEnvironment::from_vars(&[]);
        let user = InstallScope::User { home, environment };
        for (scope, is_user) in [(user, true), (InstallScope::Project(top), false)] {
            for client in CLIENTS {
                for piece in pieces_for(client, &scope, "git-council").unwrap() {
                    let step = piece.install_step(None);
                    piece.carry_out(&step, &scope).unwrap();
                    let mode = fs::metadata(&piece.path).unwrap().permissions().mode();
                    let is_private = mode & 0o077 == 0;
                    let holds_settings = piece.entry_text().is_some();
                    assert_eq!(is_private, is_user && holds_settings, "{client}: {piece:?}");
                }
            }
        }
    }
}
