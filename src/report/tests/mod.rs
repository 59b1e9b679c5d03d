//! What holds for every renderer.

mod debates;
mod documents;
mod formats;
mod hostility;
mod laws;
mod parts;
mod poison;
pub(super) mod samples;
mod surfaces;

use super::{Look, Verbosity};

/// Terminals of every kind.
fn looks() -> [(&'static str, Look); 5] {
    let look = Look::default();
    let verbose = Look {
        verbosity: Verbosity::Verbose,
        ..look
    };
    [
        (
            "quiet",
            Look {
                verbosity: Verbosity::Quiet,
                ..look
            },
        ),
        ("normal", look),
        (
            "verbose",
            Look {
                width: 80,
                ..verbose
            },
        ),
        (
            "narrow",
            Look {
                width: 40,
                ..verbose
            },
        ),
        (
            "wide",
            Look {
                width: 300,
                ..verbose
            },
        ),
    ]
}
