//! The check that is in progress while the council sits.

use jiff::Timestamp;

use crate::publish::look;
use crate::publish::{
    self, ApiCall, ExistingCheck, ForgeState, GitHubApi, PublishOptions, Surface,
};
use crate::report::CheckConclusion;

/// A check in progress. It never stays so: whoever drops it without a report ends it.
pub(crate) struct OpenCheck<'a> {
    hub: &'a GitHubApi<'a>,
    council: String,
    id: Option<u64>,
}

impl<'a> OpenCheck<'a> {
    pub(crate) fn begin_check(
        hub: &'a GitHubApi<'a>,
        seen: &mut ForgeState,
        wishes: &PublishOptions,
        denied: bool,
    ) -> Self {
        let council = wishes.council.clone();
        let mut open = Self {
            hub,
            council,
            id: None,
        };
        if denied || !wishes.surfaces.contains(&Surface::Check) {
            return open;
        }
        if let Some(check) = seen.check.as_ref().filter(|check| !check.completed) {
            // A run that broke off left it.
            open.id = Some(check.id);
            return open;
        }
        let body = publish::begin_check(
            wishes,
            &Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        );
        let find = || {
            Ok(
                look::fetch_check(hub, &wishes.head, &wishes.check_name, &wishes.council)?
                    .filter(|check| !check.completed)
                    .map(|check| serde_json::json!({ "id": check.id })),
            )
        };
        // What is denied now is told when the report is published.
        let made = hub.create_once(
            &ApiCall::post(hub.repo_path("check-runs"), body),
            "create the check",
            find,
        );
        let id = made.ok().and_then(|made| made.get("id")?.as_u64());
        if let Some(id) = id {
            seen.check = Some(ExistingCheck {
                id,
                external_id: String::new(),
                completed: false,
                url: String::new(),
            });
            open.id = Some(id);
        }
        open
    }

    /// The report has told it how it ends.
    pub(crate) fn mark_reported(mut self) {
        self.id = None;
    }

    pub(crate) fn end_with(mut self, conclusion: CheckConclusion, title: &str, why: &str) {
        self.close_check(conclusion, title, why);
    }

    fn close_check(&mut self, conclusion: CheckConclusion, title: &str, why: &str) {
        if let Some(id) = self.id.take() {
            let body = publish::break_off_check(&self.council, conclusion, title, why);
            // Nothing better can be done about it here.
            let _ = self.hub.write_once(
                &ApiCall::patch(self.hub.repo_path(&format!("check-runs/{id}")), body),
                "end the check",
            );
        }
    }
}

impl Drop for OpenCheck<'_> {
    fn drop(&mut self) {
        self.close_check(
            CheckConclusion::Cancelled,
            "the run broke off",
            "It ended before there was a verdict.",
        );
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use serde_json::json;

    use super::*;
    use crate::publish::{ApiClient, ApiReply, Method, RepoSlug, TransportError};

    /// A forge that knows one check.
    #[derive(Default)]
    struct OneCheck(RefCell<Vec<ApiCall>>);

    impl ApiClient for OneCheck {
        fn send_call(&self, call: &ApiCall) -> Result<ApiReply, TransportError> {
            self.0.borrow_mut().push(call.clone());
            Ok(ApiReply {
                status: 201,
                body: json!({ "id": 7 }),
                ..ApiReply::default()
            })
        }

        fn wait_ms(&self, _: u64) {}

        fn unix_time(&self) -> u64 {
            0
        }
    }

    /// What was sent while a council sat that ended somehow.
    fn sent(ending: impl FnOnce(OpenCheck<'_>)) -> Vec<ApiCall> {
        let forge = OneCheck::default();
        let hub = GitHubApi::new(&forge, RepoSlug::parse("octo/project").expect("a name"));
        let mut wishes = PublishOptions::new("git-council", "0123");
        wishes.surfaces.insert(Surface::Check);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            ending(OpenCheck::begin_check(
                &hub,
                &mut ForgeState::default(),
                &wishes,
                false,
            ));
        }));
        drop(panicked);
        forge.0.take()
    }

    #[test]
    fn a_panic_ends_the_check_as_cancelled() {
        let calls = sent(|_check| panic!("a fault of the program"));
        let [begun, ended] = &calls[..] else {
            panic!("{calls:?}")
        };
        let body = |call: &ApiCall| call.body.clone().unwrap_or_default();
        assert_eq!(body(begun)["status"], "in_progress");
        assert_eq!(ended.method, Method::Patch);
        assert_eq!(ended.path, "/repos/octo/project/check-runs/7");
        assert_eq!(body(ended)["status"], "completed");
        assert_eq!(body(ended)["conclusion"], "cancelled");
    }

    #[test]
    fn a_check_that_was_told_its_ending_is_told_nothing_else() {
        assert_eq!(sent(|check| check.mark_reported()).len(), 1);
    }
}
