//! Judges apart: what one writes, no other reads, and what was mended is no longer the change.

use serde_json::Value;

use crate::harness::Repo;
use crate::linters::install;

/// Two tools: `seer` finds what the change adds, and `writer` runs `script` before it reports nothing.
fn with_writer(script: &str) -> Repo {
    let repo = Repo::with_base();
    // It begins when the writer is through, or is not there.
    install(
        &repo,
        "seer",
        "for i in 1 2 3 4 5 6 7 8 9 10; do [ -e @HOME/written ] && break; sleep 0.1; done
grep -n wrong a.py | sed 's/^\\([0-9]*\\):.*/a.py:\\1:1: error: it is wrong/'; true",
    );
    install(&repo, "writer", &format!("{script}\ntouch @HOME/written"));
    let agent = |name: &str| {
        format!(
            "[agents.{name}]\ndriver = 'command'\nformat = 'lines'\ncommand = ['{name}', '{{files}}']\n"
        )
    };
    let config = [agent("seer"), agent("writer")].concat();
    repo.write_home(".config/git-council/config.toml", &config);
    repo.write("a.py", "right = 1\n");
    repo.commit("Old");
    repo.write("a.py", "right = 1\nwrong = 2\n");
    repo.commit("New");
    repo
}

fn review(repo: &Repo, agents: &str) -> Value {
    let path = format!("{}:/usr/bin:/bin", repo.in_home("bin").display());
    let judges = (agents.matches(',').count() + 1).to_string();
    let args = [
        "review", "HEAD", "--judges", &judges, "--quorum", "1", "--agents", agents, "--json",
    ];
    let run = repo.council_with(&[("PATH", &path)], &args);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

/// What the tool that looks has found, however it is numbered.
fn found(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|found| found["finding"]["description"].to_string())
        .collect()
}

/// Each way in which a program writes in the folder that it is given.
const WRITES: [&str; 6] = [
    "chmod u+w a.py; echo 'right = 1' >a.py",
    "rm -f a.py",
    "echo 'right = 1' >b; mv -f b a.py",
    "for file in \"$PWD\"/*; do [ -d \"$file\" ] || { chmod u+w \"$file\"; : >\"$file\"; }; done",
    "ln -sf /dev/null a.py",
    "mkdir .cache; echo 1 >.cache/kept",
];

#[test]
fn whatever_one_tool_writes_another_finds_the_same() {
    for script in WRITES {
        let repo = with_writer(script);
        let alone = found(&review(&repo, "seer"));
        assert_eq!(alone.len(), 1, "{script}");
        for agents in ["writer,seer", "seer,writer"] {
            let beside = review(&repo, agents);
            assert_eq!(found(&beside), alone, "{script}: {beside}");
        }
    }
}

/// Whoever mends a file finds nothing in it afterwards.
#[test]
fn a_tool_that_alters_what_it_looks_at_abstains() {
    for script in WRITES {
        let repo = with_writer(script);
        let report = review(&repo, "writer");
        let verdict = if script.contains(".cache") {
            "PASS"
        } else {
            "INCONCLUSIVE"
        };
        assert_eq!(report["verdict"], verdict, "{script}: {report}");
        if verdict == "INCONCLUSIVE" {
            assert!(report.to_string().contains("a.py was altered"), "{report}");
        }
    }
}

/// A file that a tool leaves out is not one in which it finds nothing.
#[test]
fn what_a_tool_leaves_out_by_its_configuration_is_told() {
    const EMPTY: &str =
        r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "ruff"}}, "results": []}]}"#;
    let told = |listing: &str| {
        let repo = Repo::with_base();
        let script = format!("case \"$*\" in *--show-files*) {listing};; *) echo '{EMPTY}';; esac");
        install(&repo, "ruff", &script);
        repo.write("a.py", "a = 1\n");
        repo.write("b.py", "b = 1\n");
        repo.commit("New");
        review(&repo, "ruff")["judges"].to_string()
    };
    let left = "does not look at b.py.";
    for listing in ["echo \"$PWD/a.py\"", "echo ./a.py", "echo a.py"] {
        assert!(told(listing).contains(left), "{listing}");
    }
    assert!(told("true").contains("does not look at a.py, b.py."));
    // An old version that does not know the option, and one that says something else.
    for listing in [
        "exit 2",
        "echo usage: ruff",
        "printf 'a.py\\nb.py\\n'",
        "kill -9 $$",
    ] {
        assert!(!told(listing).contains("does not look at"), "{listing}");
    }
}
