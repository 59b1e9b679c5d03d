//! What the heads of types say that these extend, implement or embed.

use council_syntax::language::Language;

use super::super::definitions::{last_word, without_generics};
use super::super::modules::module_begun;
use super::super::words::is_name;

/// A type with what it says that it extends, implements or embeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeHead {
    pub(super) name: String,
    pub(super) parents: Vec<String>,
    /// The methods that an interface of Go asks for; none: it is no such interface.
    pub(super) asks: Option<Vec<String>>,
}

/// The longest head of a type, in lines.
const MAX_HEAD: usize = 8;

/// The heads of the types of a file.
pub(super) fn heads_in(language: Language, text: &str) -> Vec<TypeHead> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<TypeHead> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(mixed) = mixed_in(language, line) {
            if let Some(last) = found.last_mut() {
                last.parents.push(mixed);
            }
        } else if language == Language::Go {
            found.extend(go_type(&lines[at..]));
        } else if let Some(name) = module_begun(language, line) {
            found.push(type_head(name.to_owned(), Vec::new()));
        } else if begins_type(line) {
            found.extend(head_of(language, &joined_head(language, &lines[at..])));
        }
    }
    found
}

/// `include Walks` of Ruby.
fn mixed_in(language: Language, line: &str) -> Option<String> {
    let name = line.trim_start().strip_prefix("include ");
    last_word(name.filter(|_| language == Language::Ruby)?)
}

/// Whether a line may be the head of a type: most are not, and are not looked at any closer.
fn begins_type(line: &str) -> bool {
    KEYWORDS.iter().any(|word| line.contains(word))
}

const KEYWORDS: [&str; 11] = [
    "class",
    "interface",
    "trait",
    "impl",
    "struct",
    "record",
    "protocol",
    "object",
    "extension",
    "enum",
    "mixin",
];

/// What may stand before the keyword of a type.
const MODIFIERS: [&str; 27] = [
    "abstract",
    "annotation",
    "base",
    "case",
    "data",
    "declare",
    "default",
    "enum",
    "export",
    "fileprivate",
    "final",
    "implicit",
    "inline",
    "inner",
    "internal",
    "open",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "template",
    "unsafe",
    "value",
];

/// A head with the lines on which it goes on.
fn joined_head(language: Language, lines: &[&str]) -> String {
    let mut head = String::new();
    for (at, line) in lines.iter().take(MAX_HEAD).enumerate() {
        head.push_str(line.split("//").next().unwrap_or_default().trim());
        head.push(' ');
        let next = lines.get(at + 1).map_or("", |next| next.trim_start());
        let is_open = head.matches('(').count() > head.matches(')').count();
        // What follows a colon of Python is the body.
        let is_python = language == Language::Python;
        let is_unfinished = is_open || !is_python && head.trim_end().ends_with([',', ':', '<']);
        let goes_on = ["extends ", "implements ", "with ", ":", ", "]
            .iter()
            .any(|word| !is_python && next.starts_with(word));
        if head.contains('{') || next.is_empty() || !(is_unfinished || goes_on) {
            break;
        }
    }
    head
}

/// What one head says.
fn head_of(language: Language, head: &str) -> Option<TypeHead> {
    let plain = match language {
        // What stands behind `<` is the parent itself.
        Language::Ruby => head.to_owned(),
        _ => without_generics(head),
    };
    let plain = plain.split('{').next()?;
    let outer = without_brackets(plain, ('(', ')'));
    let words: Vec<&str> = outer
        .split(|c: char| !is_name(c))
        .filter(|word| !word.is_empty())
        .collect();
    let at = words.iter().position(|word| KEYWORDS.contains(word))?;
    // `enum class A`, `case class A`
    let at = (at..words.len())
        .take_while(|&at| KEYWORDS.contains(&words[at]))
        .last()?;
    let is_head = words[..at]
        .iter()
        .all(|word| MODIFIERS.contains(word) || KEYWORDS.contains(word));
    if !is_head || outer.trim_start().starts_with(['*', '#', '"']) {
        return None;
    }
    if words[at] == "impl" {
        let (parent, name) = outer.split_once(" for ")?;
        let name = last_word(name.split(" where ").next()?)?;
        return Some(type_head(name, vec![last_word(parent)?]));
    }
    let name = (*words.get(at + 1)?).to_owned();
    let parents = parents_behind(language, plain, &outer, &name);
    Some(type_head(name, parents))
}

