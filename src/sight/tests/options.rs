//! Who gives an option to a program on its command line.

use proptest::prelude::*;

use super::read_settings::brief;

/// Programs with the option OPTION; FIELD is its name as code spells it.
const PROGRAMS: [(&str, &str); 6] = [
    (
        "cli.py",
        "import argparse\n\np = argparse.ArgumentParser()\np.add_argument(\"--OPTION\", default=\"out\")\nprint(p.parse_args().FIELD)\n",
    ),
    (
        "cli.py",
        "import click\n\n\n@click.command()\n@click.option(\"--OPTION\", \"-o\")\ndef main(FIELD):\n    click.echo(FIELD)\n",
    ),
    (
        "main.go",
        "package main\n\nimport \"flag\"\n\nvar out = flag.String(\"OPTION\", \"out\", \"where to write\")\n\nfunc main() { flag.Parse(); println(*out) }\n",
    ),
    (
        "src/main.rs",
        "use clap::Parser;\n\n#[derive(Parser)]\nstruct Args {\n    /// Where to write.\n    #[arg(short, long)]\n    FIELD: String,\n}\n",
    ),
    (
        "src/main.rs",
        "use clap::Parser;\n\n#[derive(Parser)]\nstruct Args {\n    #[arg(long = \"OPTION\")]\n    place: String,\n}\n",
    ),
    (
        "cli.js",
        "const { program } = require(\"commander\");\n\nprogram.option(\"-o, --OPTION <dir>\", \"where to write\");\n",
    ),
];

const GIVERS: [(&str, &str); 6] = [
    ("Makefile", "build:\n\tpython cli.py --OPTION dist\n"),
    (
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  b:\n    runs-on: x\n    steps:\n      - run: python cli.py --OPTION dist\n",
    ),
    (
        "Dockerfile",
        "FROM x\nCMD [\"python\", \"cli.py\", \"--OPTION\", \"/data\"]\n",
    ),
    ("scripts/build.sh", "#!/bin/sh\n./a -OPTION=dist\n"),
    (
        "package.json",
        "{\n  \"scripts\": {\n    \"build\": \"node cli.js --OPTION dist\"\n  }\n}\n",
    ),
    (
        "deploy/run.py",
        "import subprocess\n\n\ndef run():\n    subprocess.run([\"a\", \"--OPTION\", \"x\"])\n",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: whatever library reads an option and whatever it is called, who gives it is shown where it is renamed.
    #[test]
    fn who_gives_a_renamed_option_is_shown(first in "[a-z]{3,6}", second in "[a-z]{3,6}") {
        let option = format!("{first}-{second}");
        let named = |text: &str, option: &str| {
            text.replace("OPTION", option).replace("FIELD", &option.replace('-', "_"))
        };
        for (path, program) in PROGRAMS {
            let files = GIVERS.map(|(path, text)| (path.to_owned(), named(text, &option)));
            let sides = [named(program, &option), named(program, "other-name")];
            let told = brief(path, sides.each_ref().map(String::as_str), &files);
            for (giver, _) in GIVERS {
                prop_assert!(told.contains(&format!("=== {giver}:")), "{} {}: {}", path, giver, told);
            }
        }
    }
}

/// An option that stays has no givers to see, nor has one that only is a part of another, or another program's.
#[test]
fn other_options_are_not_shown() {
    let program = PROGRAMS[0].1;
    for (before, now, given) in [
        ("out-dir", "out-dir", "--out-dir"),
        ("out-dir", "other", "--out-dir-mode"),
        ("out-dir", "other", "--no-out-dir"),
        ("verbose", "other", "--verbose"),
    ] {
        let files = [(
            "scripts/build.sh".to_owned(),
            format!("#!/bin/sh\ntool {given} dist\n"),
        )];
        let sides = [before, now].map(|option| program.replace("OPTION", option));
        let sides = [sides[0].clone(), sides[1].replace("print", "show")];
        let told = brief("cli.py", sides.each_ref().map(String::as_str), &files);
        assert!(!told.contains("=== scripts/build.sh"), "{given}: {told}");
    }
}

/// A command of Django is called by the name of its file: beside it an option of a single word tells, and a keyword.
#[test]
fn who_calls_a_program_with_a_renamed_option_is_shown() {
    let program = "class Command(BaseCommand):\n    def add_arguments(self, parser):\n        \
                   parser.add_argument(\"--OPTION\", default=\"1d\")\n";
    let home = "shop/management/commands/sync_orders.py";
    for option in ["since", "from-day"] {
        let call = |program: &str| {
            let keyword = option.replace('-', "_");
            format!("def nightly():\n    call_command(\"{program}\", {keyword}=\"2d\")\n")
        };
        let files = [
            (
                "crontab",
                format!("0 3 * * * python manage.py sync_orders --{option} 7d\n"),
            ),
            ("shop/cron.py", call("sync_orders")),
            ("shop/other.py", call("send_mails")),
        ];
        let files = files.map(|(file, text)| (file.to_owned(), text));
        let sides = [option, "days"].map(|option| program.replace("OPTION", option));
        let told = brief(home, sides.each_ref().map(String::as_str), &files);
        for (file, is_shown) in [
            ("crontab", true),
            ("shop/cron.py", true),
            ("shop/other.py", false),
        ] {
            let is_it = told.contains(&format!("=== {file}:"));
            assert_eq!(is_it, is_shown, "{option} {file}: {told}");
        }
    }
}
