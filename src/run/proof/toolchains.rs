//! Where toolchains in the user's home lie: a test has another home, in which they would be looked for in vain.

use std::ffi::OsString;
use std::path::PathBuf;

/// Folders by their usual names, and the variable that says where each lies.
const FOLDERS: [(&str, &str); 5] = [
    (".cargo", "CARGO_HOME"),
    (".rustup", "RUSTUP_HOME"),
    (".nvm", "NVM_DIR"),
    (".rbenv", "RBENV_ROOT"),
    (".pyenv", "PYENV_ROOT"),
];

/// The variables of the folders that tests may read, where the user has set no other.
pub(super) fn toolchain_variables(
    read: &[PathBuf],
    env: &[(String, OsString)],
) -> Vec<(String, OsString)> {
    let variable = |folder: &PathBuf| {
        let name = folder.file_name()?;
        let (_, variable) = FOLDERS.iter().find(|(known, _)| name == *known)?;
        let is_set = env.iter().any(|(name, _)| name == variable);
        (!is_set).then(|| ((*variable).to_owned(), folder.clone().into()))
    };
    read.iter().filter_map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_that_may_be_read_is_found() {
        let read = [
            "/home/me/.cargo",
            "/home/me/.rustup",
            "/home/me/project/.venv",
        ];
        let read = read.map(PathBuf::from);
        let own = [("RUSTUP_HOME".to_owned(), "/opt/rustup".into())];
        let found = toolchain_variables(&read, &own);
        assert_eq!(found, [("CARGO_HOME".to_owned(), "/home/me/.cargo".into())]);
    }
}
