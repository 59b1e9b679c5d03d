//! `sleep-in-test`: a test that waits a while and hopes.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "sleep-in-test",
        perspective: TESTS,
        category: "flaky-tests",
        severity: Minor,
        summary: "a fixed sleep in a test",
        why: "The sleep is too short on a busy machine and too long everywhere else: the test is flaky, and slow by \
              design.",
        fix: "Wait for the condition itself, with a deadline, or control the clock.",
        examples: &[RuleExample {
            path: "tests/test_queue.py",
            bad: "def test_drain():\n    time.sleep(2)\n",
            good: "def test_drain():\n    assert queue.drained.wait(timeout=5)\n",
        }],
    },
    scope: RuleScope::Tests,
    guards: Guarded::Code,
    languages: &[],
    claims: &["sleep", "flaky"],
    check: RuleCheck::Line {
        needles: &["sleep", "settimeout(", "waitfortimeout("],
        look: check_line,
    },
};

pattern!(
    SECONDS,
    r"(?:\btime\.sleep|^\s*sleep|asyncio\.sleep|Kernel\.sleep)[( ]\s*(\d+(?:\.\d+)?)\s*\)?\s*$"
);
pattern!(
    RUST,
    r"\bsleep\(\s*(?:\w+::)*Duration::from_(millis|secs)\(\s*([\d_]+)"
);
pattern!(
    MILLIS,
    r"\b(?:Thread\.sleep|waitForTimeout)\(\s*([\d_]+)|setTimeout\(\s*\w+,\s*([\d_]+)\s*\)\s*\)"
);
pattern!(
    GO,
    r"\btime\.Sleep\(\s*(?:(\d+)\s*\*\s*)?time\.(Second|Minute|Millisecond)"
);

/// Milliseconds from which on a sleep is worth a word.
const LONG: f64 = 100.0;

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    if let Some(millis) = slept(&code).filter(|millis| *millis >= LONG) {
        hits.push(line.line_hit(format!("The test sleeps for {} ms.", millis.round())));
    }
}

/// How long a line sleeps, in milliseconds.
fn slept(code: &str) -> Option<f64> {
    let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
    if let Some(found) = RUST.captures(code) {
        let unit = if &found[1] == "secs" { 1000.0 } else { 1.0 };
        return number(&found[2]).map(|n| n * unit);
    }
    if let Some(found) = GO.captures(code) {
        let unit = match &found[2] {
            "Second" => 1000.0,
            "Minute" => 60_000.0,
            _ => 1.0,
        };
        return found
            .get(1)
            .map_or(Some(1.0), |n| number(n.as_str()))
            .map(|n| n * unit);
    }
    if let Some(found) = MILLIS.captures(code) {
        return found
            .get(1)
            .or_else(|| found.get(2))
            .and_then(|n| number(n.as_str()));
    }
    SECONDS
        .captures(code)
        .and_then(|found| number(&found[1]))
        .map(|n| n * 1000.0)
}
