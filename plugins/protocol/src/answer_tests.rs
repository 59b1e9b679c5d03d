use super::*;

#[test]
fn a_ballot_may_be_spelled_as_it_is_printed_anywhere() {
    for (vote, words) in [
        (BallotVote::Proceed, "proceed"),
        (BallotVote::ProceedWithConditions, "proceed with conditions"),
        (BallotVote::ProceedWithConditions, "with conditions"),
        (BallotVote::Reconsider, "reconsider"),
        (BallotVote::DoNotProceed, "do not proceed"),
    ] {
        let title: String = words
            .split(' ')
            .map(|w| w[..1].to_uppercase() + &w[1..] + " ")
            .collect();
        let shapes = [
            words.to_owned(),
            words.to_uppercase(),
            words.to_uppercase().replace(' ', "_"),
            words.replace(' ', "-"),
            title.clone(),
            format!("**{}**.", title.trim()),
        ];
        for shape in shapes {
            let json = serde_json::to_string(&shape).unwrap();
            assert_eq!(
                serde_json::from_str::<BallotVote>(&json).unwrap(),
                vote,
                "{shape}"
            );
        }
        let again = serde_json::to_string(&vote).unwrap();
        assert_eq!(serde_json::from_str::<BallotVote>(&again).unwrap(), vote);
    }
    for none in ["", "PROCEED?? no", "not proceed", "FAIL"] {
        let json = serde_json::to_string(none).unwrap();
        assert!(serde_json::from_str::<BallotVote>(&json).is_err(), "{none}");
    }
}

#[test]
fn a_contention_is_a_number_from_0_to_1() {
    assert_eq!(Contention::share(1, 2), Contention::THRESHOLD);
    assert_eq!(Contention::share(0, 0), Contention::default());
    assert_eq!(
        serde_json::to_string(&Contention::share(1, 3)).unwrap(),
        "0.333"
    );
    assert_eq!(
        serde_json::from_str::<Contention>("0.82").unwrap().score(),
        0.82
    );
    for odd in ["1.01", "-0.1", "\"high\""] {
        assert!(serde_json::from_str::<Contention>(odd).is_err(), "{odd}");
    }
}
