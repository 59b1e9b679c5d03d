//! Where the modules of Rust lie.

use super::super::hints::{join, split_name};
use super::super::name_source::ImportedFrom;
use super::known::KnownTree;
use super::meaning::Spot;
use super::modules::ModulePlace;

/// Where the module of a path lies that a file uses: as many of its parts as are files.
pub(super) fn module_place(known: &KnownTree, path: &str, from: &ImportedFrom) -> ModulePlace {
    let named = from.module.split("::").filter(|part| !part.is_empty());
    let least = named.clone().count();
    let inner = from.steps.iter().map(String::as_str);
    let inner = inner.take(
        from.steps
            .len()
            .saturating_sub(1)
            .max(usize::from(least == 0)),
    );
    let parts: Vec<&str> = named.chain(inner).collect();
    let mut at = Module::of(path);
    let mut rest = parts.as_slice();
    match rest.split_first() {
        Some((&"crate", behind)) => (at, rest) = (Module::root_of(path), behind),
        Some((&"self", behind)) => rest = behind,
        Some((&"super", _)) => {
            while let Some((&"super", behind)) = rest.split_first() {
                (at, rest) = (at.parent(), behind);
            }
        }
        Some((&("std" | "core" | "alloc" | "proc_macro"), _)) => return ModulePlace::Outside,
        Some((first, behind)) if at.child(known, first).is_none() => {
            match crate_place(known, first) {
                Ok(root) => (at, rest) = (root, behind),
                Err(place) => return place,
            }
        }
        _ => {}
    }
    while let Some((first, behind)) = rest.split_first() {
        let Some(child) = at.child(known, first) else {
            break;
        };
        (at, rest) = (child, behind);
    }
    let files = at.files.iter().filter(|file| known.has_file(file));
    let spots: Vec<Spot> = files.cloned().map(Spot::File).collect();
    // A module within a file, or a type, leads to what stands in that file.
    let used = (parts.len() - rest.len()).saturating_sub(least);
    match spots.is_empty() {
        true => ModulePlace::Unknown,
        false => ModulePlace::Inside(spots, used),
    }
}

/// Where another crate begins; else what is known of it.
fn crate_place(known: &KnownTree, name: &str) -> Result<Module, ModulePlace> {
    let crates = &known.manifests.crates;
    if let Some(folder) = crates.folder_of(name) {
        return Ok(Module::root_in(&join(folder, "src")));
    }
    Err(match crates.needed.contains(name) {
        true => ModulePlace::Outside,
        false => ModulePlace::Unknown,
    })
}

/// A module that is a file.
#[derive(Debug, Clone)]
struct Module {
    /// Where it may be.
    files: Vec<String>,
    /// Where its modules lie.
    folder: String,
}

impl Module {
    fn of(path: &str) -> Self {
        let (folder, stem, _) = split_name(path);
        let is_front = matches!(stem, "mod" | "lib" | "main");
        Self {
            files: vec![path.to_owned()],
            folder: match is_front {
                true => folder.to_owned(),
                false => join(folder, stem),
            },
        }
    }

    /// The root of the crate that a file is of.
    fn root_of(path: &str) -> Self {
        let end = path.rfind("/src/").map(|at| at + "/src".len());
        let end = end.or_else(|| path.starts_with("src/").then_some("src".len()));
        Self::root_in(end.map_or(split_name(path).0, |end| &path[..end]))
    }

    fn root_in(folder: &str) -> Self {
        Self {
            files: ["lib.rs", "main.rs"]
                .map(|name| join(folder, name))
                .to_vec(),
            folder: folder.to_owned(),
        }
    }

    fn parent(&self) -> Self {
        let (folder, _) = self.folder.rsplit_once('/').unwrap_or(("", &self.folder));
        Self {
            files: ["mod.rs", "lib.rs", "main.rs"]
                .map(|name| join(folder, name))
                .into_iter()
                .chain([format!("{folder}.rs")])
                .collect(),
            folder: folder.to_owned(),
        }
    }

    fn child(&self, known: &KnownTree, name: &str) -> Option<Self> {
        let folder = join(&self.folder, name);
        let paths = [format!("{folder}.rs"), join(&folder, "mod.rs")];
        let found = known.first_file(paths)?;
        Some(Self {
            files: vec![found],
            folder,
        })
    }
}
