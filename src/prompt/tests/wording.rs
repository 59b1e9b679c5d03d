//! What each prompt says.

use super::*;
use crate::prompt::template::TEMPLATES;

#[test]
fn prompts_read_as_they_should() {
    let plain = seat("", "");
    let security = seat("security", "Who can make this do what it should not?");
    insta::assert_snapshot!("brief", brief(&small()).text);
    insta::assert_snapshot!("review", turn(&plain, 1, &Task::Review));
    insta::assert_snapshot!("review-with-perspective", turn(&security, 1, &Task::Review));
    insta::assert_snapshot!("explored", turn(&plain, 1, &explored()));
    insta::assert_snapshot!(
        "explorer",
        turn(
            &plain,
            1,
            &Task::Explore {
                question: "Who calls login?".to_owned()
            }
        )
    );
    let asking = prompter()
        .render_exploring_turn(&plain, RoundNumber::FIRST, KEY, &Task::Review, 2)
        .unwrap();
    assert!(asking.contains("up to 2 questions"));
    let guided = prompter().with_guide();
    let guide = guided
        .render_brief(&small(), &BriefClass::default())
        .unwrap();
    let bare = brief(&small()).text;
    insta::assert_snapshot!("guide", guide.text.strip_prefix(&*bare).unwrap());
    let lens = seat("", "Correctness and state: what it computes and keeps.");
    let review = guided
        .render_turn(&lens, RoundNumber::FIRST, KEY, &Task::Review)
        .unwrap();
    insta::assert_snapshot!("review-with-lens", review);
    insta::assert_snapshot!(
        "debate-disagreed",
        turn(&security, 2, &debate(DebateBranch::Disagreed))
    );
    insta::assert_snapshot!(
        "debate-agreed",
        turn(&plain, 2, &debate(DebateBranch::Agreed))
    );
    let error = "missing field `quote` at findings[0]".to_owned();
    insta::assert_snapshot!("duel", turn(&plain, 2, &duel()));
    let form = Form::Review;
    insta::assert_snapshot!("mend", turn(&plain, 1, &Task::Mend { error, form }));
    for (round, task) in trial::later_tasks() {
        let name = serde_json::to_value(&task).unwrap();
        insta::assert_snapshot!(
            name["task"].as_str().unwrap(),
            turn(&security, round.0, &task)
        );
    }
}

/// Law: who begins is told of others where there are some, and nowhere else, whatever is asked from whichever side.
#[test]
fn a_judge_is_told_of_others_where_there_are_some() {
    let modes = [
        ProductionMode::Stage,
        ProductionMode::Research,
        ProductionMode::Brainstorm(None),
    ];
    for alone in [true, false] {
        let review = (prompter().with_guide(), Task::Review);
        let others = modes.map(|mode| (prompter().for_mode(mode), Task::Produce));
        for (builder, task) in [review].into_iter().chain(others) {
            let builder = builder.for_lone_judge(alone);
            for seat in [
                seat("", ""),
                seat("security", "Who may do this?"),
                seat("", "Look at b."),
            ] {
                let text = builder
                    .render_turn(&seat, RoundNumber::FIRST, KEY, &task)
                    .unwrap();
                let told = text.to_lowercase();
                let told = told.contains("others") || told.contains("other judge");
                assert_eq!(told, !alone, "{text}");
            }
        }
    }
}

/// The last block of a prompt that is fenced as `json`.
fn example(prompt: &str) -> String {
    let (_, block) = prompt.rsplit_once("```json\n").unwrap();
    block.split_once("\n```").unwrap().0.to_owned()
}

