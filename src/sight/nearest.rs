//! The files of the tree, the nearest to a change first: its folders, what it imports, its tests, what lies around.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use council_protocol::RepoPath;

use crate::git::{FileItem, FolderItem, ReviewedTree, TreeFolder};

/// Folders that hold what others wrote or programs made.
const FOREIGN: &[&str] = &[
    "node_modules",
    "vendor",
    "third_party",
    "third-party",
    "target",
    "dist",
    "build",
    "out",
    ".git",
    "__pycache__",
    "bower_components",
    "site-packages",
    ".venv",
    "venv",
    "testdata",
    "snapshots",
    "__snapshots__",
    "locale",
    "locales",
];

/// Top folders that tell about a change wherever it is.
const TELLING: &[&str] = &[
    "test",
    "tests",
    "spec",
    "config",
    "conf",
    "etc",
    "settings",
    "migrations",
];

enum Step {
    File(FileItem),
    /// A path, where there is a file.
    Path(Vec<u8>),
    /// The files of a folder.
    Shallow(Vec<u8>),
    /// A folder with everything below it.
    Deep(TreeFolder),
    /// The same, by its path.
    DeepPath(Vec<u8>),
}

/// The files of a folder in its order, and which is where: a change of a few files has thousands of paths to look up.
struct ListedFolder {
    files: Vec<FileItem>,
    places: HashMap<Vec<u8>, usize>,
}

impl ListedFolder {
    fn of(items: Vec<FolderItem>) -> Self {
        let files = items.into_iter().filter_map(|item| match item {
            FolderItem::File(file) => Some(file),
            FolderItem::Folder(_) => None,
        });
        let files: Vec<FileItem> = files.collect();
        let mut places = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            places.entry(file.path.clone()).or_insert(at);
        }
        Self { files, places }
    }
}

/// An iterator that reads folders when it comes to them.
pub(super) struct NearestFiles<'t> {
    tree: &'t ReviewedTree,
    steps: VecDeque<Step>,
    files: HashSet<Vec<u8>>,
    folders: HashSet<Vec<u8>>,
    /// What was read of folders: many paths are looked up in few of them, most of which do not exist.
    listed: HashMap<Vec<u8>, Option<Rc<ListedFolder>>>,
}

fn parent_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&b| b == b'/').unwrap_or(0);
    &path[..end]
}

impl<'t> NearestFiles<'t> {
    /// The files near `paths`; `hints` are paths that the change itself names.
    pub(super) fn new(tree: &'t ReviewedTree, paths: &[RepoPath], hints: Vec<Vec<u8>>) -> Self {
        let mut steps: VecDeque<Step> = VecDeque::new();
        let paths: Vec<&[u8]> = paths.iter().map(RepoPath::as_bytes).collect();
        steps.extend(paths.iter().map(|path| Step::Path(path.to_vec())));
        steps.extend(hints.into_iter().map(|hint| match hint.strip_suffix(b"/") {
            Some(folder) => Step::Shallow(folder.to_vec()),
            None => Step::Path(hint),
        }));
        steps.extend(
            paths
                .iter()
                .map(|path| Step::Shallow(parent_of(path).to_vec())),
        );
        let deepest = paths.iter().map(|path| depth_of(path)).max().unwrap_or(0);
        for up in 1..=deepest {
            for path in &paths {
                steps.extend(ancestor(path, up).map(|folder| Step::Shallow(folder.to_vec())));
            }
        }
        steps.extend(
            paths
                .iter()
                .map(|path| Step::DeepPath(parent_of(path).to_vec())),
        );
        steps.extend(
            TELLING
                .iter()
                .map(|name| Step::DeepPath(name.as_bytes().to_vec())),
        );
        for up in 1..=deepest {
            for path in &paths {
                steps.extend(ancestor(path, up).map(|folder| Step::DeepPath(folder.to_vec())));
            }
        }
        Self {
            tree,
            steps,
            files: HashSet::new(),
            folders: HashSet::new(),
            listed: HashMap::new(),
        }
    }

    /// What lies in a folder; none: there is no such folder.
    fn list(&mut self, path: &[u8]) -> Option<Rc<ListedFolder>> {
        if let Some(known) = self.listed.get(path) {
            return known.clone();
        }
        let folder = self.tree.open_folder(path).ok().flatten();
        let items = folder.map(|folder| self.tree.list_folder(&folder).unwrap_or_default());
        let items = items.map(|items| Rc::new(ListedFolder::of(items)));
        self.listed.insert(path.to_vec(), items.clone());
        items
    }

    fn find_file(&mut self, path: &[u8]) -> Option<FileItem> {
        let folder = self.list(parent_of(path))?;
        let at = folder.places.get(path)?;
        Some(folder.files[*at].clone())
    }

    fn take_step(&mut self, step: Step) -> Option<FileItem> {
        match step {
            Step::File(file) => self.files.insert(file.path.clone()).then_some(file),
            Step::Path(path) => {
                let file = self.find_file(&path)?;
                self.files.insert(path).then_some(file)
            }
            Step::Shallow(path) => {
                let folder = self.list(&path)?;
                self.step_next(folder.files.iter().cloned().map(Step::File).collect());
                None
            }
            Step::DeepPath(path) => {
                let folder = self.tree.open_folder(&path).ok().flatten()?;
                self.step_next(vec![Step::Deep(folder)]);
                None
            }
            Step::Deep(folder) => {
                self.open_deep(&folder);
                None
            }
        }
    }

    fn open_deep(&mut self, folder: &TreeFolder) {
        if !self.folders.insert(folder.path.clone()) {
            return;
        }
        let items = self.tree.list_folder(folder).unwrap_or_default();
        let (mut files, mut inner) = (Vec::new(), Vec::new());
        for item in items {
            match item {
                FolderItem::File(file) => files.push(Step::File(file)),
                FolderItem::Folder(folder) if is_foreign(&folder.path) => {}
                FolderItem::Folder(folder) => inner.push(Step::Deep(folder)),
            }
        }
        files.append(&mut inner);
        self.step_next(files);
    }

    fn step_next(&mut self, steps: Vec<Step>) {
        for step in steps.into_iter().rev() {
            self.steps.push_front(step);
        }
    }
}

impl Iterator for NearestFiles<'_> {
    type Item = FileItem;

    fn next(&mut self) -> Option<FileItem> {
        while let Some(step) = self.steps.pop_front() {
            if let Some(file) = self.take_step(step) {
                return Some(file);
            }
        }
        None
    }
}

fn depth_of(path: &[u8]) -> usize {
    path.iter().filter(|&&b| b == b'/').count()
}

/// The folder `up` levels above the one that a file lies in.
fn ancestor(path: &[u8], up: usize) -> Option<&[u8]> {
    (up <= depth_of(path)).then(|| (0..=up).fold(path, |at, _| parent_of(at)))
}

fn is_foreign(folder: &[u8]) -> bool {
    let name = folder.rsplit(|&b| b == b'/').next().unwrap_or(folder);
    FOREIGN.iter().any(|foreign| foreign.as_bytes() == name)
}
