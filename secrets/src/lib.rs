//! What a secret looks like, and how it is taken out of a text.
//!
//! One table (`table.toml`, in gitleaks' form), one matcher ([`SecretTable::find_secrets`]) and one [`Redactor`], a value
//! that is handed to whatever shows text to somebody else. The built-in rules report what the same table finds, so that
//! nothing is reported as a secret and still shown.

mod argument;
mod assigned;
mod bare_token;
mod bare_value;
mod below_name;
mod beside;
mod beside_name;
mod calls;
mod code_name;
mod commands;
mod derived;
mod dialect;
mod element;
mod encoded_key;
mod escape;
mod file;
mod filler;
mod folded;
mod given_pair;
mod glue;
mod inserted_rows;
mod joined_lines;
mod key_block;
mod known;
mod known_lines;
mod known_spans;
mod lazy;
mod line_redactor;
mod line_signs;
mod literal;
mod manifest;
mod match_bounds;
mod matcher;
mod name_words;
mod named;
mod near_lines;
mod nested_key;
mod opaque;
mod open_name;
mod plausible;
mod public_value;
mod redactor;
mod reference;
mod replaced;
mod respelled;
mod returned_value;
#[cfg(feature = "samples")]
pub mod samples;
mod script;
mod spelled_key;
mod steps;
mod table;
mod table_cells;
mod template;
mod value;
mod whole_setting;
mod word_finder;
mod words;
mod worth;

pub use bare_token::holds_bare_token;
pub use below_name::value_below_name;
pub use beside::FileTexts;
pub use encoded_key::{encoded_keys, heads_secret_number, is_private_key};
pub use file::{drawn_words, may_repeat_secret};
pub use line_redactor::{LineRedactor, RedactedLine};
pub use manifest::{may_begin_manifest, value_of_manifest};
pub use matcher::{SecretMatch, SecretShape};
pub use plausible::{is_placeholder, shannon_entropy};
pub use redactor::{RedactedText, Redactor, has_joined_lines};
pub use respelled::{PlainSpelling, latin_letter};
pub use spelled_key::begins_spelled_key;
pub use table::{SecretTable, TableError};
pub use word_finder::WordFinder;

#[cfg(test)]
mod argument_tests;
#[cfg(test)]
mod assigned_tests;
#[cfg(test)]
mod below_name_tests;
#[cfg(test)]
mod blob_tests;
#[cfg(test)]
mod cell_tests;
#[cfg(test)]
mod command_tests;
#[cfg(test)]
mod derived_tests;
#[cfg(test)]
mod everyday_tests;
#[cfg(test)]
mod given_tests;
#[cfg(test)]
mod joined_lines_tests;
#[cfg(test)]
mod known_lines_tests;
#[cfg(test)]
mod literal_tests;
#[cfg(test)]
mod near_tests;
#[cfg(test)]
mod public_tests;
#[cfg(test)]
mod returned_tests;
#[cfg(test)]
mod shown_tests;
#[cfg(test)]
mod template_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unquoted_tests;
