use super::checkout::CheckoutRule;
use super::*;
use crate::report::FailOn;

fn file(source: LayerSource, text: &str) -> ConfigLayer {
    ConfigLayer::File {
        source,
        name: "council.toml".into(),
        text: text.into(),
    }
}

fn pairs(source: LayerSource, key: &str, value: &str) -> ConfigLayer {
    ConfigLayer::Pairs {
        source,
        pairs: vec![KeyValue::new(key, value, "here")],
    }
}

fn origin(config: &Config, key: &str) -> String {
    config
        .entry(key)
        .and_then(ResolvedKey::origin)
        .unwrap()
        .to_string()
}

/// A value that the key takes, as text in a file.
fn sample(key: &ConfigKey) -> String {
    match key.kind {
        ValueKind::Choice(words) => format!("{:?}", words[0]),
        ValueKind::Count { least, .. } => least.to_string(),
        ValueKind::Switch => "true".into(),
        ValueKind::Duration => r#""5s""#.into(),
        ValueKind::Bytes | ValueKind::BytesOrNone => r#""5K""#.into(),
        ValueKind::Name | ValueKind::Text | ValueKind::Model => r#""some""#.into(),
        ValueKind::Names | ValueKind::Command | ValueKind::Arguments => r#"["some"]"#.into(),
        ValueKind::Globs | ValueKind::Signers | ValueKind::Folders => r#"["*.lock"]"#.into(),
        ValueKind::EnvNames => r#"["SOME"]"#.into(),
        ValueKind::File => r#""/some/file""#.into(),
        ValueKind::Url => r#""https://models.example/v1""#.into(),
        ValueKind::EnvName => r#""SOME_NAME""#.into(),
        ValueKind::Models => r#"["some/model:1"]"#.into(),
        ValueKind::Money => r#""2.50""#.into(),
        ValueKind::Table => r#"{ some = ["thing"] }"#.into(),
        ValueKind::Judges => {
            r#"[{ perspective = "security", agent = "builtin", model = "m" }]"#.into()
        }
    }
}

fn line(key: &ConfigKey) -> String {
    format!("{} = {}\n", key.name.replace('*', "some"), sample(key))
}

fn is_strictest(key: &ConfigKey) -> bool {
    let CheckoutRule::Stricter(words) = key.checkout else {
        return false;
    };
    words.last() == Some(&sample(key).trim_matches('"'))
}

#[test]
fn nothing_configured_is_the_built_in_layer() {
    let config = resolve_layers(&[]).unwrap();
    assert_eq!(
        config.settings.timeouts(),
        crate::council::plan::RoundTimeouts::default()
    );
    assert_eq!(config.settings.limits.agents, 12);
    assert!(config.settings.judge.is_empty() && config.notices.is_empty());
    assert_eq!(origin(&config, "review.debate"), "built-in");
}

#[test]
fn every_key_reaches_the_settings() {
    let all: String = KEYS.iter().map(line).collect();
    let config = resolve_layers(&[file(LayerSource::User, &all)]).unwrap();
    assert_eq!(config.entries.len(), KEYS.len());
    let json = serde_json::to_value(&config.settings).unwrap();
    for key in KEYS {
        let found = key.segments().try_fold(&json, |at, part| {
            at.get(if part == "*" { "some" } else { part })
        });
        assert!(
            found.is_some_and(|value| !value.is_null()),
            "{} has no field in Settings",
            key.name
        );
    }
}

