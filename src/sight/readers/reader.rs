//! How files of another kind read a name.

use std::collections::BTreeSet;

use council_protocol::RepoPath;

/// A key that a change takes from an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) struct AnswerKey {
    /// The file that gave it.
    pub(in crate::sight) home: RepoPath,
    /// Whether it is written out where the answer is made, and is no field of a type.
    pub(in crate::sight) is_literal: bool,
}

/// A key of an object of a script.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) struct HeldKey {
    /// The file that has the object.
    pub(in crate::sight) home: RepoPath,
    /// Whether the key stays, and is given another value.
    pub(in crate::sight) is_altered: bool,
}

/// How a property is used that a convention makes of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum PropertyUse {
    Read,
    Called,
    /// By a page, or by a language that reads a getter as a property.
    Shown,
}

/// The members that an enum had before it got more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) struct EnumMembers {
    /// The file that defines it.
    pub(in crate::sight) home: RepoPath,
    pub(in crate::sight) typed: String,
    pub(in crate::sight) members: BTreeSet<String>,
}

/// What others take from a template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) struct TemplateUse {
    /// The file of the template.
    pub(in crate::sight) home: RepoPath,
    /// Whether the name is a part of it (a block, a macro), and not the file.
    pub(in crate::sight) is_part: bool,
}

/// Where settings have the fields of a type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum SettingHome {
    /// In the environment, or in a file of it.
    Environment,
    /// Below a path, whose parts are in small letters without signs.
    Path {
        prefix: Vec<String>,
        /// The type within that has the field, spelled the same: a key between the two is called after it.
        inner: Option<String>,
    },
    /// In a section that is called after the type, or has other fields of it.
    Section {
        typed: String,
        fields: BTreeSet<String>,
    },
}

/// One way to read a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum Reader {
    /// The whole path of a setting, in `${…}` or in quotes.
    Placeholder,
    /// The variable of the environment that a setting is read from.
    Variable,
    /// The field that a class takes from settings: the words of the whole path, part by part.
    Bound(Vec<String>),
    /// As the key that sets a field.
    Set(SettingHome),
    /// As a member, or in quotes.
    Answer(AnswerKey),
    /// As a value that a page shows.
    PageValue,
    /// As a template that is included, or as a part of one.
    Template(TemplateUse),
    /// As a route of which a page makes an address.
    PageRoute,
    /// As an attribute of this component's tags.
    Attribute(RepoPath),
    /// As a member of an object that another file has.
    Held(HeldKey),
    /// As this text, or a part of it.
    Text(String),
    /// As a text with these fixed parts, and values between them.
    Pattern(String),
    /// As the type of an event that is listened to.
    Heard,
    /// As an event of this type that something is added to.
    Subscribed(String),
    /// As a class of this module of CSS.
    StyleClass(RepoPath),
    /// As a feature of the crate of this manifest.
    Feature(RepoPath),
    /// As the statement of MyBatis for a method of this interface.
    Statement(String),
    /// As a word of any text.
    Spelled,
    /// Behind the path of this file's module.
    Started(RepoPath),
    /// As a path of keys in a template.
    Path,
    /// As a value in a file of XML.
    Markup,
    /// As an argument that settings give to a service.
    Argument,
    /// As a host.
    Host,
    /// As a port.
    Port,
    /// As a resource of a program of Android.
    Resource,
    /// As the property that a method of this type stands for.
    Property(PropertyUse, String),
    /// As an option of the command line of this program.
    Option(RepoPath),
    /// As a part of a route that a test asks for.
    Route(Vec<Option<String>>),
    /// As a case of a switch over the members of an enum.
    Case(EnumMembers),
    /// As the place of a member in the order of its enum.
    Order(EnumMembers),
}
