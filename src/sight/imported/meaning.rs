//! What an imported name means: a part of the tree, or a module from elsewhere.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hints::split_name;

/// What is known of an imported name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sight) enum Meaning {
    Unknown,
    /// No file of the tree defines it: this module from elsewhere does.
    Outside(String),
    Inside(NamePlace),
}

/// Where a name is defined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::sight) struct NamePlace {
    pub(super) spots: BTreeSet<Spot>,
    /// What it is called there; none: it has no name, or is a module.
    pub(in crate::sight) name: Option<String>,
    /// The type or value that has it.
    pub(in crate::sight) owner: Option<String>,
    /// Whether it certainly is in one of them.
    pub(in crate::sight) is_sure: bool,
}

impl NamePlace {
    pub(in crate::sight) fn holds(&self, path: &str) -> bool {
        self.spots.iter().any(|spot| spot.holds(path))
    }

    /// The files among the places.
    pub(in crate::sight) fn files(&self) -> impl Iterator<Item = &str> {
        self.spots.iter().filter_map(|spot| match spot {
            Spot::File(path) => Some(path.as_str()),
            Spot::Folder(_) | Spot::Below(_) => None,
        })
    }

    /// A method or a field of a type that a file names without an import: it stands in the file, or in its package.
    pub(in crate::sight) fn of_type(path: &RepoPath, owner: &str, name: &str) -> Self {
        let path = path.display();
        let spot = match Language::from_path(&path) {
            Language::Go | Language::Java | Language::Kotlin | Language::Scala => {
                Spot::Folder(split_name(&path).0.to_owned())
            }
            // Namespaces and headers say nothing of folders; the type tells its methods from others.
            Language::C | Language::CSharp | Language::Php | Language::Swift => {
                Spot::Below(String::new())
            }
            _ => Spot::File(path.clone().into_owned()),
        };
        Self {
            spots: [spot].into(),
            name: Some(name.to_owned()),
            owner: Some(owner.to_owned()),
            is_sure: false,
        }
    }

    pub(in crate::sight) fn is_apart_from(&self, other: &Self) -> bool {
        self.spots.is_disjoint(&other.spots)
    }
}

/// A part of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum Spot {
    File(String),
    /// The files of a folder.
    Folder(String),
    /// The same with everything below.
    Below(String),
}

impl Spot {
    pub(super) fn holds(&self, path: &str) -> bool {
        match self {
            Self::File(file) => file == path,
            Self::Folder(folder) => split_name(path).0 == folder,
            Self::Below(folder) if folder.is_empty() => true,
            Self::Below(folder) => {
                let rest = path.strip_prefix(folder.as_str());
                rest.is_some_and(|rest| rest.starts_with('/'))
            }
        }
    }
}
