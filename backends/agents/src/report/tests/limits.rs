//! What of a report counts: no more than a tool may say, and no result on a changed line too few.

use super::*;

#[test]
fn a_tools_error_counts_no_more_than_it_may() {
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Blobs,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let answer = |rules: &ToolRules| {
        let sink = sink_of(
            &subject,
            Side::New,
            &sarif(json!([result("src/a b.py", 3)])),
        );
        let answer = sink.into_answer(rules, &turn(), "");
        (answer.verdict, answer.findings[0].severity)
    };
    assert_eq!(
        answer(&ToolRules::default()),
        (Vote::Warn, Severity::Significant)
    );
    let serious = |prefix: &str| ToolRules {
        serious_rules: vec![prefix.to_owned()],
        ..ToolRules::default()
    };
    assert_eq!(
        answer(&serious("py.security")),
        (Vote::Warn, Severity::Significant)
    );
    assert_eq!(answer(&serious("py.style")), (Vote::Pass, Severity::Minor));
}

#[test]
fn what_the_base_has_too_is_not_new() {
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &BothSides,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let left = |known_line| {
        let now = sarif(json!([result("src/a b.py", 3)]));
        let known = sarif(json!([result("src/a b.py", known_line)]));
        let mut sink = sink_of(&subject, Side::New, &now);
        sink.drop_known(sink_of(&subject, Side::Old, &known));
        let answer = sink.into_answer(&ToolRules::default(), &turn(), "");
        answer.findings.len()
    };
    // The base has the same line elsewhere: it was moved.
    assert_eq!((left(1), left(2)), (0, 1));
}

/// The old side has `eval(input)` in its first line.
struct BothSides;

impl BlobSource for BothSides {
    fn read(&self, side: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let text = if side == Side::New {
            NEW
        } else {
            "  eval(input)\ntwo\nfour\n"
        };
        Ok(Some(text.as_bytes().into()))
    }
}

#[test]
fn a_report_beyond_every_limit_keeps_what_stands_on_changed_lines() {
    let mut many: Vec<Value> = (0..60_000)
        .map(|n| result(&format!("vendor/{n}.py"), 3))
        .collect();
    many.push(result("src/a b.py", 3));
    let report = sarif(json!(many));
    assert!(report.to_string().len() > 8 << 20);
    let answer = read(OutputFormat::Sarif, &report).unwrap();
    assert_eq!(answer.findings.len(), 1);
    assert!(
        answer.key_insight.contains("60000 elsewhere"),
        "{}",
        answer.key_insight
    );
}

/// However many results stand on lines that were there before, or fill the room: one on a changed line is told.
#[test]
fn no_number_of_results_hides_one_on_a_changed_line() {
    let vote = |many: Vec<Value>| {
        let answer = read(OutputFormat::Sarif, &sarif(json!(many))).unwrap();
        (answer.verdict, answer.findings.len(), answer.key_insight)
    };
    for count in [10, MAX_KEPT - 1, MAX_KEPT, 2 * MAX_KEPT] {
        for line in [1, 2, 4] {
            let mut many = vec![result("src/a b.py", line); count];
            many.push(result("src/a b.py", 3));
            let (verdict, findings, told) = vote(many);
            assert_eq!(
                (verdict, findings),
                (Vote::Fail, 1),
                "{count} on {line}: {told}"
            );
        }
    }
    // Where there is no room for all that is on changed lines, that is no PASS.
    let mut many = vec![result("src/a b.py", 3); MAX_KEPT + 1];
    for result in &mut many {
        result["level"] = json!("note");
    }
    many.push(result("src/a b.py", 3));
    let (verdict, _, told) = vote(many);
    assert!(
        verdict > Vote::Pass && told.contains("were not read"),
        "{told}"
    );
}
