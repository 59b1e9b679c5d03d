//! Sight: what a reviewer would open beside the change, found in the tree's own objects.
//!
//! Definitions, uses, the commits that brought lines, and the files that usually change together. Nothing is checked out
//! and no command runs. Every search begins near the change and ends at a bound of files, bytes and time; a result that
//! a bound cut short says so.

mod above;
mod abstract_methods;
mod aliases;
mod call_forms;
mod candidates;
mod causes;
mod common_words;
mod companions;
mod declared;
mod declared_places;
mod definitions;
mod edited;
mod edited_lines;
mod enumerations;
mod fields;
mod fixtures;
mod gather;
mod given_fields;
mod handed;
mod handler_tables;
mod hierarchy;
mod hints;
mod holders;
mod import_names;
mod imported;
mod imports;
mod judges;
mod lexed;
mod limits;
mod locals;
mod made_by;
mod messages;
mod modules;
mod moved;
mod name_source;
mod nearest;
mod origins;
mod orphans;
mod other_name;
mod outlets;
mod own_fields;
mod parents;
mod read_side;
mod readers;
mod receiver_types;
mod receivers;
mod registered;
mod relation;
mod remarks;
mod schema;
mod search;
mod setting_words;
mod shadowed;
mod shown;
mod spelled;
#[cfg(test)]
pub(crate) mod tests;
mod unnamed;
mod unnamed_calls;
mod value_types;
mod wanted;
mod words;

pub(crate) use declared_places::{NamePlaces, places_of_name};
pub(crate) use gather::GatheredContext;
pub use gather::gather_context;
pub(crate) use gather::gather_for_part;
pub(crate) use gather::long_functions::cut_functions;
pub(crate) use judges::open_eyes;
pub use limits::{SearchLimits, Sight};
pub(crate) use messages::shown_message;
