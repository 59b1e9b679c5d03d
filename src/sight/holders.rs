//! What has members: types, the modules of Ruby, the namespaces and the objects of a script.

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::definitions::{DefinedName, DefinitionKind};
use super::modules::opens_object;
use super::receiver_types::receiver_of;
use super::search::FileOutline;

impl FileOutline<'_> {
    /// The type, the module or the object whose method a function is.
    pub(super) fn owner_of(&self, text: &str, function: &FunctionSpan) -> Option<String> {
        let head = u32::try_from(function.head).unwrap_or(u32::MAX);
        let innermost = self.holder_around(head).map(|one| one.name.clone());
        innermost.or_else(|| receiver_of(self.language(), text, function.head))
    }

    /// The innermost holder whose body has a line.
    pub(super) fn holder_around(&self, line: u32) -> Option<&DefinedName> {
        let holding = self.definitions.iter().filter(|one| {
            let is_around = one.head < line && line <= one.end;
            is_around && self.is_holder(one)
        });
        holding.max_by_key(|one| one.head)
    }

    /// Whether what is defined has members.
    pub(super) fn is_holder(&self, one: &DefinedName) -> bool {
        let is_object = || self.language() == Language::Script && opens_object(self.line(one.head));
        match one.kind {
            DefinitionKind::Type => true,
            DefinitionKind::Value => is_object(),
            DefinitionKind::Function => false,
        }
    }
}
