# Everyday commands; `just` lists them. Install it with `cargo install just`, or read the right-hand sides.

# What to run before a commit: formatting, lints and the fast tests of the whole workspace.
quick: fmt
    cargo clippy --workspace --all-targets -- -D warnings
    cargo nextest run --workspace --lib

# Formats every crate.
fmt:
    cargo fmt --all

# Formatting, lints, licences and workflows, as CI checks them.
lint:
    .ci/run format policy workflows lint

# Every test of the workspace.
test *ARGS:
    cargo test --workspace {{ARGS}}

# One crate's tests: `just crate council-builtin secrets`.
crate NAME *FILTER:
    cargo nextest run -p {{NAME}} {{FILTER}}

# Regenerates the documents and schemas that are made from code.
docs:
    COUNCIL_UPDATE_DOCS=1 cargo test -p git-council
    UPDATE_RULES_DOC=1 cargo test -p council-builtin rules

# Everything that decides whether work lands, on a clean clone.
ci:
    .ci/run

# Where functions begin and end, against real parsers over 36 public repositories.
oracle:
    .ci/run outline

# The long simulations of the nightly run.
nightly:
    .ci/run nightly

# Builds what a release has for this machine, packs it, and installs each package into a clean root. About fifteen minutes; with
# the path of a program that is built already, one.
release-rehearsal PROGRAM="":
    packaging/rehearse-release.sh {{PROGRAM}}
