//! Who sets a field that a class of settings no longer has.

use proptest::prelude::*;

use super::read_settings::brief;

/// How a name is made of words.
type Spell = fn(&[String]) -> String;

/// A class with the field KEY of several words, in the spelling that its language has.
const CLASSES: [(&str, Spell, &str); 8] = [
    (
        "app/settings.py",
        snake,
        "from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n    url: str = \"x\"\n    KEY: int = 5\n",
    ),
    (
        "app/settings.py",
        snake,
        "class Shop(Base, AppSettings):\n    url: str = \"x\"\n    KEY: int = 5\n    model_config = {\"env_prefix\": \"SHOP_\"}\n",
    ),
    (
        "src/main/java/shop/MailProps.java",
        camel,
        "package shop;\n\n@ConfigurationProperties(prefix = \"shop.mail\")\npublic class MailProps {\n    private String host = \"x\";\n    private int KEY = 3;\n}\n",
    ),
    (
        "src/main/kotlin/shop/MailProps.kt",
        camel,
        "package shop\n\n@ConfigurationProperties(\"shop.mail\")\ndata class MailProps(val host: String, val KEY: Int = 3)\n",
    ),
    (
        "src/main/java/shop/ShopProps.java",
        camel,
        "package shop;\n\n@ConfigurationProperties(\"shop\")\npublic class ShopProps {\n    private Mail mail;\n\n    public static class Mail {\n        private int KEY = 3;\n    }\n}\n",
    ),
    (
        "Options/MailOptions.cs",
        pascal,
        "namespace Shop;\npublic class MailOptions\n{\n    public string Host { get; set; } = \"x\";\n    public int KEY { get; set; } = 3;\n}\n",
    ),
    (
        "src/main.rs",
        snake,
        "use serde::Deserialize;\n\n#[derive(Deserialize)]\npub struct Mail {\n    pub host: String,\n    pub KEY: u32,\n}\n\nfn read(text: &str) -> Mail {\n    toml::from_str(text).unwrap()\n}\n",
    ),
    (
        "mail/config.go",
        pascal,
        "package mail\n\ntype Config struct {\n\tHost string\n\tKEY int\n}\n",
    ),
];

/// What sets a field KEY: of the environment, and in sections of files.
const VARIABLES: [(&str, &str); 6] = [
    (
        "deploy/compose.yml",
        "services:\n  web:\n    environment:\n      KEY: \"20\" # READ\n",
    ),
    (
        "deploy/list.yml",
        "services:\n  web:\n    environment:\n      - KEY=20 # READ\n",
    ),
    (
        "k8s/web.yaml",
        "env:\n  - name: KEY # READ\n    value: \"20\"\n",
    ),
    (".env.example", "URL=x\nKEY=20 # READ\n"),
    ("Dockerfile", "FROM x\nENV KEY=20\n# READ\n"),
    ("run.sh", "export KEY=20 # READ\nexec app\n"),
];

const SECTIONS: [(&str, &str); 6] = [
    (
        "conf/application-prod.yml",
        "shop:\n  mail:\n    host: y\n    KEY: 9 # READ\n",
    ),
    (
        "conf/mail.properties",
        "shop.mail.host=y\nshop.mail.KEY=9\n# READ\n",
    ),
    (
        "conf/shop.toml",
        "[shop.mail]\nhost = \"y\"\nKEY = 9 # READ\n",
    ),
    ("conf/shop.ini", "[shop.mail]\nhost = y\nKEY = 9\n; READ\n"),
    (
        "appsettings.json",
        "{\n  \"shop\": {\n    \"mail\": { \"host\": \"READ\", \"KEY\": 9 }\n  }\n}\n",
    ),
    ("conf/alone.yml", "shop:\n  mail:\n    KEY: 9 # READ\n"),
];

fn words() -> Vec<String> {
    ["max", "retries"].map(str::to_owned).into()
}

fn snake(words: &[String]) -> String {
    words.join("_")
}

fn kebab(words: &[String]) -> String {
    words.join("-")
}

fn large(words: &[String]) -> String {
    snake(words).to_uppercase()
}

fn pascal(words: &[String]) -> String {
    let humps = words
        .iter()
        .map(|word| word[..1].to_uppercase() + &word[1..]);
    humps.collect()
}

fn camel(words: &[String]) -> String {
    let (first, rest) = words.split_first().unwrap();
    format!("{first}{}", pascal(rest))
}

fn told(class: usize, words: &[String], (path, text): (&str, String)) -> bool {
    let (file, spell, code) = CLASSES[class];
    let lost = spell(&["other".to_owned(), "thing".to_owned()]);
    let sides = [spell(words), lost].map(|name| code.replace("KEY", &name));
    let sides = sides.each_ref().map(String::as_str);
    brief(file, sides, &[(path.to_owned(), text)]).contains("READ")
}

