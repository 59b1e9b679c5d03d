//! What files of Ruby and of styles import.

use super::hints::{join, normalize, split_name};

/// `require_relative 'db'`, `require 'app/db'`, `load 'db.rb'`, `autoload :Db, 'app/db'`.
pub(super) fn ruby_requires(folder: &str, line: &str) -> Vec<String> {
    let is_relative = line.starts_with("require_relative");
    let is_one = is_relative
        || ["require ", "require(", "load ", "autoload "]
            .iter()
            .any(|word| line.starts_with(word));
    let quoted = line.split(['"', '\'']).nth(1).filter(|_| is_one);
    let Some(name) = quoted.map(|name| name.trim_end_matches(".rb")) else {
        return Vec::new();
    };
    let roots = if is_relative {
        &[folder][..]
    } else {
        &["lib", "app", "", "app/models", "spec", "test"]
    };
    roots
        .iter()
        .map(|root| normalize(&format!("{}.rb", join(root, name))))
        .collect()
}

/// `@use 'vars'` means `vars.scss`, `_vars.scss` or the file of a folder.
pub(super) fn style_imports(folder: &str, line: &str) -> Vec<String> {
    let is_one = ["@use ", "@import ", "@forward "]
        .iter()
        .any(|word| line.starts_with(word));
    let quoted = line.split(['"', '\'']).skip(1).step_by(2);
    let mut found = Vec::new();
    for name in quoted.filter(|_| is_one) {
        let target = normalize(&join(folder, name));
        let (folder, stem, ending) = split_name(&target);
        if matches!(ending, "css" | "scss" | "sass" | "less") {
            found.push(target.clone());
            found.push(join(folder, &format!("_{stem}.{ending}")));
            continue;
        }
        for ending in ["scss", "sass", "less", "css"] {
            let (folder, name) = target.rsplit_once('/').unwrap_or(("", &target));
            found.push(format!("{target}.{ending}"));
            found.push(join(folder, &format!("_{name}.{ending}")));
            found.push(format!("{target}/_index.{ending}"));
        }
    }
    found
}
