#!/usr/bin/env python3
"""Holds the outline against real parsers (tree-sitter, and Python's own) over checked-out repositories.

    pip install tree-sitter tree-sitter-{python,javascript,typescript,go,rust,java,c}
    cargo build --release -p council-syntax --example outline
    python3 syntax/oracle.py target/release/examples/outline REPOSITORY…

Each folder is a repository. A function counts as found when its name's line and its last line are those that the parser
says. Files that the parser itself cannot read without an error are left out, and told apart: of these the functions in which it
finds none. Prints, for each language, how many functions were found and missed, how many of ours the parser does not know, and
the least share of a repository that has at least 40 of them; the exit code is 1 where five repositories do not reach 99 %.
SHOW=20 shows twenty of what is missed or unknown.
"""
import ast
import collections
import json
import os
import subprocess
import sys

import tree_sitter
import tree_sitter_c
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript

GRAMMARS = {
    "py": ("Python", tree_sitter_python.language),
    "js": ("JavaScript", tree_sitter_javascript.language), "mjs": ("JavaScript", tree_sitter_javascript.language),
    "ts": ("TypeScript", tree_sitter_typescript.language_typescript), "tsx": ("TypeScript", tree_sitter_typescript.language_tsx),
    "go": ("Go", tree_sitter_go.language), "rs": ("Rust", tree_sitter_rust.language),
    "java": ("Java", tree_sitter_java.language), "c": ("C", tree_sitter_c.language),
}
FUNCTIONS = {"function_definition", "function_item", "function_declaration", "method_declaration", "method_definition",
             "constructor_declaration", "function_expression", "generator_function_declaration", "generator_function", "arrow_function"}
PARSERS = {}


def parser(ending):
    if ending not in PARSERS:
        PARSERS[ending] = tree_sitter.Parser(tree_sitter.Language(GRAMMARS[ending][1]()))
    return PARSERS[ending]


def head_line(node, language):
    """The line of the keyword or name that we call the head."""
    if language in ("C", "Java"):
        inner = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        while inner is not None and inner.type not in ("identifier", "field_identifier"):
            inner = inner.child_by_field_name("declarator") or next((c for c in inner.children if c.is_named), None)
        return (inner or node).start_point[0] + 1
    if language in ("JavaScript", "TypeScript") and node.type == "method_definition":
        return node.child_by_field_name("name").start_point[0] + 1
    if language == "Rust":
        return next(c for c in node.children if c.type == "fn").start_point[0] + 1
    return node.start_point[0] + 1


def expected(path, ending):
    language = GRAMMARS[ending][0]
    text = open(path, "rb").read()
    if language == "Python":
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return None
        return [(n.lineno, n.end_lineno) for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))], False
    root = parser(ending).parse(text).root_node
    found, todo = [], [root]
    while todo:
        node = todo.pop()
        todo.extend(child for child in node.children if not child.is_error)
        body = node.child_by_field_name("body")
        if node.type in FUNCTIONS and body is not None and body.type in ("block", "statement_block", "compound_statement", "constructor_body") and not node.has_error:
            # A function literal inside an expression of Go is no function that anybody names.
            found.append((head_line(node, language), node.end_point[0] + 1))
    return found, root.has_error


GOAL, REPOSITORIES, ENOUGH = 0.99, 5, 40


def share(row):
    return row["found"] / max(1, row["found"] + row["missed"])


def main(program, folders):
    files = []
    for folder in folders:
        for where, inner, names in os.walk(folder):
            inner[:] = [d for d in inner if d not in (".git", "node_modules", "vendor", "third_party", "testdata", "fixtures")]
            for name in names:
                ending = name.rsplit(".", 1)[-1]
                path = os.path.join(where, name)
                if ending in GRAMMARS and not name.endswith((".min.js", ".d.ts")) and os.path.getsize(path) < 1 << 20:
                    files.append((path, ending, folder))
    lines = subprocess.run([program], input="\n".join(f for f, _, _ in files), capture_output=True, text=True, check=True).stdout.splitlines()
    table = collections.defaultdict(collections.Counter)
    each = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    show = int(os.environ.get("SHOW", 0))
    for (path, ending, folder), line in zip(files, lines, strict=True):
        language = GRAMMARS[ending][0]
        row = table[language]
        truth, has_error = expected(path, ending) or (None, True)
        if has_error:
            row["unreadable"] += 1
        if truth is None:
            continue
        ours, truth = collections.Counter(map(tuple, json.loads(line))), collections.Counter(truth)
        hits = sum((ours & truth).values())
        if has_error:
            row.update(found_beside=hits, missed_beside=sum(truth.values()) - hits)
            continue
        counted = collections.Counter(found=hits, missed=sum(truth.values()) - hits, unknown=sum(ours.values()) - hits, files=1)
        row.update(counted)
        # One language has two grammars.
        group = "JavaScript" if language == "TypeScript" else language
        each[group][folder].update(counted)
        for what, spans in (("missed", truth - ours), ("unknown", ours - truth)):
            for span in spans:
                if show and row["shown " + what] < show:
                    row["shown " + what] += 1
                    print(what, f"{path}:{span[0]}-{span[1]}")
    print(f"{'language':12} {'files':>6} {'found':>7} {'missed':>7} {'share':>7} {'unknown':>8} {'unreadable':>11}  of these found, missed")
    for language, row in sorted(table.items()):
        beside = f"{row['found_beside']}, {row['missed_beside']}"
        print(f"{language:12} {row['files']:6} {row['found']:7} {row['missed']:7} {share(row):7.2%} {row['unknown']:8} {row['unreadable']:11}  {beside}")
    failed = False
    for group, folders in sorted(each.items()):
        large = {folder: row for folder, row in folders.items() if row["found"] + row["missed"] >= ENOUGH}
        good = sum(share(row) >= GOAL for row in large.values())
        least = min(large, key=lambda folder: share(large[folder]), default=None)
        failed |= good < REPOSITORIES
        worst = f", least {share(large[least]):.2%} in {os.path.basename(least.rstrip('/'))}" if least else ""
        print(f"{group}: {good} of {len(large)} repositories reach {GOAL:.0%}{worst}")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
