//! Who has a key that is put together from the same fixed parts as one that a change gives up.

use super::read_settings::brief;

/// Who has such a key: KEY is what stands in quotes, with ID for the value.
const USERS: [(&str, &str, &str); 9] = [
    (
        "app/users.py",
        "def get(cache, uid):\n    key = f\"KEY\"\n    return cache.get(key, READ)\n",
        "{uid}",
    ),
    (
        "app/drop.py",
        "def drop(cache, uid):\n    cache.delete(\"KEY\" % (uid, READ))\n",
        "%s",
    ),
    (
        "web/keys.ts",
        "export const drop = (c, id) => {\n  c.del(`KEY`, READ);\n};\n",
        "${id}",
    ),
    (
        "web/sum.js",
        "exports.drop = (c, id) => {\n  c.del('KEY', READ);\n};\n",
        "' + id + '",
    ),
    (
        "lib/keys.rb",
        "class Keys\n  def drop(id)\n    cache.delete(\"KEY\", READ)\n  end\nend\n",
        "#{id}",
    ),
    (
        "src/Keys.php",
        "<?php\nclass Keys\n{\n    public function drop($id)\n    {\n        return $this->c->del('KEY', READ);\n    }\n}\n",
        "' . $id . '",
    ),
    (
        "keys/keys.go",
        "package keys\n\nfunc Drop(c *Cache, id int) {\n\tc.Del(fmt.Sprintf(\"KEY\", id), READ)\n}\n",
        "%d",
    ),
    (
        "a/Keys.java",
        "package a;\n\nclass Keys {\n    void drop(long id) {\n        c.del(String.format(\"KEY\", id), READ);\n    }\n}\n",
        "%d",
    ),
    (
        "a/Keys.kt",
        "package a\n\nclass Keys(val c: Cache) {\n    fun drop(id: Int) {\n        c.del(\"KEY\", READ)\n    }\n}\n",
        "$id",
    ),
];

fn text_of(user: usize, key: &str, read: &str) -> (String, String) {
    let (file, text, value) = USERS[user];
    let text = text.replace("KEY", &key.replace("ID", value));
    (file.to_owned(), text.replace("READ", read))
}

/// Law: in whatever language a key is given up, whoever has it in any other is shown, and nobody who has another one.
#[test]
fn who_has_a_key_with_the_same_fixed_parts_is_shown() {
    let others = ["user:ID", "user:ID:carts", "avatars/ID.jpg", "user:cart"];
    for (changed, (home, ..)) in USERS.iter().enumerate() {
        for key in ["user:ID:cart", "avatars/ID.png"] {
            let users = (0..USERS.len()).filter(|user| *user != changed);
            let users: Vec<usize> = users.collect();
            let mut files: Vec<_> = users
                .iter()
                .map(|user| text_of(*user, key, &format!("reading{user}")))
                .collect();
            for (at, other) in others.iter().enumerate() {
                files.extend(users.iter().map(|user| {
                    let (file, text) = text_of(*user, other, "ANOTHER");
                    (format!("other{at}/{file}"), text)
                }));
            }
            let sides = [key, "moreID"].map(|key| text_of(changed, key, "1").1);
            let found = brief(home, sides.each_ref().map(String::as_str), &files);
            for user in users {
                let file = USERS[user].0;
                assert!(
                    found.contains(&format!("reading{user}")),
                    "{key} {home}: {file}"
                );
            }
            assert!(!found.contains("ANOTHER"), "{key} {home}: {found}");
        }
    }
}

/// A key that another line of the change has is not given up, and a sentence is no key.
#[test]
fn who_has_a_key_that_stays_or_says_the_same_sentence_is_not_shown() {
    let code = |first: &str, second: &str| {
        format!(
            "def get(c, uid):\n    a = f\"{first}\"\n    b = f\"{second}\"\n    return c.get(a, b)\n"
        )
    };
    let reader = |key: &str| {
        [(
            "app/b.py".to_owned(),
            format!("def drop(c, n):\n    c.delete(f\"{key}\", READ)\n"),
        )]
    };
    for [first, second] in [["user:{uid}", "more"], ["user {uid} left", "more"]] {
        let sides = [code(first, second), code(second, first)];
        let sides = sides.each_ref().map(String::as_str);
        let found = brief("app/a.py", sides, &reader(&first.replace("uid", "n")));
        assert!(!found.contains("READ"), "{found}");
    }
}
