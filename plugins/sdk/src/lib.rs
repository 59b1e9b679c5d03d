//! What the author of a backend plugin depends on.
//!
//! Implement [`Backend`], then either export it from a `cdylib` with [`export_backend!`], or hand it to [`serve_stdio`]
//! in the `main` of a program. `docs/backends.md` explains the contract; `council-conformance` tries a backend out.

#![warn(missing_docs)]

mod entry;
mod link;
mod stdio;

pub use council_abi as abi;
pub use council_protocol as protocol;
pub use council_protocol::{Backend, BackendError, Sink};
pub use entry::{Plugin, table};
pub use link::{LogLevel, log};
pub use stdio::{serve, serve_stdio};

/// Exports a backend from a shared library.
///
/// Takes a type that has [`Default`], or a closure that makes a value:
///
/// ```ignore
/// council_sdk::export_backend!(Mine);
/// council_sdk::export_backend!(|| Mine::with_workers(4));
/// ```
///
/// Every entry catches panics; a panic in a thread that the backend itself started is the backend's own to report.
#[macro_export]
macro_rules! export_backend {
    (|| $make:expr) => {
        const _: () = {
            struct Exported;

            impl $crate::Plugin for Exported {
                fn make() -> ::std::boxed::Box<dyn $crate::Backend> {
                    ::std::boxed::Box::new($make)
                }

                fn manifest() -> &'static ::std::sync::OnceLock<::std::string::String> {
                    static MANIFEST: ::std::sync::OnceLock<::std::string::String> =
                        ::std::sync::OnceLock::new();
                    &MANIFEST
                }
            }

            /// The one symbol that the program looks for.
            #[unsafe(no_mangle)]
            pub extern "C" fn git_council_backend_v1() -> *const $crate::abi::Backend {
                static TABLE: $crate::abi::Backend = $crate::table::<Exported>();
                &raw const TABLE
            }
        };
    };
    ($backend:ty) => {
        $crate::export_backend!(|| <$backend as ::std::default::Default>::default());
    };
}