fn sets(class: usize, words: &[String], (path, text): (&str, &str), spelled: &str) -> bool {
    told(class, words, (path, text.replace("KEY", spelled)))
}

/// Law: whoever gives the variable of a lost field is shown, in every kind of file.
#[test]
fn who_gives_a_lost_variable_of_the_environment_is_shown() {
    for (class, prefix) in [(0, ""), (1, "SHOP_"), (2, "SHOP_MAIL_")] {
        for setting in VARIABLES {
            let name = format!("{prefix}{}", large(&words()));
            assert!(sets(class, &words(), setting, &name), "{name} {setting:?}");
            let other = format!("{name}_MORE");
            assert!(
                !sets(class, &words(), setting, &other),
                "{other} {setting:?}"
            );
        }
    }
    let bare = (
        "deploy/compose.yml",
        "environment:\n  MAX_RETRIES: 1 # READ\n".to_owned(),
    );
    assert!(!told(1, &words(), bare));
}

/// A variable of one word is one only where something is set.
#[test]
fn a_lost_variable_of_one_word_is_told_from_a_word() {
    let word = ["tempo".to_owned()];
    for setting in VARIABLES {
        assert!(sets(0, &word, setting, "TEMPO"), "{setting:?}");
    }
    for (path, text) in [
        ("app/a.py", "x = load(TEMPO)  # READ\n"),
        ("run.sh", "echo $TEMPO # READ\n"),
        ("conf/db.yml", "db:\n  tempo: 5 # READ\n"),
    ] {
        assert!(!told(0, &word, (path, text.to_owned())), "{path}");
    }
}

/// Law: in every language and format the key that set a lost field is shown, and the same key of another section is not.
#[test]
fn who_sets_a_lost_field_is_shown() {
    for (class, (.., code)) in CLASSES.iter().enumerate().skip(2) {
        for setting in SECTIONS {
            let is_alone = setting.0.contains("alone");
            // What has no other key is known by the name of the class.
            let is_named = !code.contains("Deserialize") && class != 7;
            let found = sets(class, &words(), setting, "max_retries");
            let is_it = !is_alone || is_named || code.contains("struct Mail");
            assert_eq!(found, is_it, "{class} {setting:?}");
        }
        for (path, text) in [
            ("conf/a.yml", "shop:\n  pool:\n    max_retries: 9 # READ\n"),
            ("conf/a.yml", "pool:\n  name: x\n  max_retries: 9 # READ\n"),
            (
                "conf/a.toml",
                "max_retries = 9 # READ\nname = 1\n\n[mail]\nmax_times = 1\n",
            ),
            (
                "conf/a.json",
                "{ \"pool\": { \"name\": \"READ\", \"max_retries\": 9 } }\n",
            ),
            (
                ".github/workflows/a.yml",
                "mail:\n  host: 1\n  max_retries: 9 # READ\n",
            ),
        ] {
            assert!(
                !told(class, &words(), (path, text.to_owned())),
                "{class} {path} {text}"
            );
        }
    }
}

#[test]
fn a_field_that_only_moves_within_its_class_is_still_set() {
    let sides = [
        "    KEY: int = 5\n    url: str = \"x\"\n",
        "    url: str = \"x\"\n    KEY: int = 6\n",
    ];
    let sides = sides.map(|fields| {
        format!(
            "class Shop(BaseSettings):\n{}",
            fields.replace("KEY", "max_retries")
        )
    });
    let setting = (
        ".env.example".to_owned(),
        "MAX_RETRIES=20 # READ\n".to_owned(),
    );
    let told = brief("app/settings.py", [&sides[0], &sides[1]], &[setting]);
    assert!(!told.contains("READ"), "{told}");
}

/// A class that gets another prefix loses all of its variables.
#[test]
fn who_sets_a_field_below_a_lost_prefix_is_shown() {
    let class = |prefix: &str| {
        format!(
            "class Shop(BaseSettings):\n    max_retries: int = 5\n    model_config = {{\"env_prefix\": \"{prefix}\"}}\n"
        )
    };
    let setting = (
        ".env.example".to_owned(),
        "SHOP_MAX_RETRIES=20 # READ\n".to_owned(),
    );
    let told = brief(
        "app/settings.py",
        [&class("SHOP_"), &class("STORE_")],
        &[setting],
    );
    assert!(told.contains("READ"), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: however settings spell the words of a lost field, who sets it is shown.
    #[test]
    fn every_spelling_of_a_lost_field_sets_it(
        words in prop::collection::vec("[a-z]{4,7}", 2..4),
        class in 2_usize..CLASSES.len(),
        setting in 0_usize..5,
        spell in prop::sample::select(&[snake, kebab, large, pascal, camel][..]),
    ) {
        prop_assert!(sets(class, &words, SECTIONS[setting], &spell(&words)), "{:?}", words);
    }
}
