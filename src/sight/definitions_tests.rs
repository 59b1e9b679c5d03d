use super::*;

fn names(path: &str, text: &str) -> Vec<(String, u32, u32)> {
    let language = Language::from_path(path);
    let functions = council_syntax::outline::functions(language, text);
    let found = definitions_in(language, text, &functions);
    let mut found: Vec<_> = found
        .into_iter()
        .map(|one| (one.name, one.start, one.end))
        .collect();
    found.sort();
    found
}

fn named(name: &str, start: u32, end: u32) -> (String, u32, u32) {
    (name.to_owned(), start, end)
}

#[test]
fn methods_outside_of_their_type_know_whose_they_are() {
    let owner = |path: &str, text: &str, head| receiver_of(Language::from_path(path), text, head);
    let rust = "impl<T: Into<u8>> Drop for Pool<T>\nwhere\n    T: Copy,\n{\n    fn drop(&mut self) {}\n}\nimpl Size {\n    // why\n\n    fn of() {}\n}\n";
    assert_eq!(owner("a.rs", rust, 10).as_deref(), Some("Size"));
    assert_eq!(owner("a.rs", "fn free() {}\n", 1), None);
    assert_eq!(
        owner("a.go", "func (p *Pool[T]) Refill() {}\n", 1).as_deref(),
        Some("Pool")
    );
    assert_eq!(owner("a.go", "func Refill() {}\n", 1), None);
}

#[test]
fn arguments_and_annotations_define_no_type() {
    let python = "KW = [\n    dict(type=click.Tuple([str])),\n]\n\nclass A:\n    kind: type[Response] = Response\n\ntype Alias = int\n";
    let found = names("a.py", python);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["A", "Alias", "KW", "kind"]);
    let python = "@mark(\n    reason=\"x\",\n)\nclass B:\n    size: int = 3\n\nif version >= 3:\n    old = 1\n";
    let found = names("a.py", python);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["B", "old", "size"]);
    let script = "export type Shape = { kind: type };\nconst x = make(type, Other);\n";
    let found = names("a.ts", script);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["Shape", "x"]);
    assert_eq!(
        names("a.cpp", "enum class Color {\n  Red\n};\n"),
        [named("Color", 1, 3)]
    );
}

#[test]
fn types_and_constants_are_found_with_their_comments_and_bodies() {
    let rust = "/// Waits.\nconst WAIT: u8 = 3;\n\npub struct Pool {\n    size: u8,\n}\nimpl<T: Into<u8>> Drop for Pool {\n    fn drop(&mut self) {}\n}\n";
    let found = names("a.rs", rust);
    let wanted = [
        named("Pool", 4, 6),
        named("Pool", 7, 9),
        named("WAIT", 1, 2),
        named("drop", 8, 8),
    ];
    assert_eq!(found, wanted);
    let go = "const (\n\tA = 1\n\tB = 2\n)\n\ntype S struct {\n\tx int\n}\n";
    assert_eq!(
        names("a.go", go),
        [named("A", 1, 4), named("B", 1, 4), named("S", 6, 8)]
    );
    let c = "#define MAX 3\nstruct node {\n\tint x;\n};\n";
    assert_eq!(names("a.c", c), [named("MAX", 1, 1), named("node", 2, 4)]);
    let go = "var (\n\tall = []string{\n\t\thttp.MethodGet, http.MethodPost,\n\t}\n\tb = 2\n)\n";
    assert_eq!(names("a.go", go), [named("all", 1, 6), named("b", 1, 6)]);
    assert_eq!(
        names("a.yaml", "a: 1\n# b\nb: 2\n"),
        [named("a", 1, 1), named("b", 2, 3)]
    );
}
