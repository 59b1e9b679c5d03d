//! Scripted judges in a child process, for the tests of the carriers.

mod chosen;
mod judges;

fn main() -> std::io::Result<()> {
    council_sdk::serve_stdio(chosen::Chosen::default())
}
