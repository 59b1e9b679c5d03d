//! Who uses a component of Vue whose props or events a change edits, in whichever notation.

use proptest::prelude::*;

use super::read_settings::brief;

/// A component and what is swapped in it, with PROP for a prop and EVENT for an event.
const EDITS: [(&str, (&str, &str), &str); 12] = [
    (
        "const props = defineProps<{ PROP: string; size: number }>();\n",
        ("PROP", "heading"),
        "PROP",
    ),
    (
        "const props = defineProps<{ PROP: string }>();\n",
        ("string", "number"),
        "PROP",
    ),
    (
        "interface Props {\n  PROP: string;\n}\ndefineProps<Props>();\n",
        ("  PROP: string;\n", ""),
        "PROP",
    ),
    (
        "export default {\n  props: [\"PROP\", \"size\"],\n};\n",
        ("\"PROP\", ", ""),
        "PROP",
    ),
    (
        "export default {\n  props: {\n    PROP: {\n      type: String,\n    },\n  },\n};\n",
        ("String", "Number"),
        "PROP",
    ),
    (
        "export default {\n  props: {\n    PROP: {\n      type: String,\n    },\n  },\n};\n",
        ("String,\n", "String,\n      required: true,\n"),
        "PROP",
    ),
    (
        "const model = defineModel<string>(\"PROP\");\n",
        ("<string>", "<number>"),
        "PROP",
    ),
    (
        "const emit = defineEmits([\"EVENT\"]);\n",
        ("EVENT", "saved"),
        "EVENT",
    ),
    (
        "const emit = defineEmits<{ (e: \"EVENT\", n: number): void }>();\n",
        ("n: number", "n: string"),
        "EVENT",
    ),
    (
        "const emit = defineEmits<{ EVENT: [n: number] }>();\n",
        ("n: number", ""),
        "EVENT",
    ),
    (
        "function send() {\n  emit(\"EVENT\", 1);\n}\n",
        (", 1", ""),
        "EVENT",
    ),
    (
        "export default {\n  methods: {\n    send() {\n      this.$emit(\"EVENT\", 1);\n    },\n  },\n};\n",
        (", 1", ""),
        "EVENT",
    ),
];

fn of_script(code: &str) -> String {
    format!("<template>\n  <b>x</b>\n</template>\n<script>\n{code}</script>\n")
}

fn camel(words: &[String]) -> String {
    let humps = words[1..]
        .iter()
        .map(|word| word[..1].to_uppercase() + &word[1..]);
    words[..1].iter().cloned().chain(humps).collect()
}

/// The pages that the brief of a change of a component does not show.
fn missing(code: &str, (from, to): (&str, &str), pages: &[(&str, String)]) -> Vec<String> {
    let [before, now] = [code.to_owned(), code.replacen(from, to, 1)].map(|code| of_script(&code));
    assert_ne!(before, now);
    let own = |index: usize| format!("readHere{index}");
    let readers = pages.iter().enumerate().map(|(index, (path, page))| {
        let page = page.replace("readHere", &own(index));
        (format!("p{index}/{path}"), page)
    });
    let readers: Vec<_> = readers.collect();
    let brief = brief("src/base/CardBox.vue", [&before, &now], &readers);
    let unread = pages
        .iter()
        .enumerate()
        .filter(|(index, _)| !brief.contains(&own(*index)));
    unread
        .map(|(_, (_, page))| format!("{code} {from} {to} {page}"))
        .collect()
}

/// Whether the brief of a change of a component shows a page.
fn shows(code: &str, swapped: (&str, &str), (path, page): (&str, &str)) -> bool {
    missing(code, swapped, &[(path, page.to_owned())]).is_empty()
}