#[test]
fn every_key_keeps_its_rights_in_every_layer() {
    let layers = [
        LayerSource::Repository,
        LayerSource::Worktree,
        LayerSource::GitLocal,
        LayerSource::System,
        LayerSource::User,
        LayerSource::Git,
    ];
    for key in KEYS {
        for source in layers {
            let result = resolve_layers(&[file(source, &line(key))]);
            match (source.trust() >= key.needs, key.needs) {
                (true, _) => assert!(
                    result.unwrap().notices.is_empty(),
                    "{} by {source:?}",
                    key.name
                ),
                (false, SourceTrust::User) if source == LayerSource::GitLocal => {
                    let config = result.unwrap();
                    let told = config.notices.iter().map(ToString::to_string);
                    let is_told = |text: String| text.contains("no repository may set it");
                    assert!(
                        told.map(is_told).eq([true]) || key.default == Some(sample(key).as_str()),
                        "{} by {source:?}: {:?}",
                        key.name,
                        config.notices
                    );
                    let mut parts = config.entries.iter().flat_map(|entry| &entry.parts);
                    assert!(
                        !parts.any(|part| part.origin.source == source),
                        "{} by {source:?}",
                        key.name
                    );
                }
                (false, SourceTrust::User) => {
                    assert!(
                        matches!(result, Err(ConfigError::Forbidden { .. })),
                        "{} by {source:?}",
                        key.name
                    );
                }
                // The sample is the weakest value that the key takes.
                (false, _) if key.checkout == CheckoutRule::AddsSeats => {}
                // The strictest value is obeyed.
                (false, _) if is_strictest(key) => {}
                (false, _) => {
                    // To ask for what holds anyway is no news.
                    let is_news = key.default != Some(sample(key).as_str());
                    assert_eq!(
                        result.unwrap().notices.len(),
                        usize::from(is_news),
                        "{} by {source:?}",
                        key.name
                    );
                }
            }
        }
    }
}

#[test]
fn a_checkout_alone_sets_nothing() {
    for key in KEYS {
        assert_ne!(key.needs, SourceTrust::Checkout, "{}", key.name);
        let is_kept = key.needs == SourceTrust::Repository || key.checkout == CheckoutRule::Never;
        assert!(is_kept, "{}", key.name);
    }
}

#[test]
fn a_checkout_that_the_user_follows_has_the_trusted_branch_s_rights() {
    for key in KEYS
        .iter()
        .filter(|key| key.needs == SourceTrust::Repository)
    {
        for source in [LayerSource::Worktree, LayerSource::GitLocal] {
            let layers = [file(source, &line(key))];
            let config = resolve_checkout(&layers, CheckoutTrust::Full).unwrap();
            assert!(config.notices.is_empty(), "{} by {source:?}", key.name);
            assert!(config.settings.review.raised.is_empty(), "{}", key.name);
        }
    }
}

#[test]
fn a_checkout_raises_and_never_lowers() {
    let settings = |trusted: &str, checkout: &str| {
        let layers = [
            file(LayerSource::Repository, trusted),
            file(LayerSource::Worktree, checkout),
        ];
        let config = resolve_layers(&layers).unwrap();
        (config.settings, config.notices.len())
    };
    let (strict, notices) = settings(
        "",
        "review.fail-on = 'warn'\nhook.mode = 'gate'\nrules.todo-without-reference = 'critical'",
    );
    assert_eq!((strict.review.fail_on, notices), (FailOn::Warn, 0));
    assert_eq!((strict.hook.mode, strict.rules.len()), (HookMode::Gate, 1));
    let (held, notices) = settings(
        "review.fail-on = 'warn'\nhook.mode = 'gate'\nrules.x = 'minor'\nreview.judges = 3",
        "review.fail-on = 'fail'\nhook.mode = 'advisory'\nrules.x = 'off'\nrules.y = 'significant'\nreview.judges = 1",
    );
    assert_eq!(
        (held.review.fail_on, held.hook.mode),
        (FailOn::Warn, HookMode::Gate)
    );
    assert_eq!(
        (held.rules.len(), held.review.judges, notices),
        (1, Some(3), 5)
    );
    let (asked, notices) = settings(
        "",
        "[review]\njudges = 5\nquorum = 4\nperspectives = ['tests']\n[[judge]]\nperspective = 'security'\n[[judge]]\nagent = 'weak'\n",
    );
    let raised = asked.review.raised;
    assert_eq!((raised.judges, raised.quorum), (Some(5), Some(4)));
    assert!(raised.perspectives.iter().eq(["security", "tests"]));
    assert_eq!(
        (asked.review.judges, asked.judge.len(), notices),
        (None, 0, 1)
    );
}

