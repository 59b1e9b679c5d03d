//! Languages by path, and how each writes comments and strings.

/// What a file is written in, as far as a rule must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Rust,
    Python,
    Go,
    /// JavaScript and TypeScript in all their endings.
    Script,
    Java,
    Kotlin,
    CSharp,
    /// C, C++ and Objective-C.
    C,
    Swift,
    Scala,
    Dart,
    Php,
    Ruby,
    Shell,
    PowerShell,
    Lua,
    Sql,
    Css,
    Yaml,
    Toml,
    Json,
    /// INI, properties, git configuration, dotenv.
    Ini,
    Docker,
    Make,
    /// HTML, XML, SVG and templates that look like them.
    Markup,
    /// Markdown, reStructuredText, AsciiDoc, plain text.
    Prose,
    Unknown,
}

/// A pair of marks around a literal.
#[derive(Debug, Clone, Copy)]
pub struct QuotePair {
    pub open: &'static str,
    pub close: &'static str,
    pub escapes: bool,
    pub multiline: bool,
}

/// How a language writes what is not code.
#[derive(Debug, Clone, Copy)]
pub struct Lexicon {
    pub line: &'static [&'static str],
    pub block: Option<(&'static str, &'static str)>,
    /// Whether block comments nest.
    pub nested: bool,
    /// Longer marks first.
    pub quotes: &'static [QuotePair],
    /// Whether a mark of a comment or a literal counts only at the start of a word (YAML, shell).
    pub at_word: bool,
    pub extra: ExtraSyntax,
}

/// What one language has and the others do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraSyntax {
    None,
    /// Raw strings with hashes; lifetimes look like open quotes.
    Rust,
    /// Template strings, regular expressions.
    Script,
    Heredoc,
    Nowdoc,
}

const fn symmetric_quote(mark: &'static str, escapes: bool, multiline: bool) -> QuotePair {
    QuotePair {
        open: mark,
        close: mark,
        escapes,
        multiline,
    }
}

const DOUBLE: QuotePair = symmetric_quote("\"", true, false);
const SINGLE: QuotePair = symmetric_quote("'", true, false);
const PLAIN: Lexicon = Lexicon {
    line: &[],
    block: None,
    nested: false,
    quotes: &[],
    at_word: false,
    extra: ExtraSyntax::None,
};
const SLASHES: Lexicon = Lexicon {
    line: &["//"],
    block: Some(("/*", "*/")),
    quotes: &[DOUBLE, SINGLE],
    ..PLAIN
};
const TRIPLE: QuotePair = symmetric_quote("\"\"\"", true, true);
const HASH: Lexicon = Lexicon {
    line: &["#"],
    quotes: &[DOUBLE, SINGLE],
    ..PLAIN
};

