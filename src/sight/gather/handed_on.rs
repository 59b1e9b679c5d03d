//! What a module from outside hands on though the tree has made it: values that the tree has put there
//! (`g.user.can_edit()`), and settings (`from django.conf import settings`).

use super::super::imported::Meaning;
use super::super::name_source::{ImportedFrom, NameSource, handed_constant, is_known_as};
use super::super::receivers::is_called_like;
use super::super::search::{FileOutline, NameHit};
use super::super::wanted::WantedName;
use super::super::words;
use super::Gatherer;

impl Gatherer<'_> {
    /// Whether what modules from outside hand on may be what the change edits, though all that is known of it is from there.
    pub(super) fn may_be_handed_on(
        &self,
        hit: NameHit,
        sources: &[NameSource],
        outline: &FileOutline<'_>,
    ) -> bool {
        let name = &self.names[hit.name];
        let code = outline.line(hit.line);
        let is_outside = |from| matches!(self.known.meaning(from), Meaning::Outside(_));
        !name.homes.is_empty()
            && sources.iter().any(|source| match source {
                NameSource::Made(from) => is_outside(from) && is_own_member(name, code),
                NameSource::From(from) if is_outside(from) => {
                    is_setting(name, from) || is_member_of_import(name, code, from)
                }
                _ => false,
            })
    }
}

/// Whether a constant is one of an edited file that the imported name is called after.
fn is_setting(name: &WantedName, from: &ImportedFrom) -> bool {
    let is_named = |holder: &str| {
        name.homes
            .iter()
            .any(|home| is_known_as(&home.display(), holder))
    };
    let constant = handed_constant(from);
    constant.is_some_and(|(holder, last)| {
        name.owners.is_empty() && last == name.text && is_named(holder)
    })
}

/// Whether a member is called as nothing from outside is, or is asked of a variable that is called after its type.
fn is_own_member(name: &WantedName, code: &str) -> bool {
    let is_called_so = || {
        name.owners
            .iter()
            .any(|owner| is_called_like(owner, code, &name.text))
    };
    !name.owners.is_empty() && (words::is_compound(&name.text) || is_called_so())
}

/// Of `g.user.can_edit()` somebody has put the user there; what `g` has itself is the module's.
fn is_member_of_import(name: &WantedName, code: &str, from: &ImportedFrom) -> bool {
    from.steps.len() > 2 && is_own_member(name, code)
}
