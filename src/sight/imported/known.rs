//! What a search has seen of a tree: its paths, the texts that have a name, and the manifests. Nothing is read for it.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hierarchy::Hierarchy;
use super::super::hints::split_name;
use super::super::import_names::imported_names;
use super::super::import_names::name::ImportedName;
use super::super::import_names::python::PackageRoots;
use super::super::name_source::{ImportedFrom, handed_constant, is_known_as};
use super::super::search::{FileHits, NameHits};
use super::inherited::KnownType;
use super::meaning::Meaning;
use super::packages::{Manifests, is_manifest};

/// The part of a tree that a search came by.
pub(in crate::sight) struct KnownTree {
    pub(super) paths: BTreeSet<String>,
    pub(super) texts: HashMap<String, Arc<str>>,
    pub(super) manifests: Manifests,
    roots: OnceCell<PackageRoots>,
    /// Files by the package of Java that they are of.
    packages: OnceCell<BTreeMap<String, Vec<String>>>,
    imported: RefCell<HashMap<String, Rc<Vec<ImportedName>>>>,
    pub(super) meanings: RefCell<HashMap<ImportedFrom, Meaning>>,
    pub(super) types: RefCell<HashMap<String, Rc<Vec<KnownType>>>>,
    hierarchy: OnceCell<Hierarchy>,
}

/// Whether a search keeps a file for what it says of others: manifests, and what hands on the names of its folder.
pub(in crate::sight) fn is_telling(path: &RepoPath) -> bool {
    let path = path.display();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_front = match Language::from_path(name) {
        Language::Script => stem == "index",
        Language::Python => stem == "__init__",
        Language::Rust => matches!(stem, "mod" | "lib" | "main"),
        _ => false,
    };
    is_front || is_manifest(name)
}

impl KnownTree {
    /// What a search saw; `changed` are paths that the change itself names, where files were among them.
    pub(in crate::sight) fn of(hits: &NameHits, changed: impl Iterator<Item = RepoPath>) -> Self {
        let seen = hits
            .seen
            .iter()
            .chain(hits.files.iter().map(|file| &file.path));
        let shown = |path: &RepoPath| path.display().into_owned();
        let paths = seen.map(shown).chain(changed.map(|path| shown(&path)));
        let mut manifests = Manifests::default();
        let mut texts = HashMap::new();
        for FileHits { path, text, .. } in hits.files.iter().chain(&hits.kept) {
            manifests.read(&path.display(), text);
            texts.insert(shown(path), Arc::clone(text));
        }
        Self {
            paths: paths.collect(),
            texts,
            manifests,
            roots: OnceCell::new(),
            packages: OnceCell::new(),
            imported: RefCell::new(HashMap::new()),
            meanings: RefCell::new(HashMap::new()),
            types: RefCell::new(HashMap::new()),
            hierarchy: OnceCell::new(),
        }
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether something lies in a folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        let next = self.paths.range(start.clone()..).next();
        next.is_some_and(|path| path.starts_with(&start))
    }

    /// The first of these paths that is a file.
    pub(super) fn first_file(&self, paths: impl IntoIterator<Item = String>) -> Option<String> {
        paths.into_iter().find(|path| self.has_file(path))
    }

    /// The text of a file, if it has one of the names or tells of others.
    pub(super) fn text(&self, path: &str) -> Option<&Arc<str>> {
        self.texts.get(path)
    }

    /// The files whose texts are known and have a word, by their paths.
    pub(in crate::sight) fn files_with(&self, word: &str) -> BTreeMap<String, Arc<str>> {
        let texts = self.texts.iter().filter(|(_, text)| text.contains(word));
        texts
            .map(|(path, text)| (path.clone(), Arc::clone(text)))
            .collect()
    }

    /// A file whose text is known.
    pub(in crate::sight) fn kept_file(&self, path: &str) -> Option<FileHits> {
        let text = self.text(path)?;
        Some(FileHits {
            path: path.into(),
            text: Arc::clone(text),
            hits: Vec::new(),
        })
    }

    /// What a file imports.
    pub(super) fn imported_by(&self, path: &str) -> Rc<Vec<ImportedName>> {
        if let Some(known) = self.imported.borrow().get(path) {
            return Rc::clone(known);
        }
        let names = self.text(path).map(|text| {
            let lines: Vec<&str> = text.lines().collect();
            imported_names(Language::from_path(path), &lines)
        });
        let names = Rc::new(names.unwrap_or_default());
        let mut imported = self.imported.borrow_mut();
        imported.insert(path.to_owned(), Rc::clone(&names));
        names
    }

    /// Who extends whom, in the files whose texts are known.
    pub(in crate::sight) fn hierarchy(&self) -> &Hierarchy {
        self.hierarchy.get_or_init(|| {
            let texts = self.texts.iter();
            Hierarchy::of(texts.map(|(path, text)| (path.as_str(), text.as_ref())))
        })
    }

    /// Whether a type that a file names without an import is certainly none of the tree: in these languages a type has
    /// a file of its name, or stands in one that has what it is asked for.
    pub(in crate::sight) fn lacks_type(&self, path: &RepoPath, typed: &str) -> bool {
        let is_asked = match Language::from_path(&path.display()) {
            Language::Java => true,
            // `TEntity` stands for a type.
            Language::CSharp | Language::Script => {
                !(typed.starts_with('T') && typed[1..].starts_with(char::is_uppercase))
            }
            _ => false,
        };
        // So does `T`.
        let is_name = typed.contains(char::is_lowercase);
        let has_file = || self.paths.iter().any(|path| split_name(path).1 == typed);
        is_asked && is_name && !self.hierarchy().has_type(typed) && !has_file()
    }

    /// Whether imports say that a name is one of the tree.
    pub(in crate::sight) fn is_inside(&self, from: &ImportedFrom) -> bool {
        matches!(self.meaning(from), Meaning::Inside(_))
    }

    /// Whether a constant stands behind a name that a file or a folder of the tree has: `settings.PAGE_SIZE`.
    pub(in crate::sight) fn has_constants_of(&self, from: &ImportedFrom) -> bool {
        let language = Language::from_path(&from.file.display());
        let is_file = |path: &String, holder: &str| {
            let is_named = is_known_as(path, holder);
            is_named && Language::from_path(path) == language
        };
        handed_constant(from)
            .is_some_and(|(holder, _)| self.paths.iter().any(|path| is_file(path, holder)))
    }

    pub(super) fn python_roots(&self) -> &PackageRoots {
        self.roots.get_or_init(|| PackageRoots::of(&self.paths))
    }

    /// The files of a package of Java, Kotlin or Scala that have one of the names; none: none has.
    pub(super) fn files_of_package(&self, package: &str) -> Option<&Vec<String>> {
        let packages = self.packages.get_or_init(|| {
            let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (path, text) in &self.texts {
                if let Some(package) = package_of(path, text) {
                    packages.entry(package).or_default().push(path.clone());
                }
            }
            packages.values_mut().for_each(|files| files.sort());
            packages
        });
        packages.get(package)
    }
}

/// What a file of these languages says that its package is.
fn package_of(path: &str, text: &str) -> Option<String> {
    let language = Language::from_path(path);
    if !matches!(
        language,
        Language::Java | Language::Kotlin | Language::Scala
    ) {
        return None;
    }
    let mut lines = text.lines();
    let package = lines.find_map(|line| line.strip_prefix("package "))?;
    let end = package.find([';', ' ', '/']).unwrap_or(package.len());
    Some(package[..end].trim().to_owned())
}
