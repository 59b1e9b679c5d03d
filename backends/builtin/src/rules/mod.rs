//! The rules: one file each, one line each in this registry, a fixture and a heading in `docs/rules.md` of the same name.

use crate::rule::Rule;

/// What a rule's file needs.
#[allow(unused_imports, reason = "the rules that use the rest land next")]
mod prelude {
    pub(super) use council_protocol::Severity::{Critical, Minor, Significant};

    pub(super) use crate::language::Language;
    pub(super) use crate::pattern::pattern;
    pub(super) use crate::perspective::{ERROR_PATHS, HYGIENE, MAINTAINABILITY, SECURITY, TESTS};
    pub(super) use crate::role::Role;
    pub(super) use crate::rule::{Check, Example, Hits, Rule, RuleInfo, Scope};
    pub(super) use crate::view::{ChangeView, FileView, LineView};
}

macro_rules! registry {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// Every rule, in alphabetical order.
        pub(crate) static RULES: &[&Rule] = &[$(&$name::RULE,)*];
    };
}

registry! {
    bidi_control,
    conflict_marker,
    except_pass,
    new_unwrap,
    private_key,
    todo_without_reference,
}
