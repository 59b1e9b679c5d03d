//! Who writes out again what code no longer has in quotes, in an object or from the environment.

use proptest::prelude::*;

use super::read_settings::brief;

fn is_told((path, sides): (&str, [&str; 2]), reader: (&str, &str)) -> bool {
    let readers = [(reader.0.to_owned(), reader.1.to_owned())];
    brief(path, sides, &readers).contains(&format!("=== {}:", reader.0))
}

/// A file of an ending that has a text in quotes.
fn quoting(ending: &str, text: &str) -> String {
    match ending {
        "py" => format!("def check(e):\n    return str(e) == \"{text}\"\n"),
        "go" => format!(
            "package app\n\nfunc check(e error) bool {{\n\treturn e.Error() == \"{text}\"\n}}\n"
        ),
        "java" => format!(
            "class Check {{\n    boolean is(Error e) {{\n        return e.getMessage().equals(\"{text}\");\n    }}\n}}\n"
        ),
        "yml" => format!("alerts:\n  - match: \"{text}\"\n"),
        _ => format!("export function check(e) {{\n  return e.message === \"{text}\";\n}}\n"),
    }
}

const ENDINGS: [&str; 5] = ["py", "go", "java", "yml", "ts"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: whoever has a message that is gone, or three or more neighbouring words of it, is shown, and nobody else.
    #[test]
    fn a_message_is_found_by_any_part_of_it(
        words in prop::collection::vec("[a-z]{4,8}", 3..7),
        skipped in 0_usize..4,
        ending in prop::sample::select(&ENDINGS[..]),
        is_other in any::<bool>(),
    ) {
        let before = format!("def check(n):\n    raise ValueError(\"{}\")\n", words.join(" "));
        let now = "def check(n):\n    raise ValueError(\"other\")\n";
        let skipped = skipped.min(words.len() - 3);
        let mut part = words[skipped..].join(" ");
        if is_other {
            part.push_str(" or something else");
        }
        let path = format!("other/reader.{ending}");
        let reader = quoting(ending, &part);
        let told = is_told(("app/check.py", [&before, now]), (&path, &reader));
        prop_assert_eq!(told, !is_other || skipped == 0, "{}", part);
    }

    /// Law: a route is found at the end of any address, and none that only begins like it.
    #[test]
    fn a_route_is_found_as_a_whole(
        parts in prop::collection::vec("[a-z]{4,8}", 1..4),
        base in prop::sample::select(&["", "http://localhost:80", "/v1"][..]),
        more in prop::sample::select(&["", "?page=1", "-all", "/one", "s"][..]),
        ending in prop::sample::select(&ENDINGS[..]),
    ) {
        let route = format!("/{}", parts.join("/"));
        let before = format!("app.get(\"{route}\", list);\n");
        let now = "app.get(\"/\", list);\n";
        let reader = quoting(ending, &format!("{base}{route}{more}"));
        let path = format!("other/reader.{ending}");
        let told = is_told(("server/app.js", [&before, now]), (&path, &reader));
        prop_assert_eq!(told, more.is_empty() || more.starts_with('?'));
    }
}

/// What is still there, and what is another, leads to nobody.
#[test]
fn what_is_not_taken_away_has_no_readers() {
    for (path, sides, reader) in [
        (
            "src/a.ts",
            [
                "export const state = { lineItems: 1 };\n",
                "export const state = {\n  lineItems: 1,\n};\n",
            ],
            (
                "web/b.ts",
                "export const n = (s) => s.cart.lineItems.length;\n",
            ),
        ),
        (
            "src/a.ts",
            [
                "export const state = { lineItems: 1 };\n",
                "export const state = { lineItems: 2 };\n",
            ],
            (
                "web/b.ts",
                "export const n = (s) => s.cart.lineItems.length;\n",
            ),
        ),
        (
            "src/a.ts",
            [
                "export const f = ({ lineItems }) => 1;\n",
                "export const f = () => 1;\n",
            ],
            (
                "web/b.ts",
                "export const n = (s) => s.cart.lineItems.length;\n",
            ),
        ),
        (
            "src/a.js",
            [
                "module.exports = process.env.REDIS_URL;\n",
                "const url = process.env.REDIS_URL;\nmodule.exports = url;\n",
            ],
            ("deploy/k8s.yaml", "env:\n  - name: REDIS_URL\n"),
        ),
        (
            "src/a.js",
            [
                "module.exports = process.env.REDIS_URL;\n",
                "module.exports = process.env.CACHE_URL;\n",
            ],
            ("deploy/k8s.yaml", "env:\n  - name: OLD_REDIS_URL\n"),
        ),
        (
            "chart/values.yaml",
            [
                "service:\n  portNumber: 80\nextra: 1\n",
                "extra: 1\nservice:\n  portNumber: 80\n",
            ],
            (
                "chart/templates/s.yaml",
                "port: {{ .Values.service.portNumber }}\n",
            ),
        ),
        (
            "chart/values.yaml",
            ["service:\n  portNumber: 80\n", "service:\n  port: 80\n"],
            (
                "chart/templates/s.yaml",
                "port: {{ .Values.other.portNumber }}\n",
            ),
        ),
        (
            "app/main.py",
            ["app = make()\n", "api = make()\n"],
            ("Procfile", "web: gunicorn other.main:app\n"),
        ),
        (
            "app/Models/User.php",
            [
                "<?php\nclass User\n{\n    public function scopeActive($q)\n    {\n        return 1;\n    }\n}\n",
                "<?php\nclass User\n{\n    public function scopeActive($q)\n    {\n        return 2;\n    }\n}\n",
            ],
            (
                "app/Order.php",
                "<?php\nclass Order\n{\n    public function all($o)\n    {\n        return $o->active();\n    }\n}\n",
            ),
        ),
    ] {
        assert!(
            !is_told((path, sides), reader),
            "{path}: {sides:?}: {}",
            reader.1
        );
    }
}

/// A schema's key that is given another value has readers where its file is imported.
#[test]
fn who_imports_a_schema_reads_its_key() {
    let schema =
        |value: &str| format!("export const order = z.object({{\n  totalCents: {value},\n}});\n");
    let sides = [schema("z.number()"), schema("z.number().optional()")];
    let sides = [sides[0].as_str(), sides[1].as_str()];
    let reading = "export const n = (o: Order) => o.totalCents.toFixed(2);\n";
    for (import, is_it) in [
        ("import type { Order } from \"../src/schema\";\n", true),
        ("import { Order } from \"../src/other\";\n", false),
    ] {
        let reader = format!("{import}\n{reading}");
        assert_eq!(
            is_told(("src/schema.ts", sides), ("web/b.ts", &reader)),
            is_it,
            "{import}"
        );
    }
}
