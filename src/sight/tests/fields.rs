//! Places that have the name of an edited field, and mean it or something else.

use super::scopes::brief_of;

/// Types whose method reads a field, and functions that have a parameter of its name.
const FIELDS: [(&str, &str, &str, &str, &str); 6] = [
    (
        "go/w.go",
        "package a\n\ntype writer struct {\n\tcontentTypes map[string]bool\n}\n\nfunc (w *writer) ok(ct string) bool {\n\tif ct == \"\" {\n\t\treturn false\n\t}\n\treturn w.contentTypes[ct]\n}\n",
        "ct == \"\"",
        "go/allow.go",
        "package a\n\nfunc Allow(contentTypes ...string) map[string]bool {\n\tm := map[string]bool{}\n\tfor _, c := range contentTypes { // OTHER\n\t\tm[c] = true\n\t}\n\treturn m\n}\n",
    ),
    (
        "ts/w.ts",
        "export class Writer {\n  private contentTypes = new Set<string>();\n\n  ok(ct: string) {\n    return this.contentTypes.has(ct);\n  }\n}\n",
        "has(ct)",
        "ts/allow.ts",
        "import { Writer } from \"./w\";\n\nexport function allow(contentTypes: string[]) {\n  return contentTypes.map((c) => c.trim()); // OTHER\n}\n",
    ),
    (
        "py/w.py",
        "class Writer:\n    def __init__(self):\n        self.content_types = set()\n\n    def ok(self, ct):\n        return ct in self.content_types\n",
        "return ct",
        "py/allow.py",
        "from py.w import Writer\n\n\ndef allow(content_types):\n    return [c.strip() for c in content_types]  # OTHER\n",
    ),
    (
        "java/W.java",
        "package a;\n\npublic class W {\n    private Set<String> contentTypes = new HashSet<>();\n\n    boolean ok(String ct) {\n        return contentTypes.contains(ct);\n    }\n}\n",
        "contains(ct)",
        "java/Allow.java",
        "package a;\n\npublic class Allow {\n    static int allow(List<String> contentTypes) {\n        return contentTypes.size(); // OTHER\n    }\n}\n",
    ),
    (
        "src/w.rs",
        "pub struct W {\n    pub content_types: Vec<String>,\n}\n\nimpl W {\n    pub fn ok(&self, ct: &str) -> bool {\n        self.content_types.iter().any(|c| c == ct)\n    }\n}\n",
        "c == ct",
        "src/allow.rs",
        "pub fn allow(content_types: &[String]) -> usize {\n    content_types.len() // OTHER\n}\n",
    ),
    (
        "tsx/w.ts",
        "export class Writer {\n  private contentTypes = new Set<string>();\n\n  ok(ct: string) {\n    return this.contentTypes.has(ct);\n  }\n}\n",
        "has(ct)",
        "tsx/allow.ts",
        "import { Writer } from \"./w\";\n\nexport function allow(\n  contentTypes: string[],\n  more = 3,\n) {\n  return contentTypes.map((c) => c.trim()); // OTHER\n}\n",
    ),
];

#[test]
fn a_parameter_of_another_function_is_no_use_of_a_field() {
    let mut before = Vec::new();
    let mut after = Vec::new();
    for (path, text, edited, other, other_text) in FIELDS {
        before.extend([(path, text.to_owned()), (other, other_text.to_owned())]);
        assert!(text.contains(edited), "{path}");
        let written = edited.replace("ct", "ct2").replace("c == ct2", "c != ct");
        after.push((path, text.replace(edited, &written)));
    }
    let brief = brief_of(&before, &after);
    assert!(!brief.contains("OTHER"), "{brief}");
}

/// Who reads a field of that name of another type of the file reads another field.
#[test]
fn a_field_of_another_type_has_no_readers_of_its_own_name() {
    let text = "class Asked:\n    headers: dict\n\n    def one(self):\n        return self.headers  # OWN\n\n\nFILLINGclass Answer:\n    headers: dict\n\n    def two(self):\n        return self.headers  # OTHER\n";
    let text = text.replace("FILLING", &"#\n".repeat(220));
    let edited = text.replacen("headers: dict", "headers: Mapping", 1);
    let brief = brief_of(&[("a.py", text)], &[("a.py", edited)]);
    assert!(brief.contains("OWN") && !brief.contains("OTHER"), "{brief}");
}

/// What is joined by a pipe is no parameter of a block, and hides nothing further down.
#[test]
fn flags_that_are_joined_hide_no_use_of_them() {
    let base = [
        ("flags.go", "package a\n\nconst (\n\tmStub = 1\n\tmAll = 6\n)\n".to_owned()),
        (
            "mux.go",
            "package a\n\nfunc mount(m *M) {\n\tm.handle(mAll|mStub, 1)\n\tkind := mAll\n\tkind |= mStub // USE\n\tm.handle(kind, 2)\n}\n".to_owned(),
        ),
    ];
    let edited = ("flags.go", base[0].1.replace("mStub = 1", "mStub = 8"));
    let brief = brief_of(&base, &[edited]);
    assert!(brief.contains("// USE"), "{brief}");
}

/// Where a method is edited and a field of its name as well, places without a dot may mean the field.
#[test]
fn a_key_is_a_use_where_a_method_of_its_name_is_edited_too() {
    let types = "export interface Options {\n  parseJson?: (text: string) => unknown;\n}\n";
    let ky = "import { Options } from \"./types\";\n\nexport class Ky {\n  #parseJson(text: string) {\n    return JSON.parse(text);\n  }\n}\n";
    let keys = "export const keys = {\n  parseJson: true, // KEY\n};\n";
    let base = [
        ("src/types.ts", types.to_owned()),
        ("src/ky.ts", ky.to_owned()),
        ("src/keys.ts", keys.to_owned()),
    ];
    let edited = [
        (
            "src/types.ts",
            types.replace("text: string", "text: string, more: number"),
        ),
        (
            "src/ky.ts",
            ky.replace("JSON.parse(text)", "JSON.parse(text, more)"),
        ),
    ];
    let brief = brief_of(&base, &edited);
    assert!(brief.contains("// KEY"), "{brief}");
}