fn type_head(name: String, mut parents: Vec<String>) -> TypeHead {
    parents.retain(|parent| *parent != name);
    TypeHead {
        name,
        parents,
        asks: None,
    }
}

/// The types that a head names behind its own; `outer` is it without what stands in brackets.
fn parents_behind(language: Language, plain: &str, outer: &str, name: &str) -> Vec<String> {
    let behind = |text: &str| {
        let at = text.find(name)? + name.len();
        Some(text[at..].to_owned())
    };
    let named = match language {
        Language::Python => {
            let inside = plain.split_once('(').map(|(_, rest)| rest.to_owned());
            inside.map(|inside| without_brackets(&inside, ('[', ']')))
        }
        Language::Ruby => outer.split_once('<').map(|(_, rest)| rest.to_owned()),
        Language::CSharp | Language::Swift | Language::Kotlin | Language::C | Language::Rust => {
            behind(outer).and_then(|rest| Some(rest.split_once(':')?.1.to_owned()))
        }
        _ => behind(outer).and_then(|rest| {
            let places = ["extends ", "implements ", "with ", "on "].iter();
            let first = places.filter_map(|word| rest.find(word)).min()?;
            Some(rest[first..].to_owned())
        }),
    };
    let named = named.unwrap_or_default();
    // Ruby's one parent stands behind a sign that generics have elsewhere.
    let named = named.split(" where ").next().unwrap_or_default();
    let joints = [" implements ", " extends ", " with "];
    let named = joints
        .iter()
        .fold(format!(" {named}"), |text, word| text.replace(word, ", "));
    named
        .split([',', '&', '+', ')'])
        .filter_map(parent_of)
        .collect()
}

/// The type that one part of a list of parents names: `models.Model`, `public Base`, `Store by inner`.
fn parent_of(part: &str) -> Option<String> {
    let part = part.split(" by ").next()?.trim();
    let part = part
        .split('=')
        .next()
        .filter(|own| own.len() == part.len())?;
    let is_plain = |c: char| is_name(c) || c.is_whitespace() || ".:\\?".contains(c);
    last_word(part).filter(|_| part.chars().all(is_plain))
}

/// A text without what stands between such brackets.
fn without_brackets(text: &str, (open, close): (char, char)) -> String {
    let mut depth = 0_usize;
    let mut outer = String::new();
    for c in text.chars() {
        match c {
            c if c == open => depth += 1,
            // What closes more than was opened is the end of what the text stands in.
            c if c == close && depth > 0 => depth -= 1,
            c if depth == 0 => outer.push(c),
            _ => {}
        }
    }
    outer
}

/// A struct or an interface of Go that begins on the first of these lines.
fn go_type(lines: &[&str]) -> Option<TypeHead> {
    /// A longer type is data.
    const MAX_LINES: usize = 400;
    let rest = lines.first()?.strip_prefix("type ")?;
    let name = rest.split(|c| !is_name(c)).next()?.to_owned();
    let is_interface = rest.contains(" interface {");
    let has_body = (is_interface || rest.contains(" struct {")) && !rest.trim_end().ends_with('}');
    let body = lines
        .iter()
        .skip(1)
        .take(if has_body { MAX_LINES } else { 0 });
    let body: Vec<&str> = body
        .take_while(|line| !line.starts_with('}'))
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .collect();
    let embedded = body.iter().filter_map(|line| embedded_in_go(line));
    let asked = body.iter().filter_map(|line| {
        let (method, _) = line.split_once('(')?;
        (!method.is_empty() && method.chars().all(is_name)).then(|| method.to_owned())
    });
    Some(TypeHead {
        asks: is_interface.then(|| asked.collect()),
        ..type_head(name, embedded.collect())
    })
}

