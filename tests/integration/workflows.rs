//! The workflows that people copy: what their conditions come to when a job before them did not end as it should.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The result of each job, and the outputs of those that have some, as GitHub hands them to an expression.
struct Needs {
    values: BTreeMap<String, String>,
}

/// A reader of the conditions that our workflows are made of: `!`, `==`, `!=`, `&&`, `||`, brackets, strings, `needs.…` and
/// `always()`. Anything else is a fault of the test.
struct Condition<'a> {
    words: Vec<String>,
    at: usize,
    needs: &'a Needs,
}

impl<'a> Condition<'a> {
    fn holds(text: &str, needs: &'a Needs) -> bool {
        let pattern =
            regex::Regex::new(r"'[^']*'|always\(\)|[A-Za-z][\w.-]*|==|!=|&&|\|\||[!()]").unwrap();
        let words = pattern
            .find_iter(text)
            .map(|found| found.as_str().to_owned());
        let mut condition = Self {
            words: words.collect(),
            at: 0,
            needs,
        };
        let value = condition.any();
        assert_eq!(
            condition.at,
            condition.words.len(),
            "the condition {text:?} is not understood"
        );
        is_true(&value)
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| next == word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> String {
        let mut value = self.all();
        while self.takes("||") {
            let other = self.all();
            value = if is_true(&value) { value } else { other };
        }
        value
    }

    fn all(&mut self) -> String {
        let mut value = self.compared();
        while self.takes("&&") {
            let other = self.compared();
            value = if is_true(&value) { other } else { value };
        }
        value
    }

    fn compared(&mut self) -> String {
        let value = self.one();
        let wanted = match (self.takes("=="), self.takes("!=")) {
            (false, false) => return value,
            (equal, _) => equal,
        };
        // GitHub compares strings without regard to case.
        (value.eq_ignore_ascii_case(&self.one()) == wanted).to_string()
    }

    fn one(&mut self) -> String {
        if self.takes("!") {
            return (!is_true(&self.one())).to_string();
        }
        if self.takes("(") {
            let value = self.any();
            assert!(self.takes(")"));
            return value;
        }
        let word = self.words[self.at].clone();
        self.at += 1;
        if let Some(text) = word.strip_prefix('\'') {
            return text.trim_end_matches('\'').to_owned();
        }
        match word.as_str() {
            "always()" => "true".to_owned(),
            // What is not there is empty.
            name if name.starts_with("needs.") => {
                self.needs.values.get(name).cloned().unwrap_or_default()
            }
            other => panic!("{other:?} is not understood"),
        }
    }
}

fn is_true(value: &str) -> bool {
    !matches!(value, "" | "false")
}

/// Whether a job or step runs: without a function of status in its condition, all before it must have succeeded.
fn runs(condition: Option<&str>, before: bool, needs: &Needs) -> bool {
    match condition {
        None => before,
        Some(text) => (before || text.contains("always()")) && Condition::holds(text, needs),
    }
}

/// How a job ends whose other steps succeed: `skipped`, `failure` or `success`. Conditions of steps decide, and the
/// scripts of those that have one are run as far as they are one of the shell's own commands.
fn job_result(job: &Value, needs: &Needs) -> &'static str {
    let wants = job["needs"].as_array().cloned().unwrap_or_default();
    let succeeded = |name: &Value| {
        needs
            .values
            .get(&format!("needs.{}.result", name.as_str().unwrap()))
            .is_some_and(|r| r == "success")
    };
    if !runs(job["if"].as_str(), wants.iter().all(succeeded), needs) {
        return "skipped";
    }
    let mut ok = true;
    for step in job["steps"].as_array().unwrap() {
        let script = step["run"]
            .as_str()
            .filter(|script| !script.contains("git-council"));
        if let Some(script) = script.filter(|_| runs(step["if"].as_str(), ok, needs)) {
            ok &= Command::new("bash")
                .args(["-e", "-c", script])
                .status()
                .unwrap()
                .success();
        }
    }
    if ok { "success" } else { "failure" }
}

fn workflow(name: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workflows");
    serde_saphyr::from_str(&fs::read_to_string(root.join(name)).unwrap()).unwrap()
}

const RESULTS: [&str; 4] = ["success", "failure", "cancelled", "skipped"];

#[test]
fn a_job_of_the_matrix_hands_on_the_reply_of_its_own_judge_alone() {
    for job in ["judge", "second-judge"] {
        let job = workflow("matrix.yml")["jobs"][job].clone();
        let kept = steps_using(&job, "actions/upload-artifact");
        let [(_, kept)] = &kept[..] else {
            panic!("{kept:?}")
        };
        let path = kept["with"]["path"].as_str().unwrap();
        let own = "council-run/workers/*${{ matrix.judge }}/turn-${{ matrix.turn }}.reply.json";
        assert_eq!(path, own);
    }
}

