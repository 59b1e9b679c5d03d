//! Names that a convention turns into others: an accessor is read as the property that it stands for.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::edited::edited_names;
use super::super::hints::split_name;
use super::super::read_side::ReadSide;
use super::super::receivers::Certainty;
use super::super::spelled::has_word;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::place::{ReadingPlace, read_name};
use super::reader::{PropertyUse, Reader};
use super::spelling;

/// How a method is called, and how it is used.
struct Convention {
    language: Language,
    prefix: &'static str,
    suffix: &'static str,
    spell: fn(&str) -> String,
    used: PropertyUse,
}

const CONVENTIONS: [Convention; 5] = [
    // `getFullNameAttribute()` of Eloquent is `$user->full_name`.
    convention(
        Language::Php,
        ("get", "Attribute"),
        spelling::snake,
        PropertyUse::Read,
    ),
    convention(
        Language::Php,
        ("set", "Attribute"),
        spelling::snake,
        PropertyUse::Read,
    ),
    // `scopeActive($query)` is `User::active()`.
    convention(
        Language::Php,
        ("scope", ""),
        spelling::camel,
        PropertyUse::Called,
    ),
    // `getFullName()` is `${user.fullName}` in a page, and `user.fullName` in Kotlin.
    convention(
        Language::Java,
        ("get", ""),
        spelling::camel,
        PropertyUse::Shown,
    ),
    convention(
        Language::Java,
        ("is", ""),
        spelling::camel,
        PropertyUse::Shown,
    ),
];

const fn convention(
    language: Language,
    (prefix, suffix): (&'static str, &'static str),
    spell: fn(&str) -> String,
    used: PropertyUse,
) -> Convention {
    Convention {
        language,
        prefix,
        suffix,
        spell,
        used,
    }
}

/// What uses the edited methods by the names that a convention gives them.
pub(super) fn edited_properties(sides: &[Option<ReadSide<'_>>; 2]) -> Vec<WantedName> {
    let mut edited = BTreeSet::new();
    for side in sides.iter().flatten() {
        let path = side.path.display();
        let owner = split_name(&path).1.to_owned();
        let names = edited_names(&side.outline, &side.lines).into_iter();
        edited.extend(names.map(|name| (side.outline.language(), name, owner.clone())));
    }
    let named = edited.iter().flat_map(|(language, name, owner)| {
        let fitting = CONVENTIONS.iter().filter(|one| one.language == *language);
        fitting.filter_map(move |one| Some((property_of(one, name)?, one.used, owner)))
    });
    // Any value that a page shows has a `name`.
    let is_told_apart = |(text, used, _): &(String, PropertyUse, &String)| {
        text.len() > 2 && (*used != PropertyUse::Shown || words::is_compound(text))
    };
    let reader = |(text, used, owner): (String, PropertyUse, &String)| {
        read_name(
            &text,
            NameReason::Changed,
            Reader::Property(used, owner.clone()),
        )
    };
    named.filter(is_told_apart).map(reader).collect()
}

fn property_of(convention: &Convention, name: &str) -> Option<String> {
    let inner = name
        .strip_prefix(convention.prefix)?
        .strip_suffix(convention.suffix)?;
    inner
        .starts_with(char::is_uppercase)
        .then(|| (convention.spell)(inner))
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line uses a property of a type in the way of its convention; none: it does not.
    pub(super) fn certainty_of_property(
        &self,
        used: PropertyUse,
        owner: &str,
    ) -> Option<Certainty> {
        let is_page = words::is_template(&self.file.path.display());
        let language = self.outline.language();
        let is_here = match used {
            PropertyUse::Read | PropertyUse::Called => language == Language::Php || is_page,
            PropertyUse::Shown => language == Language::Kotlin || is_page,
        };
        let is_used = self.around().iter().any(|(before, behind)| {
            let is_member = ["->", "::", "."].iter().any(|sign| before.ends_with(sign));
            is_member && behind.starts_with('(') == (used == PropertyUse::Called)
        });
        // Many have a method `active`: only who names the type means this one.
        let knows_type = has_word(&self.file.text, owner);
        match (is_here && is_used, knows_type, used) {
            (false, ..) | (_, false, PropertyUse::Called) => None,
            (true, true, _) => Some(Certainty::Likely),
            (true, false, _) => Some(Certainty::Possible),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_tells_the_property_of_a_method() {
        let told = |language: Language, name: &str| -> Vec<String> {
            let fitting = CONVENTIONS.iter().filter(|one| one.language == language);
            fitting.filter_map(|one| property_of(one, name)).collect()
        };
        assert_eq!(told(Language::Php, "getFullNameAttribute"), ["full_name"]);
        assert_eq!(told(Language::Php, "scopeActive"), ["active"]);
        assert_eq!(told(Language::Php, "scoped"), [""; 0]);
        assert_eq!(told(Language::Java, "getFullName"), ["fullName"]);
        assert_eq!(told(Language::Java, "getting"), [""; 0]);
    }
}
