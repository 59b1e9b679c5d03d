//! The type of a method that stands outside of it.

use council_syntax::language::Language;

use super::definitions::{indent_of, last_word, without_generics};

/// The type of a method whose head does not stand inside of it: `impl` of Rust, the receiver of Go.
pub(super) fn receiver_of(language: Language, text: &str, head: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(head).collect();
    let own = lines.last()?;
    match language {
        Language::Go => {
            let receiver = own.strip_prefix("func (")?.split(')').next()?;
            let name = receiver.split('[').next()?;
            last_word(name)
        }
        Language::Rust => {
            let depth = indent_of(own);
            let above = lines.iter().rev().skip(1);
            let mut above = above.filter(|line| !line.trim().is_empty() && indent_of(line) < depth);
            let opening = above.next()?.trim_start().strip_prefix("impl")?;
            let opening = opening.split('{').next()?.split(" where ").next()?;
            let plain = without_generics(opening);
            last_word(plain.rsplit(" for ").next()?)
        }
        // `Tx::~Tx() {`: methods of C++ stand outside of their class.
        Language::C => {
            let before = own.split('(').next()?;
            last_word(&without_generics(before.rsplit_once("::")?.0))
        }
        // `function Type.__eq(a, b)`: of other functions it is the module that stands there.
        Language::Lua => last_word(own.split_once(".__")?.0),
        _ => None,
    }
}
