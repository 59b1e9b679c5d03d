//! Who reads a setting of Spring that a change edits, however it is spelled.

use proptest::prelude::*;

use super::*;

/// The brief of a change of one file, beside files that may read what it gives.
pub(super) fn brief(path: &str, [before, now]: [&str; 2], readers: &[(String, String)]) -> String {
    let mut stream = String::new();
    let edited = |text: &str| [(path.to_owned(), text.to_owned())];
    let first: Vec<_> = readers.iter().cloned().chain(edited(before)).collect();
    write_commit(&mut stream, "one", &first);
    write_commit(&mut stream, "two", &edited(now));
    let repo = Repo::new();
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

const YAML: &str = "src/main/resources/application.yml";
const PROPERTIES: &str = "src/main/resources/application-prod.properties";

/// What a change of settings may be: the file, and its two sides, in which KEY stands for the last part.
const CHANGES: [(&str, [&str; 2]); 7] = [
    (
        YAML,
        [
            "shop:\n  retry:\n    KEY: 5\n",
            "shop:\n  retry:\n    KEY: 0\n",
        ],
    ),
    (
        YAML,
        [
            "shop:\n  retry:\n    KEY: 5\n",
            "shop:\n  retry:\n    tries: 5\n",
        ],
    ),
    (
        YAML,
        [
            "shop:\n  retry:\n    KEY: 5\n",
            "shop:\n  retry:\n    KEY:\n      - 5\n",
        ],
    ),
    (
        YAML,
        [
            "shop:\n  retry:\n    KEY: 5\n",
            "shop:\n  again:\n    KEY: 5\n",
        ],
    ),
    (YAML, ["shop.retry.KEY: 5\nport: 80\n", "port: 80\n"]),
    (PROPERTIES, ["shop.retry.KEY=5\n", "shop.retry.KEY=0\n"]),
    (PROPERTIES, ["shop.retry.KEY = 5\nport=80\n", "port=80\n"]),
];

/// How it is read: the file, and its text, in which PATH stands for the path and READ for what tells it apart.
const READERS: [(&str, &str); 8] = [
    (
        "a/Net.java",
        "class Net {\n  @Value(\"${PATH}\")\n  private int READ;\n}\n",
    ),
    (
        "b/Net.java",
        "class Net {\n  @Value(\"#{${PATH:3} + 1}\")\n  private int READ;\n}\n",
    ),
    (
        "c/Net.kt",
        "class Net(@Value(\"\\${PATH}\") private val READ: Int)\n",
    ),
    (
        "d/Net.java",
        "class Net {\n  int last(Environment env) {\n    return READ(env.getProperty(\"PATH\"));\n  }\n}\n",
    ),
    (
        "e/Net.java",
        "class Net {\n  @Scheduled(fixedDelayString = \"${PATH}\")\n  void READ() {}\n}\n",
    ),
    (
        "f/Net.groovy",
        "class Net {\n  @Value('${PATH}')\n  int READ\n}\n",
    ),
    ("g/application-test.yml", "read:\n  READ: ${PATH}\n"),
    (
        "h/Net.java",
        "class Net {\n  @ConfigProperty(name = \"PATH\", defaultValue = \"1\")\n  int READ;\n}\n",
    ),
];

/// The readers, each with a word of its own that the brief shows if it shows the reader.
fn readers_of(path: &str) -> Vec<(String, String)> {
    let all = READERS.iter().enumerate();
    all.map(|(index, (file, text))| {
        let text = text
            .replace("PATH", path)
            .replace("READ", &format!("reading{index}"));
        ((*file).to_owned(), text)
    })
    .collect()
}

fn unread(brief: &str) -> Vec<&'static str> {
    let all = READERS.iter().enumerate();
    let missing = all.filter(|(index, _)| !brief.contains(&format!("reading{index}")));
    missing.map(|(_, (file, _))| *file).collect()
}

#[test]
fn who_reads_an_edited_key_of_spring_is_shown() {
    for (file, sides) in CHANGES {
        for key in ["max-attempts", "timeout"] {
            let sides = sides.map(|side| side.replace("KEY", key));
            let readers = readers_of(&format!("shop.retry.{key}"));
            let brief = brief(file, [&sides[0], &sides[1]], &readers);
            assert_eq!(unread(&brief), [""; 0], "{file}: {sides:?}");
        }
    }
}

