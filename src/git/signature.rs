//! Signatures of notes with the user's own git signing key, through the program that git is configured to use.

use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::git_cli::runner::{ProcessLimits, RunError};
use super::git_cli::user::UserGit;

/// What a signature is for: one of another purpose does not pass for it.
const NAMESPACE: &str = "git-council";

/// A signature and by which sort of key it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteSignature {
    /// `ssh` or `openpgp`, as in git's `gpg.format`.
    pub format: String,
    /// The armoured signature.
    pub value: String,
}

/// Why nothing could be signed or checked.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// `user.signingKey` is not set.
    #[error("git has no signing key: user.signingKey is not set")]
    NoKey,
    /// A format that is not known here.
    #[error("signatures of the format {0:?} cannot be made or checked")]
    Format(String),
    /// The program is not there.
    #[error("the program that makes {0} signatures is not on PATH")]
    NoProgram(&'static str),
    /// The program failed.
    #[error("the signing program failed: {0}")]
    Failed(String),
}

/// Signs a text with the user's key.
///
/// # Errors
///
/// No key, an unknown format, or the program's failure.
pub fn sign_text(git: &UserGit, text: &str) -> Result<NoteSignature, SignError> {
    let key = git
        .config_value("user.signingKey")
        .ok_or(SignError::NoKey)?;
    // It must not pass for an option.
    if key.is_empty() || key.starts_with('-') {
        return Err(SignError::NoKey);
    }
    let format = git
        .config_value("gpg.format")
        .unwrap_or_else(|| "openpgp".to_owned());
    let value = match format.as_str() {
        "ssh" => ssh_sign(git, &key, text)?,
        "openpgp" => {
            let mut gpg = Command::new(gpg_program(git)?);
            gpg.args(["--batch", "-bsau", &key]);
            run_program(git, gpg, text)?
        }
        _ => return Err(SignError::Format(format)),
    };
    Ok(NoteSignature {
        format,
        value: value.trim_end().to_owned(),
    })
}

/// The fingerprint of the key that signed a text: `SHA256:…` of an ssh key, hex digits of an OpenPGP key; none when the
/// signature is not one of this text. Whether that key is trusted is another question.
///
/// # Errors
///
/// An unknown format, or a program that is not there.
pub fn signing_key(
    git: &UserGit,
    text: &str,
    signature: &NoteSignature,
) -> Result<Option<String>, SignError> {
    let file = temporary_file(&signature.value)?;
    let path = file.path();
    match signature.format.as_str() {
        "ssh" => {
            let mut ssh = Command::new(ssh_program(git)?);
            ssh.args(["-Y", "check-novalidate", "-n", NAMESPACE, "-s"])
                .arg(path);
            let said = run_program(git, ssh, text).unwrap_or_default();
            Ok(ssh_fingerprint(&said).map(str::to_owned))
        }
        "openpgp" => {
            let mut gpg = Command::new(gpg_program(git)?);
            gpg.args(["--batch", "--status-fd=1", "--verify"])
                .arg(path)
                .arg("-");
            let said = run_program(git, gpg, text).unwrap_or_default();
            Ok(openpgp_key(&said).map(str::to_owned))
        }
        other => Err(SignError::Format(other.to_owned())),
    }
}

/// `Good "git-council" signature with ED25519 key SHA256:…`
fn ssh_fingerprint(said: &str) -> Option<&str> {
    let good = said
        .lines()
        .find(|line| line.starts_with("Good \"git-council\" signature"))?;
    good.split_whitespace()
        .find(|word| word.starts_with("SHA256:"))
}

/// The primary key of `[GNUPG:] VALIDSIG <key> … <primary key>`, which gpg also says of keys that are expired or revoked:
/// only exactly one signature, and a good one, counts.
fn openpgp_key(said: &str) -> Option<&str> {
    let status = said
        .lines()
        .filter_map(|line| line.strip_prefix("[GNUPG:] "));
    let (mut good, mut key, mut signatures) = (false, None, 0_usize);
    for line in status {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("NEWSIG") => signatures += 1,
            Some("GOODSIG") => good = true,
            Some("VALIDSIG") if key.is_none() => key = words.next_back(),
            Some("VALIDSIG" | "BADSIG" | "ERRSIG" | "EXPSIG" | "EXPKEYSIG" | "REVKEYSIG") => {
                return None;
            }
            _ => {}
        }
    }
    key.filter(|_| good && signatures <= 1)
}

