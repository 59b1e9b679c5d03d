//! JSON with comments, as editors and coding agents read it.

use jsonc_parser::ParseOptions;

/// Comments and a comma too many are taken; what else JSON forbids is an error, as for every other reader of the file.
pub(crate) fn jsonc_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}
