//! The rows of a table as SQL has them: a list of columns in brackets, and their values on the same line or below.

/// The cells of each list in brackets of a line. A comma or a bracket within quotes belongs to its cell.
pub(crate) fn rows_of(line: &str) -> Vec<Vec<&str>> {
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    let (mut depth, mut start, mut quote) = (0_usize, 0, None);
    for (at, byte) in line.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte && !line[..at].ends_with('\\') => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'(') => {
                depth += 1;
                start = if depth == 1 { at + 1 } else { start };
            }
            (None, b',') if depth == 1 => {
                cells.push(&line[start..at]);
                start = at + 1;
            }
            (None, b')') if depth == 1 => {
                cells.push(&line[start..at]);
                rows.push(std::mem::take(&mut cells));
                depth = 0;
            }
            (None, b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    rows
}

/// The columns that a line lists in brackets, and the sign between the cells of the rows below it.
pub(crate) fn listed_columns(line: &str) -> Option<(Vec<&str>, char)> {
    let (head, _) = line.split_once('(')?;
    let lower = head.trim_start().to_ascii_lowercase();
    let columns = rows_of(line).into_iter().next()?;
    let rest = line.rsplit(')').next().unwrap_or_default();
    let is_copy = lower.starts_with("copy ");
    let is_list = lower.is_empty() && rest.trim_end_matches([';', ' ']).is_empty();
    let is_insert = ["insert", "replace", "upsert"]
        .iter()
        .any(|verb| lower.contains(verb));
    let sign = match is_copy && line.to_ascii_lowercase().contains("csv") {
        true => ',',
        false if is_copy => '\t',
        false => '(',
    };
    (is_copy || is_insert || is_list).then_some((columns, sign))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::is_drawn_value;
    use crate::{Redactor, is_placeholder};

    /// How the rows stand below the names of their columns, with `@` for the name and `~` for the value.
    const FORMS: [&str; 8] = [
        "INSERT INTO users (id, login, @, mail) VALUES\n  (1, 'admin', '~', 'a@b.c');\n",
        "INSERT INTO users (id, login, @, mail) VALUES\n  (1, 'a, (b)', 'x', NULL),\n  (2, 'eve', '~', 'e@b.c');\n",
        "INSERT INTO `users` (`id`, `@`) VALUES\n(1,'x'),(2,'~');\n",
        "INSERT INTO clients\n  (name, @)\nVALUES\n  ('svc', '~')\n",
        "INSERT INTO users (id, @) VALUES (1, 'x'),\n (2, '~');\n",
        "COPY users (id, name, @) FROM stdin;\n1\tadmin\t~\n",
        "COPY public.users (id, name, @) FROM stdin;\n1\ta\tb\n2\tadmin\t~\n",
        "COPY users (id, @) FROM stdin WITH (FORMAT csv);\n1,~\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a value in the column of a secret's name is hidden, however the rows stand below.
        #[test]
        fn a_value_below_its_column_is_hidden(
            value in "[A-Za-z][A-Z][0-9][a-z]{2}[A-Z][0-9][A-Za-z0-9]{5,16}",
            name in prop::sample::select(vec!["password", "client_secret", "api_key", "db_password"]),
        ) {
            // One in some hundreds reads like words.
            prop_assume!(!is_placeholder(&value) && is_drawn_value(&value));
            for form in FORMS {
                let text = form.replace("b@b", "").replace("a@b", "ab").replace("e@b", "eb");
                let text = text.replace('@', name).replace('~', &value);
                let shown = Redactor::default().redact_source(Some("seed.sql"), &text).text;
                prop_assert!(!shown.contains(&value), "{}: {}", text, shown);
            }
        }

        #[test]
        fn any_line_is_read(line in "[a-c(),'é\" -]{0,60}") {
            let _ = (rows_of(&line), listed_columns(&line));
        }
    }
}
