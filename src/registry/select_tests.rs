use super::*;

fn candidate(name: &str, judges: usize, capabilities: &[Capability]) -> BackendCandidate {
    let set: CapabilitySet = capabilities.iter().cloned().collect();
    let seat = |i| (JudgeId(format!("judge-{i}")), Ok(set.clone()));
    BackendCandidate {
        name: name.into(),
        about: String::new(),
        limits: Limits::default(),
        seats: Ok((1..=judges).map(seat).collect()),
    }
}

const FULL: [Capability; 3] = [Capability::Spawn, Capability::Message, Capability::Shutdown];
const NO_MESSAGE: [Capability; 2] = [Capability::Spawn, Capability::Shutdown];
const NO_SPAWN: [Capability; 2] = [Capability::Message, Capability::Shutdown];

fn ask(procedure: Procedure, debate: DebateMode, judges: usize) -> BackendRequest {
    BackendRequest {
        procedure,
        debate,
        judges,
    }
}

fn review() -> BackendRequest {
    ask(Procedure::Review, DebateMode::Auto, 3)
}

fn forced() -> BackendRequest {
    ask(Procedure::Debate, DebateMode::Force, 3)
}

fn auto(candidates: &[BackendCandidate], ask: &BackendRequest) -> BackendSelection {
    select_backend(candidates, ask, &BackendChoice::Automatic).unwrap()
}

fn by_name(
    candidates: &[BackendCandidate],
    ask: &BackendRequest,
    name: &str,
) -> Result<BackendSelection, SelectError> {
    select_backend(candidates, ask, &BackendChoice::Named(name.into()))
}

fn names(selection: &BackendSelection) -> Vec<&str> {
    selection
        .picks
        .iter()
        .map(|pick| pick.backend.as_str())
        .collect()
}

#[test]
fn the_preferred_one_that_meets_the_need_comes_first() {
    let all = [
        candidate("teams", 3, &FULL),
        candidate("inline", 3, &NO_SPAWN),
    ];
    let selection = auto(&all, &review());
    assert_eq!(names(&selection), ["teams", "inline"]);
    let best = &selection.picks[0];
    assert_eq!(
        (best.procedure, best.debate),
        (Procedure::Review, DebateMode::Auto)
    );
    assert_eq!((best.grants.len(), best.notes.len()), (3, 0));
    assert_eq!(
        selection.why_not,
        [(
            "inline".to_owned(),
            "it cannot run several judges side by side".to_owned()
        )]
    );
}

#[test]
fn a_lower_one_that_meets_the_need_beats_a_preferred_one_that_does_not() {
    let all = [
        candidate("teams", 3, &NO_MESSAGE),
        candidate("plugin", 3, &FULL),
    ];
    assert_eq!(names(&auto(&all, &forced())), ["plugin", "teams"]);
    assert_eq!(
        names(&auto(&all, &review())),
        ["teams", "plugin"],
        "auto does not need messages"
    );
}

/// the council procedure: "If spawn is unavailable, degrade to `--quick`".
#[test]
fn no_spawn_is_quick() {
    let selection = auto(&[candidate("inline", 3, &NO_SPAWN)], &review());
    let pick = &selection.picks[0];
    assert_eq!(
        (pick.procedure, pick.debate),
        (Procedure::Quick, DebateMode::Off)
    );
    assert_eq!(pick.grants.len(), 1, "one judge");
    assert!(
        pick.grants[0].requested.has(&Capability::Spawn),
        "what was asked for stands there"
    );
    assert_eq!(
        pick.notes,
        [
            "Running in inline mode (no multi-agent backend detected)",
            "`inline` cannot run several judges side by side: `quick` instead of a council of 3 judges"
        ]
    );
}

/// the council procedure: "If messaging is unavailable, `--debate` degrades to single-round review".
#[test]
fn no_messaging_is_one_round() {
    let selection = auto(&[candidate("background", 3, &NO_MESSAGE)], &forced());
    let pick = &selection.picks[0];
    assert_eq!(
        (pick.procedure, pick.debate),
        (Procedure::Review, DebateMode::Off)
    );
    assert_eq!(pick.grants.len(), 3);
    assert_eq!(
        pick.notes,
        ["no second round: these judges cannot be asked again"]
    );
    let unasked = auto(&[candidate("background", 3, &NO_MESSAGE)], &review());
    assert_eq!(unasked.picks[0].notes, [""; 0]);
    assert_eq!(
        unasked.picks[0].debate,
        DebateMode::Auto,
        "the votes say whether a second round is missing"
    );
}

#[test]
fn a_lost_round_is_better_than_lost_judges() {
    let all = [
        candidate("inline", 3, &NO_SPAWN),
        candidate("background", 3, &NO_MESSAGE),
    ];
    assert_eq!(names(&auto(&all, &forced())), ["background", "inline"]);
}

