//! What a review cost, in words.

use std::collections::BTreeSet;

use crate::text::dollars;

/// How the name of what nobody counted of an answer begins and ends.
const CUT_ANSWER: (&str, &str) = ("the rest of an answer of ", " that was cut off");

/// Money; calls without a price make it a lower bound.
pub(super) fn cost_in_words(usd: f64, unpriced: &BTreeSet<String>) -> String {
    if unpriced.is_empty() {
        return dollars(usd);
    }
    let names = unpriced_in_words(unpriced);
    // At least nothing says nothing.
    match usd > 0.0 {
        false => format!("cost unknown (no price known for {names})"),
        true => format!("at least {} (no price known for {names})", dollars(usd)),
    }
}

/// What has no price; answers that were cut off are counted, since their models say no more of the cost.
fn unpriced_in_words(unpriced: &BTreeSet<String>) -> String {
    let is_cut = |name: &&String| name.starts_with(CUT_ANSWER.0) && name.ends_with(CUT_ANSWER.1);
    let (cut, others): (Vec<&String>, Vec<&String>) = unpriced.iter().partition(is_cut);
    let mut names: Vec<String> = others.into_iter().cloned().collect();
    match cut.as_slice() {
        [] => {}
        [one] => names.push((*one).clone()),
        many => names.push(format!(
            "the rest of answers of {} models that were cut off",
            many.len()
        )),
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "At least nothing" is no sum, and models that broke off are counted: the reader needs the reason, which stands elsewhere.
    #[test]
    fn a_cost_of_nothing_is_said_to_be_unknown_in_few_words() {
        let cut = |model: &str| format!("the rest of an answer of {model} that was cut off");
        let words =
            |usd: f64, names: &[String]| cost_in_words(usd, &names.iter().cloned().collect());
        assert_eq!(
            words(0.0, &[cut("a"), cut("b"), cut("c")]),
            "cost unknown (no price known for the rest of answers of 3 models that were cut off)"
        );
        assert_eq!(
            words(0.0, &["m".to_owned(), cut("a")]),
            "cost unknown (no price known for m, the rest of an answer of a that was cut off)"
        );
        assert_eq!(
            words(0.02, &["m".to_owned()]),
            "at least $0.02 (no price known for m)"
        );
        let many: Vec<String> = (0..40).map(|at| cut(&format!("model-{at}"))).collect();
        assert!(words(0.0, &many).len() < 100);
        assert_eq!(words(0.0, &[]), "$0.00");
    }
}
