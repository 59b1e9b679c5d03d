//! Targets read from git objects: repository, tree walk, renames, blob diff, trusted files, hardened `git` runner.
