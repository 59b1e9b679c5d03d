//! The variables of the process, as the command line read them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::config::{ConfigLayer, ENVIRONMENT, KeyValue, LayerSource};

use crate::run::error::RunError;

/// Variables that CI services set in their jobs: the one that most set, and those of services, of which some set no other.
const CI_VARIABLES: &[&str] = &[
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "JENKINS_URL",
    "HUDSON_URL",
    "TEAMCITY_VERSION",
    "CODEBUILD_BUILD_ID",
    "BUILDKITE",
    "CIRCLECI",
    "TRAVIS",
    "APPVEYOR",
    "DRONE",
    "CIRRUS_CI",
    "SEMAPHORE",
    "BITBUCKET_BUILD_NUMBER",
    "bamboo_buildKey",
    "WOODPECKER_CI",
    "CI_NAME",
    "BUDDY",
    "GO_PIPELINE_NAME",
    "GO_PIPELINE_LABEL",
    "HARNESS_BUILD_ID",
    "HEROKU_TEST_RUN_ID",
    "PROW_JOB_ID",
    "TASKCLUSTER_ROOT_URL",
    "NETLIFY",
    "VERCEL",
    "NOW_BUILDER",
    "BITRISE_IO",
    "BUILDER_OUTPUT",
    "KOKORO_BUILD_ID",
    "KOKORO_JOB_NAME",
    "VELA",
    "VELA_BUILD_NUMBER",
    "SCREWDRIVER",
    "SD_BUILD_ID",
    "GITEA_ACTIONS",
    "FORGEJO_ACTIONS",
    "CF_BUILD_ID",
    "CM_BUILD_ID",
    "APPCENTER_BUILD_ID",
    "AC_APPCIRCLE",
    "EAS_BUILD",
    "EARTHLY_CI",
    "RENDER",
    "SHIPPABLE",
    "WERCKER",
    "BUILD_PIPELINE_NAME",
    "ZUUL_UUID",
    "ZUUL_PIPELINE",
    "ZUUL_PROJECT",
    "SEMAPHORE_WORKFLOW_ID",
    "BITBUCKET_PIPELINE_UUID",
    "BITRISE_BUILD_SLUG",
    "BUDDY_WORKSPACE_ID",
    "CI_XCODE_PROJECT",
    "CF_PAGES",
    "WORKERS_CI",
    "AGOLA_GIT_REF",
    "MAGNUM",
    "NEVERCODE",
    "SAILCI",
];

/// Variables of which one alone may be anybody's, and two together are a CI service's.
const CI_PAIRS: &[[&str; 2]] = &[
    // Jenkins without an address of its own.
    ["BUILD_NUMBER", "BUILD_ID"],
    ["BUILD_ID", "BUILD_URL"],
    // Concourse hands these to what fetches and stores, and pipelines hand them on.
    ["BUILD_JOB_NAME", "ATC_EXTERNAL_URL"],
    // Tekton sets nothing by itself: what its tasks customarily pass on.
    ["TASKRUN_NAME", "PIPELINERUN_NAME"],
    // Google Cloud Build, as its steps are customarily told.
    ["BUILD_ID", "PROJECT_ID"],
    ["BUILD_NUMBER", "JENKINS_HOME"],
    ["BUILD_NUMBER", "JENKINS_NODE_COOKIE"],
    ["TASK_ID", "RUN_ID"],
];

/// Variables that coding agents set for the commands that they run, and whose they are.
const AGENT_VARIABLES: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_SANDBOX", "Codex"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("CURSOR_AGENT", "Cursor"),
    ("COPILOT_CLI", "GitHub Copilot"),
    ("OPENCODE", "opencode"),
];

/// The variables of the process.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProcessEnvironment {
    vars: Vec<(OsString, OsString)>,
    /// Stands in the place of the user's own configuration file.
    user_file: Option<PathBuf>,
}

impl ProcessEnvironment {
    pub(crate) fn new(vars: Vec<(OsString, OsString)>) -> Self {
        Self {
            vars,
            user_file: None,
        }
    }

    #[cfg(test)]
    pub(crate) fn from_vars(vars: &[(&str, &str)]) -> Self {
        Self {
            vars: vars.iter().map(|(n, v)| (n.into(), v.into())).collect(),
            user_file: None,
        }
    }

