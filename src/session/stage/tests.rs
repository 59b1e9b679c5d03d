use std::fs;
use std::path::Path;

use super::*;
use crate::council::plan::IntensityProfile;
use council_protocol::RoundNumber;

const SETTINGS: &str = r#"
// settings
{
  "debate": {
    "intensity_profiles": { "full": { "min_rounds": 3, "max_rounds": 5, "agent_count": 3 }, "light": { "min_rounds": 2 } },
    /* the default */
    "dynamic_rounds": { "contention_threshold": 0.5, },
    "stage_roles": {
      "03-planning": { "intensity": "full", "default_model": "opus", "roles": [
        { "name": "Architect", "directive": "Design.", "model": "haiku" },
        { "name": "Risk Analyst", "directive": "Doubt." },
      ] },
      "10-deployment": { "intensity": "light", "roles": [ { "name": "A" }, { "name": "B" }, { "name": "C" } ] },
    },
  },
}
"#;

fn parse(stage: &str) -> Result<StageSettings, StageError> {
    StageSettings::parse(SETTINGS, Path::new("config/debate.jsonc"), stage, None)
}

fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("config/debate.jsonc", SETTINGS);
    put("state/progress.json", r#"{"current_stage": "03-planning"}"#);
    put("stages/02-research/HANDOFF.md", "we found");
    put("stages/03-planning/CLAUDE.md", "plan it");
    put("references/03-planning/b.md", "two");
    put("references/03-planning/a.md", "one");
    root
}

#[test]
fn model_is_the_roles_else_the_stages_else_sonnet() {
    let models = |stage| {
        parse(stage)
            .unwrap()
            .roles
            .into_iter()
            .map(|r| r.model)
            .collect::<Vec<_>>()
    };
    assert_eq!(models("03-planning"), ["haiku", "opus"]);
    assert_eq!(models("10-deployment"), ["sonnet", "sonnet"]);
}

#[test]
fn light_is_one_round_whatever_its_minimum_says() {
    let light = parse("10-deployment").unwrap();
    assert_eq!(
        light.profile,
        IntensityProfile {
            min_rounds: 1,
            max_rounds: 1,
            agents: 2
        }
    );
    let full = parse("03-planning").unwrap();
    assert_eq!((full.profile.min_rounds, full.profile.max_rounds), (3, 5));
    assert!((full.threshold - 0.5).abs() < f64::EPSILON);
}

#[test]
fn bad_input_jsonc_with_comments_and_trailing_commas_is_read() {
    assert_eq!(
        parse("03-planning").unwrap().roles[1].slug(),
        "risk-analyst"
    );
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let file = Path::new("config/debate.jsonc");
    let error = |text: &str, stage| {
        StageSettings::parse(text, file, stage, None)
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(
        [
            error("{ nope", "x"),
            error("{}", "x"),
            error(SETTINGS, "11-party"),
            error(&SETTINGS.replace("0.5,", "7,"), "03-planning"),
            error(
                &SETTINGS.replace("Risk Analyst", "architect"),
                "03-planning"
            ),
            error(
                &SETTINGS.replace("\"max_rounds\": 5", "\"max_rounds\": 2"),
                "03-planning"
            ),
        ]
        .join("\n")
    );
}

#[test]
fn the_stage_is_the_argument_or_the_current_one() {
    let root = project();
    assert_eq!(
        StageFolder::find(root.path(), None).unwrap().stage(),
        "03-planning"
    );
    assert_eq!(
        StageFolder::find(root.path(), Some("02-research"))
            .unwrap()
            .stage(),
        "02-research"
    );
    for bad in ["../x", "a/b", "", ".git"] {
        assert!(
            matches!(
                StageFolder::find(root.path(), Some(bad)),
                Err(StageError::BadName(_))
            ),
            "{bad}"
        );
    }
    fs::remove_file(root.path().join("state/progress.json")).unwrap();
    assert!(matches!(
        StageFolder::find(root.path(), None),
        Err(StageError::NoCurrent { .. })
    ));
}

#[test]
fn context_is_instructions_handoff_and_references() {
    let root = project();
    let stage = StageFolder::find(root.path(), None).unwrap();
    let context = stage.read_context().unwrap();
    assert_eq!(context.instructions, "plan it");
    assert_eq!(context.handoff.as_deref(), Some("we found"));
    let names: Vec<_> = context
        .references
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["a.md", "b.md"]);
}

