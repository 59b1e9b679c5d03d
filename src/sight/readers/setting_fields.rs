//! Classes that settings fill: whoever sets a field that one no longer has sets nothing any more, and nobody says so.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::read_side::ReadSide;
use super::super::receivers::Certainty;
use super::super::search::FileOutline;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::answer_types::{FieldPlace, head_of};
use super::place::{ReadingPlace, read_name};
use super::reader::{Reader, SettingHome};
use super::setting_keys::entries_of;
use super::{spelling, spring};

/// A class that loses more is another one.
const MAX_LOST: usize = 40;

/// A field that settings fill.
struct FilledField {
    /// Its name, behind the prefix that the environment has.
    name: String,
    /// The path above it, as the class says it.
    above: String,
    home: SettingHome,
}

/// What sets the fields that the edited types of a side had, and have no longer.
pub(super) fn lost_names(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    let is_edited = |first: u32, last: u32| {
        let mut lines = before.lines.iter();
        lines.any(|line| (first..=last).contains(line))
    };
    let had = filled_fields(before, is_edited);
    let kept = now.map(|now| filled_fields(now, |_, _| true));
    let kept = kept.unwrap_or_default();
    let is_kept = |field: &FilledField| {
        let mut kept = kept.iter();
        kept.any(|one| one.above == field.above && one.name == field.name)
    };
    let lost = had.iter().filter(|field| !is_kept(field));
    let language = before.outline.language();
    lost.take(MAX_LOST)
        .flat_map(|field| names_of(language, field))
        .collect()
}

/// The fields of the types of a side that settings fill, of those whose lines fit.
fn filled_fields(side: &ReadSide<'_>, fits: impl Fn(u32, u32) -> bool) -> Vec<FilledField> {
    let types = side.outline.definitions.iter();
    let types = types.filter(|one| one.kind == DefinitionKind::Type);
    let mut found = Vec::new();
    for typed in types.filter(|one| fits(one.start.min(one.head), one.end)) {
        let Some((above, mut home)) = home_of(side, typed) else {
            continue;
        };
        let lines = typed.start.min(typed.head)..=typed.end;
        let places = lines.filter_map(|line| FieldPlace::at(side, line));
        let places = places.filter(|place| std::ptr::eq(place.holder, typed));
        let names: BTreeSet<&str> = places.flat_map(|place| place.fields()).collect();
        let prefix = match &mut home {
            SettingHome::Environment => above.as_str(),
            SettingHome::Path { .. } => "",
            SettingHome::Section { fields, .. } => {
                fields.extend(names.iter().map(|name| spelling::plain(name)));
                ""
            }
        };
        found.extend(names.into_iter().map(|name| FilledField {
            name: format!("{prefix}{name}"),
            above: above.clone(),
            home: home.clone(),
        }));
    }
    found
}

/// Where settings have the fields of a type, and what stands above or before them; none: nothing says that they do.
fn home_of(side: &ReadSide<'_>, typed: &DefinedName) -> Option<(String, SettingHome)> {
    let outline = &side.outline;
    let head = head_of(outline, typed);
    let (_, parents) = outline.line(typed.head).split_once('(').unwrap_or_default();
    let mut parents = parents.split(|c: char| !words::is_name(c));
    if outline.language() == Language::Python && parents.any(|one| one.ends_with("Settings")) {
        let mut lines = (typed.head..=typed.end).map(|line| outline.without_comment(line));
        let prefix = lines.find_map(|code| quoted_behind(code, "env_prefix"));
        return Some((prefix.unwrap_or("").to_owned(), SettingHome::Environment));
    }
    if let Some(below) = home_below(outline, typed).filter(|_| side.text.contains(spring::FILLED)) {
        return Some(below);
    }
    let is_told = stem_of(&typed.name).is_some() || reads_settings(side, &head);
    let home = SettingHome::Section {
        typed: typed.name.clone(),
        fields: BTreeSet::new(),
    };
    is_told.then(|| (typed.name.clone(), home))
}

/// The path that a class of Spring, or one around it, says that its fields are below.
fn home_below(outline: &FileOutline<'_>, typed: &DefinedName) -> Option<(String, SettingHome)> {
    let types = outline.definitions.iter();
    let mut outer = types.filter(|one| {
        one.kind == DefinitionKind::Type && one.head <= typed.head && typed.end <= one.end
    });
    outer.find_map(|outer| {
        let prefix = spring::prefixes_of(&head_of(outline, outer)).next()?;
        let inner = (outer != typed).then(|| spelling::plain(&typed.name));
        let home = SettingHome::Path {
            prefix: prefix.split('.').map(spelling::plain).collect(),
            inner,
        };
        Some((prefix, home))
    })
}

