//! Laws of values that calls are given beside what names them.

use proptest::prelude::*;

use crate::Redactor;
use crate::plausible::is_placeholder;

/// Calls with `@` for the name and `~` for the value.
const FORMS: [&str; 62] = [
    "page.fill(\"#@\", \"~\")",
    "await page.fill('input[name=\"@\"]', '~');",
    "await page.locator('#@').fill('~');",
    "await page.getByLabel(\"@\").fill(\"~\")",
    "await page.getByRole('textbox', { name: '@' }).fill('~');",
    "page.type(\"#@\", \"~\")",
    "driver.findElement(By.id(\"@\")).sendKeys(\"~\");",
    "driver.findElement(By.cssSelector(\"input[name='@']\")).sendKeys(\"~\");",
    "driver.find_element(By.NAME, \"@\").send_keys(\"~\")",
    "browser.find_element_by_id('@').send_keys('~')",
    "self.@.send_keys(\"~\")",
    "$('#@').val('~');",
    "$(\"input[name=@]\").val(\"~\")",
    "document.getElementById(\"@\").value = \"~\";",
    "document.querySelector('#@').value = '~'",
    "wrapper.find('input[name=\"@\"]').setValue('~')",
    "form.get('@').setValue('~')",
    "find(\"#@\").set(\"~\")",
    "cy.get('#@').type('~')",
    "cy.get('[data-cy=@]').clear().type('~')",
    "fireEvent.change(getByLabelText(\"@\"), {target: {value: \"~\"}})",
    "fireEvent.change(screen.getByLabelText(/@/i), { target: { value: '~' } });",
    "user.type(screen.getByLabelText(/@/i), \"~\")",
    "await userEvent.type(screen.getByLabelText('@'), '~');",
    "await tester.enterText(find.byKey(Key('@')), '~');",
    "fill_in \"@\", with: \"~\"",
    "fill_in(\"@\", :with => '~')",
    "I.fillField('@', '~');",
    "$I->fillField('@', '~');",
    "mockMvc.perform(post(\"/login\").param(\"user\", \"bob\").param(\"@\", \"~\"))",
    "request.queryParam(\"@\", \"~\")",
    "formData.append(\"@\", \"~\");",
    "request(app).post('/u').field('@', '~')",
    "form.Set(\"@\", \"~\")",
    "data.Add(\"@\", \"~\")",
    "System.setProperty(\"@\", \"~\");",
    "props.setProperty(\"db.@\", \"~\");",
    "config.put(\"@\", \"~\");",
    "config.set('db', '@', '~')",
    "viper.SetDefault(\"db.@\", \"~\")",
    "m.insert(\"@\".to_string(), \"~\".to_string());",
    "new BasicNameValuePair(\"@\", \"~\")",
    "Map.of(\"user\", \"bob\", \"@\", \"~\")",
    "Map.entry(\"@\", \"~\")",
    "intent.putExtra(\"@\", \"~\")",
    "editor.putString(\"@\", \"~\")",
    "localStorage.setItem(\"@\", \"~\")",
    "os.environ.setdefault(\"@\", \"~\")",
    "monkeypatch.setenv(\"@\", \"~\")",
    "t.Setenv(\"@\", \"~\")",
    "Environment.SetEnvironmentVariable(\"@\", \"~\");",
    "env::set_var(\"@\", \"~\");",
    "container.withEnv(\"@\", \"~\")",
    "cmd.env(\"@\", \"~\")",
    "vi.stubEnv('@', '~')",
    "System.put_env(\"@\", \"~\")",
    "Application.put_env(:app, :@, \"~\")",
    "stub_const(\"@\", \"~\")",
    "headers.set(\"x-@\", \"~\")",
    "req.Header.Set(\"X-@\", \"~\")",
    "conn.setRequestProperty(\"X-@\", \"~\");",
    "client.DefaultRequestHeaders.Add(\"X-@\", \"~\");",
];

