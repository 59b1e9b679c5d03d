//! Laws of what functions give back that are named after a secret.

use proptest::prelude::*;

use crate::Redactor;
use crate::plausible::is_placeholder;

/// Functions with `@` for the name and `~` for the value, in one line or in several.
const FUNCTIONS: [(&str, &str); 36] = [
    (
        "A.java",
        "    public String @() {\n        return \"~\";\n    }",
    ),
    (
        "A.java",
        "    @Override\n    protected String @()\n    {\n        return \"~\";\n    }",
    ),
    ("A.java", "    String @() { return \"~\"; }"),
    (
        "A.java",
        "    char[] @(int x) {\n        return \"~\".toCharArray();\n    }",
    ),
    ("a.py", "def @():\n    return \"~\""),
    (
        "a.py",
        "    def @(self) -> str:\n        \"\"\"The one for tests.\"\"\"\n        return '~'",
    ),
    (
        "a.py",
        "    async def @(self, name: str):\n        # for tests\n        return (\"~\")",
    ),
    ("a.py", "def @(): return \"~\""),
    ("a.py", "def @():\n    return os.environ.get(\"PW\", \"~\")"),
    ("a.go", "func (c *Config) @() string {\n\treturn \"~\"\n}"),
    ("a.go", "func @() (string, error) {\n\treturn \"~\", nil\n}"),
    ("a.go", "func @() string { return \"~\" }"),
    ("a.kt", "fun @(): String = \"~\""),
    ("a.kt", "override fun @() =\n    \"~\""),
    ("a.kt", "fun @(): String {\n    return \"~\"\n}"),
    ("a.rs", "pub fn @(&self) -> &'static str {\n    \"~\"\n}"),
    (
        "a.rs",
        "    fn @() -> String {\n        \"~\".to_string()\n    }",
    ),
    ("a.rs", "fn @() -> &'static str { \"~\" }"),
    (
        "a.rs",
        "fn @() -> Option<String> {\n    return Some(\"~\".into());\n}",
    ),
    ("a.js", "const @ = () => \"~\";"),
    ("a.js", "const @ = () => {\n  return '~';\n};"),
    ("a.js", "export const @ = async () =>\n  '~';"),
    ("a.js", "function @() {\n  return `~`;\n}"),
    ("a.js", "class A {\n  get @() {\n    return '~';\n  }\n}"),
    ("a.js", "class A {\n  static get @() { return '~'; }\n}"),
    (
        "a.js",
        "const a = {\n  @: function () {\n    return \"~\";\n  },\n};",
    ),
    ("a.ts", "  @(): string {\n    return '~';\n  }"),
    (
        "a.ts",
        "  private async @(x: string): Promise<string> {\n    return '~';\n  }",
    ),
    ("a.rb", "def @\n  \"~\"\nend"),
    ("a.rb", "  def self.@\n    '~'\n  end"),
    ("a.rb", "def @()\n  return \"~\"\nend"),
    (
        "a.php",
        "    public function @(): string\n    {\n        return '~';\n    }",
    ),
    ("a.php", "function @() { return '~'; }"),
    ("A.cs", "    public string @() => \"~\";"),
    ("a.swift", "func @() -> String {\n    \"~\"\n}"),
    ("a.scala", "def @(): String = \"~\""),
];

/// Functions that check, hash or show a secret, calls in conditions, and values that are words or come from elsewhere.
const INNOCENT: [(&str, &str); 22] = [
    (
        "a.js",
        "function validatePassword(x) {\n  return 'too-sh0rt-by-4';\n}",
    ),
    (
        "a.js",
        "function hashPassword(x) {\n  return \"b1c2x3\" + x;\n}",
    ),
    (
        "a.js",
        "  getPasswordSelector() {\n    return '#pw2-inp3ut';\n  }",
    ),
    ("a.js", "  get passwordInput() { return $('#pw2x3'); }"),
    ("a.js", "if (getPassword()) {\n  return 'logged1in';\n}"),
    ("a.go", "if getPassword() {\n\treturn \"logged1in\"\n}"),
    ("a.py", "if get_password():\n    return \"logged1in\""),
    ("a.py", "with get_token() as t:\n    return \"logged1in\""),
    ("a.py", "def get_password_hash():\n    return \"md5x2\""),
    ("a.py", "def password(self):\n    return self.x1y2z3"),
    ("a.py", "def password(self):\n    return \"Password2\""),
    (
        "a.py",
        "def get_password(self):\n    pass\n\ndef other():\n    return \"v1x2y3\"",
    ),
    (
        "a.py",
        "def get_password(self):\n    return load(\"v1x2y3\")",
    ),
    ("a.rs", "match x {\n    Kind::Secret(_) => \"k1x2y3\",\n}"),
    ("a.rs", "fn token() -> Kind {\n    Kind::new(\"k1x2y3\")\n}"),
    (
        "a.java",
        "new PasswordProvider() {\n    return \"v1x2y3\";\n}",
    ),
    ("a.js", "const x = a ? getPassword() : 'v1x2y3';"),
    ("a.js", "const password = () => {\n  log('v1x2y3');\n};"),
    ("a.rb", "def password\n  fetch('v1x2y3')\nend"),
    (
        "a.ts",
        "  password(): string {\n    return process.env.PW1x2;\n  }",
    ),
    (
        "a.rs",
        "fn test_sha512_using_ecdh_key() {\n    assert_eq!(\n        \"ecdsa-prime256v1-sha512.pem\"\n    )\n}",
    ),
    (
        "a.rs",
        "fn test_password() {\n    \"sha512-ecdh-v1x2y3\"\n}",
    ),
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: functions × names × values. What such a function gives back is hidden.
    #[test]
    fn what_a_function_of_a_secret_gives_back_is_hidden(
        value in prop_oneof!["[a-z]{5,7}[0-9]{1,2}[a-z]{4,7}", "[A-Z][a-z]{4,8}[0-9]{3,4}!", "[A-Z][a-z0-9]{9,14}[0-9][A-Z]"],
        name in prop::sample::select(vec!["getPassword", "password", "api_key", "get_db_password", "dbPassword", "loadClientSecret"]),
    ) {
        prop_assume!(!is_placeholder(&value));
        let texts = FUNCTIONS.iter().map(|(path, form)| (path, form.replace("@Override", "").replace('@', name).replace('~', &value)));
        let leaks = texts.filter(|(path, text)| shown(path, text).contains(&value));
        let leaks: Vec<_> = leaks.map(|(_, text)| text).collect();
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n---\n"));
    }

    #[test]
    fn every_head_is_read(line in "[a-z (){}:=>\"'é\\n-]{0,60}") {
        shown("a.py", &format!("def password{line}"));
        shown("a.js", &format!("const getPassword = {line}"));
    }
}

#[test]
fn what_other_functions_give_back_is_shown() {
    let hidden = INNOCENT
        .into_iter()
        .filter(|(path, text)| shown(path, text) != *text);
    assert_eq!(hidden.collect::<Vec<_>>(), Vec::<(&str, &str)>::new());
}
