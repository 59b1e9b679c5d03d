#!/usr/bin/env bash
# record.sh PROGRAM: records the council of `git council demo` anew: the program reviews a small change with three models
# that models.py serves, and its journal, plan and packet are put into src/run/demo/.
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$(mktemp -d)
python3 "$root/tests/demo/models.py" &
models=$!
trap 'kill $models; rm -rf "$here"' EXIT
export HOME="$here/home" OPENAI_API_KEY=none GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.com GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.com
mkdir -p "$HOME/.config/git-council" "$here/shop/tests"
cat >"$HOME/.config/git-council/config.toml" <<'END'
[review]
agents = ["model-a", "model-b", "model-c"]
perspectives = ["security", "correctness", "tests"]
judges = 3
debate = "force"
[limits]
cost = 1

[agents.model-a]
driver = "http"
api = "chat"
url = "http://127.0.0.1:11434/v1"
model = "model-a"
vendor = "vendor-a"

[prices.model-a]
input = 3
output = 15

[agents.model-b]
driver = "http"
api = "chat"
url = "http://127.0.0.1:11434/v1"
model = "model-b"
vendor = "vendor-b"

[prices.model-b]
input = 3
output = 15

[agents.model-c]
driver = "http"
api = "chat"
url = "http://127.0.0.1:11434/v1"
model = "model-c"
vendor = "vendor-c"

[prices.model-c]
input = 3
output = 15
END
cd "$here/shop"
git init -q -b main .
cat >refunds.py <<'END'
"""Refunds: looked up by order, paid out once."""

import sqlite3


def open_db(path):
    return sqlite3.connect(path)


def refund_of(db, order):
    row = db.execute("select amount, paid from refunds where order_id = ?", (order,)).fetchone()
    if row is None:
        raise KeyError(order)
    return row


def pay(db, gateway, order):
    amount, paid = refund_of(db, order)
    if paid:
        return False
    gateway.transfer(order, amount)
    db.execute("update refunds set paid = 1 where order_id = ?", (order,))
    db.commit()
    return True
END
cat >tests/test_refunds.py <<'END'
from refunds import pay


def test_a_refund_is_paid_once(db, gateway):
    assert pay(db, gateway, "A-1")
    assert not pay(db, gateway, "A-1")
END
git add .
git commit -q -m "Pay refunds once"
git checkout -q -b search
cat >refunds.py <<'END'
"""Refunds: looked up by order, paid out once."""

import sqlite3


def open_db(path):
    return sqlite3.connect(path)


def refund_of(db, order):
    row = db.execute("select amount, paid from refunds where order_id = ?", (order,)).fetchone()
    if row is None:
        raise KeyError(order)
    return row


def search(db, text, column="order_id"):
    """Refunds whose column contains the text, latest first."""
    query = f"select order_id, amount from refunds where {column} like '%{text}%' order by rowid desc"
    return db.execute(query).fetchall()


def pay(db, gateway, order):
    amount, paid = refund_of(db, order)
    if paid:
        return False
    db.execute("update refunds set paid = 1 where order_id = ?", (order,))
    db.commit()
    gateway.transfer(order, amount)
    return True
END
git commit -q -a -m "Search refunds by any column"
sleep 1
"$program" review main..search --fresh || true
cp .git/council/runs/*/{journal.jsonl,plan.json,packet.json} "$root/src/run/demo/"