/// What is written beside a password and is none: labels, messages, rules, types, other names, selectors, addresses.
const INNOCENT: [&str; 40] = [
    "t(\"password\", \"Password\")",
    "t(\"password\", \"Passwort1\")",
    "label(\"password\", \"Your password\")",
    "errors.add(:password, \"is too short\")",
    "errors.add(\"password\", \"too_short2\")",
    "setAttribute(\"type\", \"password\")",
    "input.setAttribute(\"password\", \"x-pw1\")",
    "validate(\"password\", \"required|min:8\")",
    "validator.add(\"password\", \"min:8|max:20\")",
    "input(\"password\", \"form-control2\")",
    "field(\"password\", \"text-input-1\")",
    "page.fill(\"#password\", \"password\")",
    "page.fill(\"#password\", user.password2)",
    "page.fill('#password', process.env.PASSWORD1)",
    "cy.get('#password').type(Cypress.env('PW1'))",
    "cy.get('#password').should('have.class', 'col-md-6')",
    "expect(page.locator(\"#password\")).toHaveClass(\"is-1nvalid2\")",
    "$('#password').addClass('col-sm-4')",
    "$('#password').attr('id', 'pw2x3')",
    "$('#password').on('keyup.pw2', f)",
    "driver.findElement(By.id(\"password\")).getAttribute(\"data-v1\")",
    "driver.findElement(By.id(\"password\")).click(); go(\"a1b2\")",
    "setProperty(\"token.url\", \"https://a.b/c1d2\")",
    "setProperty(\"password.file\", \"pw2x.txt\")",
    "put(\"password\", \"/run/secrets/pw2x\")",
    "put(\"password.hint\", \"m1n8chars\")",
    "map.put(\"tokenizer\", \"bpe2x4k\")",
    "map.put(\"token\", \"hunter2secret\")",
    "table.string(\"password\", \"varchar255\")",
    "map.put(\"next_token\", \"page2of9x\")",
    "router.get(\"password\", \"auth/reset2\")",
    "render(\"password\", \"view2x4k\")",
    "addColumn(\"password\", \"varchar2x4k\")",
    "parser.set(\"--password\", \"pw2\")",
    "headers.set(\"Authorization\", \"Bearer2\")",
    "os.environ.setdefault(\"DB_PASSWORD\", \"\")",
    "monkeypatch.setenv(\"DB_PASSWORD_FILE\", \"x2y4z6\")",
    "form.get('password').setErrors('e1x2')",
    "config.set(\"password\", \"${db.pass1word}\")",
    "password.replace(\"a1x2y3\", \"\")",
];

/// Names of secrets as each language writes them; behind a blank as labels do.
const NAMES: [&str; 6] = [
    "password",
    "db_password",
    "apiKey",
    "API_KEY",
    "client-secret",
    "userPassword",
];

fn shown(line: &str) -> String {
    Redactor::default().redact_source(Some("a.ts"), line).text
}

fn leaks(value: &str, name: &str) -> Vec<String> {
    let lines = FORMS
        .iter()
        .map(|form| form.replace('@', name).replace('~', value));
    lines.filter(|line| shown(line).contains(value)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: forms × names × values. What somebody chose for a password is hidden, though it is not drawn.
    #[test]
    fn a_value_beside_the_literal_that_names_it_is_hidden(
        value in prop_oneof!["[a-z]{5,7}[0-9]{1,2}[a-z]{4,7}", "[A-Z][a-z]{4,8}[0-9]{3,4}!", "[A-Z][a-z0-9]{9,14}[0-9][A-Z]"],
        name in prop::sample::select(NAMES.to_vec()),
    ) {
        prop_assume!(!is_placeholder(&value) && !value.to_ascii_lowercase().contains("pass"));
        let leaks = leaks(&value, name);
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }

    #[test]
    fn every_line_of_pairs_is_read(line in "[a-z(\"'),.\\[\\]é:=-]{0,60}") {
        shown(&format!("set(\"password{line}"));
        shown(&format!("{line}.type(x(\"password\"), {line}"));
    }
}

#[test]
fn a_label_of_words_and_a_field_of_any_name_name_a_value() {
    let value = ["hunter2", "secret"].concat();
    for form in [
        "page.getByLabel('Current Password *').fill('~')",
        "page.getByPlaceholder(\"Your password:\").type(\"~\")",
        "fireEvent.change(getByLabelText('New password'), { target: { value: '~' } })",
        "page.fill('#password_field', '~')",
        "cy.get('#passwordInput').type('~')",
        "onView(withId(R.id.password)).perform(typeText(\"~\"))",
        "element(by.id('password')).typeText('~');",
        "this.passwordInput.sendKeys('~')",
        "user.type(passwordField, '~')",
        "page.fill(\n  '#password',\n  '~',\n);",
    ] {
        let line = form.replace('~', &value);
        assert!(!shown(&line).contains(&value), "{line}");
    }
}

#[test]
fn what_is_written_beside_a_password_and_is_none_is_shown() {
    let hidden = INNOCENT.into_iter().filter(|line| shown(line) != *line);
    assert_eq!(hidden.collect::<Vec<_>>(), Vec::<&str>::new());
}