/// `*base.Repo`: a field without a name.
fn embedded_in_go(line: &str) -> Option<String> {
    let plain = line
        .split(['`', '['])
        .next()?
        .trim()
        .trim_start_matches('*');
    let is_one = !plain.is_empty() && plain.chars().all(|c| is_name(c) || c == '.');
    is_one.then(|| last_word(plain)).flatten()
}

/// The methods that a file of Go defines, with the types that have them.
pub(super) fn go_methods(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (receiver, rest) = line.strip_prefix("func (")?.split_once(") ")?;
        let typed = receiver.split('[').next()?.rsplit([' ', '*']).next()?;
        let method = rest.split(|c| !is_name(c)).next()?;
        (!typed.is_empty() && !method.is_empty()).then_some((typed, method))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_tell_the_parents_of_types_as_their_language_writes_them() {
        use Language::{
            C, CSharp, Dart, Go, Java, Kotlin, Php, Python, Ruby, Rust, Scala, Script, Swift,
        };
        let none: &[&str] = &[];
        for (language, text, parents) in [
            (
                Python,
                "class A(B, models.C[K, V], metaclass=M):\n    x = 1\n",
                &["B", "C"][..],
            ),
            (
                Python,
                "class A(\n    B,\n    C,\n):\n    x = 1\n",
                &["B", "C"],
            ),
            (Python, "class A:\n    def f(self, b: B): pass\n", none),
            (
                Script,
                "export abstract class A<T extends X> extends B<T> implements C, D {\n",
                &["B", "C", "D"],
            ),
            (Script, "export interface A extends B, C {\n", &["B", "C"]),
            (Script, "// a class that extends B\n", none),
            (
                Java,
                "public final class A\n    extends b.B<C>\n    implements D, E<F> {\n",
                &["B", "D", "E"],
            ),
            (Java, "record A(int n) implements B {\n", &["B"]),
            (
                Kotlin,
                "class A(private val x: X) : B(x), C by x {\n",
                &["B", "C"],
            ),
            (
                Kotlin,
                "data class A(val x: X) : B(x)\n\nval y: Y = 1\n",
                &["B"],
            ),
            (
                CSharp,
                "public class A<T>\n    : B<T>, IC where T : X\n{\n",
                &["B", "IC"],
            ),
            (Swift, "extension A: P, Q where T: X {\n", &["P", "Q"]),
            (C, "class A : public b::B, private C {\n", &["B", "C"]),
            (
                Php,
                "final class A extends \\App\\B implements C\n{\n",
                &["B", "C"],
            ),
            (
                Scala,
                "case class A(x: X) extends B(x) with C {\n",
                &["B", "C"],
            ),
            (
                Dart,
                "class A extends B with M implements C {\n",
                &["B", "M", "C"],
            ),
            (Ruby, "class A < M::B\n  include C\nend\n", &["B", "C"]),
            (
                Rust,
                "impl<T: X> store::B<T> for A<T> where T: Y {\n",
                &["B"],
            ),
            (Rust, "pub(crate) trait A: B + Send {\n", &["B", "Send"]),
            (Rust, "impl A {\n    fn f(b: B) {}\n}\n", none),
            (
                Go,
                "type A struct {\n\t*b.B\n\tC\n\tname string\n}\n",
                &["B", "C"],
            ),
            (
                Go,
                "type A interface {\n\tB\n\tLoad(id string) error\n}\n",
                &["B"],
            ),
        ] {
            let heads = heads_in(language, text);
            let found: Vec<&str> = heads
                .iter()
                .filter(|head| head.name == "A")
                .flat_map(|head| head.parents.iter().map(String::as_str))
                .collect();
            assert_eq!(found, parents, "{text}");
        }
    }

    #[test]
    fn an_interface_of_go_asks_for_methods_and_a_file_has_some() {
        let text = "type A interface {\n\tLoad(id string) error // why\n\tio.Closer\n}\n\nfunc (s *Mem[T]) Load(id string) error {\n}\nfunc free() {}\n";
        let heads = heads_in(Language::Go, text);
        assert_eq!(heads[0].asks.as_deref(), Some(&["Load".to_owned()][..]));
        assert_eq!(go_methods(text).collect::<Vec<_>>(), [("Mem", "Load")]);
    }
}