/// The first text in quotes behind a word: `env_prefix="SHOP_"`, `"env_prefix": "SHOP_"`.
fn quoted_behind<'t>(code: &'t str, word: &str) -> Option<&'t str> {
    let (_, behind) = code.split_once(word)?;
    let (_, value) = behind.split_once(['=', ':'])?;
    let quote = value.trim_start().chars().next()?;
    let inner = value.trim_start().strip_prefix(['"', '\''])?;
    inner.split(quote).next()
}

/// What is left of the name of a type of settings: `MailOptions` has those of `Mail`.
fn stem_of(typed: &str) -> Option<&str> {
    const CALLED: [&str; 7] = [
        "Configuration",
        "Properties",
        "Settings",
        "Options",
        "Config",
        "Opts",
        "Conf",
    ];
    CALLED.iter().find_map(|word| typed.strip_suffix(word))
}

/// Whether a file of Rust reads settings into a type whose fields it takes from a text.
fn reads_settings(side: &ReadSide<'_>, head: &str) -> bool {
    const CALLS: [&str; 5] = ["toml::", "yaml::", "yml::", "config::", "figment::"];
    let mut calls = CALLS.iter();
    head.contains("Deserialize") && calls.any(|call| side.text.contains(call))
}

/// How a field is set.
fn names_of(language: Language, field: &FilledField) -> Vec<WantedName> {
    let name = |text: &str, reader: Reader| read_name(text, NameReason::Removed, reader);
    let as_key = || Reader::Set(field.home.clone());
    let plain = spelling::plain(&field.name);
    match &field.home {
        SettingHome::Environment => {
            let spelled = [field.name.to_uppercase(), field.name.to_lowercase()];
            spelled.map(|text| name(&text, as_key())).into()
        }
        SettingHome::Path { inner, .. } => {
            let path = [field.above.as_str(), field.name.as_str()];
            let parts: Vec<&str> = path.iter().flat_map(|part| part.split('.')).collect();
            let variables = spring::variables_of(&parts, NameReason::Removed);
            let variables = variables.filter(|_| inner.is_none());
            let keys = spelled_keys(&field.name).into_iter();
            let keys = keys.map(|text| name(&text, as_key()));
            keys.chain(variables).collect()
        }
        SettingHome::Section { typed, .. } => {
            let keys = spelled_keys(&field.name).into_iter();
            let mut names: Vec<WantedName> = keys.map(|text| name(&text, as_key())).collect();
            let stem = stem_of(typed).filter(|stem| !stem.is_empty());
            if let Some(stem) = stem.filter(|_| language == Language::CSharp) {
                let variable = format!("{stem}__{}", field.name);
                let large = format!("{}__{plain}", spelling::plain(stem)).to_uppercase();
                names.extend([variable, large].map(|text| name(&text, Reader::Variable)));
            }
            names
        }
    }
}

/// How settings spell a field.
fn spelled_keys(name: &str) -> BTreeSet<String> {
    let spelled = [
        spelling::kebab,
        spelling::snake,
        spelling::camel,
        spelling::plain,
        spelling::pascal,
    ];
    let mut all: BTreeSet<String> = spelled.map(|spell| spell(name)).into();
    all.insert(spelling::snake(name).to_uppercase());
    all.insert(name.to_owned());
    all
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line sets a field that settings fill; none: it does not.
    pub(super) fn certainty_of_setting(&self, home: &SettingHome) -> Option<Certainty> {
        /// A larger file is data.
        const MAX_SETTINGS: usize = 64 << 10;
        let is_settings = words::is_settings(self.outline.language())
            && self.file.text.len() <= MAX_SETTINGS
            && !words::is_ci(&self.file.path.display());
        match home {
            SettingHome::Environment => self.sets_variable().then_some(Certainty::Exact),
            _ if !is_settings => None,
            SettingHome::Path { prefix, inner } => {
                let is_it = |path: &[String]| is_field_below(path, prefix, inner.as_deref());
                let mut here = self.paths_here();
                here.any(is_it).then_some(Certainty::Exact)
            }
            SettingHome::Section { typed, fields } => {
                let keys = self.paths_of_settings();
                let is_it = |path: &[String]| is_of_type(path, keys, typed, fields);
                let mut here = self.paths_here();
                here.any(is_it).then_some(Certainty::Likely)
            }
        }
    }

    /// The paths of all keys of the file, each with its line; read once for all lines that may set something.
    fn paths_of_settings(&self) -> &[(u32, Vec<String>)] {
        let parts = |path: &str| path.split('.').map(spelling::plain).collect();
        let read = || {
            let entries = entries_of(&self.file.path.display(), &self.file.text).into_iter();
            let paths = entries.map(|entry| (entry.line, parts(&entry.path)));
            paths.collect()
        };
        self.outline.setting_paths.get_or_init(read)
    }

    /// The paths of the keys on the line that end with the name.
    fn paths_here(&self) -> impl Iterator<Item = &[String]> {
        let last = spelling::plain(self.name);
        let paths = self.paths_of_settings().iter();
        let here = paths.filter(|(line, _)| *line == self.line);
        here.map(|(_, path)| path.as_slice())
            .filter(move |path| path.last() == Some(&last))
    }

    /// Whether the line gives a variable to a program, or names one of several words in large letters.
    fn sets_variable(&self) -> bool {
        let language = self.outline.language();
        let is_told = words::is_of_environment(self.name);
        let is_small = !self.name.contains(char::is_uppercase);
        let may_set = match language {
            Language::Ini | Language::Docker | Language::Shell => true,
            _ => words::is_settings(language) && !is_small,
        };
        self.around().iter().any(|(before, behind)| {
            let behind = behind.trim_start_matches(['"', '\'']).trim_start();
            let is_set = behind.starts_with(['=', ':']) && !before.ends_with('$');
            let is_named = before.trim_end_matches(['"', '\'']).ends_with("name: ");
            is_told || (may_set && (is_set || is_named))
        })
    }
}

