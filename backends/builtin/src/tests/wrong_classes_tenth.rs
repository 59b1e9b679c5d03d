//! The same for the tenth reading, each class beside its neighbours on which the rule still speaks.

use super::wrong_classes::{assert_silent, assert_speaks};

#[test]
fn self_comparison_knows_functions_between_operands() {
    for line in [
        "return (bits ushr code) and 1L == 1L",
        "fun b(x: Int) = (x shr 3) and 0x0F == 0x0F",
        "val same = (flags or mask) xor MASK == MASK",
        "return MASK == MASK and flags",
    ] {
        assert_silent(
            "self-comparison",
            &format!("=== src/A.kt\n class A {{\n+    {line}\n"),
        );
    }
    for line in [
        "return bits == bits",
        "if (code >= code) {",
        "return a == b && bits == bits",
        "assert(x == x)",
    ] {
        assert_speaks(
            "self-comparison",
            &format!("=== src/A.kt\n class A {{\n+    {line}\n"),
        );
    }
    assert_speaks(
        "self-comparison",
        "=== src/a.py\n def f(a, b):\n+    return b == b and a\n",
    );
}

const SERVER_ELSE: &str = "\
+    if (config.check_client_cert == TRUE) {
+        SSL_CTX_set_verify(CTX,
+                           SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
+                           NULL);
+    }
+    else {
+        SSL_CTX_set_verify(CTX, SSL_VERIFY_NONE, NULL);
+    }
";

#[test]
fn disabled_tls_knows_a_choice_between_two_branches() {
    for text in [
        SERVER_ELSE.to_owned(),
        "+    if (anonymous) {\n+        SSL_CTX_set_verify(CTX, SSL_VERIFY_NONE, NULL);\n+    } else {\n\
         +        SSL_CTX_set_verify(CTX, SSL_VERIFY_PEER, NULL);\n+    }\n"
            .to_owned(),
    ] {
        assert_silent("disabled-tls", &format!("=== src/a.c\n int f() {{\n{text}"));
    }
    for text in [
        "+    if (x) {\n+        g();\n+    }\n+    else {\n+        SSL_CTX_set_verify(CTX, SSL_VERIFY_NONE, NULL);\n+    }\n",
        "+    SSL_CTX_set_verify(CTX, SSL_VERIFY_PEER, NULL);\n+    SSL_CTX_set_verify(CTX, SSL_VERIFY_NONE, NULL);\n",
    ] {
        assert_speaks("disabled-tls", &format!("=== src/a.c\n int f() {{\n{text}"));
    }
}

#[test]
fn disabled_tls_knows_the_context_of_a_server() {
    let text = |method: &str| {
        format!(
            "=== src/a.c\n int f() {{\n     s->ctx = SSL_CTX_new({method}());\n+    SSL_CTX_set_verify(s->ctx, SSL_VERIFY_NONE, NULL);\n"
        )
    };
    for method in [
        "TLS_server_method",
        "TLSv1_2_server_method",
        "DTLS_server_method",
    ] {
        assert_silent("disabled-tls", &text(method));
    }
    for method in ["TLS_client_method", "TLS_method"] {
        assert_speaks("disabled-tls", &text(method));
    }
    assert_speaks(
        "disabled-tls",
        &text("TLS_server_method").replace("verify(s->ctx", "verify(c->ctx"),
    );
}

/// A file of Python tests from which some go and to which one comes.
fn merged(mark: &str, added: &str) -> String {
    let removed: String = ["http_proxy", "https_proxy", "socks_proxy"]
        .map(|name| {
            format!("-    def test_{name}(self):\n-        a = run('{name}')\n-        assert a\n-        assert a.body\n-        assert a.head\n-\n")
        })
        .concat();
    format!(
        "=== tests/test_a.py\n import a\n class TestA:\n{removed}{mark}+    def test_{added}(self, kind):\n+        assert run(kind)\n \
         def test_z():\n     pass\n"
    )
}

#[test]
fn deleted_test_knows_tests_that_became_cases_of_one() {
    let mark = "+    @pytest.mark.parametrize('kind', KINDS)\n";
    assert_silent("deleted-test", &merged(mark, "proxy"));
    // Not one of them, or nothing that runs several times.
    assert_speaks("deleted-test", &merged(mark, "cookies"));
    assert_speaks("deleted-test", &merged("", "proxy"));
}

#[test]
fn deleted_test_knows_a_longer_name_in_a_class_of_junit_3() {
    let text = |class: &str, name: &str| {
        format!(
            "=== src/test/java/a/MissingTest.java deleted\n-@Test\n-public void testFindValues() {{\n-    f(1);\n-    f(2);\n\
             -    f(3);\n-    f(4);\n-    f(5);\n-}}\n=== src/test/java/a/FindTest.java\n class FindTest extends {class} {{\n\
             +    public void {name}() {{\n+        f(1);\n+    }}\n }}\n"
        )
    };
    assert_silent("deleted-test", &text("BaseMapTest", "testFindValues4229"));
    assert_speaks("deleted-test", &text("BaseMapTest", "helper"));
}

#[test]
fn code_without_test_knows_examples_that_the_tests_run() {
    let code: String = (0..45)
        .map(|n| format!("+    let value_{n} = compute_{n}(input);\n"))
        .collect();
    let file = |example: &str, call: &str| {
        format!(
            "=== src/join.rs\n fn examples() {{\n{example} }}\n fn run() {{\n{code} }}\n #[cfg(test)]\n mod test {{\n     #[test]\n     \
             fn holds() {{\n         {call}(Join)\n     }}\n }}\n"
        )
    };
    let example = "+    Example {\n+        result: Some(1),\n+    },\n";
    assert_silent("code-without-test", &file(example, "test_examples"));
    assert_speaks("code-without-test", &file("", "test_examples"));
    assert_speaks("code-without-test", &file(example, "check"));
}

#[test]
fn duplicated_block_knows_a_table_of_literals() {
    let rows: String = (0..60)
        .map(|n| format!("+    QuickRefItem {{\n+        syntax: \"\\\\{n}\",\n+        text: \"the {n}th\",\n+    }},\n"))
        .collect();
    assert_silent(
        "duplicated-block",
        &format!("=== src/a.rs\n static A: &[B] = &[\n{rows}"),
    );
    let block: String = (0..24)
        .map(|n| format!("+    let value_{n} = compute_{n}(input);\n"))
        .collect();
    assert_speaks(
        "duplicated-block",
        &format!("=== src/a.rs\n+fn a() {{\n{block}+}}\n+fn b() {{\n{block}+}}\n"),
    );
}
