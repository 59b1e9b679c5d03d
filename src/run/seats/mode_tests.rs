//! Modes, seats and models, statement by statement of docs/procedures.md.

use super::*;
use crate::config::{ConfigLayer, KeyValue, resolve_layers};

const TWO: &str = "[agents.alpha]\ndriver = 'command'\ncommand = ['a']\n\
                   [agents.beta]\ndriver = 'command'\ncommand = ['b']\n";

const CLIENTS: &str = "[agents.claude]\ndriver = 'claude'\n[agents.codex]\ndriver = 'codex'\n";

/// A configuration of what the repository, the user, the environment and flags say.
fn config(layers: [&str; 2], environment: &[(&str, &str)], flags: &[(&str, &str, &str)]) -> Config {
    let file = |source, text: &str| ConfigLayer::File {
        source,
        name: "f".into(),
        text: text.into(),
    };
    let environment = environment
        .iter()
        .map(|(key, value)| KeyValue::new(*key, *value, "VAR"));
    let flags = flags
        .iter()
        .map(|(key, value, flag)| KeyValue::new(*key, *value, *flag));
    let layers = [
        file(LayerSource::Repository, layers[0]),
        file(LayerSource::User, layers[1]),
        ConfigLayer::Pairs {
            source: LayerSource::Environment,
            pairs: environment.collect(),
        },
        ConfigLayer::Pairs {
            source: LayerSource::Flag,
            pairs: flags.collect(),
        },
    ];
    resolve_layers(&layers).unwrap()
}

fn bench(config: &Config) -> SeatPlanner<'_> {
    SeatPlanner {
        config,
        deep: false,
    }
}

fn names(config: &Config) -> Vec<String> {
    let seats = bench(config).plan_seats().unwrap();
    let name = |seat: &Seat| format!("{} {}", seat.judge, seat.agent.name);
    seats.iter().map(name).collect()
}

fn models(config: &Config) -> Vec<Option<String>> {
    let seats = bench(config).plan_seats().unwrap();
    seats.into_iter().map(|seat| seat.agent.model).collect()
}

const MIXED: (&str, &str, &str) = ("review.mixed", "true", "--mixed");

#[test]
fn mixed_seats_as_many_of_each_vendor() {
    let three = config(["", TWO], &[], &[MIXED]);
    assert_eq!(
        names(&three),
        [
            "judge-1 alpha",
            "judge-2 alpha",
            "judge-3 alpha",
            "judge-4 beta",
            "judge-5 beta",
            "judge-6 beta"
        ]
    );
    let one = [MIXED, ("review.judges", "1", "--judges")];
    assert_eq!(
        names(&config(["", TWO], &[], &one)),
        ["judge-1 alpha", "judge-2 beta"]
    );
    let seen = [MIXED, ("review.perspectives", "tests", "--perspectives")];
    let seen = config(["", TWO], &[], &seen);
    assert_eq!(names(&seen), ["judge-tests alpha", "judge-tests-2 beta"]);
}

#[test]
fn mixed_without_a_second_vendor_is_an_error_when_asked_for_and_a_note_when_configured() {
    let one = "[agents.alpha]\ndriver = 'command'\ncommand = ['a']\n";
    let asked = config(["", one], &[], &[MIXED]);
    let error = bench(&asked).plan_seats().unwrap_err();
    assert_eq!(
        error.message,
        "--mixed needs agents of two vendors, but only `alpha` is available"
    );
    let configured = config(["review.mixed = true", one], &[], &[]);
    assert_eq!(names(&configured).len(), 3);
    assert_eq!(
        bench(&configured).seating_notes(),
        ["judges of two vendors were configured, but only `alpha` is available"]
    );
}

/// Chosen by configuration, a vendor that is not here is done without, in the open; demanded, it is missed when it is seated.
#[test]
fn a_configured_second_vendor_that_cannot_start_gives_way_with_a_note() {
    let starts = |agent: AgentSpec| match agent.name.as_str() {
        "beta" => Err("there is no program `b`".to_owned()),
        _ => Ok(()),
    };
    let mut configured = config(["review.mixed = true", TWO], &[], &[]);
    assert_eq!(names(&configured).len(), 6);
    assert_eq!(
        mixed::drop_missing_agents(&mut configured, starts).unwrap(),
        ["`beta` cannot start and does not take part: there is no program `b`"]
    );
    assert_eq!(
        names(&configured),
        ["judge-1 alpha", "judge-2 alpha", "judge-3 alpha"]
    );
    assert_eq!(
        bench(&configured).seating_notes(),
        ["judges of two vendors were configured, but only `alpha` is available"]
    );
    let mut demanded = config(["", TWO], &[], &[MIXED]);
    assert_eq!(
        mixed::drop_missing_agents(&mut demanded, starts)
            .unwrap_err()
            .message,
        "--mixed needs judges of two vendors, but `beta` cannot start: there is no program `b`"
    );
    let nothing = |_| Ok(());
    assert_eq!(
        mixed::drop_missing_agents(&mut demanded, nothing).unwrap(),
        [""; 0]
    );
    let mut nobody = config(["review.mixed = true", TWO], &[], &[]);
    let none = |_| Err("no".to_owned());
    assert_eq!(
        mixed::drop_missing_agents(&mut nobody, none).unwrap(),
        [""; 0]
    );
    assert_eq!(names(&nobody).len(), 6, "seating them says what is wrong");
}