/// Who cannot be messaged gives R1 only.
#[test]
fn a_judge_that_cannot_be_messaged_gives_r1_only() {
    let mut mixed = candidate("teams", 3, &FULL);
    mixed.seats.as_mut().unwrap()[2].1 = Ok(NO_MESSAGE.iter().cloned().collect());
    let pick = auto(&[mixed], &forced()).picks.remove(0);
    assert_eq!(
        (pick.procedure, pick.debate),
        (Procedure::Debate, DebateMode::Force)
    );
    assert_eq!(
        pick.limits,
        ["judge-3 cannot be asked a second time: its first answer counts"]
    );
    assert_eq!(pick.notes, [""; 0], "what came of it, nobody knows yet");
}

#[test]
fn quick_is_inline_where_that_can_be() {
    let quick = ask(Procedure::Quick, DebateMode::Off, 1);
    let all = [
        candidate("teams", 1, &FULL),
        candidate("inline", 1, &NO_SPAWN),
    ];
    assert_eq!(names(&auto(&all, &quick)), ["inline", "teams"]);
    assert_eq!(names(&auto(&all[..1], &quick)), ["teams"]);
}

#[test]
fn an_explicit_choice_that_cannot_be_met_names_what_is_missing() {
    let all = [
        candidate("teams", 3, &FULL),
        candidate("background", 3, &NO_MESSAGE),
    ];
    let error = by_name(&all, &forced(), "background").unwrap_err();
    assert_eq!(
        error.to_string(),
        "backend `background` lacks message, which a debate of 3 judges needs: choose another, or `auto`"
    );
    let error = by_name(&all, &review(), "sofa").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no backend `sofa`: choose one of `teams`, `background`"
    );
}

#[test]
fn an_explicit_choice_has_nothing_to_fall_back_on() {
    let all = [
        candidate("teams", 3, &FULL),
        candidate("inline", 3, &NO_SPAWN),
    ];
    let selection = by_name(&all, &review(), "teams").unwrap();
    assert_eq!(names(&selection), ["teams"]);
    assert_eq!(
        selection.why_not,
        [("inline".to_owned(), "`teams` was asked for".to_owned())]
    );
}

#[test]
fn inline_by_name_seats_several_one_after_another() {
    let selection = by_name(&[candidate("inline", 3, &NO_SPAWN)], &forced(), "inline").unwrap();
    let pick = &selection.picks[0];
    assert_eq!((pick.procedure, pick.grants.len()), (Procedure::Debate, 3));
    for grant in &pick.grants {
        assert_eq!(grant.emulated[&Capability::Spawn], "one after another");
        assert!(!grant.granted.has(&Capability::Spawn));
    }
    let other = [candidate("sofa", 3, &NO_SPAWN)];
    let error = by_name(&other, &review(), "sofa").unwrap_err();
    assert!(
        matches!(error, SelectError::Lacks { ref missing, .. } if missing.has(&Capability::Spawn))
    );
}

#[test]
fn who_cannot_take_a_seat_is_passed_over_with_the_reason() {
    let mut absent = candidate("teams", 2, &FULL);
    let failure = Failure::new(FailureKind::Spawn, "claude is not installed");
    absent.seats.as_mut().unwrap()[1].1 = Err(failure);
    let mut broken = candidate("plugin", 2, &FULL);
    broken.seats = Err("it did not open in time".into());
    let mut narrow = candidate("narrow", 2, &FULL);
    narrow.limits.max_judges = Some(1);
    let two = ask(Procedure::Review, DebateMode::Auto, 2);
    let all = [absent, broken, narrow, candidate("inline", 2, &FULL)];
    let selection = auto(&all, &two);
    assert_eq!(names(&selection), ["inline"]);
    let reasons: Vec<_> = selection
        .why_not
        .iter()
        .map(|(_, why)| why.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "judge-2 cannot start: claude is not installed",
            "it did not open in time",
            "it runs at most 1 judges"
        ]
    );
    let error = select_backend(&all[..3], &two, &BackendChoice::Automatic).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no backend can run the judges: teams: judge-2")
    );
}

/// What is to be mended is told once, however many backends were asked.
#[test]
fn judges_that_can_start_nowhere_are_told_once_with_the_reason_that_tells_most() {
    let without = |name: &str, kind, detail: &str| {
        let mut one = candidate(name, 2, &FULL);
        one.seats.as_mut().unwrap()[1].1 = Err(Failure::new(kind, detail));
        one
    };
    let all = [
        without("inline", FailureKind::Unsupported, "inline cannot run it"),
        without("teams", FailureKind::Died, "there is no program `claude`"),
        without(
            "subagents",
            FailureKind::Died,
            "there is no program `claude`",
        ),
    ];
    let two = ask(Procedure::Review, DebateMode::Auto, 2);
    let error = select_backend(&all, &two, &BackendChoice::Automatic).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no review can start: judge-2: there is no program `claude`"
    );
    let lone = select_backend(&all[..1], &two, &BackendChoice::Automatic).unwrap_err();
    assert!(lone.to_string().ends_with("judge-2: inline cannot run it"));
}
