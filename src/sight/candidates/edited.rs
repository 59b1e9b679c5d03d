//! The names of what a file's change edits or removes.

use std::collections::BTreeSet;

use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::FileNames;
use super::made_names::key_name;

impl FileNames {
    /// What the change edits or removes.
    pub(super) fn edited(&self) -> impl Iterator<Item = WantedName> + '_ {
        let names = self.changed.iter().chain(&self.gone);
        let edited = names.filter_map(|name| {
            let reason = if self.gone.contains(name) {
                NameReason::Removed
            } else {
                NameReason::Changed
            };
            if self.is_settings {
                let is_plain = words::is_common(name) || words::is_common_method(name);
                return (!is_plain && self.may_be_read(name)).then(|| key_name(name, reason));
            }
            Some(WantedName {
                owners: self.owners_of(name),
                ..self.of_type(name, reason)
            })
        });
        edited
            .chain(self.types())
            .chain(self.outlets())
            .chain(self.causes())
            .chain(self.fields())
            .chain(self.own_fields())
            .chain(self.fixtures())
            .chain(self.orphans())
    }

    /// A type, of which only some uses are wanted where the change edits how it is made or takes steps from its methods.
    fn of_type(&self, name: &str, reason: NameReason) -> WantedName {
        let is_some = !self.unnamed.contains(name);
        let is_edited = self.changed.contains(name) && !self.built.contains(name);
        let overridden = self.overridden.get(name).filter(|_| is_some && !is_edited);
        let asked = self.asked.get(name).filter(|_| is_some && !is_edited);
        WantedName {
            is_built: is_some && self.built.contains(name),
            overridden: overridden.cloned().unwrap_or_default(),
            asked: asked.cloned().unwrap_or_default(),
            ..self.at_home(name, reason)
        }
    }

    /// Whether a program may read a key of these settings.
    pub(super) fn may_be_read(&self, key: &str) -> bool {
        !self.is_ci || words::is_of_environment(key)
    }

    /// The types that an edited name is a method of; what constructs or destroys a type is called on nothing.
    fn owners_of(&self, name: &str) -> BTreeSet<String> {
        let owners = self
            .owners
            .get(name)
            .filter(|_| !self.unnamed.contains(name));
        owners.cloned().unwrap_or_default()
    }

    /// What others have the file's own names through.
    fn outlets(&self) -> impl Iterator<Item = WantedName> + '_ {
        self.outlets.iter().map(|one| WantedName {
            owners: one.owner.iter().cloned().collect(),
            is_built: one.is_built,
            inner: Some(one.inner.clone()),
            ..self.at_home(&one.text, NameReason::Outlet)
        })
    }

    /// The errors that edited lines no longer wrap: they stand where whoever asks for them has them from.
    fn causes(&self) -> impl Iterator<Item = WantedName> + '_ {
        self.causes.iter().map(|name| WantedName {
            is_cause: true,
            ..WantedName::new(name, NameReason::Removed)
        })
    }

    /// The fields that the change edits.
    fn fields(&self) -> impl Iterator<Item = WantedName> + '_ {
        let all = self.fields.iter().map(|field| (field, NameReason::Changed));
        let lost = self
            .lost_fields
            .iter()
            .map(|field| (field, NameReason::Removed));
        all.chain(lost).map(|((name, owners), reason)| WantedName {
            owners: owners.clone(),
            is_field: true,
            is_bare: true,
            ..self.at_home(name, reason)
        })
    }

    /// Those of the very types whose methods it edits.
    fn own_fields(&self) -> impl Iterator<Item = WantedName> + '_ {
        self.own.iter().map(|(name, owners)| WantedName {
            owners: owners.clone(),
            is_own: true,
            is_bare: true,
            ..self.at_home(name, NameReason::Changed)
        })
    }

    /// What tests ask for by the name of a parameter.
    fn fixtures(&self) -> impl Iterator<Item = WantedName> + '_ {
        self.fixtures.iter().map(|name| WantedName {
            is_fixture: true,
            is_bare: true,
            ..self.at_home(name, NameReason::Changed)
        })
    }

    /// What the file has and no longer imports.
    fn orphans(&self) -> impl Iterator<Item = WantedName> + '_ {
        self.orphans.iter().map(|name| WantedName {
            is_orphan: true,
            is_bare: true,
            ..self.at_home(name, NameReason::Removed)
        })
    }

    /// What others use without code, the most telling first.
    pub(super) fn spelled(&self) -> impl Iterator<Item = WantedName> + '_ {
        /// A new schema says hundreds of names.
        const MAX_ADDED: usize = 60;
        let [before, now] = &self.spelled;
        let known = before.iter().map(|(name, spelling)| {
            let reason = match now.contains_key(name) {
                true => NameReason::Changed,
                false => NameReason::Removed,
            };
            (name, spelling, reason)
        });
        let mut added: Vec<_> = now
            .iter()
            .filter(|(name, _)| !before.contains_key(*name))
            .collect();
        added.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let added = added.into_iter().take(MAX_ADDED);
        let all = known.chain(added.map(|(name, spelling)| (name, spelling, NameReason::Added)));
        all.map(|(name, spelling, reason)| WantedName {
            spelling: *spelling,
            ..WantedName::new(name, reason)
        })
    }

    /// The types whose users the change reaches though it does not edit their heads.
    fn types(&self) -> impl Iterator<Item = WantedName> + '_ {
        let types: BTreeSet<&String> = self
            .built
            .iter()
            .chain(&self.unnamed)
            .chain(self.overridden.keys())
            .chain(self.asked.keys())
            .collect();
        let types = types
            .into_iter()
            .filter(|name| !self.changed.contains(*name));
        types.map(|name| self.of_type(name, NameReason::Changed))
    }
}
