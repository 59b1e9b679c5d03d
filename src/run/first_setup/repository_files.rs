//! The files of a repository: its `council.toml`, and the workflows that documents show, too.

use super::SetupPreset;

const GATE: &str = r#"# git-council: what all reviews of this repository have in common. It counts once it is on the default branch.
# `git council config --keys` lists every key. Which agents judge is not said here: they may cost money, so everybody
# names them in a file of their own, and a workflow names them in `args`.

[review]
# "fail": FAIL and INCONCLUSIVE keep the check red. "warn": WARN does, too.
fail-on = "fail"

# How many judges must answer for PASS or WARN.
# quorum = 2

# Files that need no review (gitignore patterns). Every report lists them as skipped.
# ignore = ["docs/generated/"]

[rules]
# `git council explain` lists the built-in rules. `off` switches one off; a severity replaces its own.
# todo-without-reference = "off"
"#;

const ADVICE: &str = r#"# git-council: what all reviews of this repository have in common. It counts once it is on the default branch.
# `git council config --keys` lists every key. A pull request cannot change what its own review obeys.

[review]
# Files that need no review (gitignore patterns). Every report lists them as skipped.
# ignore = ["docs/generated/"]

# Binary files, links and submodules cannot be read as text. "list": the headline names them.
# "inconclusive": there is no verdict without somebody who looks at them.
# opaque = "inconclusive"

[rules]
# `git council explain` lists the built-in rules. `off` switches one off; a severity replaces its own.
# todo-without-reference = "off"
"#;

/// The files of a preset, by their path from the top of the repository.
pub(super) fn files_of(preset: SetupPreset) -> &'static [(&'static str, &'static str)] {
    match preset {
        SetupPreset::Solo => &[],
        SetupPreset::Team => &[
            ("council.toml", GATE),
            (
                ".github/workflows/council.yml",
                include_str!("../../../docs/workflows/gate.yml"),
            ),
        ],
        SetupPreset::OpenSource => &[
            ("council.toml", ADVICE),
            (
                ".github/workflows/council-review.yml",
                include_str!("../../../docs/workflows/fork-safe-review.yml"),
            ),
            (
                ".github/workflows/council-publish.yml",
                include_str!("../../../docs/workflows/fork-safe-publish.yml"),
            ),
        ],
    }
}
