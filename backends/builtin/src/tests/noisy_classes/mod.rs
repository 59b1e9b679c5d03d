//! What the tenth reading called noise: true, and worth no warning. Each class stands beside its neighbours that must
//! still be warned of, above all those by which somebody would abuse it.

mod keys;
mod supply;

/// A file with such a mark before each of its lines.
fn file(path: &str, mark: char, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("{mark}{line}\n")).collect();
    format!("=== {path}\n{lines}")
}
