//! The scripts of the Action, which are tested by scripts of their own.

use std::process::Command;

use crate::harness::Run;

#[test]
fn a_shallow_clone_is_deepened_to_the_merge_base_and_obeys_nothing_of_the_checkout() {
    let mut command = Command::new("bash");
    command.arg(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/action/deepen.sh"
    ));
    Run::of_command(command).ends(0).prints("ok");
}