const RUST: Lexicon = Lexicon {
    quotes: &[symmetric_quote("\"", true, true)],
    nested: true,
    extra: ExtraSyntax::Rust,
    ..SLASHES
};
const PYTHON: Lexicon = Lexicon {
    quotes: &[TRIPLE, symmetric_quote("'''", true, true), DOUBLE, SINGLE],
    ..HASH
};
const GO: Lexicon = Lexicon {
    quotes: &[DOUBLE, SINGLE, symmetric_quote("`", false, true)],
    ..SLASHES
};
const SCRIPT: Lexicon = Lexicon {
    extra: ExtraSyntax::Script,
    ..SLASHES
};
const JAVA: Lexicon = Lexicon {
    quotes: &[TRIPLE, DOUBLE, SINGLE],
    ..SLASHES
};
const NESTED: Lexicon = Lexicon {
    nested: true,
    ..JAVA
};
const PHP: Lexicon = Lexicon {
    line: &["//", "#"],
    quotes: &[
        symmetric_quote("\"", true, true),
        symmetric_quote("'", true, true),
    ],
    extra: ExtraSyntax::Nowdoc,
    ..SLASHES
};
const RUBY: Lexicon = Lexicon {
    quotes: &[
        symmetric_quote("\"", true, true),
        symmetric_quote("'", true, true),
    ],
    extra: ExtraSyntax::Heredoc,
    ..HASH
};
const SHELL: Lexicon = Lexicon {
    quotes: &[
        symmetric_quote("\"", true, true),
        symmetric_quote("'", false, true),
    ],
    at_word: true,
    extra: ExtraSyntax::Heredoc,
    ..HASH
};
const POWERSHELL: Lexicon = Lexicon {
    block: Some(("<#", "#>")),
    quotes: &[
        symmetric_quote("\"", false, false),
        symmetric_quote("'", false, false),
    ],
    ..HASH
};
const LUA: Lexicon = Lexicon {
    line: &["--"],
    block: Some(("--[[", "]]")),
    ..SLASHES
};
const SQL: Lexicon = Lexicon {
    line: &["--"],
    quotes: &[symmetric_quote("'", false, true)],
    ..SLASHES
};
const CSS: Lexicon = Lexicon {
    line: &[],
    ..SLASHES
};
const YAML: Lexicon = Lexicon {
    quotes: &[DOUBLE, symmetric_quote("'", false, false)],
    at_word: true,
    ..HASH
};
const TOML: Lexicon = Lexicon {
    quotes: &[
        TRIPLE,
        symmetric_quote("'''", false, true),
        DOUBLE,
        symmetric_quote("'", false, false),
    ],
    ..HASH
};
const JSON: Lexicon = Lexicon {
    quotes: &[DOUBLE],
    ..SLASHES
};
const INI: Lexicon = Lexicon {
    line: &["#", ";"],
    at_word: true,
    ..PLAIN
};
const HASH_ONLY: Lexicon = Lexicon {
    line: &["#"],
    at_word: true,
    ..PLAIN
};
const MARKUP: Lexicon = Lexicon {
    block: Some(("<!--", "-->")),
    ..PLAIN
};

impl Language {
    /// The language of a path: by its name, then by its ending.
    pub fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        by_name(name).unwrap_or_else(|| match name.rsplit_once('.') {
            Some((_, ending)) => by_ending(&ending.to_ascii_lowercase()),
            None => Self::Unknown,
        })
    }

    /// The language of a script whose name says nothing, by the program that its first line names (`#!/usr/bin/env python3`).
    pub fn from_first_line(line: &str) -> Self {
        let Some(command) = line.strip_prefix("#!") else {
            return Self::Unknown;
        };
        let words = command.split([' ', '\t', '/']);
        let mut programs = words.filter(|word| !matches!(*word, "" | "usr" | "bin" | "env" | "-S"));
        let named = |word: &str| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            Some(match word {
                "python" | "pypy" => Self::Python,
                "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Self::Shell,
                "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => Self::Script,
                "ruby" => Self::Ruby,
                "php" => Self::Php,
                "lua" | "luajit" => Self::Lua,
                "pwsh" => Self::PowerShell,
                "make" => Self::Make,
                _ => return None,
            })
        };
        programs.find_map(named).unwrap_or(Self::Unknown)
    }

    /// How it writes comments and strings.
    pub fn lexicon(self) -> &'static Lexicon {
        match self {
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::Go => &GO,
            Self::Script => &SCRIPT,
            Self::Java => &JAVA,
            Self::Kotlin | Self::Swift | Self::Scala | Self::Dart => &NESTED,
            Self::CSharp | Self::C => &SLASHES,
            Self::Php => &PHP,
            Self::Ruby => &RUBY,
            Self::Shell => &SHELL,
            Self::PowerShell => &POWERSHELL,
            Self::Lua => &LUA,
            Self::Sql => &SQL,
            Self::Css => &CSS,
            Self::Yaml => &YAML,
            Self::Toml => &TOML,
            Self::Json => &JSON,
            Self::Ini => &INI,
            Self::Docker | Self::Make => &HASH_ONLY,
            Self::Markup | Self::Prose => &MARKUP,
            Self::Unknown => &PLAIN,
        }
    }

    /// Whether a path is that of a program in a language whose functions are not known here.
    pub fn is_unknown_code(path: &str) -> bool {
        const ENDINGS: [&str; 42] = [
            "adb", "asm", "bas", "clj", "cljs", "coffee", "cr", "d", "elm", "erl", "ex", "exs",
            "f", "f90", "fs", "hcl", "hs", "jl", "lisp", "ml", "mli", "nim", "pas", "pl", "pm",
            "pro", "purs", "r", "re", "scm", "sol", "tcl", "tf", "v", "vhd", "zig", "gql",
            "graphql", "prisma", "proto", "sql", "thrift",
        ];
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
            && matches!(Self::from_path(path), Self::Unknown | Self::Sql)
    }

    /// Whether it is a programming language: what tests are written for.
    pub fn is_code(self) -> bool {
        use Language::{
            C, CSharp, Dart, Go, Java, Kotlin, Lua, Php, Python, Ruby, Rust, Scala, Script, Swift,
        };
        matches!(
            self,
            Rust | Python
                | Go
                | Script
                | Java
                | Kotlin
                | CSharp
                | C
                | Swift
                | Scala
                | Dart
                | Php
                | Ruby
                | Lua
        )
    }
}

