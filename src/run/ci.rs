//! What a job of a CI service is about, as the service's variables say it: the change that somebody proposes, or what a push
//! brought.

use std::ffi::OsStr;

use council_protocol::packet::Target;

use crate::run::environment::ProcessEnvironment;
use crate::run::error::RunError;
use crate::text::{Untrusted, page_address};

/// The shortest abbreviation of a commit that is taken for one.
const MIN_COMMIT_DIGITS: usize = 7;

/// The change, as `A...B` (since B left A) or `A..B`; `is_here` tells whether the clone has a commit: the tip before a forced
/// push is in none.
pub(crate) fn ci_target(
    environment: &ProcessEnvironment,
    is_here: &dyn Fn(&str) -> bool,
) -> Result<String, RunError> {
    let job = CiJob {
        environment,
        is_here,
    };
    job.refuse_fork()?;
    let target = job
        .gitlab()
        .or_else(|| job.bitbucket())
        .or_else(|| job.azure())
        .or_else(|| job.jenkins())
        .or_else(|| job.actions());
    target.ok_or_else(|| {
        let refused = if environment.is_ci() {
            "the variables of this job do not say which change it is about"
        } else {
            "--ci is for jobs of a CI service, and this is none"
        };
        RunError::usage(refused)
            .hint("name it: git council review origin/main...HEAD")
            .hint(format!(
                "GitLab, Gitea, Forgejo, Bitbucket, Jenkins, Azure and GitHub are known: {}",
                page_address("docs/forges.md")
            ))
    })
}

/// A job reviews something or fails: a range without a commit would pass whatever it is asked about.
pub(crate) fn check_range(target: &Target) -> Result<(), RunError> {
    if target.base.is_none() || target.base != target.head {
        return Ok(());
    }
    let message = format!("this job is about no commit: {} is empty", target.label);
    Err(RunError::usage(message)
        .hint("run it for merge requests and pushes, not for schedules")
        .hint("or name the change: git council review A...B"))
}

struct CiJob<'a> {
    environment: &'a ProcessEnvironment,
    is_here: &'a dyn Fn(&str) -> bool,
}