/// Pages that use the component with an attribute.
fn pages_with(attribute: &str) -> [(&'static str, String); 5] {
    [
        (
            "Page.vue",
            format!("<template>\n  <CardBox {attribute} />\n</template>\n"),
        ),
        (
            "Page.vue",
            format!("<template>\n  <card-box\n    id=\"a\"\n    {attribute}\n  />\n</template>\n"),
        ),
        (
            "Page.vue",
            format!("<template>\n  <BaseCardBox {attribute}/>\n</template>\n"),
        ),
        (
            "Page.vue",
            format!(
                "<template>\n  <Other {attribute} />\n</template>\n<script>\nimport Other from './base/CardBox.vue';\n</script>\n"
            ),
        ),
        ("page.html", format!("<card-box {attribute}></card-box>\n")),
    ]
}

#[test]
fn who_uses_an_edited_prop_or_event_is_shown() {
    let mut unread = Vec::new();
    for (code, (from, to), kind) in EDITS {
        let words = ["save".to_owned(), "done".to_owned()];
        let (hump, dash) = (camel(&words), words.join("-"));
        let spell = |text: &str| text.replace(kind, &hump);
        let forms = match kind {
            "PROP" => [
                "NAME=\"readHere\"",
                ":NAME=\"readHere\"",
                "v-model:NAME=\"readHere\"",
            ],
            _ => [
                "@NAME=\"readHere\"",
                "v-on:NAME=\"readHere\"",
                "@NAME.once=\"readHere\"",
            ],
        };
        for form in forms {
            let pages = pages_with(&form.replace("NAME", &dash));
            unread.extend(missing(&spell(code), (&spell(from), &spell(to)), &pages));
        }
    }
    assert_eq!(unread, Vec::<String>::new());
}

#[test]
fn an_event_with_hyphens_is_heard_in_humps() {
    let code = "function send() {\n  emit(\"save-done\", 1);\n}\n";
    for event in ["@saveDone", "@save-done"] {
        let page = format!("<template>\n  <CardBox {event}=\"readHere\" />\n</template>\n");
        assert!(shows(code, (", 1", ""), ("src/Page.vue", &page)), "{event}");
    }
}

#[test]
fn other_attributes_and_other_files_are_no_use() {
    let code = "const props = defineProps<{ saveDone: string; size: number }>();\n";
    for (path, page) in [
        (
            "src/Page.vue",
            "<template>\n  <OtherBox save-done=\"readHere\" />\n</template>\n",
        ),
        (
            "src/Page.vue",
            "<template>\n  <div save-done=\"readHere\"></div>\n</template>\n",
        ),
        (
            "src/Page.vue",
            "<template>\n  <CardBox save-done-more=\"readHere\" />\n</template>\n",
        ),
        (
            "src/Page.vue",
            "<template>\n  <CardBox data-save-done=\"readHere\" />\n</template>\n",
        ),
        (
            "src/Page.vue",
            "<template>\n  <CardBox title=\"save-done readHere\" />\n</template>\n",
        ),
        (
            "src/page.jsx",
            "export const Page = () => <CardBox save-done=\"readHere\" />;\n",
        ),
    ] {
        assert!(
            !shows(code, ("saveDone", "heading"), (path, page)),
            "{page}"
        );
    }
    // A variable of the component is nobody's attribute.
    let page = "<template>\n  <CardBox save-done=\"readHere\" />\n</template>\n";
    assert!(!shows(
        "function f() {\n  const saveDone = 1;\n}\n",
        ("= 1", "= 2"),
        ("src/Page.vue", page)
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: whatever words a prop is made of, and wherever its line stands, whoever gives it is shown.
    #[test]
    fn a_prop_of_any_words_is_found(
        words in prop::collection::vec("[a-z]{3,6}", 2..4),
        (above, below) in (0_usize..4, 0_usize..4),
        breaks in any::<bool>(),
    ) {
        let filling = |count: usize| "  size: number;\n".repeat(count);
        let code = format!(
            "defineProps<{{\n{}  {}: string;\n{}}}>();\n", filling(above), camel(&words), filling(below)
        );
        let blank = if breaks { "\n    " } else { " " };
        let page = format!("<template>\n  <CardBox{blank}:{}=\"readHere\" />\n</template>\n", words.join("-"));
        prop_assert!(shows(&code, ("string", "boolean"), ("src/Page.vue", &page)), "{}", code);
    }
}
