//! Who calls the constructor of a parent: languages do not name the parent there, only in the head of the class.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::definitions::{DefinedName, DefinitionKind, without_generics};
use super::search::{FileOutline, is_whole_word};
use super::words::is_name;

/// The line on which a class calls its parent's constructor. The class is the one whose head names `parent`, at `line`, as
/// what it extends.
pub(super) fn parent_call(parent: &str, line: u32, outline: &FileOutline<'_>) -> Option<u32> {
    let language = outline.language();
    let head = match language {
        // What stands behind `<` is the parent itself.
        Language::Ruby => outline.line(line).to_owned(),
        _ => without_generics(outline.line(line)),
    };
    if !has_word(bases(language, &head)?, parent) {
        return None;
    }
    let class = outline.class_at(line)?;
    let is_call = |&at: &u32| {
        let code = outline.line(at);
        let mut calls = constructor_calls(language).iter();
        let is_said = |call: &str| {
            let word = call
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            word.is_some_and(|word| outline.spells(at, word))
        };
        calls.any(|call| holds_call(code, call) && is_said(call))
    };
    (line..=outline.end_of_class(class, line)).find(is_call)
}

/// Whether a line is the head of a class that extends `parent`.
pub(super) fn extends(parent: &str, line: u32, outline: &FileOutline<'_>) -> bool {
    let head = outline.line(line);
    let is_it = bases(outline.language(), head).is_some_and(|bases| has_word(bases, parent));
    is_it
        && outline
            .class_at(line)
            .is_some_and(|class| class.name != parent)
}

/// The types that a type says it extends or implements, without their modules.
pub(super) fn parents_in(outline: &FileOutline<'_>, defined: &DefinedName) -> Vec<String> {
    const MAX_HEAD: u32 = 4;
    let language = outline.language();
    let mut head = String::new();
    for line in (defined.head..=defined.end).take(MAX_HEAD as usize) {
        let code = outline.without_comment(line);
        head.push_str(code);
        head.push(' ');
        if code.contains('{') || code.trim_end().ends_with(':') {
            break;
        }
    }
    let head = without_generics(head.split('{').next().unwrap_or_default());
    let words = match language {
        Language::Go | Language::Rust => None,
        Language::Ruby => head.split_once('<').map(|(_, rest)| rest),
        Language::Script | Language::Java | Language::Php | Language::Scala | Language::Dart => {
            head.split_once("extends ").map(|(_, rest)| rest)
        }
        language => bases(language, &head),
    };
    let of_head = words
        .unwrap_or_default()
        .split(|c: char| !is_name(c) && c != '.');
    let names = of_head.map(|word| word.rsplit('.').next().unwrap_or_default());
    let is_type = |word: &&str| word.starts_with(char::is_uppercase) && *word != defined.name;
    names.filter(is_type).map(str::to_owned).collect()
}

/// Where the class whose head is on a line defines the first of these methods.
pub(super) fn overriding_lines(
    methods: &BTreeSet<String>,
    line: u32,
    outline: &FileOutline<'_>,
) -> Option<u32> {
    let class = outline.class_at(line).filter(|_| !methods.is_empty())?;
    let inside = line..=outline.end_of_class(class, line);
    let defined = outline.definitions.iter().filter(|one| {
        one.kind == DefinitionKind::Function
            && inside.contains(&one.head)
            && methods.contains(&one.name)
    });
    defined.map(|one| one.head).min()
}

/// What the head of a class says that it extends.
fn bases(language: Language, head: &str) -> Option<&str> {
    let extended = match language {
        Language::Python => head.split_once('(')?.1,
        Language::Ruby => head.split_once('<')?.1,
        Language::CSharp | Language::Swift => head.split_once(':')?.1,
        Language::C => head.split_once(": ")?.1,
        Language::Kotlin => head.rsplit_once(':')?.1,
        _ => head.split_once("extends ")?.1,
    };
    Some(extended.split(" implements ").next().unwrap_or(extended))
}

/// How the constructor of a parent is called from that of its child.
fn constructor_calls(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["super().__init__", "__init__"],
        Language::Php => &["parent::__construct"],
        Language::CSharp => &["base"],
        Language::Swift => &["super.init"],
        _ => &["super"],
    }
}

/// Whether code calls something by these words, and does not define it.
fn holds_call(code: &str, call: &str) -> bool {
    let mut places = code.match_indices(call);
    places.any(|(at, _)| {
        let end = at + call.len();
        let is_defined = code[..at].trim_end().ends_with("def");
        !is_defined && is_whole_word(code.as_bytes(), at, end) && code[end..].starts_with('(')
    })
}

fn has_word(text: &str, word: &str) -> bool {
    let mut places = text.match_indices(word);
    places.any(|(at, _)| is_whole_word(text.as_bytes(), at, at + word.len()))
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::*;

    #[test]
    fn what_a_class_extends_is_told_from_what_it_implements_and_holds() {
        for (path, text, parent, line) in [
            (
                "a.js",
                "class A extends B {\n  constructor() { super(1) }\n}\n",
                "B",
                Some(2),
            ),
            (
                "a.ts",
                "class A extends B<Other> implements C {\n  constructor() { super(1) }\n}\n",
                "C",
                None,
            ),
            (
                "a.ts",
                "class A extends B<Other> {\n  constructor() { super(1) }\n}\n",
                "Other",
                None,
            ),
            (
                "A.java",
                "class A\n    extends B {\n  A() {\n    super(1);\n  }\n}\n",
                "B",
                None,
            ),
            (
                "a.py",
                "class A(B, metaclass=M):\n    def __init__(self):\n        B.__init__(self, 1)\n",
                "B",
                Some(3),
            ),
            (
                "a.rb",
                "class A < B\n  def initialize\n    super(1)\n  end\nend\n",
                "B",
                Some(3),
            ),
            (
                "a.cs",
                "class A : B {\n  public A() : base(1) {\n  }\n}\n",
                "B",
                Some(2),
            ),
            (
                "a.js",
                "class A extends B {\n  // super(1)\n  run() { super.run() }\n}\n",
                "B",
                None,
            ),
            (
                "a.js",
                "class A extends B {\n}\nclass D extends E {\n  constructor() { super(1) }\n}\n",
                "B",
                None,
            ),
        ] {
            let path: RepoPath = path.into();
            let outline = FileOutline::of(&path, text);
            assert_eq!(parent_call(parent, 1, &outline), line, "{text}");
        }
        let split = "class A\n    extends B {\n  A() {\n    super(1);\n  }\n}\n";
        let outline = FileOutline::of(&"A.java".into(), split);
        assert_eq!(parent_call("B", 2, &outline), Some(4));
    }
}
