//! What a command-line program costs at least: the same parser, and nothing behind it.

use clap::Parser;

/// Nothing
#[derive(Parser)]
#[command(version)]
struct Bare {
    /// Anything
    word: Option<String>,
}

fn main() {
    let bare = Bare::parse();
    std::process::exit(i32::from(bare.word.is_some()));
}
