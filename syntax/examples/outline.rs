//! Prints the functions of the files named on standard input, one JSON array of `[head, end]` a file: for `oracle.py`.

use std::io::BufRead as _;

use council_syntax::language::Language;
use council_syntax::outline::functions;

fn main() {
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let found = functions(Language::from_path(&path), &text);
        let spans: Vec<[usize; 2]> = found.iter().map(|f| [f.head, f.end]).collect();
        #[allow(clippy::print_stdout)] // what an example is for
        {
            println!("{spans:?}");
        }
    }
}
