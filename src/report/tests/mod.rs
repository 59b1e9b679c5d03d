//! What holds for every renderer.

mod claims;
mod debates;
mod documents;
mod formats;
mod hostility;
mod kept_words;
mod laws;
mod lines;
mod pages;
mod parts;
mod poison;
pub(crate) mod promises;
mod reading;
pub(super) mod samples;
mod sessions;
mod surfaces;
mod wholeness;

use super::{DisplayOptions, Verbosity};

/// Terminals of every kind.
fn looks() -> [(&'static str, DisplayOptions); 5] {
    let look = DisplayOptions::default();
    let verbose = DisplayOptions {
        verbosity: Verbosity::Verbose,
        ..look
    };
    [
        (
            "quiet",
            DisplayOptions {
                verbosity: Verbosity::Quiet,
                ..look
            },
        ),
        ("normal", look),
        (
            "verbose",
            DisplayOptions {
                width: 80,
                ..verbose
            },
        ),
        (
            "narrow",
            DisplayOptions {
                width: 40,
                ..verbose
            },
        ),
        (
            "wide",
            DisplayOptions {
                width: 300,
                ..verbose
            },
        ),
    ]
}
