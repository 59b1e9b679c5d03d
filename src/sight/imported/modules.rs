//! Where the modules lie that imports name, as each language finds them.

use council_syntax::language::Language;

use super::super::hints::{join, normalize, split_name};
use super::super::name_source::ImportedFrom;
use super::known::KnownTree;
use super::meaning::Spot;

/// Where a module is, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModulePlace {
    /// It is no file of the tree.
    Outside,
    Unknown,
    /// The places of what it defines, and how many of the steps that lead to a name were modules as well.
    Inside(Vec<Spot>, usize),
}

fn file(path: String) -> ModulePlace {
    ModulePlace::Inside(vec![Spot::File(path)], 0)
}

/// Where the module of an import lies.
pub(super) fn place_of(known: &KnownTree, from: &ImportedFrom) -> ModulePlace {
    let path = from.file.display();
    match Language::from_path(&path) {
        Language::Script => script_module(known, &path, &from.module),
        Language::Python => python_module(known, &path, from),
        Language::Rust => super::rust::module_place(known, &path, from),
        Language::Go => go_package(known, &from.module),
        Language::Java | Language::Kotlin | Language::Scala => java_package(known, from),
        _ => ModulePlace::Unknown,
    }
}

/// Modules that Node has itself.
const NODE: [&str; 24] = [
    "assert",
    "buffer",
    "child_process",
    "cluster",
    "crypto",
    "dns",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "module",
    "net",
    "os",
    "path",
    "process",
    "readline",
    "stream",
    "timers",
    "tls",
    "url",
    "util",
    "worker_threads",
    "zlib",
];

fn script_module(known: &KnownTree, path: &str, module: &str) -> ModulePlace {
    let (folder, ..) = split_name(path);
    if module.starts_with('.') {
        let found = script_file(known, &normalize(&join(folder, module)));
        return found.map_or(ModulePlace::Unknown, file);
    }
    let is_built_in = ["node:", "bun:", "npm:", "jsr:", "http:", "https:"]
        .iter()
        .any(|begin| module.starts_with(begin));
    if is_built_in {
        return ModulePlace::Outside;
    }
    // What these stand for is usually the folder of the sources.
    let rest = module
        .strip_prefix("@/")
        .or_else(|| module.strip_prefix("~/"));
    let inner = normalize(rest.unwrap_or(module));
    let above = std::iter::successors(Some(folder), |at| {
        (!at.is_empty()).then(|| split_name(at).0)
    });
    let roots = above.chain(["src", "app"]);
    let mut files = roots.filter_map(|root| script_file(known, &join(root, &inner)));
    if let Some(found) = files.next() {
        return file(found);
    }
    let is_pattern = |start: &String| module.starts_with(start.as_str());
    let is_own = module.starts_with(['#', '$']) || rest.is_some();
    if is_own || known.manifests.script_paths.iter().any(is_pattern) {
        return ModulePlace::Unknown;
    }
    script_package(known, module)
}

/// A package of the repository, or one that its packages depend on.
fn script_package(known: &KnownTree, module: &str) -> ModulePlace {
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1);
    let package = end.map_or(module, |(at, _)| &module[..at]);
    let npm = &known.manifests.npm;
    if let Some(folder) = npm.folder_of(package) {
        return ModulePlace::Inside(vec![Spot::Below(folder.to_owned())], 0);
    }
    let types = format!("@types/{package}");
    let is_needed = npm.needed.contains(package) || npm.needed.contains(&types);
    // A name that no manifest has is one that a bundler makes another of.
    if is_needed || !npm.is_known || NODE.contains(&package) {
        ModulePlace::Outside
    } else {
        ModulePlace::Unknown
    }
}

/// The file that a path without its ending means.
fn script_file(known: &KnownTree, base: &str) -> Option<String> {
    const ENDINGS: [&str; 10] = [
        "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte",
    ];
    let compiled = [
        (".js", ".ts"),
        (".js", ".tsx"),
        (".jsx", ".tsx"),
        (".mjs", ".mts"),
        (".cjs", ".cts"),
    ];
    let sources = compiled.iter().filter_map(|(made, source)| {
        let stem = base.strip_suffix(made)?;
        Some(format!("{stem}{source}"))
    });
    let with = ENDINGS.iter().map(|ending| format!("{base}.{ending}"));
    let fronts = ENDINGS
        .iter()
        .map(|ending| join(base, &format!("index.{ending}")));
    let paths = std::iter::once(base.to_owned()).chain(sources);
    known.first_file(paths.chain(with).chain(fronts))
}

