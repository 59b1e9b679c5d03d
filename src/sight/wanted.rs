//! A name that is looked for around a change, and what is wanted of it.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;

use super::moved::MovedFile;
use super::name_source::NameSource;
use super::other_name::{Alias, DefaultExport, Inner};
use super::readers::reader::Reader;
use super::words;

/// Why a name is worth a look, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameReason {
    /// A removed line used or defined it, and no added line does.
    Removed,
    /// The change edits what defines it.
    Changed,
    /// An added line uses it, and no removed line did.
    Added,
    /// A key in a string or in settings.
    Key,
    /// A line on both sides uses it.
    Kept,
    /// It stands in a changed function, on a line that did not change.
    Around,
    /// It uses what the change edits beside it.
    Outlet,
    /// Only changed tests speak of it.
    InTest,
}

/// How a use of a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spelling {
    /// As code or as a key.
    Code,
    /// Behind a program that runs it: `make NAME`, `npm run NAME`.
    Task,
    /// Anywhere but in comments.
    Word,
}

/// A name and what a brief wants to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedName {
    pub(super) text: String,
    pub(super) reason: NameReason,
    /// Whether what defines it is wanted.
    pub(super) definition: bool,
    /// Whether where it is used is wanted.
    pub(super) uses: bool,
    /// Whether it is a bare word that may be a variable of its function: no function of that name is meant.
    pub(super) is_bare: bool,
    /// A member is searched near the change only: elsewhere the same word means something else.
    pub(super) is_local: bool,
    /// Whether it is spelled out as a key: a setting of the same name as a function defines none.
    pub(super) is_key: bool,
    /// Whether only what is spelled as a key means it: in code the bare word is any variable.
    pub(super) is_key_alone: bool,
    /// Whether it is a key that the change takes away: whoever reads it may be written in any language.
    pub(super) crosses: bool,
    /// Whether only places that make a value of this type are wanted: the change edits how it is made.
    pub(super) is_built: bool,
    /// The methods of this type that a change takes steps from: whoever extends it may override or call them.
    pub(super) overridden: BTreeSet<String>,
    /// Methods that this type asks for since the change: whoever extends it and lacks one is wanted.
    pub(super) asked: BTreeSet<String>,
    /// Whether it is an error that an edited line no longer hands on: only who looks for it is wanted.
    pub(super) is_cause: bool,
    /// Whether it is a field of one of its owners: it is used without brackets.
    pub(super) is_field: bool,
    /// Whether it is a field that the change takes from a method of its owner: only the other methods of that type mean it.
    pub(super) is_own: bool,
    /// Whether tests ask for it by the name of a parameter.
    pub(super) is_fixture: bool,
    /// Whether its import is gone: only where its file still has it is a use of it.
    pub(super) is_orphan: bool,
    /// Whether the change only takes its import away: who has it from elsewhere uses nothing that the change edits.
    pub(super) is_import_alone: bool,
    /// Whether it is a member of a struct of C, which the type that has it tells about.
    pub(super) is_member: bool,
    /// How a use of it is written.
    pub(super) spelling: Spelling,
    /// The variables that a method with an everyday name is called on; none: it may be anybody's.
    pub(super) receivers: Option<BTreeSet<String>>,
    /// Where the changed files have it from; nothing: they only define it.
    pub(super) sources: BTreeSet<NameSource>,
    /// What a changed file calls it that imports it by another name.
    pub(super) imported_as: Option<String>,
    /// The types that the change edits a method of this name of.
    pub(super) owners: BTreeSet<String>,
    /// The files in which the change edits what has this name, under their names of both sides.
    pub(super) homes: BTreeSet<RepoPath>,
    /// The files that the change moves or deletes and that others mean by it.
    pub(super) moved: Vec<MovedFile>,
    /// What it is another name of.
    pub(super) alias: Option<Alias>,
    /// What others have through it, where only its users outside of its file are wanted.
    pub(super) inner: Option<Inner>,
    /// The files that it is a part of the path of and whose only export the change edits.
    pub(super) exports: Vec<DefaultExport>,
    /// How files of other kinds read it, whether or not its uses are wanted.
    pub(super) readers: BTreeSet<Reader>,
}

