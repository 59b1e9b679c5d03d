//! The type of a method that stands outside of it.

use council_syntax::language::Language;

use super::definitions::{indent_of, last_word, without_generics};

/// The type of a method whose head does not stand inside of it: `impl` of Rust, the receiver of Go.
pub(super) fn receiver_of(language: Language, text: &str, head: usize) -> Option<String> {
    let is_known = matches!(
        language,
        Language::Go | Language::Rust | Language::C | Language::Lua
    );
    let start = match head {
        _ if !is_known => return None,
        0 | 1 => 0,
        // Every function is asked for its type, most of them several times.
        line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2)? + 1,
    };
    let own = text[start..].lines().next()?;
    match language {
        Language::Go => {
            let receiver = own.strip_prefix("func (")?.split(')').next()?;
            let name = receiver.split('[').next()?;
            last_word(name)
        }
        Language::Rust => {
            let depth = indent_of(own);
            if depth == 0 {
                return None;
            }
            let above = text[..start].lines().rev();
            // Below a clause of its own the brace stands alone.
            let is_head = |line: &&str| !matches!(line.trim(), "" | "{" | "where");
            let mut above = above.filter(|line| is_head(line) && indent_of(line) < depth);
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
