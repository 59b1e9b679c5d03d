//! The check that is in progress while the council sits.

use jiff::Timestamp;

use crate::publish::look;
use crate::publish::{self, Call, CheckSeen, Hub, Seen, Surface, Wishes};
use crate::report::CheckConclusion;

/// A check in progress. It never stays so: whoever drops it without a report ends it (peers.md 4.5, no. 56).
pub(super) struct OpenCheck<'a> {
    hub: &'a Hub<'a>,
    id: Option<u64>,
}

impl<'a> OpenCheck<'a> {
    pub(super) fn begin(hub: &'a Hub<'a>, seen: &mut Seen, wishes: &Wishes, denied: bool) -> Self {
        let mut open = Self { hub, id: None };
        if denied || !wishes.surfaces.contains(&Surface::Check) {
            return open;
        }
        if let Some(check) = seen.check.as_ref().filter(|check| !check.completed) {
            // A run that broke off left it.
            open.id = Some(check.id);
            return open;
        }
        let body = publish::begin(
            wishes,
            &Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        );
        let find = || {
            Ok(
                look::check(hub, &wishes.head, &wishes.check_name, &wishes.council)?
                    .filter(|check| !check.completed)
                    .map(|check| serde_json::json!({ "id": check.id })),
            )
        };
        // What is denied now is told when the report is published.
        let made = hub.create(
            &Call::post(hub.path("check-runs"), body),
            "create the check",
            find,
        );
        let id = made.ok().and_then(|made| made.get("id")?.as_u64());
        if let Some(id) = id {
            seen.check = Some(CheckSeen {
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
    pub(super) fn told(mut self) {
        self.id = None;
    }

    pub(super) fn end(mut self, conclusion: CheckConclusion, title: &str, why: &str) {
        self.close(conclusion, title, why);
    }

    fn close(&mut self, conclusion: CheckConclusion, title: &str, why: &str) {
        if let Some(id) = self.id.take() {
            let body = publish::broken_off(conclusion, title, why);
            // Nothing better can be done about it here.
            let _ = self.hub.write(
                &Call::patch(self.hub.path(&format!("check-runs/{id}")), body),
                "end the check",
            );
        }
    }
}

impl Drop for OpenCheck<'_> {
    fn drop(&mut self) {
        self.close(
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
    use crate::publish::{Client, Method, Reply, Slug, Unreachable};

    /// A forge that knows one check.
    #[derive(Default)]
    struct OneCheck(RefCell<Vec<Call>>);

    impl Client for OneCheck {
        fn call(&self, call: &Call) -> Result<Reply, Unreachable> {
            self.0.borrow_mut().push(call.clone());
            Ok(Reply {
                status: 201,
                body: json!({ "id": 7 }),
                ..Reply::default()
            })
        }

        fn wait(&self, _: u64) {}

        fn now(&self) -> u64 {
            0
        }
    }

    /// What was sent while a council sat that ended somehow.
    fn sent(ending: impl FnOnce(OpenCheck<'_>)) -> Vec<Call> {
        let forge = OneCheck::default();
        let hub = Hub::new(&forge, Slug::parse("octo/project").expect("a name"));
        let mut wishes = Wishes::new("git-council", "0123");
        wishes.surfaces.insert(Surface::Check);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            ending(OpenCheck::begin(&hub, &mut Seen::default(), &wishes, false));
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
        let body = |call: &Call| call.body.clone().unwrap_or_default();
        assert_eq!(body(begun)["status"], "in_progress");
        assert_eq!(ended.method, Method::Patch);
        assert_eq!(ended.path, "/repos/octo/project/check-runs/7");
        assert_eq!(body(ended)["status"], "completed");
        assert_eq!(body(ended)["conclusion"], "cancelled");
    }

    #[test]
    fn a_check_that_was_told_its_ending_is_told_nothing_else() {
        assert_eq!(sent(|check| check.told()).len(), 1);
    }
}