impl WantedName {
    /// A name of which its uses are wanted.
    pub(super) fn new(text: &str, reason: NameReason) -> Self {
        Self {
            text: text.to_owned(),
            reason,
            definition: false,
            uses: true,
            is_bare: false,
            is_local: false,
            is_key: reason == NameReason::Key,
            is_key_alone: false,
            crosses: false,
            is_built: false,
            overridden: BTreeSet::new(),
            asked: BTreeSet::new(),
            is_cause: false,
            is_field: false,
            is_own: false,
            is_fixture: false,
            is_orphan: false,
            is_import_alone: false,
            is_member: false,
            spelling: Spelling::Code,
            receivers: None,
            sources: BTreeSet::new(),
            imported_as: None,
            owners: BTreeSet::new(),
            homes: BTreeSet::new(),
            moved: Vec::new(),
            alias: None,
            inner: None,
            exports: Vec::new(),
            readers: BTreeSet::new(),
        }
    }

    /// The text that it is a part of, and by which it is called.
    pub(super) fn whole_text(&self) -> &str {
        let mut texts = self.readers.iter().filter_map(|reader| match reader {
            Reader::Text(text) | Reader::Pattern(text) => Some(text),
            _ => None,
        });
        match (texts.next(), texts.next()) {
            (Some(text), None) => text,
            _ => &self.text,
        }
    }

    /// Whether every program has something of this name: only a use that certainly means what is edited tells.
    pub(super) fn is_everywhere(&self) -> bool {
        const SHORT: usize = 3;
        let is_plain = || {
            words::is_common(&self.text)
                || words::is_common_method(&self.text)
                || self.text.starts_with("__")
                || matches!(self.text.as_str(), "init" | "initialize" | "operator")
        };
        !self.homes.is_empty() && (self.text.len() <= SHORT || is_plain())
    }

    /// Whether every use of a type is wanted, and not only some.
    pub(super) fn wants_every_use(&self) -> bool {
        !self.is_built && self.overridden.is_empty() && self.asked.is_empty()
    }

    pub(super) fn merge(wanted: &mut BTreeMap<String, Self>, name: Self) {
        let Some(have) = wanted.get_mut(&name.text) else {
            wanted.insert(name.text.clone(), name);
            return;
        };
        let of_method = |one: &Self| !one.is_field && !one.owners.is_empty();
        let is_method = of_method(have) || of_method(&name);
        have.is_own = match (have.uses, name.uses) {
            (true, true) => have.is_own && name.is_own,
            (true, false) => have.is_own,
            _ => name.is_own,
        };
        have.is_import_alone = match (have.uses, name.uses) {
            (true, true) => have.is_import_alone && name.is_import_alone,
            (true, false) => have.is_import_alone,
            _ => name.is_import_alone,
        };
        // How uses are told apart is for whoever wants them to say.
        match (have.uses, name.uses) {
            (true, false) => {}
            (false, true) => {
                have.is_built = name.is_built;
                (have.overridden, have.asked) = (name.overridden, name.asked);
            }
            _ if have.wants_every_use() || name.wants_every_use() => {
                have.is_built = false;
                (have.overridden, have.asked) = (BTreeSet::new(), BTreeSet::new());
            }
            _ => {
                have.is_built |= name.is_built;
                have.overridden.extend(name.overridden);
                have.asked.extend(name.asked);
            }
        }
        // Where a method of that name is edited as well, a place without a dot may mean it.
        have.is_field = match (have.uses, name.uses) {
            (true, true) => (have.is_field || name.is_field) && !is_method,
            (true, false) => have.is_field,
            _ => name.is_field,
        };
        have.inner = match (have.uses, name.uses) {
            (true, true) => have.inner.take().filter(|_| name.inner.is_some()),
            (true, false) => have.inner.take(),
            _ => name.inner,
        };
        have.is_cause |= name.is_cause;
        have.is_fixture |= name.is_fixture;
        have.is_orphan |= name.is_orphan;
        have.is_member |= name.is_member;
        have.spelling = have.spelling.max(name.spelling);
        have.receivers = match (have.definition, name.definition) {
            (true, true) => have
                .receivers
                .take()
                .zip(name.receivers)
                .map(|(a, b)| &a | &b),
            (true, false) => have.receivers.take(),
            _ => name.receivers,
        };
        have.reason = have.reason.min(name.reason);
        have.definition |= name.definition;
        have.uses |= name.uses;
        have.is_bare &= name.is_bare;
        have.is_local &= name.is_local;
        have.is_key |= name.is_key;
        have.crosses |= name.crosses;
        have.is_key_alone &= name.is_key_alone;
        have.sources.extend(name.sources);
        have.owners.extend(name.owners);
        have.homes.extend(name.homes);
        have.moved.extend(name.moved);
        have.readers.extend(name.readers);
    }
}