    /// The value of a variable; an empty one counts as unset.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.vars.iter().find(|(n, _)| n == name);
        found
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    }

    /// The same without some variables.
    pub(crate) fn without_vars(&self, dropped: impl Fn(&OsStr) -> bool) -> Self {
        let kept = self.vars.iter().filter(|(name, _)| !dropped(name));
        Self {
            vars: kept.cloned().collect(),
            user_file: self.user_file.clone(),
        }
    }

    /// All variables, for rooms that pick what they may see.
    pub(crate) fn vars(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.vars.iter().cloned()
    }

    /// Whether this is a job of a CI service, which reviews strangers' changes.
    pub(crate) fn is_ci(&self) -> bool {
        let is_set = |name: &&str| {
            let value = self.get(name);
            value.is_some_and(|value| value != "false" && value != "0")
        };
        let is_pair = |pair: &[&str; 2]| pair.iter().all(|name| self.get(name).is_some());
        CI_VARIABLES.iter().any(is_set) || CI_PAIRS.iter().any(is_pair)
    }

    /// The coding agent in whose shell this runs, as far as its variables say. An agent that hides them is not found out.
    pub(crate) fn calling_agent(&self) -> Option<String> {
        let named = AGENT_VARIABLES
            .iter()
            .find(|(variable, _)| self.get(variable).is_some());
        named.map(|(_, agent)| (*agent).to_owned())
    }

    /// The layer of the `COUNCIL_…` variables.
    pub(crate) fn config_layer(&self) -> Result<ConfigLayer, RunError> {
        let mut pairs = Vec::new();
        for (variable, key) in ENVIRONMENT {
            let Some(value) = self.get(variable) else {
                continue;
            };
            let value = value
                .to_str()
                .ok_or_else(|| RunError::usage(format!("{variable} is not UTF-8")))?;
            pairs.push(KeyValue::new(*key, value, *variable));
        }
        Ok(ConfigLayer::Pairs {
            source: LayerSource::Environment,
            pairs,
        })
    }

    /// The same with another file in the place of the user's configuration.
    pub(crate) fn with_user_file(&self, file: &Path) -> Self {
        Self {
            user_file: Some(file.to_path_buf()),
            ..self.clone()
        }
    }

    /// The user's configuration file: `$XDG_CONFIG_HOME/git-council/config.toml`, else below `~/.config`.
    pub(crate) fn user_file(&self) -> Option<PathBuf> {
        if let Some(file) = &self.user_file {
            return Some(file.clone());
        }
        let base = self.base_dir("XDG_CONFIG_HOME", ".config")?;
        Some(base.join("git-council").join("config.toml"))
    }

    /// Where the program keeps what is the user's and no repository's: `$XDG_STATE_HOME/git-council`, else below
    /// `~/.local/state`.
    pub(crate) fn state_dir(&self) -> Option<PathBuf> {
        let base = self.base_dir("XDG_STATE_HOME", ".local/state")?;
        Some(base.join("git-council"))
    }

    /// Where folders of judges are made that nobody else may have prepared: below `$XDG_CACHE_HOME`, else `~/.cache`. None:
    /// nobody has told, or it lies in the repository of this folder, whose files would lie above theirs.
    pub(crate) fn rooms_dir(&self, dir: &Path) -> Option<PathBuf> {
        let base = self.base_dir("XDG_CACHE_HOME", ".cache")?;
        let place = base.join("git-council").join("rooms");
        let repository = dir.ancestors().find(|above| above.join(".git").exists());
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_inside = repository.is_some_and(|top| real(&base).starts_with(real(top)));
        (!is_inside).then_some(place)
    }

    /// The user's own folder.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.get("HOME")
            .map(Path::new)
            .filter(|home| home.is_absolute())
    }

    /// A directory of the base directory specification.
    fn base_dir(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.get(variable).map(Path::new);
        match named.filter(|path| path.is_absolute()) {
            Some(path) => Some(path.to_path_buf()),
            // A relative one would make a checkout's files the user's.
            None => Some(self.home()?.join(below_home)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_s_file_follows_the_base_directory_specification() {
        let file = |vars: &[(&str, &str)]| ProcessEnvironment::from_vars(vars).user_file();
        let below = |base: &str| Some(Path::new(base).join("git-council/config.toml"));
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]),
            below("/x")
        );
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/h")]),
            below("/h/.config")
        );
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")]),
            below("/h/.config")
        );
        assert_eq!(file(&[]), None);
        assert_eq!(file(&[("HOME", ".")]), None);
        let state = ProcessEnvironment::from_vars(&[("HOME", "/h")]).state_dir();
        assert_eq!(state, Some("/h/.local/state/git-council".into()));
    }

    #[test]
    fn an_empty_variable_is_unset() {
        let layer =
            ProcessEnvironment::from_vars(&[("COUNCIL_TIMEOUT", ""), ("COUNCIL_JUDGE_COUNT", "3")])
                .config_layer()
                .unwrap();
        let ConfigLayer::Pairs { pairs, .. } = layer else {
            panic!()
        };
        assert_eq!(
            pairs,
            [KeyValue::new("review.judges", "3", "COUNCIL_JUDGE_COUNT")]
        );
    }

    #[test]
    fn an_agent_is_known_by_its_variables() {
        let agent = |vars: &[(&str, &str)]| ProcessEnvironment::from_vars(vars).calling_agent();
        assert_eq!(
            agent(&[("CLAUDECODE", "1")]).as_deref(),
            Some("Claude Code")
        );
        assert_eq!(agent(&[("CLAUDECODE", ""), ("HOME", "/h")]), None);
        for (variable, name) in AGENT_VARIABLES {
            assert_eq!(agent(&[(variable, "1")]).as_deref(), Some(*name));
        }
    }

    #[test]
    fn ci_is_what_services_set() {
        assert!(
            ProcessEnvironment::from_vars(&[("CI", "true")]).is_ci()
                && ProcessEnvironment::from_vars(&[("CI", "1")]).is_ci()
        );
        assert!(
            !ProcessEnvironment::from_vars(&[("CI", "false")]).is_ci()
                && !ProcessEnvironment::from_vars(&[("CI", "")]).is_ci()
        );
        // Azure Pipelines, Jenkins, TeamCity and CodeBuild set no `CI`.
        for name in CI_VARIABLES {
            assert!(
                ProcessEnvironment::from_vars(&[(name, "x"), ("CI", "false")]).is_ci()
                    || *name == "CI",
                "{name}"
            );
        }
        for [one, other] in CI_PAIRS {
            let is_ci = |vars: &[(&str, &str)]| ProcessEnvironment::from_vars(vars).is_ci();
            assert!(is_ci(&[(one, "0"), (other, "0")]), "{one} {other}");
            assert!(
                !is_ci(&[(one, "7")]) && !is_ci(&[(other, "7")]),
                "{one} {other}"
            );
        }
        // A person works in a container of a cluster, too.
        for name in ["HOME", "KUBERNETES_SERVICE_HOST"] {
            assert!(!ProcessEnvironment::from_vars(&[(name, "x")]).is_ci());
        }
    }
}