fn by_name(name: &str) -> Option<Language> {
    Some(match name {
        "Dockerfile" | "Containerfile" => Language::Docker,
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | "CMakeLists.txt" => {
            Language::Make
        }
        "Rakefile" | "Gemfile" | "Vagrantfile" => Language::Ruby,
        "LICENSE" | "COPYING" | "NOTICE" | "README" | "CHANGELOG" | "AUTHORS" => Language::Prose,
        ".bashrc" | ".zshrc" | ".profile" | ".envrc" => Language::Shell,
        ".gitattributes" | ".gitignore" | ".gitmodules" | ".npmrc" | ".editorconfig"
        | ".gitconfig" | "CODEOWNERS" => Language::Ini,
        _ if name.starts_with("Dockerfile.") => Language::Docker,
        _ if name == ".env" || name.starts_with(".env.") => Language::Ini,
        _ => return None,
    })
}

fn by_ending(ending: &str) -> Language {
    match ending {
        "rs" => Language::Rust,
        "py" | "pyi" | "pyx" | "pyw" => Language::Python,
        "go" => Language::Go,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
            Language::Script
        }
        "java" | "groovy" | "gradle" => Language::Java,
        "kt" | "kts" => Language::Kotlin,
        "cs" => Language::CSharp,
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "m" | "mm"
        | "inl" | "ipp" | "tpp" | "tcc" | "cppm" | "ixx" | "ino" | "cu" | "cuh" | "cl" => {
            Language::C
        }
        "swift" => Language::Swift,
        "scala" | "sc" => Language::Scala,
        "dart" => Language::Dart,
        "php" | "phtml" => Language::Php,
        "rb" | "rake" | "gemspec" | "ru" => Language::Ruby,
        "sh" | "bash" | "zsh" | "ksh" | "bats" => Language::Shell,
        "ps1" | "psm1" => Language::PowerShell,
        "lua" => Language::Lua,
        "sql" => Language::Sql,
        "css" | "scss" | "less" | "sass" => Language::Css,
        "yml" | "yaml" => Language::Yaml,
        "toml" => Language::Toml,
        "json" | "json5" | "jsonc" | "ipynb" => Language::Json,
        "ini" | "cfg" | "conf" | "properties" | "env" => Language::Ini,
        "dockerfile" => Language::Docker,
        "mk" | "mak" | "cmake" => Language::Make,
        "html" | "htm" | "xml" | "svg" | "xhtml" | "jinja" | "j2" | "hbs" | "ejs" => {
            Language::Markup
        }
        "md" | "markdown" | "mdx" | "rst" | "adoc" | "txt" | "tex" | "org" | "po" => {
            Language::Prose
        }
        _ => Language::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_come_from_names_and_endings() {
        assert_eq!(Language::from_path("src/a.tar.RS"), Language::Rust);
        assert_eq!(
            Language::from_path("docker/Dockerfile.dev"),
            Language::Docker
        );
        assert_eq!(Language::from_path("web/app.d.ts"), Language::Script);
        assert_eq!(Language::from_path("config/.env.local"), Language::Ini);
        assert_eq!(Language::from_path("bin/run"), Language::Unknown);
        for path in ["lib/A.pm", "a.ex", "main.tf", "a.R", "a.sql", "a.proto"] {
            assert!(Language::is_unknown_code(path), "{path}");
        }
        for path in ["a.rs", "a.cu", "LICENSE", "a.bin", "a.json", "a.md"] {
            assert!(!Language::is_unknown_code(path), "{path}");
        }
    }
}
