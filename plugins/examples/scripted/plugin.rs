//! Scripted judges in a shared library, for the tests of the carriers.

mod chosen;
mod judges;

council_sdk::export_backend!(chosen::Chosen);
