//! `unsafe-deserialization`: data that can make any object, or call any function, while it is read.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unsafe-deserialization",
        perspective: SECURITY,
        category: "deserialization",
        severity: Significant,
        summary: "data read by a deserialiser that can run code",
        why: "These formats name classes and functions: reading a crafted file calls them.",
        fix: "Use a plain data format (JSON, `yaml.safe_load`), or verify a signature before reading.",
        examples: &[RuleExample {
            path: "src/settings.py",
            bad: "settings = yaml.load(stream)\n",
            good: "settings = yaml.safe_load(stream)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Ruby,
        Language::Php,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Script,
    ],
    claims: &["deserial", "pickle", "yaml.load", "unserialize", "marshal"],
    check: RuleCheck::Line {
        needles: &[
            "yaml.load",
            "yaml.unsafe_load",
            "pickle",
            "marshal.load",
            "shelve.open",
            "jsonpickle",
            "dill.load",
            "torch.load",
            "unserialize(",
            "objectinputstream",
            "binaryformatter",
            "xmldecoder",
            "yaml.full_load",
        ],
        look: check_line,
    },
};

pattern!(YAML, r"\byaml\.(?:load|load_all)\(\s*[^)]*\)?");
pattern!(
    OTHER,
    r"(?x)
      \byaml\.unsafe_load(?:_all)?\(
    | \b(?:c?[pP]ickle|dill|cloudpickle|_pickle)\.(?:loads?|Unpickler)\( | \bjsonpickle\.decode\( | \bmarshal\.loads?\(
    | \bMarshal\.load\( | (?:^|[^\w>:$]|=\s)unserialize\(\s*[^)]*\$ | \bnew\s+ObjectInputStream\( | \bnew\s+BinaryFormatter\( | \bnew\s+XMLDecoder\(
    "
);
pattern!(
    /// The loader of `ruamel.yaml` is named once and safe unless it is told otherwise.
    RUAMEL,
    r"\byaml\s*=\s*(?:ruamel\.yaml\.)?YAML\(|\bfrom\s+ruamel\.yaml\s+import\b"
);
pattern!(
    UNSAFE_LOADER,
    r"\bLoader\s*=\s*(?:yaml\.)?(?:C?Loader|Unsafe(?:C?Loader)|CUnsafeLoader)\b|,\s*(?:yaml\.)?(?:C?Loader|C?UnsafeLoader)\s*\)"
);
pattern!(
    ALLOWED_CLASSES,
    r"allowed_classes['\x22]?\s*=>\s*(?:\[|false|\$)"
);
pattern!(TORCH, r"\btorch\.load\(");

fn uses_ruamel(file: &FileView<'_>) -> bool {
    let mut shown = file.lines.iter().map(|line| line.text);
    let whole = || file.text_after().is_some_and(|text| RUAMEL.is_match(text));
    shown.any(|text| RUAMEL.is_match(text)) || whole()
}

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    if let Some(found) = YAML.find(&code) {
        // The loader may stand on the next line, in which case nothing can be said.
        let ruamel = line.file.fact("ruamel", || uses_ruamel(line.file));
        let open = !found.as_str().ends_with(')');
        let unsafe_loader = UNSAFE_LOADER.is_match(&code);
        if ruamel {
            return;
        }
        if line.file.language == Language::Python && unsafe_loader {
            hits.push(line.line_hit("This loader can build any Python object."));
        } else if line.file.language == Language::Python
            && !open
            && !found.as_str().contains("Loader")
        {
            let mended = line.text().replacen("yaml.load(", "yaml.safe_load(", 1);
            let hit = line.line_hit("`yaml.load` without a loader can build any Python object.");
            let simple = !code.contains("load_all");
            hits.push(if simple {
                hit.with_suggestion(mended)
            } else {
                hit
            });
        }
    } else if ALLOWED_CLASSES.is_match(line.text()) {
        // PHP builds nothing but these.
    } else if let Some(found) = OTHER.find(&code).filter(|_| !code.contains("function ")) {
        let call = found.as_str().trim_end_matches('(');
        hits.push(line.line_hit(format!("`{call}` can run code that the data names.")));
    } else if TORCH.is_match(&code) && code.contains(')') && !code.contains("weights_only") {
        hits.push(
            line.line_hit("`torch.load` unpickles what it reads.")
                .with_severity(Minor),
        );
    }
}