/// Whether a path leads to a field of a type, or of one within that a key between the two is called after.
fn is_field_below(path: &[String], prefix: &[String], inner: Option<&str>) -> bool {
    let rest = path.strip_prefix(prefix).and_then(<[String]>::split_last);
    rest.is_some_and(|(_, between)| match (between.last(), inner) {
        (None, None) => true,
        (Some(part), Some(inner)) => is_called_after(part, inner),
        _ => false,
    })
}

/// Whether a section is called after a type, as a whole or in part: `mail` of `ShopMail`.
fn is_called_after(section: &str, typed: &str) -> bool {
    const LEAST: usize = 3;
    let (short, long) = match section.len() < typed.len() {
        true => (section, typed),
        false => (typed, section),
    };
    short.len() >= LEAST && (long.starts_with(short) || long.ends_with(short))
}

/// Whether a key is one of a type: of its section a name or a half of all keys says so, and of one key alone the top of the
/// file, where it has several words.
fn is_of_type(
    path: &[String],
    keys: &[(u32, Vec<String>)],
    typed: &str,
    fields: &BTreeSet<String>,
) -> bool {
    let Some((_, above)) = path.split_last() else {
        return false;
    };
    let stem = spelling::plain(stem_of(typed).unwrap_or(typed));
    let is_named = above
        .last()
        .is_some_and(|last| is_called_after(last, &stem));
    let beside = keys.iter().filter_map(|(_, other)| {
        let (last, others) = other.split_last()?;
        (others == above && other != path).then_some(last)
    });
    let beside: BTreeSet<&String> = beside.collect();
    let shared = beside.iter().filter(|key| fields.contains(**key)).count();
    is_named
        || (shared > 0 && shared * 2 >= beside.len())
        || (beside.is_empty() && above.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_belongs_to_the_type_that_has_its_keys_or_its_name() {
        let fields = ["host", "maxtries", "port"].map(str::to_owned).into();
        for (typed, keys, is_it) in [
            ("MailOptions", &["mail.maxtries"][..], true),
            ("ShopMailOptions", &["mail.maxtries"], true),
            ("MailOptions", &["smtp.maxtries", "smtp.host"], true),
            ("MailOptions", &["smtp.maxtries"], false),
            ("MailOptions", &["db.maxtries", "db.name"], false),
            (
                "MailOptions",
                &["db.maxtries", "db.port", "db.a", "db.b", "db.c"],
                false,
            ),
            ("Config", &["maxtries"], true),
            ("Config", &["maxtries", "name"], false),
            ("Config", &["maxtries", "name", "host"], true),
        ] {
            let parts = |path: &&str| path.split('.').map(str::to_owned).collect();
            let keys: Vec<(u32, Vec<String>)> = keys.iter().map(|path| (1, parts(path))).collect();
            assert_eq!(
                is_of_type(&keys[0].1, &keys, typed, &fields),
                is_it,
                "{typed} {keys:?}"
            );
        }
    }

    #[test]
    fn the_prefix_of_the_environment_is_read_from_its_class() {
        for code in [
            "    model_config = {\"env_prefix\": \"SHOP_\"}",
            "    model_config = SettingsConfigDict(env_prefix='SHOP_', extra=1)",
            "        env_prefix = \"SHOP_\"",
        ] {
            assert_eq!(quoted_behind(code, "env_prefix"), Some("SHOP_"), "{code}");
        }
        assert_eq!(quoted_behind("env_prefix = PREFIX", "env_prefix"), None);
    }
}
