//! Laws of what commands are given that keep secrets, or change passwords.

use proptest::prelude::*;

use crate::Redactor;
use crate::plausible::is_placeholder;

/// Commands with `~` for the secret, which no name need speak of.
const COMMANDS: [&str; 81] = [
    "gh secret set MY_VALUE --body ~",
    "gh secret set MY_VALUE --body \"~\" --repo a/b",
    "gh secret set MY_VALUE --body='~'",
    "gh secret set MY_VALUE -b ~",
    "gh secret set MY_VALUE -b\"~\"",
    "echo ~ | gh secret set MY_VALUE",
    "echo -n \"~\" | gh secret set MY_VALUE --repo a/b",
    "gh secret set MY_VALUE <<< \"~\"",
    "gh secret set MY_VALUE < <(echo ~)",
    "gcloud secrets create x --data-file=<(echo ~)",
    "gcloud secrets create x --data-file=<(printf '%s' \"~\")",
    "gcloud secrets create x --data-file=- <<< ~",
    "printf ~ | gcloud secrets versions add x --data-file=-",
    "printf '%s' '~' | gcloud secrets versions add x --data-file=-",
    "echo -n \"~\" | gcloud secrets create x --data-file=-",
    "aws secretsmanager create-secret --name x --secret-string ~",
    "aws secretsmanager put-secret-value --secret-id x --secret-string '~'",
    "aws ssm put-parameter --name x --type SecureString --value ~",
    "aws ssm put-parameter --name x --value \"~\" --type SecureString",
    "az keyvault secret set --vault-name v --name x --value ~",
    "az keyvault secret set --vault-name v --name x --value \"~\"",
    "vault kv put secret/x password=~",
    "vault kv put secret/x value=~ other=a",
    "vault kv patch secret/x value=\"~\"",
    "vault write secret/x value=~",
    "kubectl create secret generic s --from-literal=password=~",
    "kubectl create secret generic s --from-literal=value=~",
    "kubectl create secret generic s --from-literal 'value=~' -n x",
    "echo ~ | docker secret create db_root -",
    "printf \"~\" | docker secret create db_root -",
    "docker secret create db_root <(echo ~)",
    "echo ~ | podman secret create x -",
    "heroku config:set DB_PASSWORD=~ -a app",
    "fly secrets set DB_PASSWORD=~",
    "flyctl secrets set A=b MY_VALUE=\"~\"",
    "supabase secrets set MY_VALUE=~",
    "doppler secrets set MY_VALUE ~",
    "pulumi config set --secret myValue ~",
    "echo ~ | wrangler secret put MY_VALUE",
    "wrangler secret put MY_VALUE <<< ~",
    "echo -n '~' | vercel env add MY_VALUE production",
    "vercel env add MY_VALUE production <<< \"~\"",
    "netlify env:set API_KEY ~",
    "npm config set //registry.npmjs.org/:_authToken ~",
    "npm config set //registry.npmjs.org/:_authToken=~",
    "git config --global github.token ~",
    "git config http.password \"~\"",
    "chpasswd <<< \"bob:~\"",
    "echo \"bob:~\" | chpasswd",
    "echo 'bob:~' | sudo chpasswd -e",
    "RUN apt-get update && echo \"root:~\" | chpasswd && rm -r x",
    "passwd --stdin bob <<< ~",
    "echo ~ | passwd --stdin bob",
    "echo \"~\" | sudo -S apt update",
    "openssl rsa -in k -passin pass:~",
    "openssl pkcs12 -export -passout \"pass:~\"",
    "security add-generic-password -a bob -s svc -w ~",
    "PGPASSWORD=~ psql -h db",
    "curl -u bob:~ https://h.io/x",
    "run: echo ~ | gh secret set MY_VALUE",
    "bindpw ~",
    "rootpwmodpw ~",
    "sqlplus app/~@db @report.sql",
    "sqlplus -s app/~@//h.io:1521/db <<EOF",
    "sqlplus -s \"app/~\" @report.sql",
    "expdp system/~@db full=y dumpfile=a/b.dmp",
    "impdp system/~ full=y",
    "sqlldr userid=app/~@db control=load/x.ctl",
    "exp userid=app/~ file=x.dmp",
    "rman target sys/~@db nocatalog",
    "connect app/~@db",
    "CONNECT sys/~@db AS SYSDBA;",
    "useradd -m -p ~ deploy",
    "sudo usermod --password ~ deploy",
    "net use Z: \\\\host\\share ~ /user:ann",
    "net use \\\\host\\share /user:ann ~",
    "net user ann ~ /add",
    "NET USER ann ~ /ADD",
    "define('NONCE_SALT', '~~~');",
    "define( 'LOGGED_IN_SALT',   \"~~~\" );",
    "SECURE_AUTH_SALT='~~~'",
];