fn ssh_program(git: &UserGit) -> Result<std::path::PathBuf, SignError> {
    git.configured_program(&["gpg.ssh.program"], "ssh-keygen")
        .ok_or(SignError::NoProgram("ssh"))
}

fn gpg_program(git: &UserGit) -> Result<std::path::PathBuf, SignError> {
    git.configured_program(&["gpg.openpgp.program", "gpg.program"], "gpg")
        .ok_or(SignError::NoProgram("OpenPGP"))
}

/// As git does it: a file's path, or the public key itself, which an agent then has the other half of.
fn ssh_sign(git: &UserGit, key: &str, text: &str) -> Result<String, SignError> {
    let literal = key
        .strip_prefix("key::")
        .or_else(|| key.starts_with("ssh-").then_some(key));
    let file = literal.map(temporary_file).transpose()?;
    let home = git.environment().get("HOME").map(std::path::PathBuf::from);
    let path = match (&file, key.strip_prefix("~/"), home) {
        (Some(file), ..) => file.path().to_owned(),
        (None, Some(rest), Some(home)) => home.join(rest),
        _ => key.into(),
    };
    let mut ssh = Command::new(ssh_program(git)?);
    ssh.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(path);
    if literal.is_some() {
        ssh.arg("-U");
    }
    run_program(git, ssh, text)
}

fn temporary_file(text: &str) -> Result<tempfile::NamedTempFile, SignError> {
    let failed = |error: std::io::Error| SignError::Failed(error.to_string());
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.write_all(b"\n"))
        .map_err(failed)?;
    Ok(file)
}

