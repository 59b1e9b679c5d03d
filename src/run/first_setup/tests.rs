use std::collections::BTreeMap;
use std::fs;

use council_agents::known::KNOWN_CLIENTS;
use proptest::prelude::*;

use super::samples::options;
use super::*;
use crate::config::{Config, ConfigLayer, LayerSource, resolve_layers};
use crate::run::environment::ProcessEnvironment;

const PRESETS: [SetupPreset; 3] = [
    SetupPreset::Solo,
    SetupPreset::Team,
    SetupPreset::OpenSource,
];

const TOOLS: [&str; 3] = ["ruff", "eslint", "golangci-lint"];

fn read(source: LayerSource, text: &str) -> Config {
    let layer = ConfigLayer::File {
        source,
        name: "a file".into(),
        text: text.into(),
    };
    resolve_layers(&[layer]).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn agents(text: &str) -> Vec<String> {
    read(LayerSource::User, text).settings.review.agents
}

fn own_file(options: &SetupOptions, choices: &SetupChoices) -> String {
    let files = plan_setup(SetupPreset::Solo, options, choices).unwrap();
    files[0].text.clone()
}

fn with_keys() -> SetupOptions {
    let vars = [
        ("ANTHROPIC_API_KEY", "x"),
        ("OPENAI_API_KEY", "x"),
        ("GEMINI_API_KEY", "x"),
    ];
    SetupOptions {
        apis: vendors_with_key(&ProcessEnvironment::from_vars(&vars)),
        ..options(KNOWN_CLIENTS, &TOOLS)
    }
}

#[test]
fn every_file_of_every_preset_is_read_as_it_is_written() {
    let everything = SetupChoices {
        clients: vec!["claude".into(), "codex".into()],
        models: vec![ChosenModel {
            name: "local".into(),
            api: "chat",
            url: Some("http://localhost:1/\"v1".into()),
            model: "m".into(),
        }],
        tools: vec!["ruff".into()],
    };
    for preset in PRESETS {
        for choices in [SetupChoices::default(), everything.clone()] {
            for file in plan_setup(preset, &with_keys(), &choices).unwrap() {
                let name = file.path.file_name().unwrap().to_str().unwrap();
                match name {
                    "config.toml" => drop(read(LayerSource::User, &file.text)),
                    "council.toml" => {
                        let config = read(LayerSource::Repository, &file.text);
                        assert!(config.notices.is_empty(), "{:?}", config.notices);
                    }
                    _ => assert!(file.text.contains("permissions: {}"), "{name}"),
                }
            }
        }
    }
}

#[test]
fn without_a_choice_nothing_is_written_that_costs_or_is_not_here() {
    for options in [options(&[], &[]), with_keys()] {
        assert_eq!(
            agents(&own_file(&options, &SetupChoices::default())),
            ["builtin"]
        );
    }
    let nothing = own_file(&options(&[], &[]), &SetupChoices::default());
    let config = read(LayerSource::User, &nothing);
    assert!(config.settings.agents.is_empty(), "{nothing}");
    for preset in [SetupPreset::Team, SetupPreset::OpenSource] {
        let files = plan_setup(preset, &with_keys(), &SetupChoices::default()).unwrap();
        let own = files.iter().find(|file| file.path.ends_with("config.toml"));
        assert_eq!(own, None, "nothing was chosen for oneself");
    }
}

#[test]
fn what_was_chosen_judges() {
    let clients = SetupChoices {
        clients: KNOWN_CLIENTS.iter().map(|one| one.name.into()).collect(),
        ..SetupChoices::default()
    };
    let names: Vec<&str> = KNOWN_CLIENTS.iter().map(|known| known.name).collect();
    assert_eq!(agents(&own_file(&with_keys(), &clients)), names);
    let tools = SetupChoices {
        tools: vec!["ruff".into()],
        ..SetupChoices::default()
    };
    assert_eq!(agents(&own_file(&with_keys(), &tools)), ["builtin", "ruff"]);
    let options = with_keys();
    let models = SetupChoices {
        models: vec![ChosenModel {
            name: options.apis[0].agent_name(),
            api: options.apis[0].api_name(),
            url: None,
            model: "a-model".into(),
        }],
        ..SetupChoices::default()
    };
    let text = own_file(&options, &models);
    assert_eq!(agents(&text), ["anthropic-api"]);
    assert!(!text.contains("ANTHROPIC_API_KEY is set"), "{text}");
    assert!(text.contains("# OPENAI_API_KEY is set"), "{text}");
}

#[test]
fn every_line_that_is_commented_out_can_be_taken_in() {
    let text = own_file(&with_keys(), &SetupChoices::default());
    let is_setting = |line: &str| {
        let words = line.strip_prefix("# ").unwrap_or_default();
        words.starts_with('[')
            || words
                .split_once(" = ")
                .is_some_and(|(key, _)| !key.contains(' '))
    };
    // `agents` stands there twice: for nothing that costs, and for everything.
    let lines = text
        .lines()
        .filter(|line| *line != "agents = [\"builtin\"]");
    let taken_in: Vec<&str> = lines
        .map(|line| {
            if is_setting(line) {
                line.trim_start_matches("# ")
            } else {
                line
            }
        })
        .collect();
    let taken_in = taken_in.join("\n").replace('…', "a-model");
    let config = read(LayerSource::User, &taken_in);
    assert_eq!(config.settings.review.agents.len(), KNOWN_CLIENTS.len());
    for name in [
        "anthropic-api",
        "openai-api",
        "google-api",
        "semgrep",
        "eslint",
    ] {
        assert!(
            config.settings.agents.contains_key(name),
            "{name}: {taken_in}"
        );
    }
    assert!(
        text.contains(r#"agents = ["builtin", "ruff", "eslint", "golangci-lint"]"#),
        "{text}"
    );
}

#[test]
fn only_tools_that_can_judge_as_they_are_are_offered() {
    let options = options(&[], &TOOLS);
    let ready: Vec<&str> = options.ready_tools().collect();
    assert_eq!(
        ready,
        ["ruff"],
        "eslint runs the change's code, the other one is too old"
    );
}

#[test]
fn a_preset_without_its_place_is_an_error() {
    let nowhere = SetupOptions {
        worktree: None,
        own_file: None,
        ..options(&[], &[])
    };
    for preset in PRESETS {
        assert!(setup_places(preset, &nowhere).is_err(), "{preset:?}");
    }
}

#[test]
fn lines_that_name_no_release_are_found() {
    let files = plan_setup(SetupPreset::Team, &with_keys(), &SetupChoices::default()).unwrap();
    let workflow = &files[1].text;
    let found = lines_without_release(workflow);
    assert_eq!(found.len(), 1, "{workflow}");
    for line in found {
        assert!(
            workflow
                .lines()
                .nth(line - 1)
                .unwrap()
                .contains("put the release's commit here")
        );
    }
}

/// Everything below a folder: what a link names, what a file holds.
fn tree(top: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            let holds = if data.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if data.is_dir() {
                open.push(path.clone());
                "a folder".to_owned()
            } else {
                fs::read_to_string(&path).unwrap()
            };
            found.insert(path, holds);
        }
    }
    found
}

