#!/usr/bin/env python3
"""The real tools as judges: each over a small repository with one clean commit, one with a defect, and one that breaks the tool.

    python3 tests/tools/run.py PROGRAM [TOOL…]

PROGRAM is the git-council to be tested. Installs the pinned tools of `requirements.txt` and `package.json` into `target/tools`
(the one step that needs a package registry). Clippy comes with Rust; gitleaks and golangci-lint are in no registry that is
asked here, and are left out where they are not installed. A clean commit must PASS, a defect must be found where it stands,
and a tool that cannot read its configuration must abstain. Ends with 1 when a case fails.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = pathlib.Path(os.environ.get("COUNCIL_TOOLS", ROOT / "target" / "tools")) / "judges"

WORKFLOW = """\
name: ci
on: push
permissions: {}
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - run: echo "%s"
"""

TSCONFIG = '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "types": [] }, "include": ["*.ts"] }\n'

RULES = """\
rules:
  - id: no-eval
    languages: [python]
    severity: ERROR
    message: Do not evaluate input.
    pattern: eval(...)
"""

GO_MOD = "module example.com/m\n\ngo 1.22\n"
CARGO = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'

# What a token looks like, written so that no scanner finds one here.
TOKEN = "gh" + "p_" + "w8Jq2LrT5vXz1NcB7mKd4PfH9sGaYe3UoRiQ"

# Of each tool: the base, a clean change, a change with a defect, the line of the defect, what breaks the tool (none: nothing
# that it would fail on), what it cannot read (`unread`), and whether it runs code of the change (`leave`).
CASES = {
    "ruff": {
        "base": {"a.py": "import os\nprint(os.name)\n", "ruff.toml": "line-length = 100\n"},
        "clean": {"a.py": "import os\n\nprint(os.name)\n"},
        "defect": {"a.py": "import os\n\nprint(os.name, missing)\n"},
        "place": "a.py:3",
        "broken": {"ruff.toml": "no-such-key = 1\n"},
    },
    "mypy": {
        "base": {"a.py": "def f(n: int) -> int:\n    return n\n"},
        "clean": {"a.py": "def f(n: int) -> int:\n    return n + 1\n"},
        "defect": {"a.py": "def f(n: int) -> int:\n    return n + 1\n\n\nf('x')\n"},
        "place": "a.py:5",
        # A file that cannot be parsed is a finding of mypy's.
        "broken": None,
    },
    "bandit": {
        "base": {"a.py": "import subprocess\n"},
        "clean": {"a.py": "n = 1\n"},
        "defect": {"a.py": "n = 1\neval(input())\n"},
        "place": "a.py:2",
        "broken": None,
        "unread": {"a.py": "def f(:\n"},
    },
    "eslint": {
        "base": {"a.js": "export const n = 1;\n",
                 "eslint.config.mjs": "export default [{ ignores: ['legacy/**'] }, "
                                      "{ rules: { 'no-undef': 'error' } }];\n"},
        "clean": {"a.js": "export const n = 2;\n"},
        "defect": {"a.js": "export const n = 2;\nmissing(n);\n"},
        "place": "a.js:2",
        "broken": {"eslint.config.mjs": "export default [{ rules: { 'no-such-rule': 'error' } }];\n"},
        # A file that its configuration ignores.
        "unread": {"legacy/a.js": "missing(1);\n"},
        "leave": True,
    },
    "tsc": {
        "base": {"a.ts": "export const n: number = 1;\n", "tsconfig.json": TSCONFIG},
        "clean": {"a.ts": "export const n: number = 2;\n"},
        "defect": {"a.ts": "export const n: number = 2;\nexport const s: string = n;\n"},
        "place": "a.ts:2",
        "broken": {"tsconfig.json": "{ \"compilerOptions\": { \"noSuchOption\": true } }\n"},
    },
    "clippy": {
        "base": {"Cargo.toml": CARGO, "Cargo.lock": '# generated\nversion = 3\n\n[[package]]\nname = "m"\nversion = "0.1.0"\n',
                 "src/lib.rs": "//! M.\n"},
        "clean": {"src/lib.rs": "//! M.\n\n/// One.\npub fn one() -> u8 {\n    1\n}\n"},
        "defect": {"src/lib.rs": "//! M.\n\n/// One.\npub fn one() -> u8 {\n    return 1;\n}\n"},
        "place": "src/lib.rs:5",
        "broken": {"Cargo.toml": CARGO + "no-such = [\n"},
        "leave": True,
    },
    "golangci-lint": {
        "base": {"go.mod": GO_MOD, "a.go": "package m\n"},
        "clean": {"a.go": "package m\n\n// One is one.\nfunc One() int { return 1 }\n"},
        "defect": {"a.go": "package m\n\nimport \"os\"\n\n// One is one.\nfunc One() int {\n\tos.Remove(\"x\")\n\treturn 1\n}\n"},
        "place": "a.go:7",
        "broken": {"a.go": "package m\n\nfunc {\n"},
    },
    "shellcheck": {
        "base": {"a.sh": "#!/bin/sh\necho hello\n"},
        "clean": {"a.sh": "#!/bin/sh\necho hello you\n"},
        "defect": {"a.sh": "#!/bin/sh\necho hello you\nrm -r $1/*\n"},
        "place": "a.sh:3",
        "broken": None,
    },
    "hadolint": {
        "base": {"Dockerfile": "FROM debian:12.5\n"},
        "clean": {"Dockerfile": "FROM debian:12.6\n"},
        "defect": {"Dockerfile": "FROM debian:latest\n"},
        "place": "Dockerfile:1",
        # It says that it cannot read its configuration, goes on without it, and ends with 0.
        "broken": None,
    },
    "actionlint": {
        "base": {".github/workflows/ci.yml": WORKFLOW % "hello"},
        "clean": {".github/workflows/ci.yml": WORKFLOW % "hello you"},
        "defect": {".github/workflows/ci.yml": WORKFLOW % "${{ github.no_such_thing }}"},
        "place": ".github/workflows/ci.yml:8",
        "broken": {".github/actionlint.yaml": "no-such: [\n"},
    },
    "zizmor": {
        "base": {".github/workflows/ci.yml": WORKFLOW % "hello"},
        "clean": {".github/workflows/ci.yml": WORKFLOW % "hello you"},
        "defect": {".github/workflows/ci.yml": WORKFLOW % "${{ github.event.issue.title }}"},
        "place": ".github/workflows/ci.yml:8",
        "broken": {"zizmor.yml": "rules: [\n"},
    },
    "semgrep": {
        "base": {".semgrep.yml": RULES, "a.py": "n = 1\n"},
        "clean": {"a.py": "n = 2\n"},
        "defect": {"a.py": "n = 2\neval(input())\n"},
        "place": "a.py:2",
        "broken": {".semgrep.yml": "rules:\n  - id: no-pattern\n    languages: [python]\n    severity: ERROR\n    message: x\n"},
    },
    "gitleaks": {
        "base": {"a.py": "n = 1\n"},
        "clean": {"a.py": "n = 2\n"},
        "defect": {"a.py": "n = 2\ntoken = '%s'\n" % TOKEN},
        "place": "a.py:2",
        "broken": {".gitleaks.toml": "no = [\n"},
    },
    "typos": {
        "base": {"a.md": "Hello.\n"},
        "clean": {"a.md": "Hello you.\n"},
        "defect": {"a.md": "Hello you.\nThe langauge is plain.\n"},
        "place": "a.md:2",
        "broken": {"typos.toml": "[default\n"},
    },
}

# What a tool counts at most.
NOTES = {"typos"}


def install():
    """The pinned tools, once for each list of versions."""
    wanted = (HERE / "requirements.txt").read_text() + (HERE / "package.json").read_text()
    done = TOOLS / "installed"
    if done.exists() and done.read_text() == wanted:
        return
    shutil.rmtree(TOOLS, ignore_errors=True)
    TOOLS.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", TOOLS / "venv"], check=True)
    subprocess.run([TOOLS / "venv" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check",
                    "--only-binary", ":all:", "--requirement", HERE / "requirements.txt"], check=True)
    shutil.copy(HERE / "package.json", TOOLS)
    subprocess.run(["npm", "install", "--prefix", TOOLS, "--silent", "--ignore-scripts", "--no-audit", "--no-fund"],
                   check=True)
    done.write_text(wanted)


def git(folder, *args):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def commit(folder, files, words):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", words)


class Case:
    """A repository and a home for one tool."""

    def __init__(self, program, tool, work):
        self.program, self.tool, self.work = program, tool, work / tool
        self.home = work / (tool + "-home")
        self.work.mkdir()
        config = self.home / ".config" / "git-council"
        config.mkdir(parents=True)
        leave = "[agents.%s]\nallow-code = true\n" % tool if CASES[tool].get("leave") else ""
        (config / "config.toml").write_text(leave)
        git(self.work, "init", "--quiet", "--initial-branch=main")
        commit(self.work, {"README": "A project\n"}, "Start")
        commit(self.work, CASES[tool]["base"], "Base")

    def review(self):
        path = [TOOLS / "venv" / "bin", TOOLS / "node_modules" / ".bin", *os.environ["PATH"].split(":")]
        env = {"HOME": str(self.home), "PATH": ":".join(map(str, path)), "LANG": "C.UTF-8",
               "CARGO_HOME": os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo")),
               "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))}
        command = [self.program, "review", "HEAD", "--agents", self.tool, "--judges", "1", "--quorum", "1", "--json",
                   "--fresh"]
        done = subprocess.run(command, cwd=self.work, env=env, capture_output=True, text=True, timeout=600)
        try:
            return done.returncode, json.loads(done.stdout), done.stderr
        except ValueError:
            return done.returncode, {}, done.stderr + done.stdout


def places(report):
    found = [one["finding"]["location"] for one in report.get("findings", [])]
    return ["%s:%s" % (place["path"], place["line"]) for place in found]


def said(report, errors):
    return json.dumps(report.get("judges", []))[:1500] + errors[-400:]


def play(program, tool, work):
    """What is wrong, in words."""
    case, wrong = Case(program, tool, work), []
    texts = CASES[tool]

    def expect(what, is_right, report, errors, code):
        if not is_right:
            wrong.append("%s: exit %s, %s, %s; %s" % (what, code, report.get("verdict"), places(report), said(report, errors)))

    commit(case.work, texts["clean"], "Clean")
    code, report, errors = case.review()
    expect("clean", code == 0 and report.get("verdict") == "PASS" and not places(report), report, errors, code)
    commit(case.work, texts["defect"], "Defect")
    code, report, errors = case.review()
    verdict = "PASS" if tool in NOTES else "WARN"
    expect("defect", code == 0 and report.get("verdict") == verdict and set(places(report)) == {texts["place"]}, report, errors, code)
    if texts["broken"]:
        # What breaks the tool comes with the base; then a change that the tool would have to look at.
        commit(case.work, texts["broken"], "Broken")
        others = sorted(set(texts["clean"]) - set(texts["broken"]))
        if others:
            commit(case.work, {others[0]: texts["clean"][others[0]]}, "Next")
        code, report, errors = case.review()
        expect("broken", code == 3 and report.get("verdict") == "INCONCLUSIVE", report, errors, code)
    if "unread" in texts:
        commit(case.work, texts["unread"], "Unread")
        code, report, errors = case.review()
        expect("unread", code == 0 and report.get("verdict") == "WARN", report, errors, code)
    return wrong


def main():
    program = os.path.abspath(sys.argv[1])
    install()
    asked = sys.argv[2:] or list(CASES)
    failed = False
    with tempfile.TemporaryDirectory(prefix="tools-") as work:
        for tool in asked:
            command = {"clippy": "cargo"}.get(tool, tool)
            path = "%s:%s:%s" % (TOOLS / "venv" / "bin", TOOLS / "node_modules" / ".bin", os.environ["PATH"])
            if not shutil.which(command, path=path):
                print("%-14s not installed" % tool, flush=True)
                continue
            wrong = play(program, tool, pathlib.Path(work))
            print("%-14s %s" % (tool, "ok" if not wrong else "WRONG"), flush=True)
            for one in wrong:
                print("    " + one, flush=True)
            failed |= bool(wrong)
    sys.exit(1 if failed else 0)


main()