impl CiJob<'_> {
    fn has(&self, name: &str) -> Option<()> {
        self.environment.get(name).map(|_| ())
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.environment.get(name).and_then(OsStr::to_str);
        text.map(str::to_owned)
    }

    /// A commit; forges write zeros where there was none before.
    fn commit(&self, name: &str) -> Option<String> {
        let id = self.text(name)?;
        let is_id = id.len() >= MIN_COMMIT_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
        (is_id && id.bytes().any(|b| b != b'0')).then_some(id)
    }

    /// A branch as the clone of a job knows it; in full, since a tag may be called `origin/main`, too.
    fn branch(&self, name: &str) -> Option<String> {
        let branch = self.text(name)?;
        let short = branch.strip_prefix("refs/heads/").unwrap_or(&branch);
        Some(format!("refs/remotes/origin/{short}"))
    }

    /// The first of the commits that is told, else what is checked out.
    fn head(&self, names: &[&str]) -> String {
        let told = names.iter().find_map(|name| self.commit(name));
        told.unwrap_or_else(|| "HEAD".to_owned())
    }

    /// A pipeline of GitLab's may run in the fork: `origin` is the fork there, whose branches are not those that the request
    /// goes to, and what they have already would be in no review.
    fn refuse_fork(&self) -> Result<(), RunError> {
        let target = self.text("CI_MERGE_REQUEST_PROJECT_PATH");
        let Some(target) = target.filter(|_| self.has("GITLAB_CI").is_some()) else {
            return Ok(());
        };
        let own = self.text("CI_PROJECT_PATH");
        if own
            .as_ref()
            .is_none_or(|own| own.eq_ignore_ascii_case(&target))
        {
            return Ok(());
        }
        let url = self.text("CI_MERGE_REQUEST_PROJECT_URL");
        let branch = self.text("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
        let (url, branch) = (url.as_deref(), branch.as_deref());
        let [target, url, branch] = [&*target, url.unwrap_or("URL"), branch.unwrap_or("BRANCH")]
            .map(|text| Untrusted::new(text).line());
        let message = format!(
            "this pipeline runs in a fork, and the request goes to {target}: the branches of `origin` are not those that \
             it changes"
        );
        Err(RunError::usage(message)
            .hint(format!("fetch the branch that it goes to: git fetch {url} {branch}; then: git council review FETCH_HEAD...HEAD"))
            .hint("or let the pipelines of the project itself review merge requests of forks"))
    }

    fn gitlab(&self) -> Option<String> {
        self.has("GITLAB_CI")?;
        // In a pipeline for merged results CI_COMMIT_SHA is a merge that nobody has made.
        let head = self.head(&["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"]);
        // Not CI_MERGE_REQUEST_DIFF_BASE_SHA: whoever opens the request chooses where the branch begins, and an old commit
        // would bring the rules of its time.
        let merge = self.branch("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
        // What an earlier push brought to a branch is in its last review, too: that one decides about the branch.
        let pushed = self.text("CI_COMMIT_BRANCH");
        let is_default = pushed == self.text("CI_DEFAULT_BRANCH");
        let is_topic = pushed.is_some() && !is_default;
        let before = || {
            let before = self.commit("CI_COMMIT_BEFORE_SHA");
            // Beside itself the default branch is no change: where the clone is too shallow, that is said.
            let before = before.filter(|before| is_default || (self.is_here)(before));
            before.map(|before| format!("{before}..{head}"))
        };
        let branch = || {
            self.branch("CI_DEFAULT_BRANCH")
                .map(|base| format!("{base}...{head}"))
        };
        merge
            .map(|base| format!("{base}...{head}"))
            .or_else(|| branch().filter(|_| is_topic))
            .or_else(before)
            .or_else(branch)
    }

    fn bitbucket(&self) -> Option<String> {
        self.has("BITBUCKET_BUILD_NUMBER")?;
        let head = self.head(&["BITBUCKET_COMMIT"]);
        let base = self.branch("BITBUCKET_PR_DESTINATION_BRANCH");
        base.map(|base| format!("{base}...{head}"))
    }

    fn azure(&self) -> Option<String> {
        self.has("TF_BUILD")?;
        // BUILD_SOURCEVERSION is the merge that Azure has made for the job.
        let head = self.head(&["SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"]);
        let base = self.branch("SYSTEM_PULLREQUEST_TARGETBRANCH");
        base.map(|base| format!("{base}...{head}"))
    }

    fn jenkins(&self) -> Option<String> {
        self.has("JENKINS_URL").or_else(|| self.has("HUDSON_URL"))?;
        let head = self.head(&["GIT_COMMIT"]);
        let base = self
            .branch("CHANGE_TARGET")
            .map(|base| format!("{base}...{head}"));
        // Not GIT_PREVIOUS_COMMIT: what a failed build was about would be in no review.
        let before = self.commit("GIT_PREVIOUS_SUCCESSFUL_COMMIT");
        base.or_else(|| before.map(|before| format!("{before}..{head}")))
    }

    /// GitHub, Gitea and Forgejo. GITHUB_SHA of a pull request may be a merge that nobody has made; what is checked out is reviewed.
    fn actions(&self) -> Option<String> {
        let named = ["GITHUB_ACTIONS", "GITEA_ACTIONS", "FORGEJO_ACTIONS"];
        named.iter().find_map(|name| self.has(name))?;
        let base = self.branch("GITHUB_BASE_REF");
        base.map(|base| format!("{base}...HEAD"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "1111111111111111111111111111111111111111";
    const NEW: &str = "2222222222222222222222222222222222222222";
    const GONE: &str = "3333333333333333333333333333333333333333";
    const NONE: &str = "0000000000000000000000000000000000000000";

    fn target(vars: &[(&str, &str)]) -> Result<String, String> {
        let is_here = |commit: &str| commit != GONE;
        ci_target(&ProcessEnvironment::from_vars(vars), &is_here).map_err(|error| error.message)
    }

    #[test]
    fn each_service_s_variables_name_the_change() {
        let (since, from) = (
            format!("refs/remotes/origin/main...{NEW}"),
            format!("{OLD}..{NEW}"),
        );
        for (vars, wanted) in [
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_MERGE_REQUEST_DIFF_BASE_SHA", OLD),
                    ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
                    ("CI_COMMIT_SHA", NEW),
                ][..],
                &since,
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BEFORE_SHA", GONE),
                    ("CI_DEFAULT_BRANCH", "main"),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &since,
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BRANCH", "main"),
                    ("CI_DEFAULT_BRANCH", "main"),
                    ("CI_COMMIT_BEFORE_SHA", GONE),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &format!("{GONE}..{NEW}"),
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BEFORE_SHA", OLD),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &from,
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BEFORE_SHA", OLD),
                    ("CI_COMMIT_BRANCH", "topic"),
                    ("CI_DEFAULT_BRANCH", "main"),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &since,
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BEFORE_SHA", OLD),
                    ("CI_COMMIT_BRANCH", "main"),
                    ("CI_DEFAULT_BRANCH", "main"),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &from,
            ),
            (
                &[
                    ("GITLAB_CI", "true"),
                    ("CI_COMMIT_BEFORE_SHA", NONE),
                    ("CI_DEFAULT_BRANCH", "main"),
                    ("CI_COMMIT_SHA", NEW),
                ],
                &since,
            ),
            (
                &[
                    ("BITBUCKET_BUILD_NUMBER", "7"),
                    ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
                    ("BITBUCKET_COMMIT", NEW),
                ],
                &since,
            ),
            (
                &[
                    ("TF_BUILD", "True"),
                    ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"),
                    ("SYSTEM_PULLREQUEST_SOURCECOMMITID", NEW),
                    ("BUILD_SOURCEVERSION", OLD),
                ],
                &since,
            ),
            (
                &[
                    ("JENKINS_URL", "https://j"),
                    ("CHANGE_TARGET", "main"),
                    ("GIT_COMMIT", NEW),
                ],
                &since,
            ),
            (
                &[
                    ("JENKINS_URL", "https://j"),
                    ("GIT_PREVIOUS_SUCCESSFUL_COMMIT", OLD),
                    ("GIT_COMMIT", NEW),
                ],
                &from,
            ),
            (
                &[
                    ("GITEA_ACTIONS", "true"),
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_BASE_REF", "main"),
                ],
                &"refs/remotes/origin/main...HEAD".to_owned(),
            ),
        ] {
            assert_eq!(target(vars).as_ref(), Ok(wanted), "{vars:?}");
        }
    }

    /// In a pipeline of the fork `origin` is the fork.
    #[test]
    fn a_pipeline_in_a_fork_is_compared_with_none_of_the_fork_s_branches() {
        let job = |own: &'static str| {
            vec![
                ("GITLAB_CI", "true"),
                ("CI_PROJECT_PATH", own),
                ("CI_MERGE_REQUEST_PROJECT_PATH", "up/project"),
                (
                    "CI_MERGE_REQUEST_PROJECT_URL",
                    "https://gitlab.example/up/project",
                ),
                ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
                ("CI_COMMIT_SHA", NEW),
            ]
        };
        assert!(target(&job("up/project")).is_ok());
        let refused = target(&job("fork/project")).unwrap_err();
        assert!(
            refused.contains("the request goes to up/project"),
            "{refused}"
        );
    }

    #[test]
    fn what_is_no_commit_and_what_is_no_job_is_refused() {
        let odd = [
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_BEFORE_SHA", "--output=x"),
            ("CI_COMMIT_SHA", NEW),
        ];
        assert!(
            target(&odd)
                .unwrap_err()
                .contains("do not say which change")
        );
        // What a failed build was about has to be in the next one's review.
        let failed = [
            ("JENKINS_URL", "https://j"),
            ("GIT_PREVIOUS_COMMIT", OLD),
            ("GIT_COMMIT", NEW),
        ];
        assert!(target(&failed).is_err());
        assert!(
            target(&[("HOME", "/h")])
                .unwrap_err()
                .contains("this is none")
        );
    }
}