#[test]
fn the_field_that_a_class_takes_from_an_edited_key_is_shown() {
    let sides = [
        "shop:\n  retry:\n    max-attempts: 5\n",
        "shop:\n  retry:\n    max-attempts: 0\n",
    ];
    let far = "  private int other;\n\n".repeat(20);
    for (file, text) in [
        (
            "a/P.java",
            format!(
                "@ConfigurationProperties(prefix = \"shop.retry\")\npublic class P {{\n{far}  private int maxAttempts = \
                 readHere;\n}}\n"
            ),
        ),
        (
            "a/P.java",
            "@ConfigurationProperties(\"shop\")\npublic class P {\n  private Retry retry;\n  static class Retry {\n    int \
             maxAttempts = readHere;\n  }\n}\n"
                .to_owned(),
        ),
        (
            "a/P.kt",
            "@ConfigurationProperties(prefix = \"shop.retry\")\ndata class P(val maxAttempts: Int = readHere)\n".to_owned(),
        ),
        (
            "a/P.java",
            "@ConfigurationProperties(prefix = \"shop.retry\")\nrecord P(int maxAttempts, int readHere) {}\n".to_owned(),
        ),
    ] {
        let brief = brief(YAML, sides, &[(file.to_owned(), text.clone())]);
        assert!(brief.contains("readHere"), "{text}");
    }
    for text in [
        "@ConfigurationProperties(prefix = \"shop.mail\")\nclass P {\n  int maxAttempts = readHere;\n}\n",
        "class P {\n  int maxAttempts = readHere;\n}\n",
    ] {
        let brief = brief(YAML, sides, &[("a/P.java".to_owned(), text.to_owned())]);
        assert!(!brief.contains("readHere"), "{text}");
    }
}

#[test]
fn variables_of_the_environment_that_set_an_edited_key_are_shown() {
    let sides = [
        "shop:\n  retry:\n    max-attempts: 5\n",
        "shop:\n  retry:\n    max-attempts: 0\n",
    ];
    for variable in ["SHOP_RETRY_MAX_ATTEMPTS", "SHOP_RETRY_MAXATTEMPTS"] {
        let file = "services:\n  web:\n    environment:\n      ".to_owned() + variable + ": 3\n";
        let brief = brief(YAML, sides, &[("deploy/compose.yml".to_owned(), file)]);
        assert!(brief.contains(&format!("{variable}: 3")), "{brief}");
    }
}

/// A path that only begins or ends like an edited one is another setting; so is one that keeps its value.
#[test]
fn who_reads_another_key_of_spring_is_not_shown() {
    let sides = [
        "shop:\n  retry:\n    max-attempts: 5\n    delay: 1\n",
        "shop:\n  retry:\n    max-attempts: 0\n    delay: 1\n",
    ];
    for path in [
        "shop.retry.max-attempts.more",
        "my.shop.retry.max-attempts",
        "shop.retry.delay",
        "shop.retry",
        "retry.maxAttempts",
    ] {
        let reader = format!("class Net {{\n  @Value(\"${{{path}}}\")\n  int readHere;\n}}\n");
        let brief = brief(YAML, sides, &[("a/Net.java".to_owned(), reader)]);
        assert!(!brief.contains("readHere"), "{path}: {brief}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: however the words of a key are spelled in the settings and by its reader, the reader is shown.
    #[test]
    fn every_spelling_of_a_key_is_read_in_every_other(
        words in prop::collection::vec("[a-z]{4,7}", 2..4),
        [there, here] in prop::array::uniform2(0_usize..3),
    ) {
        let spell = |how: usize| match how {
            0 => words.join("-"),
            1 => words.join("_"),
            _ => words.iter().enumerate().map(|(index, word)| match index {
                0 => word.clone(),
                _ => word[..1].to_uppercase() + &word[1..],
            }).collect(),
        };
        let side = |value: u8| format!("shop:\n  part:\n    {}: {value}\n", spell(there));
        let readers = readers_of(&format!("shop.part.{}", spell(here)));
        let brief = brief(YAML, [&side(1), &side(2)], &readers);
        prop_assert_eq!(unread(&brief), [""; 0]);
    }
}