/// Whoever makes the push a gate is the one who opens it.
#[test]
fn no_weaker_layer_switches_off_the_hook_of_a_gate() {
    let trusted = file(LayerSource::Repository, "hook.enabled = false");
    let resolved = |more: &[ConfigLayer]| {
        let layers = [std::slice::from_ref(&trusted), more].concat();
        let config = resolve_layers(&layers).unwrap();
        let told = config.notices.iter().map(ToString::to_string);
        (config.settings.hook.enabled, told.collect::<Vec<_>>())
    };
    assert_eq!(resolved(&[]), (false, vec![]));
    let gates = [
        pairs(LayerSource::Git, "hook.mode", "gate"),
        pairs(LayerSource::GitLocal, "hook.mode", "gate"),
        file(LayerSource::User, "hook.mode = 'gate'"),
    ];
    for gate in gates {
        let (enabled, told) = resolved(std::slice::from_ref(&gate));
        assert!(enabled && told.len() == 1, "{gate:?}: {told:?}");
        assert!(told[0].contains("makes the push a gate"), "{told:?}");
        let off = pairs(LayerSource::Git, "hook.enabled", "false");
        assert_eq!(resolved(&[gate, off]), (false, vec![]));
    }
    let advisory = pairs(LayerSource::Git, "hook.mode", "advisory");
    assert_eq!(resolved(&[advisory]), (false, vec![]));
}

#[test]
fn the_strongest_layer_holds_whatever_the_order_of_reading() {
    let order = [
        LayerSource::Worktree,
        LayerSource::GitLocal,
        LayerSource::System,
        LayerSource::User,
        LayerSource::Git,
        LayerSource::Environment,
        LayerSource::Flag,
    ];
    let mut layers = Vec::new();
    for (i, source) in order.into_iter().enumerate() {
        layers.insert(0, pairs(source, "review.judges", &(i + 1).to_string()));
        let config = resolve_checkout(&layers, CheckoutTrust::Full).unwrap();
        assert_eq!(config.settings.review.judges, Some(i as u32 + 1));
        assert_eq!(
            origin(&config, "review.judges"),
            format!("{}:here", source.name())
        );
        assert_eq!(config.entry("review.judges").unwrap().parts.len(), i + 1);
    }
}

#[test]
fn a_checkout_that_is_followed_stands_in_the_place_of_the_trusted_file() {
    let trusted = file(
        LayerSource::Repository,
        "review.judges = 3\nreview.ignore = ['a']\nrules.todo = 'off'",
    );
    let alone = resolve_layers(std::slice::from_ref(&trusted))
        .unwrap()
        .settings;
    assert_eq!((alone.review.judges, alone.rules.len()), (Some(3), 1));
    let checkout = file(LayerSource::Worktree, "review.ignore = ['b']");
    let both = [trusted, checkout];
    let followed = resolve_checkout(&both, CheckoutTrust::Full)
        .unwrap()
        .settings;
    assert_eq!((followed.review.judges, followed.rules.len()), (None, 0));
    assert_eq!(followed.review.ignore, ["b"]);
    let alone = resolve_layers(&both).unwrap().settings;
    assert_eq!((alone.review.judges, alone.rules.len()), (Some(3), 1));
    assert_eq!(alone.review.ignore, ["a"]);
}

#[test]
fn ignore_globs_add_up_weakest_first() {
    let repository = file(LayerSource::Repository, "[review]\nignore = ['a', 'b']\n");
    let config = resolve_layers(&[pairs(LayerSource::Flag, "ignore", "!b"), repository]).unwrap();
    assert_eq!(config.settings.review.ignore, ["a", "b", "!b"]);
}

#[test]
fn a_worktree_copy_of_the_trusted_rules_is_no_news_and_a_change_is() {
    let trusted = file(LayerSource::Repository, "rules.todo = 'off'");
    let same = resolve_layers(&[
        trusted.clone(),
        file(LayerSource::Worktree, "rules.todo = 'off'"),
    ])
    .unwrap();
    assert!(same.notices.is_empty());
    let other = resolve_layers(&[
        trusted,
        file(
            LayerSource::Worktree,
            "\n[rules]\ntodo = 'minor'\nsecret = 'off'",
        ),
    ])
    .unwrap();
    assert_eq!(other.settings.rules.len(), 1);
    let notices: Vec<_> = other.notices.iter().map(ToString::to_string).collect();
    // A stricter level is obeyed at once.
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0].starts_with("`rules.secret` (worktree:council.toml:4) is ignored"),
        "{}",
        notices[0]
    );
}

