//! The rules: one file each, one line each in the registry, a fixture and a heading in `docs/rules.md` of the same name.

mod added_excuse;
mod agent_file_change;
mod assignment_in_condition;
mod bidi_control;
mod binary_file;
mod blanket_suppression;
mod code_evaluation;
mod code_without_test;
mod commented_out_code;
mod conflict_marker;
mod container_root;
mod credential_assignment;
mod credential_in_url;
mod debug_mode;
mod debug_print;
mod debugger_leftover;
mod deceptive_path;
mod deleted_test;
mod disabled_tls;
mod duplicated_block;
mod emptied_handler;
mod empty_catch;
mod except_pass;
mod executable_bit;
mod focused_test;
mod format_string;
mod gitattributes_change;
mod hidden_secret;
mod hook_change;
mod ignored_error_go;
mod ignored_result;
mod insecure_random;
mod insecure_source;
mod instruction_injection;
mod invisible_character;
mod left_out_file;
mod line_ending_flip;
mod lockfile_tampering;
mod lockfile_without_manifest;
mod look_alike_path;
mod mismatched_call;
mod mixed_script_identifier;
mod mutable_default;
mod new_panic;
mod new_unwrap;
mod open_redirect;
mod oversized_file;
mod packed_code;
mod path_traversal;
mod pipe_to_shell;
mod private_key;
mod provider_token;
mod removed_assertion;
mod replaced_private_key;
mod request_without_timeout;
mod return_in_finally;
mod secret_file;
mod self_comparison;
mod shell_injection;
mod skipped_test;
mod sleep_in_test;
mod sql_injection;
mod stray_file;
mod submodule_command;
mod symlink_escape;
#[cfg(test)]
mod tests;
mod todo_without_reference;
mod unbounded_copy;
mod undocumented_unsafe;
mod unfinished_code;
mod unpinned_action;
mod unpinned_image;
mod unportable_path;
mod unreachable_code;
mod unsafe_deserialization;
mod unsafe_extraction;
mod unverified_token;
mod vacuous_assertion;
mod weak_password_hash;
mod weakened_ci;
mod workflow_checkout;
mod workflow_injection;
mod workflow_permissions;
mod workflow_secrets;
mod workflow_trigger;
mod world_writable;

use crate::rule::BuiltinRule;

pub(crate) use private_key::{is_body as is_key_body, is_key_header};

/// What a rule's file needs.
mod prelude {
    pub(super) use council_protocol::Severity::{Critical, Minor, Significant};

    pub(super) use crate::language::Language;
    pub(super) use crate::pattern::pattern;
    pub(super) use crate::perspective::{ERROR_PATHS, HYGIENE, MAINTAINABILITY, SECURITY, TESTS};
    pub(super) use crate::role::FileRole;
    pub(super) use crate::rule::{
        BuiltinRule, Guarded, HitList, RuleCheck, RuleExample, RuleInfo, RuleScope,
    };
    pub(super) use crate::view::{ChangeView, FileView, LineView};
}

/// Every rule, in alphabetical order.
pub(crate) static RULES: &[&BuiltinRule] = &[
    &added_excuse::RULE,
    &agent_file_change::RULE,
    &assignment_in_condition::RULE,
    &bidi_control::RULE,
    &binary_file::RULE,
    &blanket_suppression::RULE,
    &code_evaluation::RULE,
    &code_without_test::RULE,
    &commented_out_code::RULE,
    &conflict_marker::RULE,
    &container_root::RULE,
    &credential_assignment::RULE,
    &credential_in_url::RULE,
    &debug_mode::RULE,
    &debug_print::RULE,
    &debugger_leftover::RULE,
    &deceptive_path::RULE,
    &deleted_test::RULE,
    &disabled_tls::RULE,
    &duplicated_block::RULE,
    &emptied_handler::RULE,
    &empty_catch::RULE,
    &except_pass::RULE,
    &executable_bit::RULE,
    &focused_test::RULE,
    &format_string::RULE,
    &gitattributes_change::RULE,
    &hidden_secret::RULE,
    &hook_change::RULE,
    &ignored_error_go::RULE,
    &ignored_result::RULE,
    &insecure_random::RULE,
    &insecure_source::RULE,
    &instruction_injection::RULE,
    &invisible_character::RULE,
    &left_out_file::RULE,
    &line_ending_flip::RULE,
    &lockfile_tampering::RULE,
    &lockfile_without_manifest::RULE,
    &look_alike_path::RULE,
    &mismatched_call::RULE,
    &mixed_script_identifier::RULE,
    &mutable_default::RULE,
    &new_panic::RULE,
    &new_unwrap::RULE,
    &open_redirect::RULE,
    &oversized_file::RULE,
    &packed_code::RULE,
    &path_traversal::RULE,
    &pipe_to_shell::RULE,
    &private_key::RULE,
    &provider_token::RULE,
    &removed_assertion::RULE,
    &replaced_private_key::RULE,
    &request_without_timeout::RULE,
    &return_in_finally::RULE,
    &secret_file::RULE,
    &self_comparison::RULE,
    &shell_injection::RULE,
    &skipped_test::RULE,
    &sleep_in_test::RULE,
    &sql_injection::RULE,
    &stray_file::RULE,
    &submodule_command::RULE,
    &symlink_escape::RULE,
    &todo_without_reference::RULE,
    &unbounded_copy::RULE,
    &undocumented_unsafe::RULE,
    &unfinished_code::RULE,
    &unpinned_action::RULE,
    &unpinned_image::RULE,
    &unportable_path::RULE,
    &unreachable_code::RULE,
    &unsafe_deserialization::RULE,
    &unsafe_extraction::RULE,
    &unverified_token::RULE,
    &vacuous_assertion::RULE,
    &weak_password_hash::RULE,
    &weakened_ci::RULE,
    &workflow_checkout::RULE,
    &workflow_injection::RULE,
    &workflow_permissions::RULE,
    &workflow_secrets::RULE,
    &workflow_trigger::RULE,
    &world_writable::RULE,
];
