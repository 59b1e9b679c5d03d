//! What judges at APIs are shown and read, through a whole review: what counts as read, what stays hidden, what it
//! costs.

use council_fake_models::{FakeModels, Reply, Rule, Tokens, Tool};
use serde_json::{Value, json};

use crate::harness::{Repo, Run};

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// A repository with judges at one API.
fn repo(models: &FakeModels, api: &str, more: &str) -> Repo {
    let repo = Repo::with_base();
    let base = if api == "gemini" { "/v1beta" } else { "/v1" };
    let url = models.url();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!(
            "[agents.{api}]\ndriver = 'http'\napi = '{api}'\nurl = '{url}{base}'\nkey = 'MODEL_KEY'\nmodel = 'fake'\n\
             [review]\nagents = ['{api}']\njudges = 1\nquorum = 1\n{more}"
        ),
    );
    repo
}

fn review(repo: &Repo, args: &[&str]) -> Value {
    report_of(&repo.council_with(&[KEY], &[&["review"], args, &["--json"]].concat()))
}

fn report_of(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

fn bodies(models: &FakeModels) -> Vec<String> {
    models
        .records()
        .into_iter()
        .map(|record| record.body.clone())
        .collect()
}

/// Law: what a judge reads in two rounds of one conversation counts together, with what its brief shows; a gap is a
/// gap.
#[test]
fn what_two_rounds_of_a_conversation_read_is_seen_together() {
    // Of words: of many numbers the fake server counts fewer tokens than any tokenizer makes, and is taken to have cut them.
    let line = |nth| format!("value_{nth:04} = compute(all)\n");
    let large: String = (0..1500).map(line).collect();
    let read = |from: u32, to: u32| {
        let call = json!({"path": "big.py", "from": from, "to": to});
        Reply::calls([Tool::call("read_file", call)])
    };
    for (first, second, is_whole) in [
        ((300, 900), (901, 1500), true),
        ((300, 900), (902, 1500), false),
    ] {
        let models = FakeModels::start([
            Rule::on(read(second.0, second.1))
                .last("`round` is 2")
                .times(2),
            Rule::on(read(first.0, first.1))
                .last("`round` is 1")
                .times(2),
        ])
        .unwrap();
        let repo = repo(&models, "chat", "[limits]\nbrief = '20K'\n");
        repo.write("big.py", &large);
        repo.commit("Much");
        let two = ["review.judges=2", "review.quorum=2", "limits.context=0"];
        let two = two.iter().flat_map(|key| ["--config", *key]);
        let args: Vec<&str> = ["HEAD", "--debate"].into_iter().chain(two).collect();
        let report = review(&repo, &args);
        let expected = if is_whole { "PASS" } else { "INCONCLUSIVE" };
        assert_eq!(
            report["verdict"], expected,
            "{first:?} {second:?}: {}",
            report["coverage"]
        );
    }
}

/// Law: a drawn value that one line of a file gives away reaches no model from another line of it: not in the change,
/// not around it, not by any tool.
#[test]
fn a_value_that_one_line_gives_away_reaches_no_model() {
    let value = concat!("Tr7pQ9zLm3", "Xc5Vb1");
    let helper = format!(
        "def helper(host):\n    password = \"{value}\"\n    # was {value} until May\n    return login(host, \"{value}\")\n"
    );
    let tools = [
        Tool::call("read_file", json!({"path": "helper.py"})),
        Tool::call("search", json!({"regex": "login|until"})),
        Tool::call("symbol", json!({"name": "helper"})),
        Tool::call("history", json!({"path": "helper.py", "from": 3, "to": 4})),
        Tool::call(
            "history",
            json!({"path": "changed.py", "from": 40, "to": 40}),
        ),
    ];
    let models = FakeModels::start([Rule::on(Reply::calls(tools)).times(1)]).unwrap();
    let repo = repo(&models, "chat", "");
    let long: String = (0..38)
        .map(|nth| format!("value_{nth} = {nth}\n"))
        .collect();
    let changed =
        |word: &str| format!("PASSWORD = \"{value}\"\n{long}{word}(\"{value}\")\nhelper(1)\n");
    repo.write("helper.py", &helper);
    repo.write("changed.py", changed("open_it"));
    repo.commit("Before");
    repo.write("changed.py", changed("close_it"));
    repo.commit("After");
    review(&repo, &["HEAD"]);
    for record in models.records() {
        let at = record.body.find(value);
        let around = at.map(|at| &record.body[at.saturating_sub(200)..at + 40]);
        assert_eq!(around, None);
    }
    assert!(
        bodies(&models).last().unwrap().contains("login(host, "),
        "the tools showed the file"
    );
}

/// Law: what a provider writes to its cache is paid for at its own price, in the report and in what a limit reserves.
#[test]
fn what_is_written_to_a_cache_has_its_price() {
    let tokens = Tokens {
        input: 1_001_000,
        stored: 1_000_000,
        cached: 1_000_000,
        output: 100,
    };
    for (prices, cost) in [
        ("input = 3\noutput = 15", 3.75 + 0.003 + 0.3 + 0.0015),
        (
            "input = 3\ncached = 1\nwritten = 4\noutput = 15",
            4.0 + 0.003 + 1.0 + 0.0015,
        ),
    ] {
        let told = Reply {
            usage: Some(tokens),
            ..Reply::vote("PASS")
        };
        let models = FakeModels::start([Rule::on(told)]).unwrap();
        let repo = repo(&models, "anthropic", &format!("[prices.fake]\n{prices}\n"));
        repo.write("a.py", "a = 1\n");
        repo.commit("One");
        let report = review(&repo, &["HEAD"]);
        let told = report["judges"][0]["usage"]["cost_usd"].as_f64().unwrap();
        assert!(
            (told - cost).abs() < 1e-6,
            "{told} instead of {cost}: {prices}"
        );
    }
}

/// Law: in the repository that it is of, a patch is reviewed as the change that it is: the judge sees the caller, is
/// offered tools, and nothing says otherwise; elsewhere the report and `--dry-run` say what was not seen and why.
#[test]
fn a_patch_is_reviewed_in_its_repository_as_the_change_that_it_is() {
    // Whether HEAD is the commit that the patch is of, and whether the patch names its objects.
    for (is_at_head, is_named) in [(true, true), (true, false), (false, true), (false, false)] {
        let is_of_it = is_at_head || is_named;
        let models = FakeModels::start([]).unwrap();
        let repo = repo(&models, "chat", "");
        let pad: String = (0..90).map(|nth| format!("    step_{nth}()\n")).collect();
        let main = |value: &str| format!("def total(a):\n{pad}    return a * {value}\n");
        repo.write("main.py", main("100"));
        repo.write(
            "bill.py",
            format!("from main import total\n\n\ndef bill(x):\n    return total(x) / 100\n{pad}"),
        );
        repo.commit("One");
        repo.write("main.py", main("10"));
        let patch = repo.git(["diff"]);
        let lines = patch
            .lines()
            .filter(|line| is_named || !line.starts_with("index "));
        let patch: String = lines.map(|line| format!("{line}\n")).collect();
        if !is_at_head {
            repo.write("main.py", main("99").replace("step_89", "step_other"));
            repo.commit("Another");
        }
        repo.write("fix.patch", &patch);
        let dry = repo.council_with(&[KEY], &["review", "--patch", "fix.patch", "--dry-run"]);
        let report = review(&repo, &["--patch", "fix.patch"]);
        assert_eq!(report["verdict"], "PASS", "{report}");
        let body = &bodies(&models)[0];
        assert_eq!(body.contains("return total(x) / 100"), is_of_it);
        assert_eq!(body.contains("    step_3()"), is_of_it);
        assert_eq!(body.contains("read_file"), is_of_it);
        assert!(!body.contains("more context than usual"));
        // The lines of a page are broken at words.
        let page = dry.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for told in [report["notes"].to_string(), page] {
            assert_eq!(
                told.contains("the patch is not of the files of this repository: main.py"),
                !is_of_it,
                "{told}"
            );
            assert_eq!(
                told.contains("the models were shown the patch alone"),
                !is_of_it,
                "{told}"
            );
        }
    }
}

/// Law: of a change larger than a brief the file that ranks first is read by the quorum wherever it fits, whatever else
/// does.
#[test]
fn the_file_that_ranks_first_is_read_where_it_fits() {
    for judges in ["2", "3", "4"] {
        let uncounted = Reply {
            without_usage: true,
            ..Reply::vote("PASS")
        };
        let models = FakeModels::start([Rule::on(uncounted)]).unwrap();
        let repo = repo(&models, "chat", "[limits]\nbrief = '40K'\ncontext = '0'\n");
        for nth in 0..14 {
            let lines = (0..200 + nth * 40).map(|line| format!("v{nth}_{line} = call({line})\n"));
            repo.write(&format!("src/m{nth:02}.py"), lines.collect::<String>());
        }
        repo.commit("Much");
        let judges = format!("review.judges={judges}");
        let report = review(
            &repo,
            &["HEAD", "--config", &judges, "--config", "review.quorum=2"],
        );
        let files = report["coverage"]["files"].as_array().unwrap();
        let first = files
            .iter()
            .find(|file| file["path"] == "src/m13.py")
            .unwrap();
        assert_eq!(
            first["state"]["state"], "reviewed",
            "{judges}: {}",
            report["coverage"]
        );
    }
}