fn python_module(known: &KnownTree, path: &str, from: &ImportedFrom) -> ModulePlace {
    let module = from.module.as_str();
    let dots = module.bytes().take_while(|&b| b == b'.').count();
    let names = module[dots..].split('.').filter(|part| !part.is_empty());
    let least = names.clone().count();
    let inner = from.steps.iter().map(String::as_str);
    let inner = inner.take(from.steps.len().saturating_sub(1));
    let parts: Vec<&str> = names.chain(inner).collect();
    let (folder, ..) = split_name(path);
    if dots > 0 {
        let base = (1..dots).fold(folder, |at, _| split_name(at).0);
        return walk_python(known, base, &parts, least).unwrap_or(ModulePlace::Unknown);
    }
    let Some(first) = parts.first() else {
        return ModulePlace::Unknown;
    };
    let roots = known.python_roots().of_name(first, path);
    let mut found = roots
        .iter()
        .filter_map(|root| walk_python(known, root, &parts, least));
    if let Some(found) = found.next() {
        return found;
    }
    // A program finds what lies in its own folder, a part of a package does not.
    let beside = join(folder, &format!("{first}.py"));
    if roots.is_empty() && !known.has_file(&beside) {
        ModulePlace::Outside
    } else {
        ModulePlace::Unknown
    }
}

/// The module that as many of these parts as possible lead to.
fn walk_python(known: &KnownTree, base: &str, parts: &[&str], least: usize) -> Option<ModulePlace> {
    (least..=parts.len()).rev().find_map(|count| {
        let at = parts[..count]
            .iter()
            .fold(base.to_owned(), |at, part| join(&at, part));
        let mut paths = vec![join(&at, "__init__.py")];
        if count > 0 {
            paths.extend(["py", "pyi"].map(|ending| format!("{at}.{ending}")));
        }
        let found = known.first_file(paths)?;
        Some(ModulePlace::Inside(vec![Spot::File(found)], count - least))
    })
}

/// A package of Go is a folder.
fn go_package(known: &KnownTree, module: &str) -> ModulePlace {
    let folder = |folder: String| ModulePlace::Inside(vec![Spot::Folder(folder)], 0);
    let go = &known.manifests.go;
    let mut own: Vec<_> = go.own.iter().collect();
    own.sort_by_key(|own| std::cmp::Reverse(own.name.len()));
    for own in own {
        let rest = module.strip_prefix(own.name.as_str());
        match rest.and_then(|rest| rest.strip_prefix('/').or(rest.is_empty().then_some(""))) {
            Some("") => return folder(own.folder.clone()),
            Some(rest) => return folder(join(&own.folder, rest)),
            None => {}
        }
    }
    // Without a manifest every end of the name may be a folder; the library of Go has no points in its names.
    let is_library = !module.split('/').next().unwrap_or_default().contains('.');
    let ends = module.match_indices('/').map(|(at, _)| &module[at + 1..]);
    let ends = ends.filter(|_| !is_library);
    let mut ends = std::iter::once(module).chain(ends);
    let found = ends
        .find(|end| known.has_folder(end))
        .filter(|_| !go.is_known);
    found.map_or(ModulePlace::Outside, |end| folder(end.to_owned()))
}

/// The files of a package that say so; a class is a module of its members, and stands in one of them.
fn java_package(known: &KnownTree, from: &ImportedFrom) -> ModulePlace {
    let Some(first) = from.steps.first() else {
        return ModulePlace::Unknown;
    };
    let mut at = from.module.as_str();
    let mut inner: Vec<&str> = vec![first];
    loop {
        if let Some(files) = known.files_of_package(at) {
            let outer = inner.last().copied().unwrap_or(first);
            let is_called_so = |path: &&String| split_name(path).1 == outer;
            let spots: Vec<Spot> = match files.iter().find(is_called_so) {
                Some(path) => vec![Spot::File(path.clone())],
                None => files.iter().cloned().map(Spot::File).collect(),
            };
            return ModulePlace::Inside(spots, 0);
        }
        // A part that is written as types are is a class: what holds it is the package.
        let (before, last) = at.rsplit_once('.').unwrap_or(("", at));
        if !last.starts_with(char::is_uppercase) {
            break;
        }
        inner.push(last);
        at = before;
    }
    let class = format!(
        "/{}/{}.",
        at.replace('.', "/"),
        inner.last().unwrap_or(&first.as_str())
    );
    let is_it = |path: &String| format!("/{path}").contains(&class);
    match known.paths.iter().any(is_it) {
        true => ModulePlace::Unknown,
        false => ModulePlace::Outside,
    }
}