#[test]
fn references_in_subfolders_are_read_and_what_is_not_read_is_named() {
    let root = project();
    let references = root.path().join("references/03-planning");
    fs::create_dir_all(references.join("papers/old")).unwrap();
    fs::write(references.join("papers/old/c.md"), "three").unwrap();
    fs::write(references.join("papers/figure.png"), [0xff, 0xfe, 0x00]).unwrap();
    let context = StageFolder::find(root.path(), None)
        .unwrap()
        .read_context()
        .unwrap();
    let names: Vec<_> = context
        .references
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["a.md", "b.md", "papers/old/c.md"]);
    assert_eq!(
        context.notes,
        ["references/03-planning/papers/figure.png was left out"]
    );
}

#[test]
fn the_rules_of_the_synthesis_are_the_stages_else_the_projects() {
    let rules = |project: &str, stage: &str| {
        let text = format!(
            r#"{{"debate": {{"synthesis_rules": {project}, "stage_roles": {{"s": {{{stage} "roles": [{{"name": "R"}}]}}}}}}}}"#
        );
        let parsed = StageSettings::parse(&text, Path::new("debate.jsonc"), "s", None).unwrap();
        parsed.synthesis_rules
    };
    assert_eq!(rules(r#"["a", "b"]"#, ""), ["a", "b"]);
    assert_eq!(rules(r#""one""#, ""), ["one"]);
    assert_eq!(
        rules(r#"{"consensus": "include", "unique": 2}"#, ""),
        ["consensus: include", "unique: 2"]
    );
    assert_eq!(rules(r#"["a"]"#, r#""synthesis_rules": ["own"],"#), ["own"]);
}

/// Law: whichever part of whichever path of a stage is a link, the stage is refused before anything is read of it.
#[cfg(unix)]
#[test]
fn no_part_of_a_path_of_a_stage_is_a_link() {
    for path in [
        "config",
        "references/03-planning",
        "state/debate/03-planning",
        "stages/02-research",
        "stages/03-planning/outputs",
    ] {
        let parts: Vec<_> = path.split('/').collect();
        for depth in 1..=parts.len() {
            let root = project();
            let outside = tempfile::tempdir().unwrap();
            let link = root.path().join(parts[..depth].join("/"));
            let moved = outside.path().join("moved");
            fs::create_dir_all(root.path().join(path)).unwrap();
            fs::rename(&link, &moved).unwrap();
            std::os::unix::fs::symlink(&moved, &link).unwrap();
            let found = StageFolder::find(root.path(), Some("03-planning"));
            let is_refused = matches!(&found, Err(StageError::Linked(part)) if *part == link);
            assert!(is_refused, "{}: {found:?}", link.display());
        }
    }
    assert!(StageFolder::find(project().path(), Some("03-planning")).is_ok());
}

#[test]
fn a_stage_folder_with_pieces_missing_says_which() {
    let root = project();
    let stage = StageFolder::find(root.path(), None).unwrap();
    fs::remove_file(root.path().join("stages/02-research/HANDOFF.md")).unwrap();
    let context = stage.read_context().unwrap();
    assert_eq!(
        context.notes,
        ["stages/02-research/HANDOFF.md is missing: debated without it"]
    );
    fs::remove_file(root.path().join("stages/03-planning/CLAUDE.md")).unwrap();
    assert!(matches!(
        stage.read_context(),
        Err(StageError::Missing { .. })
    ));
    fs::remove_file(root.path().join("config/debate.jsonc")).unwrap();
    assert!(matches!(
        stage.read_settings(None),
        Err(StageError::Missing { .. })
    ));
}

#[test]
fn round_files_stand_in_a_folder_of_each_round() {
    let root = project();
    let stage = StageFolder::find(root.path(), None).unwrap();
    let role = &stage.read_settings(None).unwrap().roles[1];
    let files = [1, 2, 3].map(|round| {
        let file = stage.round_path(RoundNumber(round), role);
        file.strip_prefix(root.path())
            .unwrap()
            .display()
            .to_string()
    });
    assert_eq!(
        files,
        [
            "state/debate/03-planning/round1/risk-analyst.md",
            "state/debate/03-planning/round2/risk-analyst_review.md",
            "state/debate/03-planning/round3/risk-analyst_rebuttal.md",
        ]
    );
}

#[test]
fn the_last_line_and_the_call_log_have_fixed_forms() {
    assert_eq!(
        synthesis_line("01-brainstorm"),
        "[Synthesis] Final outputs written to stages/01-brainstorm/outputs/"
    );
    let line = CallLog::new(
        "01-brainstorm",
        3,
        3,
        vec![0.82, 0.45],
        "2026-01-01T00:00:00Z".into(),
    )
    .to_line();
    assert_eq!(
        line,
        "{\"stage\":\"01-brainstorm\",\"type\":\"debate\",\"rounds\":3,\"agents\":3,\
         \"contention_scores\":[0.82,0.45],\"action\":\"synthesized\",\"ts\":\"2026-01-01T00:00:00Z\"}\n"
    );
}
