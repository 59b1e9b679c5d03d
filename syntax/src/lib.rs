//! Languages as far as a reviewer must know them: what is comment and string, and where functions begin and end.
//!
//! No parser: a parser stops at the first construct that it does not know, and sees nothing in half a file. What is here
//! reads tokens, is never wrong for long, and is held against real parsers by `syntax/oracle.py`.

pub mod generated;
pub mod language;
pub mod lexer;
pub mod outline;
