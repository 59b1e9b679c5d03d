//! Methods that nobody calls by their name: what a scope does at its end, a comparison, an operator, a conversion to text.
//! Whoever has a value of the type calls them.

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::search::FileOutline;

/// Whether a method of `owner` runs without its name in the code that makes it run. Constructors do so as well where
/// the code that makes a value need not look like a call (C++: `Tx tx(db);`).
pub(super) fn is_unnamed(outline: &FileOutline<'_>, span: &FunctionSpan, owner: &str) -> bool {
    let name = span.name.as_str();
    let head = outline.line(u32::try_from(span.head).unwrap_or(u32::MAX));
    let is_sign = !name.starts_with(|c: char| c.is_alphabetic() || "_$@".contains(c));
    match outline.language() {
        Language::Python => is_dunder(name) && !matches!(name, "__init__" | "__new__"),
        Language::Php => name.starts_with("__") && name != "__construct" || PHP.contains(&name),
        Language::Lua => name.starts_with("__"),
        Language::Rust => RUST.contains(&name) && is_of_trait(outline, span, owner),
        Language::C => is_sign || name == owner || C.contains(&name),
        Language::CSharp => is_sign || head.contains('~') || CSHARP.contains(&name),
        Language::Java => JAVA.contains(&name),
        Language::Kotlin => JAVA.contains(&name) || has_word(head, "operator"),
        Language::Scala => is_sign || JAVA.contains(&name) || matches!(name, "apply" | "unapply"),
        Language::Script => is_sign || name.starts_with("Symbol") || SCRIPT.contains(&name),
        Language::Go => GO.contains(&name),
        Language::Ruby => is_sign || RUBY.contains(&name),
        Language::Swift => is_sign || SWIFT.contains(&name),
        Language::Dart => is_sign || DART.contains(&name),
        _ => false,
    }
}

fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Rust: whether a method stands in the `impl` of a trait; without one it is called by its name.
fn is_of_trait(outline: &FileOutline<'_>, span: &FunctionSpan, owner: &str) -> bool {
    let holding = outline.definitions.iter().filter(|one| {
        let head = span.head;
        one.name == owner && (one.head as usize) < head && head <= one.end as usize
    });
    let heads = holding.map(|one| outline.line(one.head).trim_start());
    heads
        .into_iter()
        .any(|head| head.starts_with("impl") && head.contains(" for "))
}

fn has_word(code: &str, word: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric())
        .any(|one| one == word)
}

const RUST: [&str; 46] = [
    "add",
    "add_assign",
    "as_mut",
    "as_ref",
    "bitand",
    "bitor",
    "bitxor",
    "borrow",
    "clone",
    "cmp",
    "default",
    "deref",
    "deref_mut",
    "div",
    "div_assign",
    "drop",
    "eq",
    "extend",
    "fmt",
    "from",
    "from_iter",
    "from_str",
    "ge",
    "gt",
    "hash",
    "index",
    "index_mut",
    "into",
    "into_iter",
    "le",
    "lt",
    "mul",
    "mul_assign",
    "ne",
    "neg",
    "next",
    "next_back",
    "not",
    "partial_cmp",
    "poll",
    "rem",
    "shl",
    "shr",
    "sub",
    "sub_assign",
    "try_from",
];
const C: [&str; 3] = ["operator", "begin", "end"];
const CSHARP: [&str; 11] = [
    "CompareTo",
    "Deconstruct",
    "Dispose",
    "DisposeAsync",
    "Equals",
    "GetEnumerator",
    "GetHashCode",
    "MoveNext",
    "ToString",
    "operator",
    "this",
];
const JAVA: [&str; 9] = [
    "close",
    "compare",
    "compareTo",
    "equals",
    "finalize",
    "hasNext",
    "hashCode",
    "iterator",
    "toString",
];
const SCRIPT: [&str; 16] = [
    "attributeChangedCallback",
    "componentDidMount",
    "componentDidUpdate",
    "componentWillUnmount",
    "connectedCallback",
    "disconnectedCallback",
    "iterator",
    "asyncIterator",
    "toPrimitive",
    "dispose",
    "asyncDispose",
    "render",
    "shouldComponentUpdate",
    "toJSON",
    "toString",
    "valueOf",
];
const PHP: [&str; 13] = [
    "count",
    "current",
    "getIterator",
    "jsonSerialize",
    "key",
    "next",
    "offsetExists",
    "offsetGet",
    "offsetSet",
    "offsetUnset",
    "rewind",
    "unserialize",
    "valid",
];
const GO: [&str; 15] = [
    "Error",
    "Format",
    "GoString",
    "Is",
    "Len",
    "Less",
    "MarshalJSON",
    "MarshalText",
    "Scan",
    "ServeHTTP",
    "String",
    "Swap",
    "UnmarshalJSON",
    "UnmarshalText",
    "Unwrap",
];
const RUBY: [&str; 13] = [
    "call",
    "coerce",
    "each",
    "eql?",
    "hash",
    "inspect",
    "method_missing",
    "respond_to_missing?",
    "to_ary",
    "to_hash",
    "to_proc",
    "to_s",
    "to_str",
];
const SWIFT: [&str; 10] = [
    "callAsFunction",
    "deinit",
    "description",
    "encode",
    "hash",
    "init",
    "makeIterator",
    "next",
    "subscript",
    "wrappedValue",
];
const DART: [&str; 9] = [
    "build",
    "call",
    "compareTo",
    "dispose",
    "hashCode",
    "initState",
    "operator",
    "toJson",
    "toString",
];
