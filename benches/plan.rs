//! Planning a publication alone, for `benches/run.py`: prints the median and the slowest of 200 plans, in microseconds.
//!
//! A report with 200 findings, a pull request with 100 comments of which one is ours, a report of an earlier run: reading what is
//! there from the forge's replies, and planning every surface.

use std::io::{Error, Write};
use std::time::Instant;

use council_protocol::packet::{Target, TargetKind};
use council_protocol::{Coverage, Finding, Location, Proof, RoundNumber, Severity};
use git_council::inside::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict, VerdictReason,
};
use git_council::inside::publish::{
    self, ApiCall, ApiClient, ApiReply, ForgeIdentity, ForgeState, GitHubApi, PublishAction,
    PublishOptions, PullRequest, RepoSlug, Surface, TransportError, look,
};
use git_council::inside::report::{ChangeSize, Report, ReviewSubject, RunFacts};
use serde_json::{Value, json};

const HEAD: &str = "a3f7c1e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a1";
const FINDINGS: u32 = 200;
const COMMENTS: usize = 100;
const RUNS: usize = 200;

/// A forge that has one page of comments.
struct Page(Value);

impl ApiClient for Page {
    fn send_call(&self, _: &ApiCall) -> Result<ApiReply, TransportError> {
        Ok(ApiReply {
            status: 200,
            body: self.0.clone(),
            ..ApiReply::default()
        })
    }

    fn wait_ms(&self, _: u64) {}

    fn unix_time(&self) -> u64 {
        0
    }
}

fn main() -> Result<(), Error> {
    let me = ForgeIdentity {
        login: "github-actions[bot]".to_owned(),
    };
    let forge = Page(comments());
    let slug = RepoSlug::parse("octo/project").ok_or_else(|| Error::other("no repository"))?;
    let hub = GitHubApi::new(&forge, slug);
    let (report, wishes) = (report(0), wishes());
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        let seen = ForgeState {
            comments: look::fetch_reports(&hub, 1, &wishes.council, &me, None)
                .map_err(Error::other)?,
            me: Some(me.clone()),
            pull: Some(pull()),
            threads: Some(Vec::new()),
            ..ForgeState::default()
        };
        let actions = publish::plan_actions(&report, &seen, &wishes);
        times.push(begun.elapsed().as_micros());
        // Four batches of annotations, a review, the report, a status, and three surfaces of the job.
        if actions.len() != 10 || seen.comments.len() != 1 {
            return Err(Error::other(format!(
                "{} actions are planned",
                actions.len()
            )));
        }
    }
    times.sort_unstable();
    let (median, most) = (times[RUNS / 2], times[RUNS - 1]);
    writeln!(std::io::stdout(), "{median} {most}")
}

/// The comments of a busy pull request, our earlier report in the middle of them.
fn comments() -> Value {
    let seen = ForgeState {
        pull: Some(pull()),
        ..ForgeState::default()
    };
    let mut wishes = wishes();
    wishes.surfaces = [Surface::Comment].into();
    let ours = publish::plan_actions(&report(1_000), &seen, &wishes)
        .into_iter()
        .find_map(|action| match action {
            PublishAction::CreateComment { body, .. } => Some(body),
            _ => None,
        });
    let comment = |at: usize| match (at, &ours) {
        (50, Some(body)) => json!({ "id": at, "body": body, "html_url": "",
            "user": { "login": "github-actions[bot]", "type": "Bot" } }),
        _ => json!({ "id": at, "body": "I think so, too. ".repeat(200), "html_url": "",
            "user": { "login": "alice", "type": "User" } }),
    };
    (0..COMMENTS).map(comment).collect::<Vec<Value>>().into()
}

fn pull() -> PullRequest {
    PullRequest {
        number: 1,
        head: HEAD.to_owned(),
        base_ref: "main".to_owned(),
        base: HEAD.to_owned(),
        default_branch: "main".to_owned(),
        open: true,
        draft: false,
        fork: false,
        title: String::new(),
        body: String::new(),
    }
}

fn wishes() -> PublishOptions {
    let mut wishes = PublishOptions::new("git-council", HEAD);
    wishes.surfaces = Surface::ALL.into();
    for file in 0..FINDINGS {
        wishes
            .lines
            .add_patch(&format!("src/file{file}.rs"), "@@ -0,0 +1,2000 @@");
    }
    wishes
}

/// A report with two hundred findings, each in a file of its own, `below` a line; at another place it is of another change.
fn report(below: u32) -> Report {
    let subject = ReviewSubject {
        target: Target {
            kind: TargetKind::PullRequest,
            label: "#1".to_owned(),
            slug: "1".to_owned(),
            base: None,
            head: Some(HEAD.to_owned()),
            only: Vec::new(),
        },
        change: ChangeSize::default(),
        instructions: Vec::new(),
    };
    let run = RunFacts {
        name: "council-20260214-1".to_owned(),
        recognition_key: Some(format!("{below:064x}")),
        ..RunFacts::default()
    };
    let reason = VerdictReason::NothingToReview;
    let mut report = Report::skipped(subject, Coverage::default(), reason, "", run);
    report.outcome.findings = (1..=FINDINGS).map(|at| found(at, below)).collect();
    (report.outcome.verdict, report.outcome.reason) =
        (Verdict::Fail, VerdictReason::CriticalConfirmed);
    report
}

fn found(at: u32, below: u32) -> JudgedFinding {
    let finding = Finding {
        severity: Severity::Critical,
        category: "injection".to_owned(),
        rule: None,
        description: "The query is put together from what a user typed.".to_owned(),
        location: Location {
            path: format!("src/file{}.rs", at - 1).as_str().into(),
            line: below + at,
            end_line: None,
        },
        quote: "let query = format!(\"SELECT * FROM users WHERE name = '{name}'\");".to_owned(),
        why: "Whoever types a quote reads every row. ".repeat(4),
        fix: "Bind the name as a parameter of a prepared statement. ".repeat(4),
        suggestion: None,
        reference: None,
    };
    let member = FindingMember {
        judge: "judge-1".into(),
        round: RoundNumber::FIRST,
        finding: finding.clone(),
        proof: Proof::Verified,
        withdrawn: false,
        fingerprint: None,
    };
    JudgedFinding {
        id: format!("F{at}"),
        fingerprint: format!("{:016x}", at + below),
        finding,
        disposition: Disposition::Confirmed,
        level: Some(FindingLevel::Fail),
        dismissed: None,
        since: None,
        members: vec![member],
        opinions: Vec::new(),
        disputed_by_test: false,
        suggestion_check: None,
        standing_votes: Vec::new(),
    }
}