/// A judge that may run commands could read the key of another one.
#[test]
fn a_job_of_the_matrix_holds_the_keys_of_its_own_seat_alone() {
    let workflow = workflow("matrix.yml");
    let text = workflow.to_string();
    assert!(
        !text.contains("toJSON(secrets)") && !text.contains("secrets["),
        "all secrets at once"
    );
    assert!(workflow["env"].is_null(), "a variable of every job");
    let mut agents = Vec::new();
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        assert!(job["env"].is_null(), "{name}: a variable of every step");
        for step in job["steps"].as_array().unwrap() {
            let with = step["with"].to_string() + &step["run"].to_string();
            assert!(!with.contains("secrets."), "{name}: {with}");
            let values = step["env"].as_object().into_iter().flatten();
            for (key, value) in values.filter(|(_, value)| value.to_string().contains("secrets.")) {
                let value = value.as_str().unwrap();
                let agent = value.split('\'').nth(1).unwrap_or_default();
                let own = format!("${{{{ matrix.agent == '{agent}' && secrets.{key} || '' }}}}");
                assert_eq!(value, own, "{name}");
                agents.push((name.clone(), agent.to_owned()));
            }
        }
    }
    let judges = ["judge", "second-judge"].map(str::to_owned);
    assert!(
        agents.iter().all(|(job, _)| judges.contains(job)),
        "{agents:?}"
    );
    let of = |judge: &str| -> Vec<&String> {
        let own = agents.iter().filter(|(job, _)| job == judge);
        own.map(|(_, agent)| agent).collect()
    };
    assert_eq!(of("judge"), of("second-judge"));
    assert!(of("judge").len() > 1, "{agents:?}");
}

/// A required check that is skipped counts as passed.
#[test]
fn a_plan_that_failed_fails_the_conclusion_of_a_matrix() {
    let conclude = workflow("matrix.yml")["jobs"]["conclude"].clone();
    for plan in RESULTS {
        // What a plan wrote before it failed stays its output.
        for judges in ["", "[]", r#"[{"judge":"judge-1","turn":1}]"#] {
            for (second_plan, second_judge) in RESULTS.iter().flat_map(|a| RESULTS.map(|b| (*a, b)))
            {
                let mut needs = Needs {
                    values: BTreeMap::new(),
                };
                for (name, value) in [
                    ("plan.result", plan),
                    ("plan.outputs.judges", judges),
                    ("second-plan.result", second_plan),
                    ("second-judge.result", second_judge),
                ] {
                    needs
                        .values
                        .insert(format!("needs.{name}"), value.to_owned());
                }
                let nothing_to_do = plan == "success" && judges == "[]";
                let wanted = match (plan, second_plan) {
                    _ if nothing_to_do => "skipped",
                    ("success", "success") => "success",
                    _ => "failure",
                };
                let ended = job_result(&conclude, &needs);
                assert_eq!(
                    ended, wanted,
                    "plan {plan} {judges:?}, second plan {second_plan}, judge {second_judge}"
                );
            }
        }
    }
}

/// The check is no stricter than it has to be, and the reader of conditions can tell.
#[test]
fn conditions_are_read_as_github_reads_them() {
    let values = [("needs.a.result".to_owned(), "failure".to_owned())];
    let needs = Needs {
        values: values.into(),
    };
    for (text, holds) in [
        ("needs.a.result != 'success'", true),
        ("always() && needs.a.outputs.x != '[]'", true),
        ("needs.a.result == 'success' || needs.b.result == ''", true),
        (
            "always() && (needs.a.result == 'success' || needs.a.outputs.x)",
            false,
        ),
        ("!(needs.a.result == 'FAILURE')", false),
    ] {
        assert_eq!(Condition::holds(text, &needs), holds, "{text}");
    }
    assert!(
        !runs(None, false, &needs) && !runs(Some("needs.a.result == 'failure'"), false, &needs)
    );
}

/// A target that nobody runs finds nothing.
#[test]
fn every_fuzz_target_runs_each_night() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(".github/workflows/nightly.yml")).unwrap();
    let nightly: Value = serde_saphyr::from_str(&text).unwrap();
    let nightly = &nightly["jobs"]["fuzz"]["strategy"]["matrix"]["target"];
    let nightly = nightly.as_array().unwrap().iter();
    let nightly: Vec<_> = nightly
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let names = |folder: &str| {
        let files = fs::read_dir(root.join("fuzz").join(folder)).unwrap();
        let mut names: Vec<_> = files
            .map(|file| {
                file.unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    };
    assert_eq!(nightly, names("fuzz_targets"));
    assert_eq!(nightly, names("corpus"));
}

fn release_jobs() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
    let release: Value = serde_saphyr::from_str(&text).unwrap();
    release["jobs"].clone()
}