#[test]
fn the_examples_are_answers() {
    let first = [
        (1, Task::Review),
        (2, debate(DebateBranch::Agreed)),
        (2, debate(DebateBranch::Disagreed)),
        (2, duel()),
    ];
    let later = trial::later_tasks().into_iter();
    for (round, task) in first
        .into_iter()
        .chain(later.map(|(round, task)| (round.0, task)))
    {
        let text = example(&turn(&seat("", ""), round, &task));
        let answer: Answer = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (answer.schema_version, answer.round.0),
            (council_protocol::ANSWER_VERSION, round)
        );
        let given: serde_json::Value = serde_json::from_str(&text).unwrap();
        let understood = serde_json::to_value(&answer).unwrap();
        for field in given.as_object().unwrap().keys() {
            assert!(
                understood.get(field).is_some(),
                "{field} is not a field of an answer"
            );
        }
    }
}

/// The fields that an example shows, in their order.
fn example_fields(prompt: &str) -> Vec<String> {
    let text = example(prompt);
    let names = text.lines().filter_map(|line| line.strip_prefix("  \""));
    names
        .filter_map(|line| Some(line.split_once('"')?.0.to_owned()))
        .collect()
}

/// A slip of form costs no judge its answer in any round: whatever was asked can be asked again, in the same form.
#[test]
fn every_answer_can_be_asked_for_again() {
    for prompter in [prompter(), prompter().with_guide()] {
        for (round, task) in trial::first_tasks().into_iter().chain(trial::later_tasks()) {
            let ask = |task: &Task| prompter.render_turn(&seat("security", ""), round, KEY, task);
            let (asked, again) = (ask(&task).unwrap(), ask(&trial::mend_of(&task)));
            let again = again.unwrap_or_else(|error| panic!("{task:?}: {error}"));
            if asked.contains("```json") && task.form() != Form::Text {
                assert_eq!(example_fields(&asked), example_fields(&again), "{task:?}");
            }
        }
    }
}

#[test]
fn a_prompt_that_is_echoed_is_no_answer() {
    for (round, task) in [
        (1, Task::Review),
        (2, debate(DebateBranch::Disagreed)),
        (2, duel()),
    ] {
        let answer: Answer =
            serde_json::from_str(&example(&turn(&seat("", ""), round, &task))).unwrap();
        assert_ne!(answer.key, KEY);
    }
}

#[test]
fn seat_round_and_key_come_last() {
    let text = turn(&seat("security", "Look there."), 1, &Task::Review);
    let (rules, perspective) = (
        text.find("## Rules").unwrap(),
        text.find("## Your perspective").unwrap(),
    );
    let (form, key) = (
        text.find("## The form of an answer").unwrap(),
        text.find(KEY).unwrap(),
    );
    assert!(rules < form && form < perspective && perspective < key);
    assert_eq!(text.lines().last().unwrap().matches(KEY).count(), 1);
}

/// A text as one line, so that a phrase is found wherever it is broken.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the phrases stand in the text in this order.
fn in_order(text: &str, phrases: &[&str]) {
    let text = flat(text);
    let mut from = 0;
    for phrase in phrases {
        let at = text[from..].find(phrase);
        from += at.unwrap_or_else(|| panic!("{phrase:?} is missing behind {:?}", &text[..from]));
    }
}

#[test]
fn disagreed_steel_man_challenge_acknowledge_revise_or_confirm() {
    let text = turn(&seat("", ""), 2, &debate(DebateBranch::Disagreed));
    let steps = [
        "RESTATE",
        "STEEL-MAN",
        "CHALLENGE",
        "ACKNOWLEDGE",
        "REVISE OR CONFIRM",
    ];
    in_order(&text, &steps);
}

#[test]
fn agreed_devils_advocate_blind_spot_confirm_or_revise() {
    let text = turn(&seat("", ""), 2, &debate(DebateBranch::Agreed));
    let steps = [
        "Do not invent disagreement",
        "DEVIL'S ADVOCATE",
        "BLIND SPOT",
        "CONFIRM OR REVISE",
    ];
    in_order(&text, &steps);
}

#[test]
fn the_evidence_bar_and_both_warnings_stand_in_both_branches() {
    for branch in [DebateBranch::Agreed, DebateBranch::Disagreed] {
        let text = turn(&seat("", ""), 2, &debate(branch));
        let bar = [
            "specific technical detail, a code location, or a factual error that you missed in round 1",
            "\"Another judge made a good point\" is not sufficient",
            "auth.py:45 that I missed\" is sufficient",
            "Do not change your vote merely because the others differ",
            "Do not hold on to your vote without engaging",
        ];
        in_order(&text, &bar);
    }
}