/// What the same programs are given besides, and others that read what is written.
const INNOCENT: [&str; 33] = [
    "gh pr create --body fix2things --title x1y2z3",
    "gh secret set MY_VALUE --body \"$VALUE\"",
    "gh secret set MY_VALUE --body \"${{ secrets.A1B2 }}\"",
    "gh secret set MY_VALUE < value1file.txt",
    "gh secret list --repo a1b2/c3d4",
    "echo built2day | tee log",
    "echo built2day || gh secret set MY_VALUE",
    "echo built2day; gh secret set MY_VALUE",
    "echo $VALUE1 | docker secret create x -",
    "docker create app1x2y3",
    "gcloud secrets versions access latest1 --secret x",
    "aws ssm get-parameter --name x1y2z3",
    "az keyvault create --name v1x2y3",
    "vault kv get secret/x1y2z3",
    "kubectl create configmap c --from-literal=mode=debug2x",
    "vercel env pull .env1local",
    "netlify env:set MODE debug2x4",
    "npm config set registry2x http1x2y3",
    "git config user.name bob2smith3",
    "git config credential.helper store2x",
    "passwd -l bob2smith3",
    "openssl rsa -in k1x2y3 -passin file:k2x3y4",
    "sqlplus / as sysdba @scripts/run1now2.sql",
    "sqlplus $USER/$PASS1word@db @run1now2.sql",
    "sqlldr control=load/x1y2z3.ctl data=in/d1e2f3.csv",
    "connect to tcp/ip1x2y3 hosts",
    "connect a.b/c1d2e3 with its peer",
    "useradd -m -s /bin/bash2x deploy1x2",
    "net use Z: \\\\host1x2\\share3y4 /persistent:yes",
    "net user guest1x2y3 /active:no",
    "the net use of 12power34 counts",
    "define('NONCE_SALT', getenv('NONCE_SALT1X2Y3Z4'));",
    "define('AUTH_SALT', 'put your unique phrase here');",
];

fn shown(path: &str, line: &str) -> String {
    Redactor::default().redact_source(Some(path), line).text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: commands × values × files. What a store of secrets is given is hidden, though it is not drawn.
    #[test]
    fn what_a_store_of_secrets_is_given_is_hidden(
        value in prop_oneof!["[a-z]{5,7}[0-9]{1,2}[a-z]{4,7}", "[A-Z][a-z]{4,8}[0-9]{3,4}[a-z]", "[A-Z][a-z0-9]{9,14}[0-9][A-Z]"],
        path in prop::sample::select(vec!["a.sh", "ci.yml", "README.md", "Dockerfile"]),
    ) {
        prop_assume!(!is_placeholder(&value));
        let lines = COMMANDS.iter().map(|form| form.replace('~', &value));
        let leaks: Vec<_> = lines.filter(|line| shown(path, line).contains(&value)).collect();
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }

    #[test]
    fn every_command_is_read(line in "[a-z =<|>(\"'é;&:-]{0,60}") {
        shown("a.sh", &format!("gh secret set {line}"));
        shown("a.sh", &format!("{line}| chpasswd {line}"));
    }
}

#[test]
fn what_such_programs_are_given_besides_is_shown() {
    let hidden = INNOCENT
        .into_iter()
        .filter(|line| shown("a.sh", line) != *line);
    assert_eq!(hidden.collect::<Vec<_>>(), Vec::<&str>::new());
}
