//! What binds a file of the git directory to this user: a key that lies outside of every repository.
//!
//! A `.git` may come in an archive, from a shared disk or out of a backup, with anything in it. Verdicts, dismissals and
//! command lines that lie there are this user's word only where they bear this seal; everything else is hearsay.

use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::safe_file::{self, FileWriter};

/// The key's name in the user's state folder.
const FILE: &str = "seal.key";

/// Bytes of a key.
const LENGTH: usize = 32;

/// Hexadecimal digits of a seal.
pub(super) const DIGITS: usize = 64;

/// Seals texts with the user's key.
#[derive(Clone)]
pub(crate) struct MacKey([u8; LENGTH]);

/// What a text is sealed as: one of another purpose does not pass for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacPurpose {
    /// A verdict of the cache.
    Verdict,
    /// A line of the journal of dismissals.
    Dismissal,
    /// The command line of a run.
    Request,
    /// The report of a run.
    Report,
    /// A line of a run's journal.
    Journal,
    /// The steps of a run's unanswered turns.
    Steps,
    /// A line of a note, and the commit that it is on.
    Note,
}

impl MacPurpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Dismissal => "dismissal",
            Self::Request => "request",
            Self::Report => "report",
            Self::Journal => "journal",
            Self::Steps => "steps",
            Self::Note => "note",
        }
    }
}

impl MacKey {
    #[cfg(test)]
    pub(crate) fn new(key: [u8; LENGTH]) -> Self {
        Self(key)
    }

    /// With the key in `state`, the user's own folder; the first time one is drawn and kept there.
    ///
    /// # Errors
    ///
    /// When it cannot be read or kept, is no key, or others than the user may read it.
    pub(crate) fn load_or_create(state: &Path) -> io::Result<Self> {
        let path = state.join(FILE);
        match read_key(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_key(state, &path)?;
                read_key(&path)
            }
            read => read,
        }
    }

    /// The seal of a text: HMAC-SHA256 over its purpose and its bytes, as hexadecimal digits.
    pub(crate) fn mac_hex(&self, purpose: MacPurpose, text: &[u8]) -> String {
        hex::encode(self.begin_mac(purpose, text).finalize().into_bytes())
    }

    /// Whether this user sealed the text; takes as long for a wrong seal as for a right one.
    pub(crate) fn verify_mac(&self, purpose: MacPurpose, text: &[u8], seal: &str) -> bool {
        let mac = hex::decode(seal);
        mac.is_ok_and(|mac| self.begin_mac(purpose, text).verify_slice(&mac).is_ok())
    }

    fn begin_mac(&self, purpose: MacPurpose, text: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length");
        mac.update(purpose.as_str().as_bytes());
        mac.update(b"\0");
        mac.update(text);
        mac
    }
}

fn read_key(path: &Path) -> io::Result<MacKey> {
    let wrong = |why: &str| {
        let text = format!("{}: {why}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut file = safe_file::open_to_read(path)?;
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        return Err(wrong(
            "others may read the key: if nobody has, chmod 600 it, else remove it to draw another",
        ));
    }
    let mut key = Vec::with_capacity(LENGTH + 1);
    (&mut file).take(LENGTH as u64 + 1).read_to_end(&mut key)?;
    key.try_into()
        .map(MacKey)
        .map_err(|_| wrong("it is no key; remove it to draw another"))
}

/// Draws a key; of two processes that do so at once, one's is kept.
fn create_key(state: &Path, path: &Path) -> io::Result<()> {
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
    safe_file::make_folder_for_owner(state)?;
    let writer = FileWriter::new(path).for_owner().synced();
    match writer.write_new(&key) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn it_is_the_hmac_of_purpose_and_text() {
        // python3 -c 'import hmac; print(hmac.new(bytes(32), b"verdict\0text", "sha256").hexdigest())'
        let seal = MacKey([0; LENGTH]).mac_hex(MacPurpose::Verdict, b"text");
        assert_eq!(
            seal,
            "9b96fdee7473c76c2d5ec3f40990a15e437c1608ab222792e8029eb2c083ca2e"
        );
    }

    #[test]
    fn a_seal_is_of_one_key_one_text_and_one_purpose() {
        let (one, two) = (MacKey([1; LENGTH]), MacKey([2; LENGTH]));
        let seal = one.mac_hex(MacPurpose::Verdict, b"text");
        assert_eq!(seal.len(), DIGITS);
        assert!(one.verify_mac(MacPurpose::Verdict, b"text", &seal));
        assert!(!one.verify_mac(MacPurpose::Dismissal, b"text", &seal));
        assert!(!one.verify_mac(MacPurpose::Verdict, b"other", &seal));
        assert!(!two.verify_mac(MacPurpose::Verdict, b"text", &seal));
        assert!(!one.verify_mac(MacPurpose::Verdict, b"text", ""));
    }

    #[test]
    fn the_key_is_drawn_once_and_is_the_user_s_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state/git-council");
        let keys: Vec<[u8; LENGTH]> = std::thread::scope(|scope| {
            let draw = || MacKey::load_or_create(&state).unwrap().0;
            let all: Vec<_> = (0..8).map(|_| scope.spawn(draw)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(
            keys.iter()
                .all(|key| *key == keys[0] && *key != [0; LENGTH])
        );
        let file = state.join(FILE);
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(MacKey::load_or_create(&state).is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short").unwrap();
        assert!(MacKey::load_or_create(&state).is_err());
    }
}