/// Puts something in the way of a file of a setup.
fn put(path: &Path, what: usize) {
    let folder = path.parent().unwrap();
    if fs::create_dir_all(folder).is_err() || path.symlink_metadata().is_ok() {
        return;
    }
    match what {
        0 => fs::write(path, "was here").unwrap(),
        1 => fs::create_dir(path).unwrap(),
        2 => std::os::unix::fs::symlink("elsewhere", path).unwrap(),
        // Where a folder has to be.
        3 if fs::remove_dir(folder).is_ok() => fs::write(folder, "a file").unwrap(),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is in the way of the files of a setup: all of them are written, or nothing has changed.
    #[test]
    fn a_setup_is_written_as_a_whole_or_not_at_all(
        in_the_way in proptest::collection::vec(0_usize..9, 4),
        is_kept: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("project");
        fs::create_dir(&top).unwrap();
        let options = SetupOptions {
            worktree: Some(top),
            own_file: Some(folder.path().join("home/council/config.toml")),
            ..options(&[], &[])
        };
        let choices = SetupChoices { tools: vec!["ruff".into()], ..SetupChoices::default() };
        let files = plan_setup(SetupPreset::Team, &options, &choices).unwrap();
        for (file, what) in files.iter().zip(&in_the_way) {
            put(&file.path, *what);
        }
        let before = tree(folder.path());
        match write_setup(&files, &options) {
            Ok(written) if is_kept => {
                written.keep();
                for file in &files {
                    prop_assert_eq!(&fs::read_to_string(&file.path).unwrap(), &file.text);
                }
                let after = tree(folder.path());
                prop_assert!(after.keys().all(|path| !path.to_string_lossy().contains("/.council-")));
            }
            written => {
                drop(written);
                prop_assert_eq!(tree(folder.path()), before);
            }
        }
    }
}
