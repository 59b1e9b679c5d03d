//! Agreements with a critical point in many words, each behind the label "agreed" and beside a vote that says nothing more:
//! those that hold the point settle it, those that refute it do not.

use super::super::standing::DebateState;
use super::super::transcript::DebateTranscript;

const POINT: &str = "### A1 — an empty list divides by zero\n\n**Severity:** critical\n**Location:** `pay.py:5`\n\n> return s / len(items)";

/// What holds the point, whatever it sounds like.
const HOLDING: &[&str] = &[
    "Agreed. I see no reason to downgrade it.",
    "Agreed. If the list is empty, the program crashes.",
    "Agreed: when the list is empty, it raises.",
    "Agreed. Unless a caller checks first (none does), it raises.",
    "Agreed. Once the cart is cleared, this crashes.",
    "Agreed. This only works as long as the list is non-empty.",
    "Agreed. It only needs one empty cart to break.",
    "Agreed, though I would fix it in the caller.",
    "Agreed, but we should add a check in the caller.",
    "Agreed, but the fix should also cover `rate`.",
    "Agreed. I considered whether the caller guards it, and it doesn't.",
    "Agreed. It used to be guarded; the change removes that.",
    "Agreed. Before this change it was handled by the caller.",
    "Agreed. The guard at the top was removed by this change.",
    "Agreed. The docstring says that items is never empty, but no code enforces that.",
    "Agreed. Nothing guarantees a non-empty list.",
    "Agreed. There is no guarantee that it has an item.",
    "Agreed. This isn't handled upstream.",
    "Agreed. Nobody checks it.",
    "Agreed. It is checked by nobody.",
    "Agreed. The caller does not prevent it.",
    "Agreed, and a guard would make it safe.",
    "Agreed. Nobody can argue this is harmless.",
    "Agreed. It should be validated by the caller.",
    "Agreed. It is no less severe than A1 says.",
    "Agreed. This is not theoretical.",
    "Agreed. I do not call this a nit.",
    "Agreed. It is safe only if the list has an item.",
    "Agreed. It must never be empty, and nobody sees to that.",
    "Agreed. Tests pass only because they never use an empty list.",
    "Agreed. While the fix is trivial, the impact is not.",
    "Agreed. Even though it's rare, one occurrence stops the nightly run.",
    "Agreed. The API layer validates the price only.",
    "Agreed. It cannot be merged like this.",
    "Agreed. Nothing stops an empty list.",
    "Agreed: `items` can be empty whenever the filter matches nothing.",
    "Agreed; severity critical is right.",
    "Agreed. It is no false positive.",
    "Agreed. No workaround exists.",
    "Agreed. It's neither intended nor documented.",
    "Agreed. At least one caller passes an empty list.",
    "Agreed. The try/except above does not catch ZeroDivisionError.",
    "Agreed. If nobody buys anything on a Sunday, the nightly job dies.",
    "Confirmed. I would have called it harmless, had I not seen the traceback.",
    "Agreed. It needs at least one item, and the form sends none.",
    "Agreed. I see no other issue.",
    "Agreed. Apart from that, the change is fine.",
    "Agreed. There is nothing else wrong here.",
    "Agreed. It is guarded in `mean()`, but not here.",
    "Agreed. It is safe for non-empty lists only.",
    "Agreed. The try block is harmless for other errors but hides this one.",
    "Confirmed. The list is never empty in the tests, which is why CI is green.",
    "Agreed; only a minor change is needed to fix it.",
    "Agreed. Only a small check is missing.",
    "Agreed. The check above is dead code, so it does not protect this line.",
    "Agreed. That guard in `total` is dead code.",
    "Agreed. That the caller handles it is not true.",
    "Agreed. That the form ensures an item is wrong.",
    "Agreed. Not worth a discussion: it crashes.",
    "Agreed. It is not worth debating.",
    "Agreed. It does not matter that the caller is internal.",
    "Agreed. It doesn't matter whether a caller checks first.",
    "Agreed. \"Works as designed\" would be a poor excuse.",
];

/// What refutes it, or leaves less of it.
const REFUTING: &[&str] = &[
    "Agreed. It is handled by the caller.",
    "Agreed, it is safe.",
    "Agreed. It's perfectly fine.",
    "Agreed — with the caveat that callers guarantee a non-empty list.",
    "Agreed; still, I see no way to reach it.",
    "Agreed that dividing by zero raises; however `items` is never empty here because the form requires one.",
    "Agreed. The premise is wrong, though: items has at least one element.",
    "Agreed on the mechanics. It can't be triggered: the only caller passes at least one item.",
    "Agreed. Nit at best.",
    "Agreed. Works as designed.",
    "Agreed. The list is never empty.",
    "Agreed. `items` cannot be empty.",
    "Agreed. The caller guards it.",
    "Agreed. The caller already handles this.",
    "Agreed. Line 2 rules it out.",
    "Agreed. The list is guaranteed to have an item.",
    "Agreed. The form ensures that there is an item.",
    "Agreed. The list always has an item.",
    "Agreed. It is caught upstream.",
    "Agreed, it is validated by the form.",
    "Agreed. Purely cosmetic.",
    "Agreed. This is a theoretical concern.",
    "Agreed. This is dead code.",
    "Agreed. Can be ignored.",
    "Agreed; no action needed.",
    "Agreed. There is nothing to fix.",
    "Agreed, A1 is wrong.",
    "Agreed. An empty list is impossible.",
    "Agreed. I would downgrade it.",
    "Agreed, it would raise — which is the intended behaviour.",
    "Agreed. That said, nothing to fix: the caller catches it.",
    "Agreed, this is not an issue.",
    "Agreed. I don't see a problem.",
    "Agreed, but I wouldn't fix it.",
    "Agreed, if only because a guard is cheap; the crash itself is impossible.",
    "Agreed. If the list were empty, it would crash.",
    "Agreed if the list is empty.",
    "Agreed, but only in debug builds.",
    "Agreed; not worth fixing.",
    "Agreed. It is not worth the effort.",
    "Agreed. It does not matter that it crashes.",
    "Agreed. It does not matter.",
    "Agreed. It doesn't matter here.",
    "Agreed, but no change is needed.",
    "Agreed. The line is dead code.",
];

/// How a reply names its point.
const FORMS: [&str; 4] = ["- **A1** — @", "- A1: @", "### A1\n\n@", "**A1** — @"];

fn is_settled(said: &str, form: &str) -> bool {
    let section = |heading: &str, role: char, body: &str| {
        format!("\n## {heading}\n\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:00Z*\n\n---\n")
    };
    let opening = section("Opening", 'A', &format!("Vote: FAIL\n\n{POINT}"));
    let reply = form.replace('@', said);
    let response = section("Response 1", 'B', &format!("Vote: WARN\n\n{reply}"));
    let transcript = DebateTranscript::parse(&format!("# Code Debate: HEAD\n{opening}{response}"));
    DebateState::read(&transcript).points[0].is_settled()
}

fn misread(reasons: &[&str], settles: bool) -> Vec<String> {
    let each = reasons
        .iter()
        .flat_map(|said| FORMS.map(|form| (said, form)));
    each.filter(|(said, form)| is_settled(said, form) != settles)
        .map(|(said, form)| form.replace('@', said))
        .collect()
}

#[test]
fn what_holds_a_point_settles_it() {
    assert_eq!(misread(HOLDING, true), Vec::<String>::new());
}

#[test]
fn what_refutes_a_point_leaves_it_open() {
    assert_eq!(misread(REFUTING, false), Vec::<String>::new());
}
