//! Whether a test that proves a finding runs its lines at all. One that shows what another part of the change alters says
//! nothing of the finding, however sure it is.
//!
//! A statement that ends the program is put where the finding's function begins. If the test still passes with it before
//! the change, and nothing says that the statement was reached after the change, the test does not run the function.

use council_protocol::Location;
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionSpan};

use super::whose_test::words_of;
use super::without::{body_of, doubted_function, stopping_statement, with_statement};
use crate::run::suggestion::line_range;

/// What the statement says where it is reached.
pub(super) const REACHED: &str = "taken away";

/// Both sides of a file with that statement in the function of a finding.
pub(super) struct StoppedSides {
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
}

/// The name of the finding's function, where the file had nothing of that name before.
pub(super) fn new_function(old: &str, new: &str, at: &Location) -> Option<String> {
    let language = Language::from_path(&at.path.display());
    let functions = outline::functions(language, new);
    let function = doubted_function(&functions, &line_range(at)).filter(|_| at.line > 0)?;
    let is_new = !function.name.is_empty() && !words_of(old).any(|word| word == function.name);
    is_new.then(|| function.name.clone())
}

/// None: the finding stands in no function that both sides have, or nothing is known of the language.
pub(super) fn stopped_sides(old: &[u8], new: &[u8], at: &Location) -> Option<StoppedSides> {
    let name = at.path.display();
    let language = Language::from_path(&name);
    let statement = stopping_statement(&name)?;
    let range = line_range(at);
    let functions = |text: &[u8]| outline::functions(language, &String::from_utf8_lossy(text));
    let found = functions(new);
    let function = doubted_function(&found, &range).filter(|_| at.line > 0)?;
    if function.name.is_empty() {
        return None;
    }
    let stopped = |text: &[u8]| {
        let all = functions(text);
        let same = all.iter().filter(|other| other.name == function.name);
        with_all_stopped(text, same, language, &statement)
    };
    Some(StoppedSides {
        before: stopped(old)?,
        after: stopped(new)?,
    })
}

/// The text with the statement at the beginning of each of these functions; none: there is none, or one stands on a
/// single line.
fn with_all_stopped<'f>(
    text: &[u8],
    functions: impl Iterator<Item = &'f FunctionSpan>,
    language: Language,
    statement: &str,
) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let bodies: Option<Vec<usize>> = functions
        .map(|function| Some(body_of(&lines, function, language)?.start))
        .collect();
    let mut places = bodies.filter(|places| !places.is_empty())?;
    places.sort_unstable();
    let mut text = text.to_vec();
    // From the end, so that the places before it stay where they are.
    for place in places.into_iter().rev() {
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        text = with_statement(&lines, place, statement);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(old: &str, new: &str, line: u32) -> Option<(String, String)> {
        let at = Location {
            path: "a.py".into(),
            line,
            end_line: None,
        };
        let found = stopped_sides(old.as_bytes(), new.as_bytes(), &at)?;
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Some((text(found.before), text(found.after)))
    }

    #[test]
    fn the_function_of_a_finding_is_stopped_on_both_sides() {
        let old = "def other():\n    return 1\n\ndef mean(xs):\n    return 2\n";
        let new = "def mean(xs):\n    return  2\n\ndef added():\n    return 1\n";
        let (before, after) = sides(old, new, 2).unwrap();
        let stop = stopping_statement("a.py").unwrap();
        assert!(stop.contains(REACHED));
        assert_eq!(
            before,
            old.replace("    return 2", &format!("    {stop}\n    return 2"))
        );
        assert_eq!(
            after,
            new.replace("    return  2", &format!("    {stop}\n    return  2"))
        );
        assert_eq!(sides(old, new, 5), None, "it was not there before");
        assert_eq!(sides("x = 1\n", "x = 2\n", 1), None, "no function");
        assert_eq!(sides(old, new, 0), None, "the file as a whole");
    }

    #[test]
    fn functions_of_one_name_are_all_stopped() {
        let text = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n";
        let (before, after) = sides(text, text, 3).unwrap();
        assert_eq!(before.matches(REACHED).count(), 2);
        assert_eq!(before, after);
    }

    #[test]
    fn a_function_that_the_file_had_not_is_new() {
        let at = |line| Location {
            path: "a.py".into(),
            line,
            end_line: None,
        };
        let (old, new) = (
            "def f(x):\n    return x\n",
            "def f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n",
        );
        assert_eq!(new_function(old, new, &at(6)).as_deref(), Some("g"));
        assert_eq!(new_function(old, new, &at(2)), None, "it was there");
        assert_eq!(
            new_function("from b import g\n", new, &at(6)),
            None,
            "its name was there"
        );
    }
}