#[test]
fn the_restatement_is_written_before_anything_of_the_others_and_quoted_before_it() {
    let first = turn(&seat("", ""), 1, &Task::Review);
    in_order(
        &first,
        &[
            "\"restatement\"",
            "before you know what anybody else thinks",
        ],
    );
    for word in ["Judge A", "peer", "TITLE"] {
        assert!(!first.contains(word), "{word}");
    }
    for branch in [DebateBranch::Agreed, DebateBranch::Disagreed] {
        let text = turn(&seat("", ""), 2, &debate(branch));
        in_order(
            &text,
            &["I vote PASS: line 3 is guarded.", "Judge A", "RESTATE"],
        );
    }
}

/// In the example and in the schema alike: a model that votes first only defends its vote afterwards.
#[test]
fn a_judge_thinks_before_it_votes() {
    let first = [
        (1, Task::Review),
        (2, debate(DebateBranch::Agreed)),
        (2, duel()),
    ];
    let later = trial::later_tasks().into_iter();
    for (round, task) in first
        .into_iter()
        .chain(later.map(|(round, task)| (round.0, task)))
    {
        let text = example(&turn(&seat("", ""), round, &task));
        let fields: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  \""))
            .collect();
        assert!(fields[0].starts_with("analysis\":"), "{text}");
        assert!(fields[fields.len() - 1].starts_with("verdict\":"), "{text}");
    }
}

#[test]
fn round_1_tells_a_method_and_warns_of_over_correction() {
    let text = turn(&seat("", ""), 1, &Task::Review);
    let told = [
        "\"none\" is a good answer",
        "names the input or the state in which it fails",
        "What did the old code do",
        "For each removed line",
        "Callers",
        "Error paths",
        "Boundaries",
        "Lock and unlock, open and close, begin and commit",
        "Which test would fail",
        "makes it harmless",
    ];
    in_order(&text, &told);
}

/// What the guide says stands before every turn of a review: whoever pays for a round does not pay for it again.
#[test]
fn what_the_guide_says_is_said_once() {
    let guided = prompter().with_guide();
    let (brief, bare) = (
        guided
            .render_brief(&small(), &BriefClass::default())
            .unwrap(),
        brief(&small()),
    );
    let guide = brief.text.strip_prefix(&*bare.text).unwrap();
    let (error, form) = ("missing field `quote`".to_owned(), Form::Review);
    let later = [
        (1, explored()),
        (1, Task::Mend { error, form }),
        (2, debate(DebateBranch::Agreed)),
        (2, debate(DebateBranch::Disagreed)),
    ];
    for (round, task) in later {
        let seat = seat("security", "Who can make this do what it should not?");
        let text = guided.render_turn(&seat, RoundNumber(round), KEY, &task);
        let text = text.unwrap();
        for line in guide.lines().filter(|line| line.len() > 60) {
            assert!(!text.contains(line.trim()), "{line:?} again in {text}");
        }
        assert!(
            text.len() < turn(&seat, round, &task).len() || round == 1,
            "{text}"
        );
    }
    insta::assert_snapshot!(
        "debate-disagreed-guided",
        guided
            .render_turn(
                &seat("", ""),
                RoundNumber(2),
                KEY,
                &debate(DebateBranch::Disagreed)
            )
            .unwrap()
    );
}

/// The lens is the last that differs between seats: what all share stands before it, and a provider's cache serves it.
#[test]
fn seats_differ_only_behind_what_they_share() {
    let guided = prompter().with_guide();
    let brief = guided
        .render_brief(&small(), &BriefClass::default())
        .unwrap();
    let whole = |focus: &str, key: &str| {
        let turn = guided.render_turn(&seat("", focus), RoundNumber::FIRST, key, &Task::Review);
        format!("{}{}", brief.text, turn.unwrap())
    };
    let (one, other) = (whole("Errors first.", "1"), whole("Tests first.", "2"));
    let same = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    assert!(one.len() - same < 250, "{}", &one[same..]);
}