fn run_program(git: &UserGit, mut program: Command, text: &str) -> Result<String, SignError> {
    program
        .env_clear()
        .envs(git.environment().all())
        .env("LC_ALL", "C")
        .current_dir("/");
    let limits = ProcessLimits {
        command: "signing",
        deadline: Duration::from_secs(60),
        cap: 1 << 20,
    };
    match limits.run_process(program, text.as_bytes()) {
        Ok(said) => Ok(String::from_utf8_lossy(&said).into_owned()),
        Err(RunError::Failed { stderr, .. }) => Err(SignError::Failed(stderr)),
        Err(error) => Err(SignError::Failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    #[test]
    fn words_of_the_programs() {
        let good = "Good \"git-council\" signature with ED25519 key SHA256:abc+/=\n";
        assert_eq!(ssh_fingerprint(good), Some("SHA256:abc+/="));
        assert_eq!(
            ssh_fingerprint("Good \"git\" signature with ED25519 key SHA256:abc"),
            None
        );
        let valid_as = |word: &str| {
            let said = format!(
                "[GNUPG:] NEWSIG\n[GNUPG:] {word} AAAA A <a@x>\n[GNUPG:] VALIDSIG AAAA 2026-03-09 1 0 4 0 22 10 00 BBBB\n"
            );
            openpgp_key(&said).map(str::to_owned)
        };
        assert_eq!(valid_as("GOODSIG").as_deref(), Some("BBBB"));
        for word in [
            "BADSIG",
            "ERRSIG",
            "EXPSIG",
            "EXPKEYSIG",
            "REVKEYSIG",
            "NOTATION_NAME",
        ] {
            assert_eq!(valid_as(word), None, "{word}");
        }
        assert_eq!(openpgp_key("[GNUPG:] BADSIG AAAA x"), None);
        let one = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG AAAA A\n[GNUPG:] VALIDSIG AAAA 0 BBBB\n";
        assert_eq!(openpgp_key(&one.repeat(2)), None);
        assert_eq!(openpgp_key("GOODSIG A\nVALIDSIG A 0 B\n"), None);
    }

    /// What a key of gpg signs, told by gpg itself.
    #[test]
    fn an_openpgp_signature_names_its_primary_key_and_only_while_the_key_is_good() {
        let repo = Repo::new();
        // Short: gpg's agent has a socket there.
        let home = tempfile::Builder::new()
            .prefix("gpg")
            .tempdir_in("/tmp")
            .unwrap();
        let gpg = |args: &[&str], stdin: &str| {
            let mut gpg = Command::new("gpg");
            gpg.args([
                "--batch",
                "--quiet",
                "--pinentry-mode=loopback",
                "--passphrase=",
            ])
            .args(args);
            gpg.env("GNUPGHOME", home.path());
            let limits = ProcessLimits {
                command: "gpg",
                deadline: Duration::from_secs(60),
                cap: 1 << 20,
            };
            limits
                .run_process(gpg, stdin.as_bytes())
                .map(|said| String::from_utf8(said).unwrap())
        };
        if let Err(why) = gpg(
            &[
                "--quick-generate-key",
                "A <a@x>",
                "ed25519",
                "sign",
                "never",
            ],
            "",
        ) {
            eprintln!("skipped, because no key of gpg can be made here: {why}");
            return;
        }
        let keys = gpg(&["--list-keys", "--with-colons"], "").unwrap();
        let key = keys
            .lines()
            .find_map(|line| line.strip_prefix("fpr:::::::::"))
            .unwrap();
        let key = key.trim_end_matches(':').to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let env = Repo::env(&[
            ("PATH", &path),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GNUPGHOME", home.path().to_str().unwrap()),
        ]);
        let git = UserGit::new(repo.path(), &env).unwrap();
        repo.git(&["config", "user.signingKey", &key]);
        let signature = sign_text(&git, "text").unwrap();
        assert_eq!(signature.format, "openpgp");
        let signer_of = |text: &str| signing_key(&git, text, &signature).unwrap();
        assert_eq!(signer_of("text").as_deref(), Some(key.as_str()));
        assert_eq!(signer_of("other text"), None);
        // The repository cannot name the program.
        repo.git(&["config", "gpg.program", "/bin/false"]);
        assert_eq!(signer_of("text").as_deref(), Some(key.as_str()));
        // A key that its owner took back signs nothing any more, not even what it did.
        let revocation = home.path().join(format!("openpgp-revocs.d/{key}.rev"));
        let revocation = std::fs::read_to_string(revocation).unwrap();
        gpg(
            &["--import"],
            &revocation.replace(":-----BEGIN", "-----BEGIN"),
        )
        .unwrap();
        assert_eq!(signer_of("text"), None);
        let _ = Command::new("gpgconf")
            .args(["--kill", "all"])
            .env("GNUPGHOME", home.path())
            .status();
    }

    #[test]
    fn an_ssh_signature_names_its_key_and_only_over_its_text() {
        let repo = Repo::new();
        let key = repo.path().join("key");
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(&key)
            .status();
        // Without ssh there is nothing to be signed with.
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        repo.git(&["config", "gpg.format", "ssh"]);
        let path = std::env::var("PATH").unwrap_or_default();
        let env = Repo::env(&[
            ("PATH", &path),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]);
        let git = UserGit::new(repo.path(), &env).unwrap();
        assert!(matches!(sign_text(&git, "text"), Err(SignError::NoKey)));
        repo.git(&["config", "user.signingKey", key.to_str().unwrap()]);
        let signature = sign_text(&git, "text").unwrap();
        let signer_of =
            |text: &str, signature: &NoteSignature| signing_key(&git, text, signature).unwrap();
        let named = signer_of("text", &signature).unwrap();
        assert!(named.starts_with("SHA256:"), "{named}");
        assert_eq!(signer_of("other text", &signature), None);
        let forged = NoteSignature {
            value: signature.value.replace("AAAA", "AAAB"),
            ..signature
        };
        assert_eq!(signer_of("text", &forged), None);
        // The repository cannot name the program.
        repo.git(&["config", "gpg.ssh.program", "/bin/false"]);
        assert!(sign_text(&git, "text").is_ok());
    }
}