/// The steps of a job that use an action, by their places.
fn steps_using<'a>(job: &'a Value, action: &str) -> Vec<(usize, &'a Value)> {
    let steps = job["steps"].as_array().unwrap().iter().enumerate();
    let uses = |step: &Value| {
        step["uses"]
            .as_str()
            .is_some_and(|uses| uses.starts_with(&format!("{action}@")))
    };
    steps.filter(|(_, step)| uses(step)).collect()
}

/// Files that are merged again could be others than those that were attested.
#[test]
fn what_is_released_is_the_one_folder_that_was_attested() {
    let jobs = release_jobs();
    let taken = steps_using(&jobs["release"], "actions/download-artifact");
    assert_eq!(taken.len(), 1, "{taken:?}");
    let whole = serde_json::json!({ "name": "release", "path": "dist" });
    assert_eq!(taken[0].1["with"], whole);

    let attest = &jobs["attest"];
    let signed = steps_using(attest, "actions/attest-build-provenance");
    assert_eq!(signed.len(), 1);
    assert_eq!(signed[0].1["with"]["subject-path"], "dist/*");
    let kept = steps_using(attest, "actions/upload-artifact");
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].1["with"]["name"], "release");
    assert_eq!(kept[0].1["with"]["path"], "dist");
    // Nothing comes between signing and keeping.
    assert_eq!(kept[0].0, signed[0].0 + 1);
    assert_eq!(kept[0].0 + 1, attest["steps"].as_array().unwrap().len());
}

/// Every job packs the npm package that names the others: where two put it into one folder, one of them is lost.
#[test]
fn one_job_keeps_what_all_jobs_pack() {
    let build = release_jobs()["build"].clone();
    let steps = build["steps"].as_array().unwrap();
    let given_up = steps.iter().position(|step| {
        step["run"] == "rm \"dist/git-council-$VERSION.tgz\""
            && step["if"] == "matrix.target != 'x86_64-unknown-linux-gnu'"
    });
    let given_up = given_up.expect("a job gives up what another keeps");
    let kept = steps_using(&build, "actions/upload-artifact");
    assert_eq!(kept.len(), 1);
    assert!(given_up < kept[0].0);
    let targets = build["strategy"]["matrix"]["include"].as_array().unwrap();
    let keepers = targets
        .iter()
        .filter(|one| one["target"] == "x86_64-unknown-linux-gnu");
    assert_eq!(keepers.count(), 1);
}

/// What can sign as the workflow runs nothing of the sources.
#[test]
fn no_job_that_signs_has_the_sources() {
    let jobs = release_jobs();
    let signing = jobs.as_object().unwrap().iter();
    let signing: Vec<_> = signing
        .filter(|(_, job)| !job["permissions"]["id-token"].is_null())
        .collect();
    assert_eq!(signing.len(), 1);
    for (name, job) in signing {
        assert!(steps_using(job, "actions/checkout").is_empty(), "{name}");
        for step in job["steps"].as_array().unwrap() {
            let script = step["run"].as_str().unwrap_or_default();
            assert!(
                !script.contains("packaging/") && !script.contains("cargo"),
                "{name}: {script}"
            );
        }
    }
}

/// A workflow to copy names its actions by commit; zeros stand for our own release alone, which is not there yet.
#[test]
fn workflows_to_copy_name_the_actions_of_others_by_a_real_commit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workflows");
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (action, commit) = line.split_once('@').unwrap();
            let commit = &commit[..40];
            assert!(commit.bytes().all(|b| b.is_ascii_hexdigit()), "{line}");
            let ours = action.ends_with("git-council/git-council");
            assert!(ours || commit.bytes().any(|b| b != b'0'), "{line}");
            seen += 1;
        }
    }
    assert!(seen > 10);
}

/// GitHub only warns of an input that an action does not have, and reads an output that there is not as empty.
#[test]
fn workflows_to_copy_use_inputs_and_outputs_that_the_action_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let action: Value = serde_saphyr::from_str(&action).unwrap();
    let outputs = regex::Regex::new(r"steps\.([\w-]+)\.outputs\.([\w-]+)").unwrap();
    let mut used = 0;
    for file in fs::read_dir(root.join("docs/workflows")).unwrap() {
        let file = file.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let workflow: Value = serde_saphyr::from_str(&text).unwrap();
        for (_, job) in workflow["jobs"].as_object().unwrap() {
            let ours = steps_using(job, "git-council/git-council");
            for (_, step) in &ours {
                used += 1;
                for name in step["with"].as_object().iter().flat_map(|with| with.keys()) {
                    assert!(
                        !action["inputs"][name].is_null(),
                        "{}: {name}",
                        file.display()
                    );
                }
            }
            for read in outputs.captures_iter(&job.to_string()) {
                let is_ours = ours.iter().any(|(_, step)| step["id"] == read[1]);
                let known = !action["outputs"][&read[2]].is_null();
                assert!(!is_ours || known, "{}: {}", file.display(), &read[0]);
            }
        }
    }
    assert!(used > 8);
}
