//! What a process of an agent may see of our environment: an allowlist, in which no token of a forge is.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Names that every agent may see: where programs are, how to speak, where to write scratch files, how to reach out.
const ALLOWED_NAMES: [&str; 18] = [
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "TMPDIR",
    "TEMP",
    "TMP",
    "USER",
    "LOGNAME",
    "SHELL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
];

/// Names that no agent may see, whatever the configuration says: no token of a forge comes near a judge.
const FORBIDDEN_NAMES: [&str; 9] = [
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_PAT",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_RESULTS_URL",
];

/// What keeps a launcher from asking the manifest of the folder in which it is started (`package.json`), which is the
/// change's: Corepack and Yarn would run another version, or the file that it names.
const LAUNCH_SETTINGS: [(&str, &str); 3] = [
    ("COREPACK_ENABLE_PROJECT_SPEC", "0"),
    ("COREPACK_ENV_FILE", "0"),
    ("YARN_IGNORE_PATH", "1"),
];

/// Adds them, but for those that the user has set for this agent.
pub(crate) fn add_launch_settings(env: &mut Vec<(String, OsString)>) {
    for (name, value) in LAUNCH_SETTINGS {
        if !env.iter().any(|(known, _)| known == name) {
            env.push((name.to_owned(), value.into()));
        }
    }
}

/// The variables of `all` that an agent may see, `extra` being what trusted configuration allows it by name.
pub fn filter_environment(
    all: impl IntoIterator<Item = (OsString, OsString)>,
    extra: &[String],
) -> BTreeMap<String, OsString> {
    let named = all
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    named
        .filter(|(name, _)| !is_forbidden(name) && is_allowed(name, extra))
        .collect()
}

/// Whether `name` may never reach a judge.
pub fn is_forbidden(name: &str) -> bool {
    FORBIDDEN_NAMES
        .iter()
        .any(|never| never.eq_ignore_ascii_case(name))
}

pub(crate) fn is_allowed(name: &str, extra: &[String]) -> bool {
    let common = ALLOWED_NAMES
        .iter()
        .any(|common| common.eq_ignore_ascii_case(name));
    common || name.starts_with("LC_") || extra.iter().any(|e| e == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_manifest_chooses_a_version_unless_the_user_says_so() {
        let name = LAUNCH_SETTINGS[0].0;
        let mut env = vec![(name.to_owned(), OsString::from("1"))];
        add_launch_settings(&mut env);
        assert_eq!(env.len(), LAUNCH_SETTINGS.len());
        assert_eq!(env[0].1, "1");
        assert!(env[1..].iter().all(|(known, _)| known != name));
    }

    #[test]
    fn t9_only_listed_names_pass_and_never_a_token_of_a_forge() {
        let all = [
            "PATH",
            "LC_ALL",
            "https_proxy",
            "MY_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "HOME",
        ];
        let all = all.map(|name| (OsString::from(name), OsString::from("x")));
        let extra = ["MY_KEY".to_owned(), "GITHUB_TOKEN".to_owned()];
        let names: Vec<_> = filter_environment(all, &extra).into_keys().collect();
        assert_eq!(names, ["LC_ALL", "MY_KEY", "PATH", "https_proxy"]);
    }
}
