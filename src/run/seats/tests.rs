use super::*;
use crate::config::{ConfigLayer, LayerSource, resolve_layers};

fn config(repository: &str, user: &str) -> Config {
    let file = |source, text: &str| ConfigLayer::File {
        source,
        name: "f".into(),
        text: text.into(),
    };
    resolve_layers(&[
        file(LayerSource::Repository, repository),
        file(LayerSource::User, user),
    ])
    .unwrap()
}

fn names(repository: &str, user: &str) -> Vec<String> {
    let config = config(repository, user);
    let seats = SeatPlanner {
        config: &config,
        deep: false,
    }
    .plan_seats()
    .unwrap();
    seats
        .iter()
        .map(|seat| format!("{} {}", seat.judge, seat.agent.name))
        .collect()
}

fn error(repository: &str, user: &str) -> String {
    let config = config(repository, user);
    let error = SeatPlanner {
        config: &config,
        deep: false,
    }
    .plan_seats()
    .unwrap_err();
    format!("{} | {}", error.message, error.hints.join(" | "))
}

const LINT: &str = "[agents.lint]\ndriver = 'command'\ncommand = ['lint']\n";

/// Who has not defined what the team's file asks for is told who asks.
#[test]
fn an_unknown_agent_is_told_with_the_place_that_asks_for_it() {
    for repository in [
        "[review]\nagents = ['sonnet']\n",
        "[[judge]]\nagent = 'sonnet'\n",
    ] {
        let error = error(repository, "");
        for part in [
            "there is no agent `sonnet`",
            "is asked for in ",
            "f:",
            "[agents.sonnet]",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}

#[test]
fn nothing_configured_seats_every_built_in_perspective() {
    let five: Vec<String> = perspectives()
        .iter()
        .map(|p| format!("judge-{} builtin", p.name))
        .collect();
    assert_eq!((names("", ""), five.len()), (five, 5));
}

#[test]
fn agents_for_which_there_is_no_seat_are_named() {
    let agents: String = ["a1", "a2", "a3"]
        .iter()
        .map(|name| format!("[agents.{name}]\ndriver = 'command'\ncommand = ['x']\n"))
        .collect();
    let notes = |repository: &str| {
        let config = config(repository, &agents);
        let deep = false;
        let planner = SeatPlanner {
            config: &config,
            deep,
        };
        // `doctor` tells the same before there is a review.
        let (notes, left_out) = (planner.seating_notes(), planner.left_out_notes());
        assert!(left_out.iter().all(|note| notes.contains(note)));
        left_out
    };
    let told = "configured, but there was no seat for: a3; to seat every agent: --agents a1,a2,a3";
    assert_eq!(notes(""), [told]);
    for chosen in [
        "review.judges = 2",
        "review.preset = 'architecture'",
        "[[judge]]\nagent = 'a3'",
    ] {
        assert!(notes(chosen).iter().all(|note| note != told), "{chosen}");
    }
}

/// Whoever names three reviewers believes that three have read the change: each of them sits or is told of.
#[test]
fn whoever_is_named_sits_or_is_told_of() {
    let agents: String = ["a1", "a2", "a3"]
        .iter()
        .map(|name| format!("[agents.{name}]\ndriver = 'command'\ncommand = ['x']\n"))
        .collect();
    for named in [
        &["a1"][..],
        &["a1", "builtin"],
        &["a3", "a1", "a2", "builtin"],
    ] {
        for judges in 1..=5 {
            let list = named.join("', '");
            let repository = format!("review.agents = ['{list}']\nreview.judges = {judges}");
            let config = config(&repository, &agents);
            let planner = SeatPlanner {
                config: &config,
                deep: false,
            };
            let seats = planner.plan_seats().unwrap();
            let told = planner.left_out_notes().join("\n");
            for name in named {
                let sits = seats.iter().any(|seat| seat.agent.name == *name);
                assert_ne!(
                    sits,
                    told.contains(name),
                    "{name} of {named:?}, {judges}: {told}"
                );
            }
            assert_eq!(told.is_empty(), seats.len() >= named.len(), "{told}");
        }
    }
}

#[test]
fn an_agent_takes_two_seats_and_three_in_depth() {
    assert_eq!(names("", LINT), ["judge-1 lint", "judge-2 lint"]);
    let config = config("", LINT);
    assert_eq!(
        SeatPlanner {
            config: &config,
            deep: true
        }
        .plan_seats()
        .unwrap()
        .len(),
        3
    );
}

#[test]
fn whoever_names_agents_seats_each_of_them() {
    let three = "[review]\nagents = ['lint', 'builtin', 'lint']";
    assert_eq!(
        names(three, LINT),
        ["judge-1 lint", "judge-2 builtin", "judge-3 lint"]
    );
    assert_eq!(names("[review]\nagents = ['lint']", LINT).len(), 2);
}

#[test]
fn judges_are_named_by_number_or_perspective() {
    let repository =
        "[review]\nperspectives = ['tests', 'tests', 'security']\nagents = ['builtin', 'lint']";
    assert_eq!(
        names(repository, LINT),
        [
            "judge-tests builtin",
            "judge-tests-2 lint",
            "judge-security builtin"
        ]
    );
}

#[test]
fn the_strongest_layer_says_who_sits() {
    let judges = "[[judge]]\nperspective = 'tests'\nmodel = 'm'\n[[judge]]\n";
    assert_eq!(
        names(judges, ""),
        ["judge-tests builtin", "judge-2 builtin"]
    );
    assert_eq!(
        names(judges, "review.perspectives = ['security']"),
        ["judge-security builtin"]
    );
    assert_eq!(names("review.perspectives = ['hygiene']", judges).len(), 2);
}

#[test]
fn agents_and_numbers_of_one_run_replace_a_list_of_judges() {
    let list = "[[judge]]\nagent = 'builtin'\n".repeat(3);
    let list = list.as_str();
    for source in [LayerSource::Environment, LayerSource::Flag] {
        let of_run = |said: &str| {
            let layer = |source, text: &str| ConfigLayer::File {
                source,
                name: "f".into(),
                text: text.into(),
            };
            let layers = [
                layer(LayerSource::Repository, list),
                layer(LayerSource::User, LINT),
                layer(source, said),
            ];
            let config = resolve_layers(&layers).unwrap();
            let deep = false;
            let seats = SeatPlanner {
                config: &config,
                deep,
            }
            .plan_seats()
            .unwrap();
            let agents = seats.into_iter().map(|seat| seat.agent.name);
            agents.collect::<Vec<String>>()
        };
        assert_eq!(of_run("review.agents = ['lint']"), ["lint", "lint"]);
        assert_eq!(of_run("review.judges = 4").len(), 4);
        assert_eq!(of_run("review.debate = 'off'"), ["builtin"; 3]);
    }
    // What stands in a file for every run does not take the team's list away.
    let lasting = format!("review.agents = ['lint']\n{LINT}");
    assert_eq!(names(list, &lasting).len(), 3);
}

#[test]
fn a_number_of_judges_cuts_or_adds_and_quick_seats_one() {
    assert_eq!(names("review.judges = 2", "").len(), 2);
    assert_eq!(names("review.judges = 6", "")[5], "judge-6 builtin");
    assert_eq!(names("review.procedure = 'quick'", ""), ["judge-1 builtin"]);
    let two = "[review]\nprocedure = 'quick'\nperspectives = ['tests', 'security']";
    assert_eq!(names(two, ""), ["judge-1 builtin"]);
    let one = "[review]\nprocedure = 'quick'\nperspectives = ['tests']";
    assert_eq!(names(one, ""), ["judge-tests builtin"]);
}

#[test]
fn who_cannot_sit_is_an_error_with_a_next_step() {
    let cases = [
        error("[[judge]]\nagent = 'claud'", "[agents.claude]\nmodel = 'x'"),
        error("[review]\nperspectives = ['secruity']", ""),
        error("[review]\npreset = 'opps'", ""),
        error("[review]\njudges = 13", ""),
        error("[review]\nperspectives = []", ""),
        error("", "[agents.lint]\ndriver = 'command'"),
        error("", "[rules]\nnew-unwarp = 'off'"),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

#[test]
fn a_quorum_that_cannot_be_met_is_refused() {
    let quorum = |text: &str, seats| {
        let config = config(text, "");
        SeatPlanner {
            config: &config,
            deep: false,
        }
        .required_quorum(seats)
        .map_err(|e| e.message)
    };
    assert_eq!(quorum("", 5), Ok(2));
    assert_eq!(quorum("", 1), Ok(1));
    assert_eq!(quorum("review.procedure = 'quick'", 1), Ok(1));
    assert!(
        quorum("review.quorum = 3", 2)
            .unwrap_err()
            .starts_with("the quorum is 3")
    );
}

const APIS: &str = "[agents.one]\ndriver = 'http'\napi = 'chat'\nurl = 'http://127.0.0.1:1/v1'\nmodel = 'm'\n\
     vendor = 'one'\n[agents.two]\ndriver = 'http'\napi = 'chat'\nurl = 'http://127.0.0.1:2/v1'\nmodel = 'n'\nvendor = 'two'\n";

fn focuses(repository: &str) -> Vec<String> {
    let config = config(repository, APIS);
    let seats = SeatPlanner {
        config: &config,
        deep: false,
    }
    .plan_seats()
    .unwrap();
    seats
        .into_iter()
        .map(|seat| seat.perspective.focus)
        .collect()
}

#[test]
fn judges_with_a_model_begin_at_different_ends() {
    let three = focuses("[review]\nagents = ['one', 'two', 'one']");
    let different: std::collections::BTreeSet<&String> = three.iter().collect();
    assert_eq!((three.len(), different.len()), (3, 3), "{three:?}");
    assert!(three.iter().all(|focus| !focus.is_empty()), "{three:?}");

    let alone = "[review]\nprocedure = 'quick'\nagents = ['one']";
    assert_eq!(focuses(alone), [""]);
    // A judge with a perspective, and a program, which reads no focus, leave the other alone with the whole change.
    let named =
        focuses("[[judge]]\nperspective = 'tests'\nagent = 'one'\n[[judge]]\nagent = 'two'\n");
    let tests = perspectives().iter().find(|p| p.name == "tests").unwrap();
    assert_eq!(named, [tests.focus, ""]);
    assert_eq!(focuses("[review]\nagents = ['one', 'builtin']"), ["", ""]);
}

#[test]
fn every_agent_that_the_configuration_names_is_listed_once() {
    for tool in council_agents::known_tools::KNOWN_TOOLS {
        let name = tool.name;
        for chosen in [
            format!("review.agents = ['builtin', '{name}']"),
            format!("[[judge]]\nagent = '{name}'"),
            format!("review.agents = ['{name}', '{name}', 'nobody']"),
        ] {
            let config = config("", &format!("{chosen}\n{LINT}"));
            let deep = false;
            let planner = SeatPlanner {
                config: &config,
                deep,
            };
            let agents = planner.known_agents().unwrap();
            let listed: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            // One that would run the code under review is none that its name is enough for.
            let sits = planner.agent_in_turn(Some(name), 0).is_ok();
            let expected = ["builtin", "lint", name];
            assert_eq!(listed, expected[..if sits { 3 } else { 2 }], "{chosen}");
        }
    }
}
