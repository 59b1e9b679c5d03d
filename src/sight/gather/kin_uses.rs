//! Calls of an edited method on a type of its kin.

use council_syntax::language::Language;

use super::super::imported::{Meaning, sources_on, stands_alone, types_called_on};
use super::super::name_source::NameSource;
use super::super::receivers::Certainty;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::Gatherer;
use super::kin::is_method;

impl Gatherer<'_> {
    /// How certain a call on a type of the kin is one of the edited method; none: nothing says that it is.
    pub(super) fn certainty_of_kin(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<Certainty> {
        let (name, kin) = (&self.names[hit.name], &self.kin[hit.name]);
        if !is_method(name) {
            return None;
        }
        let called = types_called_on(outline, &file.text, hit.line, &name.text);
        let types = self.known.hierarchy();
        let sure = called
            .iter()
            .filter_map(|one| kin.certainty(one, name, types));
        sure.min().filter(|_| !self.is_foreign(hit, file, outline))
    }

    /// Whether imports say that a type of such a name comes from elsewhere.
    fn is_foreign(&self, hit: NameHit, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let text = &self.names[hit.name].text;
        let sources = sources_on(outline, (&file.path, &file.text), hit.line, text);
        sources.iter().any(|source| match source {
            NameSource::From(from) => matches!(self.known.meaning(from), Meaning::Outside(_)),
            _ => false,
        })
    }

    /// Whether a word is a type that is called like the edited method: in these languages a method never stands alone.
    pub(super) fn is_type_alone(&self, hit: NameHit, outline: &FileOutline<'_>) -> bool {
        let name = &self.names[hit.name];
        let is_asked = matches!(
            outline.language(),
            Language::Go | Language::Rust | Language::Python | Language::Script | Language::Php
        );
        is_asked
            && is_method(name)
            && self.known.hierarchy().has_type(&name.text)
            && stands_alone(outline, hit.line, &name.text)
    }
}