#[test]
fn the_cap_counts_explorers_and_says_so_in_the_seeds_words() {
    let with = |explorers: &str, flags: &[(&str, &str, &str)]| {
        let mut all = vec![("review.explorers", explorers, "--explorers")];
        all.extend(flags);
        let config = config(["", TWO], &[], &all);
        bench(&config)
            .plan_seats()
            .map(|seats| seats.len())
            .map_err(|error| error.message)
    };
    assert_eq!(with("5", &[]), Ok(2), "2 × (1 + 5) is 12");
    assert_eq!(with("1", &[MIXED]), Ok(6), "6 × (1 + 1) is 12");
    let refused =
        "Total agent count 18 exceeds MAX_AGENTS (12). Reduce --explorers or remove --mixed.";
    assert_eq!(with("2", &[MIXED]), Err(refused.to_owned()));
}

#[test]
fn explorers_are_planned_with_their_model() {
    let flags = [("review.explorers", "2", "--explorers")];
    let config = config(["", TWO], &[("review.explorer-model", "haiku")], &flags);
    let options = bench(&config).plan_options();
    assert_eq!(
        (options.explorers, options.explorer_model.as_deref()),
        (2, Some("haiku"))
    );
}

#[test]
fn the_intensity_says_how_many_sit_and_how_long() {
    for (intensity, judges, rounds, debate) in [
        ("full", 3, (3, 5), DebateMode::Force),
        ("standard", 3, (2, 4), DebateMode::Force),
        ("light", 2, (1, 1), DebateMode::Off),
    ] {
        let flags = [
            ("review.intensity", intensity, "--intensity"),
            ("review.procedure", "staged", "--intensity"),
        ];
        let config = config(["", TWO], &[], &flags);
        let bench = bench(&config);
        let limits = bench.plan_options().rounds.unwrap();
        assert_eq!(
            (bench.plan_seats().unwrap().len(), (limits.min, limits.max)),
            (judges, rounds)
        );
        assert_eq!(bench.backend_request(judges).debate, debate, "{intensity}");
    }
    let review = config(["", TWO], &[], &[]);
    assert_eq!(bench(&review).plan_options().rounds, None);
}

#[test]
fn the_model_is_sonnet_for_claude_and_the_users_own_for_codex() {
    let agents = [("review.agents", "claude,codex", "--agents")];
    let plain = config(["", CLIENTS], &[], &agents);
    assert_eq!(models(&plain), [Some("sonnet".to_owned()), None]);
}

#[test]
fn the_strongest_layer_names_the_model() {
    let agents = ("review.agents", "claude,codex", "--agents");
    let claude = |layers, environment: &[(&str, &str)], flags: &[(&str, &str, &str)]| {
        let mut all = vec![agents];
        all.extend(flags);
        models(&config(layers, environment, &all))[0]
            .clone()
            .unwrap()
    };
    let repository = "agents.claude.model = 'of-the-repository'";
    let user = format!("{CLIENTS}[agents.claude]\nmodel = 'of-the-user'\n").replacen(
        "[agents.claude]\ndriver = 'claude'\n",
        "",
        1,
    );
    let user = user.replace("model =", "driver = 'claude'\nmodel =");
    let user = user.as_str();
    let variable = [("agents.claude.model", "of-the-variable")];
    let flag = [("agents.claude.model", "of-the-flag", "--claude-model")];
    assert_eq!(claude([repository, CLIENTS], &[], &[]), "of-the-repository");
    assert_eq!(claude([repository, user], &[], &[]), "of-the-user");
    assert_eq!(
        claude([repository, user], &variable, &[]),
        "of-the-variable"
    );
    assert_eq!(claude([repository, user], &variable, &flag), "of-the-flag");
    let seat = "[[judge]]\nagent = 'claude'\nmodel = 'of-the-seat'\n";
    // `--agents` would replace the list of judges.
    let seated = |layers, flags: &[(&str, &str, &str)]| {
        let seats = models(&config(layers, &[], flags));
        seats[0].clone().unwrap()
    };
    assert_eq!(seated([seat, CLIENTS], &[]), "of-the-seat");
    assert_eq!(
        seated([seat, user], &[]),
        "of-the-user",
        "its layer is stronger"
    );
    assert_eq!(seated([seat, CLIENTS], &flag), "of-the-flag");
    assert_eq!(claude([seat, user], &[], &[]), "of-the-user");
}

#[test]
fn a_model_flag_reaches_every_agent_of_its_client_and_no_other() {
    let user =
        "[agents.second]\ndriver = 'claude'\nmodel = 'haiku'\n[agents.codex]\ndriver = 'codex'\n";
    let flag = ("agents.claude.model", "opus", "--claude-model");
    let agents = ("review.agents", "second,codex", "--agents");
    let both = config(["", user], &[], &[agents, flag]);
    assert_eq!(models(&both), [Some("opus".to_owned()), None]);
    let table = format!("{user}[agents.claude]\nmodel = 'opus'\n");
    let table = config(["", &table], &[], &[agents]);
    assert_eq!(
        models(&table),
        [Some("haiku".to_owned()), None],
        "a table is of its agent"
    );
    let nobody = config(["", TWO], &[], &[flag]);
    let error = bench(&nobody).plan_seats().unwrap_err();
    assert_eq!(
        error.message,
        "--claude-model has no effect: no judge uses `claude`"
    );
    let variable = config(["", TWO], &[("agents.claude.model", "opus")], &[]);
    assert_eq!(
        models(&variable),
        [None, None],
        "a variable may be set for other days"
    );
}

#[test]
fn perspectives_beat_a_preset_of_the_same_layer() {
    let flags = [
        ("review.preset", "ops", "--preset"),
        ("review.perspectives", "error-paths,tests", "--perspectives"),
    ];
    let both = config(["", TWO], &[], &flags);
    assert_eq!(
        names(&both),
        ["judge-error-paths alpha", "judge-tests beta"]
    );
}