#[test]
fn peers_come_whole_without_name_or_confidence() {
    let text = turn(&seat("", ""), 2, &debate(DebateBranch::Disagreed));
    let peers = text.split("## What to do").next().unwrap();
    in_order(
        peers,
        &[
            "Judge A: PASS",
            "key_insight",
            "\"id\": \"A1\"",
            "recommendation",
        ],
    );
    assert!(!peers.contains("judge-1") && !peers.contains("confidence"));
}

#[test]
fn by_reference_a_peer_is_a_vote_and_a_file() {
    let filed = Peer {
        file: Some("peer-a.json".to_owned()),
        ..peer("A", Vote::Fail, 3)
    };
    let branch = DebateBranch::Disagreed;
    let task = Task::Debate {
        restatement: String::new(),
        branch,
        peers: vec![filed],
        dropped: 0,
        settled: 0,
        framing: None,
        suites: Vec::new(),
    };
    let text = turn(&seat("", ""), 2, &task);
    assert!(text.contains("\nJudge A: FAIL, in the file peer-a.json\n"));
    assert!(!text.contains("unescaped") && text.contains("read the file"));
}

#[test]
fn default_judges_get_identical_prompts() {
    let other = Seat {
        judge: "judge-2".into(),
        ..seat("", "")
    };
    assert_eq!(
        turn(&seat("", ""), 1, &Task::Review),
        turn(&other, 1, &Task::Review)
    );
}

#[test]
fn every_point_is_labelled_and_nobody_speaks_for_the_other_side() {
    let text = turn(&seat("", ""), 2, &duel());
    in_order(
        &text,
        &[
            "you are side B",
            "never write for the other side",
            "`agreed`",
            "`partially_agreed`",
            "`disagreed`",
            "to converge, not to win",
        ],
    );
}

#[test]
fn every_template_is_documented_with_what_it_is_given() {
    let document = include_str!("../../../docs/prompts.md");
    for (name, text) in TEMPLATES {
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is not documented"));
        for given in [
            "question",
            "files",
            "instructions",
            "change",
            "results",
            "peers",
            "claims",
            "transcript",
        ] {
            let used = text.contains(&format!("{{{{ {given} }}}}"));
            assert_eq!(used, row.contains(&format!("`{given}`")), "{name}: {given}");
        }
    }
}

#[test]
fn a_topic_is_a_question_and_no_change() {
    let mut topic = packet(Vec::new(), Framing::default());
    topic.target.kind = council_protocol::packet::TargetKind::Topic;
    topic.target.label = "Should we split the crate?".to_owned();
    let text = brief(&topic).text;
    assert!(text.contains("## The question") && text.contains("Should we split the crate?"));
    assert!(!text.contains("## The change") && !outside(&text).contains("split the crate"));
}

#[test]
fn the_users_templates_replace_built_in_ones() {
    let with = |name: &str, text: &str| {
        PromptBuilder::new(
            &seed(),
            &BTreeMap::from([(name.to_owned(), text.to_owned())]),
        )
    };
    let own = with("ballot", "Round {{ round }}, briefly.").unwrap();
    assert_eq!(
        own.render_turn(&seat("", ""), RoundNumber(2), KEY, &Task::Ballot)
            .unwrap(),
        "Round 2, briefly.\n"
    );
    assert_ne!(own.digest(), prompter().digest());
    assert_eq!(prompter().digest(), prompter().digest());
    assert!(matches!(
        with("verdict", "x"),
        Err(PromptError::Unknown { .. })
    ));
    for bad in [
        "{% if %}",
        "{{ title }}",
        "{% include 'nothing' %}",
        "{{ peers }}",
    ] {
        let error = with("review", bad).unwrap_err();
        assert!(
            matches!(&error, PromptError::Broken { name, .. } if name == "review"),
            "{error}"
        );
    }
}
