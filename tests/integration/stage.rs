//! `git council stage`, `brainstorm` and `research`: documents of several agents, and no verdict.

use std::os::unix::fs::PermissionsExt;

use crate::harness::Repo;

/// A program that thinks: it answers with a document that says what it was asked, by which model. `WORDS` comes in between.
const THINKS: &str = r##"#!/bin/sh
prompt=$(cat)
key=$(printf '%s' "$prompt" | sed -n 's/.*`key` is `\([^`]*\)`.*/\1/p' | tail -n 1)
round=$(printf '%s' "$prompt" | sed -n 's/^- `round` is \([0-9]*\),.*/\1/p' | tail -n 1)
role=$(printf '%s' "$prompt" | sed -n 's/^## Your role: //p' | tail -n 1)
printf '%s\n---\n' "$prompt" >> "@MARKS/prompts"
WORDS
cat <<END
\`\`\`json
{"schema_version": 1, "round": $round, "key": "$key", "verdict": "PASS", "confidence": "HIGH", "key_insight": "It can be done.",
 "document": "# Work of round $round\n\nby $role with ${COUNCIL_MODEL:-none}$notes", "recommendation": "Go on."}
\`\`\`
END
"##;

/// Leaves the section out in the documents of roles, and puts it into the synthesis.
const NOTES: &str =
    r##"case "$prompt" in *"# Synthesis"*) notes='\n\n## Debate Notes\n\nAll agreed.' ;; esac"##;

/// Whoever fails is asked once more, and fails again.
const FAILS_AGAIN: &str = "case \"$prompt\" in *'could not use all'*) exit 1 ;; esac";

fn thinker(repo: &Repo, words: &str) {
    std::fs::create_dir_all(repo.in_home("marks")).unwrap();
    let program = repo.in_home("thinker.sh");
    let marks = repo.in_home("marks").display().to_string();
    let script = THINKS.replace("WORDS", words).replace("@MARKS", &marks);
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let command = program.display().to_string();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("[agents.thinker]\ndriver = 'command'\ncommand = [{command:?}]\n"),
    );
}

const SETTINGS: &str = r#"{
  // Comments and trailing commas are fine.
  "debate": {
    "stage_roles": {
      "02-plan": {
        "intensity": "full",
        "default_model": "haiku",
        "roles": [
          {"name": "Visionary", "directive": "Think big.", "model": "opus"},
          {"name": "Skeptic", "directive": "Doubt it."},
          {"name": "Integrator", "directive": "Bring it together."},
        ],
      },
    },
  },
}"#;

/// A project with two stages; the second one is current.
pub(crate) fn project(words: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write("state/progress.json", r#"{"current_stage": "02-plan"}"#);
    repo.write("config/debate.jsonc", SETTINGS);
    repo.write("stages/01-ideas/HANDOFF.md", "We chose a file.\n");
    repo.write("stages/02-plan/CLAUDE.md", "Plan the move.\n");
    repo.write("references/02-plan/numbers.md", "Twelve tables.\n");
    thinker(&repo, words);
    repo
}

fn read(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.path().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn prompts(repo: &Repo) -> String {
    std::fs::read_to_string(repo.in_home("marks/prompts")).unwrap_or_default()
}

fn calls(repo: &Repo) -> Vec<serde_json::Value> {
    let log = read(repo, "state/ai-call-log.jsonl");
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_stage_is_debated_over_its_own_files() {
    let repo = project(NOTES);
    let run = repo.council(["stage"]).ends(0);
    assert_eq!(
        run.stdout,
        "[Round 1] 3/3 agents completed (Visionary, Skeptic, Integrator)\n\
         [Round 2] 3/3 reviews completed\n\
         [Contention] Score: 0.00 → extending to Round 3 (minimum rounds)\n\
         [Round 3] 3/3 rebuttals completed\n\
         [Contention] Score: 0.00 → proceeding to synthesis\n\
         [Synthesis] Final outputs written to stages/02-plan/outputs/\n"
    );
    for role in ["visionary", "skeptic", "integrator"] {
        read(
            &repo,
            &format!("state/debate/02-plan/round2/{role}_review.md"),
        );
        read(
            &repo,
            &format!("state/debate/02-plan/round3/{role}_rebuttal.md"),
        );
    }
    let first = |role: &str| read(&repo, &format!("state/debate/02-plan/round1/{role}.md"));
    assert!(
        first("visionary").contains("by Visionary with opus"),
        "{}",
        first("visionary")
    );
    assert!(
        first("skeptic").contains("by Skeptic with haiku"),
        "the stage's default"
    );
    let synthesis = read(&repo, "stages/02-plan/outputs/synthesis.md");
    assert!(
        synthesis.ends_with("## Debate Notes\n\nAll agreed.\n"),
        "{synthesis}"
    );
    let calls = calls(&repo);
    assert_eq!(calls.len(), 1, "one line per debate");
    let expected = serde_json::json!({"stage": "02-plan", "type": "debate", "rounds": 3, "agents": 3,
        "contention_scores": [0.0, 0.0], "action": "synthesized", "ts": calls[0]["ts"]});
    assert_eq!(calls[0], expected);
    repo.council(["show"]).ends(0).prints("Done: the document");
}

/// The name of a role stands in prompts, in reports and in the names of files.
#[test]
fn a_secret_in_the_name_of_a_role_leaves_by_no_exit() {
    let token = concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789");
    let repo = project(NOTES);
    let named = SETTINGS.replace("Skeptic", &format!("Skeptic {token}"));
    let named = named.replace("Visionary", &format!("Visionary {token}"));
    repo.write("config/debate.jsonc", named);
    let run = repo.council(["stage"]).ends(0);
    let mut said = vec![run.stdout, run.stderr, prompts(&repo)];
    for format in crate::harness::FORMATS {
        said.push(repo.council(["show", "--format", format]).stdout);
    }
    let files = std::process::Command::new("find").arg(repo.path()).output();
    said.push(String::from_utf8(files.unwrap().stdout).unwrap());
    for text in said {
        let lower = text.to_lowercase();
        assert!(!lower.contains(&token[4..12]), "{text}");
    }
    // Each role still has a document of its own.
    let folder = repo.path().join("state/debate/02-plan/round1");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 3);
}

#[test]
fn a_stage_is_seen_while_it_lasts() {
    let repo = project(NOTES);
    let plain = repo
        .council(["stage", "--config", "output.progress=off"])
        .ends(0);
    assert!(!plain.stderr.contains("Skeptic"), "{}", plain.stderr);
    let seen = repo
        .council(["stage", "--config", "output.progress=lines"])
        .ends(0);
    assert!(seen.stderr.contains("Skeptic answered"), "{}", seen.stderr);
    assert_eq!(seen.stdout, plain.stdout, "what it prints stays the same");
}

/// Events have standard output for themselves, or a file; what a stage prints otherwise goes to standard error.
#[test]
fn a_stage_is_told_as_events() {
    let repo = project(NOTES);
    let run = repo.council(["stage", "--events", "-"]).ends(0);
    let events = crate::live::checked_events(&repo, &run.stdout, run.code);
    let tasks: Vec<&str> = events.iter().filter_map(|e| e["task"].as_str()).collect();
    for task in ["document", "rebuttal", "synthesis"] {
        assert!(tasks.contains(&task), "{task}: {tasks:?}");
    }
    assert!(run.stderr.contains("[Synthesis] "), "{}", run.stderr);
    let run = repo.council(["stage", "--json", "--events", "seen.ndjson"]);
    let run = run.ends(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(report["verdict"].is_string(), "{report}");
    crate::live::checked_events(&repo, &read(&repo, "seen.ndjson"), 0);
}

#[test]
fn a_brainstorm_is_told_as_events() {
    let repo = project(NOTES);
    let run = repo
        .council(["brainstorm", "How?", "--events", "-"])
        .ends(0);
    let events = crate::live::checked_events(&repo, &run.stdout, run.code);
    assert!(
        events.iter().any(|e| e["task"] == "synthesis"),
        "{events:?}"
    );
    assert!(run.stderr.contains("# Work of round 2"), "{}", run.stderr);
}

#[test]
fn every_role_is_given_the_stage_the_handoff_the_references_and_its_directive() {
    let repo = project(NOTES);
    repo.council(["stage", "--intensity", "light"]).ends(0);
    let prompts = prompts(&repo);
    for given in [
        "Plan the move.",
        "We chose a file.",
        "Twelve tables.",
        "Think big.",
        "Doubt it.",
    ] {
        assert!(
            prompts.contains(given),
            "{given:?} is in no prompt:\n{prompts}"
        );
    }
    assert!(!prompts.contains("Bring it together."), "light seats two");
    assert!(prompts.contains("# Round 1: produce independently"));
}

#[test]
fn light_has_one_round_and_a_synthesis() {
    let repo = project(NOTES);
    let run = repo
        .council(["stage", "02-plan", "--intensity", "light"])
        .ends(0);
    assert_eq!(
        run.stdout,
        "[Round 1] 2/2 agents completed (Visionary, Skeptic)\n\
         [Synthesis] Final outputs written to stages/02-plan/outputs/\n"
    );
    assert_eq!(calls(&repo)[0]["contention_scores"], serde_json::json!([]));
}

#[test]
fn one_agent_that_succeeds_is_enough() {
    let fails = format!("{NOTES}\n{FAILS_AGAIN}\n[ \"$role\" = Visionary ] && exit 1");
    let repo = project(&fails);
    repo.council(["stage", "--intensity", "light"])
        .ends(0)
        .prints("[Round 1] 1/2 agents completed (Skeptic)")
        .prints("[Synthesis]");
}

#[test]
fn when_all_agents_fail_one_works_alone() {
    let fails = format!("{NOTES}\n{FAILS_AGAIN}\n[ -n \"$role\" ] && exit 1");
    let repo = project(&fails);
    repo.council(["stage", "--intensity", "light"])
        .ends(0)
        .prints("[Round 1] 0/2 agents completed ()")
        .tells("one agent worked alone");
    assert!(read(&repo, "stages/02-plan/outputs/synthesis.md").contains("## Debate Notes"));
}

#[test]
fn a_failure_in_an_extra_round_leaves_the_others() {
    let fails = format!(
        "{NOTES}\n{FAILS_AGAIN}\n[ \"$round\" = 3 ] && case \"$prompt\" in *'still: Skeptic'*) exit 1 ;; esac"
    );
    let repo = project(&fails);
    repo.council(["stage"])
        .ends(0)
        .prints("[Round 3] 2/3 rebuttals completed")
        .prints("[Synthesis]");
}

#[test]
fn a_synthesis_without_notes_gets_what_the_program_knows() {
    let repo = project("");
    repo.council(["stage"]).ends(0);
    let synthesis = read(&repo, "stages/02-plan/outputs/synthesis.md");
    assert!(
        synthesis.contains("## Debate Notes\n\nThe synthesizer left out this section")
            && synthesis.contains("- Rounds: 3"),
        "{synthesis}"
    );
}

#[test]
fn a_debate_that_comes_to_nothing_says_so_and_is_logged() {
    let repo = project("exit 1");
    let run = repo.council(["stage", "--intensity", "light"]).ends(3);
    assert!(run.stdout.contains("INCONCLUSIVE"), "{}", run.stdout);
    assert_eq!(calls(&repo)[0]["action"], "failed");
    assert!(!repo.path().join("stages/02-plan/outputs").exists());
}

/// An empty document is none: it is told, and what lies there of an earlier debate is named as such.
#[test]
fn a_debate_whose_document_is_empty_says_so() {
    let repo = project(NOTES);
    repo.council(["stage", "--intensity", "light"]).ends(0);
    const EMPTIES: &str = r##"cat() { sed 's/"document": "[^"]*"/"document": "  "/'; }"##;
    thinker(&repo, EMPTIES);
    let run = repo.council(["stage", "--intensity", "light"]).ends(3);
    run.prints("INCONCLUSIVE")
        .tells("the document of synthesizer is empty: nothing was written")
        .tells("stages/02-plan/outputs/synthesis.md is of an earlier debate");
    assert_eq!(calls(&repo)[1]["action"], "failed");
}

#[test]
fn an_earlier_debate_is_set_aside_and_passes_for_none_of_this_one() {
    let repo = project(NOTES);
    repo.council(["stage"]).ends(0);
    repo.council(["stage", "--intensity", "light"]).ends(0);
    assert!(!repo.path().join("state/debate/02-plan/round3").exists());
    read(
        &repo,
        "state/debate/02-plan.before/round3/skeptic_rebuttal.md",
    );
    assert_eq!(calls(&repo).len(), 2, "the log only grows");
}

#[test]
fn bad_input_a_stage_folder_with_pieces_missing_names_them() {
    let repo = project(NOTES);
    let remove = |path: &str| std::fs::remove_file(repo.path().join(path)).unwrap();
    remove("references/02-plan/numbers.md");
    remove("stages/01-ideas/HANDOFF.md");
    repo.council(["stage", "--intensity", "light"])
        .ends(0)
        .tells("stages/01-ideas/HANDOFF.md is missing: debated without it");
    repo.council(["stage", "03-build"])
        .ends(2)
        .tells("stages/03-build is missing");
    repo.council(["stage", "../x"]).ends(2).tells("is no stage");
    repo.council(["stage", "01-ideas"])
        .ends(2)
        .tells("has no roles for `01-ideas`");
    remove("state/progress.json");
    repo.council(["stage"]).ends(2).tells("no stage is named");
    remove("stages/02-plan/CLAUDE.md");
    repo.council(["stage", "02-plan"])
        .ends(2)
        .tells("CLAUDE.md is missing: it is the stage's instructions");
    repo.write("config/debate.jsonc", "{ // broken\n \"debate\": [ }");
    repo.council(["stage", "02-plan"])
        .ends(2)
        .tells("debate.jsonc cannot be understood");
    remove("config/debate.jsonc");
    repo.council(["stage", "02-plan"])
        .ends(2)
        .tells("debate.jsonc is missing");
}

#[test]
fn a_stage_sets_models_but_no_option_and_leads_nowhere() {
    let repo = project(NOTES);
    repo.write(
        "config/debate.jsonc",
        SETTINGS.replace("\"opus\"", "\"--dangerously\""),
    );
    repo.council(["stage"])
        .ends(2)
        .tells("is no name of a model");
    repo.write("config/debate.jsonc", SETTINGS);
    let elsewhere = repo.in_home("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, repo.path().join("state/debate")).unwrap();
    repo.council(["stage"])
        .ends(2)
        .tells("state/debate is a symbolic link");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

/// A repository may commit a folder as a link to somebody's private files: it is named before any agent is asked.
#[test]
fn nothing_behind_a_linked_folder_is_sent() {
    for link in [
        "stages/01-ideas",
        "stages/02-plan",
        "stages",
        "references/02-plan",
        "references",
    ] {
        let repo = project(NOTES);
        let private = repo.in_home("private");
        std::fs::create_dir_all(private.join("02-plan")).unwrap();
        for file in ["CLAUDE.md", "HANDOFF.md", "key", "02-plan/CLAUDE.md"] {
            std::fs::write(private.join(file), "private words\n").unwrap();
        }
        let place = repo.path().join(link);
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&private, &place).unwrap();
        repo.council(["stage", "02-plan"])
            .ends(2)
            .tells("is a symbolic link")
            .tells("replace the link");
        assert!(!repo.in_home("marks/prompts").exists(), "{link}");
    }
}

#[test]
fn what_needs_thinking_is_refused_without_an_agent_that_thinks() {
    let repo = project(NOTES);
    std::fs::remove_file(repo.in_home(".config/git-council/config.toml")).unwrap();
    repo.council(["stage"])
        .ends(2)
        .tells("a stage needs agents with a model, but `builtin` only applies rules to code");
    for command in ["brainstorm", "research"] {
        repo.council([command, "What now?"])
            .ends(2)
            .tells("a topic needs agents with a model, but `builtin` only applies rules to code");
    }
    assert!(!repo.path().join("state/ai-call-log.jsonl").exists());
}

#[test]
fn a_stage_is_debated_locally_only() {
    let repo = project(NOTES);
    repo.council_with(&[("CI", "true")], &["stage"])
        .ends(2)
        .tells("a stage debate takes its settings from the worktree, so it runs only locally");
}

#[test]
fn a_brainstorm_ends_with_a_document_and_without_a_verdict() {
    let repo = project(NOTES);
    let run = repo
        .council([
            "brainstorm",
            "--technique",
            "six-hats",
            "How to start faster?",
        ])
        .ends(0);
    assert!(run.stdout.contains("# Work of round 2"), "{}", run.stdout);
    assert!(!run.stdout.contains("PASS"), "{}", run.stdout);
    let prompts = prompts(&repo);
    assert!(
        prompts.contains("# Round 1: ideas") && prompts.contains("Six hats:"),
        "{prompts}"
    );
    assert!(prompts.contains("How to start faster?"));
    let json = repo
        .council(["brainstorm", "How?", "--json"])
        .ends(0)
        .stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&report["verdict"], &report["reason"]),
        (&"SKIPPED".into(), &"no-verdict".into())
    );
    assert_eq!(
        report["judges"].as_array().unwrap().len(),
        3,
        "two and the synthesizer"
    );
}

#[test]
fn research_is_looked_into_from_several_sides() {
    let repo = project(NOTES);
    repo.council(["research", "--deep", "What does a torn write do?"])
        .ends(0);
    let prompts = prompts(&repo);
    for side in ["breadth", "depth", "contrarian"] {
        assert!(prompts.contains(&format!("## Your role: {side}")), "{side}");
    }
    assert!(prompts.contains("# Round 1: research"));
}

#[test]
fn debate_outside_of_validate_mode_is_refused_in_its_words() {
    let repo = Repo::with_base();
    for command in ["brainstorm", "research"] {
        repo.council([command, "x", "--debate"]).ends(2).tells(
            "Error: --debate is only supported with validate mode. Debate requires PASS/WARN/FAIL verdicts.",
        );
    }
    repo.council(["research", "x", "--technique", "scamper"])
        .ends(2)
        .tells("Error: --technique is only applicable to brainstorm mode.");
}

/// A secret of the user's own rules, and one that is known by its shape: in the files of a stage, and in a question.
#[test]
fn no_document_and_no_prompt_of_a_stage_or_a_brainstorm_holds_a_secret() {
    let random = "a1B2c3D4e5F6g7H8i9J0".repeat(2);
    let words = format!("Keep house_abcd1234 and ghp_{random}.\n");
    let with_rules = |repo: &Repo| {
        let config = ".config/git-council/config.toml";
        let agents = std::fs::read_to_string(repo.in_home(config)).unwrap();
        let rules = repo.in_home("gitleaks.toml").display().to_string();
        repo.write_home(config, &format!("{agents}[redact]\nrules = {rules:?}\n"));
        repo.write_home(
            "gitleaks.toml",
            "[[rules]]\nid = 'house'\nregex = '''\\b(house_[a-z0-9]{8})\\b'''\nkeywords = ['house_']\n",
        );
    };
    let holds_nothing = |what: &str, repo: &Repo, text: &str| {
        let prompts = prompts(repo);
        assert!(prompts.contains("[redacted: house]"), "{what}: {prompts}");
        for text in [text, &prompts] {
            assert!(!text.contains("house_abcd1234"), "{what}: {text}");
            assert!(!text.contains(&random), "{what}: {text}");
        }
    };
    let repo = project("notes=$(printf '%s' \"$prompt\" | grep -o 'house_[a-z0-9]*' | head -n 1)");
    with_rules(&repo);
    for file in [
        "stages/01-ideas/HANDOFF.md",
        "stages/02-plan/CLAUDE.md",
        "references/02-plan/numbers.md",
    ] {
        repo.write(file, &*words);
    }
    let run = repo.council(["stage"]).ends(0);
    let written = read(&repo, "stages/02-plan/outputs/synthesis.md")
        + &read(&repo, "state/debate/02-plan/round1/visionary.md");
    holds_nothing("stage", &repo, &(run.stdout + &run.stderr + &written));
    for command in ["brainstorm", "research"] {
        let repo = Repo::with_base();
        thinker(&repo, "");
        with_rules(&repo);
        let run = repo.council([command, &words, "--agents", "thinker"]);
        let shown = repo.council(["show"]).stdout + &repo.council(["log"]).stdout;
        holds_nothing(command, &repo, &(run.stdout + &run.stderr + &shown));
    }
}