#[test]
fn errors_name_the_place_the_cause_and_the_next_step() {
    let show = |text: &str| {
        let error = resolve_layers(&[file(LayerSource::Worktree, text)]).unwrap_err();
        format!("{error}\n{}", error.hints().join("\n"))
    };
    let cases = [
        "[review]\nqourum = 2\n",
        "[review]\ntimeout = 2\n",
        "[colour]\nbike = 'red'\n",
        "[review]\n\nquorum = 0\n",
        "[review]\nconsensus = 'loudest'\n",
        "timeouts.r1 = 1.5\n",
        "[[judge]]\nfocus = 'x'\n",
        "[[judge]]\nmodel = '--yolo'\n",
        "[review]\nquorum = \n",
        "review = 3\n",
        "[agents.x]\ndriver = 'command'\ncommand = ['rm', '-rf', '/']\n",
    ];
    insta::assert_snapshot!(cases.map(show).join("\n---\n"));
}

#[test]
fn variables_and_git_keys_set_what_they_name() {
    let variables = ENVIRONMENT
        .iter()
        .map(|(variable, key)| KeyValue::new(*key, "7", *variable))
        .collect();
    let environment = ConfigLayer::Pairs {
        source: LayerSource::Environment,
        pairs: variables,
    };
    let config = resolve_layers(&[environment, pairs(LayerSource::Git, "debate", "off")]).unwrap();
    assert_eq!(
        (config.settings.timeouts.r1, config.settings.review.judges),
        (7000, Some(7))
    );
    assert_eq!(config.settings.agents["codex"].model.as_deref(), Some("7"));
    assert_eq!(
        origin(&config, "timeouts.r2"),
        "environment:COUNCIL_R2_TIMEOUT"
    );
    assert_eq!(
        config.settings.review.debate,
        crate::council::plan::DebateMode::Off
    );
}

#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let validator = jsonschema::validator_for(&config_schema()).unwrap();
    for key in KEYS {
        let table: toml::Table = line(key).parse().unwrap();
        assert!(
            validator.is_valid(&serde_json::to_value(table).unwrap()),
            "{}",
            key.name
        );
    }
    for wrong in [
        "review.qourum = 2",
        "review.quorum = 0",
        "judge = [{ focus = 'x' }]",
        "agents.a.shell = 'x'",
    ] {
        let table: toml::Table = wrong.parse().unwrap();
        assert!(
            !validator.is_valid(&serde_json::to_value(table).unwrap()),
            "{wrong}"
        );
    }
}

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");
const MARKS: (&str, &str) = ("<!-- keys -->\n", "\n<!-- /keys -->\n");

#[test]
fn the_document_lists_the_table_of_keys() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (head, rest) = document.split_once(MARKS.0).unwrap();
    let (_, tail) = rest.split_once("<!-- /keys -->\n").unwrap();
    let wanted = [head, MARKS.0, &render_reference(), MARKS.1, tail].concat();
    if std::env::var_os("COUNCIL_UPDATE_DOCS").is_some() {
        std::fs::write(DOCUMENT, &wanted).unwrap();
    }
    assert!(
        document == wanted,
        "docs/configuration.md differs from the table; COUNCIL_UPDATE_DOCS=1 renews it"
    );
}

#[test]
fn the_document_s_examples_are_read_with_the_rights_that_they_claim() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let blocks: Vec<_> = document
        .split("```toml\n")
        .skip(1)
        .map(|b| b.split("```").next().unwrap())
        .collect();
    let [repository, user] = blocks.as_slice() else {
        panic!("two examples")
    };
    let config = resolve_layers(&[
        file(LayerSource::Repository, repository),
        file(LayerSource::User, user),
    ])
    .unwrap();
    assert!(config.notices.is_empty());
    assert_eq!(
        (config.settings.judge.len(), config.settings.limits.agents),
        (2, 6)
    );
}

#[test]
fn the_document_names_every_layer_that_can_be_written() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let layers = [
        (LayerSource::Repository, "trusted branch"),
        (LayerSource::Worktree, "anyone"),
        (LayerSource::GitLocal, "anyone"),
        (LayerSource::System, "user"),
        (LayerSource::User, "user"),
        (LayerSource::Git, "user"),
        (LayerSource::Environment, "user"),
        (LayerSource::Flag, "user"),
    ];
    for (source, trusted_as) in layers {
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", source.name())))
            .unwrap();
        assert!(
            row.ends_with(&format!("| {} |", source.trust()))
                && source.trust().to_string() == trusted_as
        );
    }
}
