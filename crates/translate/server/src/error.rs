//! The reasons why a request has no answer.

use axum::http::StatusCode;

/// Why a request has no answer. Each API writes it in its own form. Clients read the sentence: it names no file of the
/// server; the log has the reasons that do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// Something is wrong with the request; one sentence.
    #[error("{0}")]
    Bad(String),
    /// A body in a compression that is not read.
    #[error("the body of the request is compressed as `{0}`; gzip is read, and bodies without compression")]
    Encoding(String),
    /// A parameter is absent.
    #[error("the parameter `{0}` is missing")]
    Missing(&'static str),
    /// A language that no model has.
    #[error("the language `{0}` is not supported")]
    Language(String),
    /// The language was to be detected, and is none of the source languages; their names.
    #[error(
        "the text is in none of the source languages ({}); name the source language to have it translated all the same",
        .0.join(", ")
    )]
    NoKnownLanguage(Vec<String>),
    /// Languages between which no model translates.
    #[error("there is no model from `{from}` to `{to}`")]
    Pair {
        /// The source language.
        from: String,
        /// The target language.
        to: String,
    },
    /// A model that is there but is not loaded; the log has the reason.
    #[error("the model {0} cannot be loaded")]
    Model(String),
    /// The key is absent.
    #[error("a key is needed: send it as `Authorization: Bearer KEY`")]
    KeyMissing,
    /// The key is wrong.
    #[error("the key is not known")]
    KeyUnknown,
    /// Something that is named does not exist.
    #[error("there is no {0} of this name")]
    NotFound(&'static str),
    /// More than a limit allows.
    #[error("the request has {found} {what}; the limit is {limit}")]
    TooLarge {
        /// The things that are counted.
        what: &'static str,
        /// The number in the request.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A file that can not be read; one sentence.
    #[error("{0}")]
    File(String),
    /// A file of a kind that can not be translated; its extension and those that can.
    #[error("the file extension `.{extension}` is not one of {known}")]
    FileExtension {
        /// The extension.
        extension: String,
        /// The extensions that are known.
        known: String,
    },
    /// A file in which there is nothing to translate.
    #[error("nothing in the file was translated: it has no text in the source language")]
    NothingTranslated,
    /// The key has no characters left.
    #[error("the characters of this key are used up for this month")]
    Quota,
    /// Too many requests.
    #[error("{}; try again in {seconds} s", if *everyone { "the server has too much to do" } else { "too many requests at a time" })]
    Busy {
        /// When to try again.
        seconds: u64,
        /// Whether all clients together ask for too much, and not this one alone.
        everyone: bool,
    },
    /// The answer took too long.
    #[error("the translation took longer than the deadline")]
    Deadline,
    /// The document is not ready.
    #[error("the document is not ready yet")]
    NotReady,
    /// The server is at fault; one sentence.
    #[error("the text could not be translated: {0}")]
    Worker(String),
    /// The state could not be written or read.
    #[error("the server could not use its data file")]
    Store(#[source] Reason),
}

/// Why the server itself failed: for the log and for the operator, as it may name files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl Failure {
    /// The status of HTTP.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Bad(_) | Self::Missing(_) | Self::Language(_) | Self::NoKnownLanguage(_) => StatusCode::BAD_REQUEST,
            Self::KeyMissing => StatusCode::UNAUTHORIZED,
            Self::KeyUnknown => StatusCode::FORBIDDEN,
            Self::Pair { .. } | Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::File(_) | Self::FileExtension { .. } | Self::Encoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NothingTranslated => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Quota | Self::Busy { everyone: false, .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy { .. } | Self::NotReady => StatusCode::SERVICE_UNAVAILABLE,
            Self::Deadline => StatusCode::GATEWAY_TIMEOUT,
            Self::Model(_) | Self::Worker(_) | Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The name of the kind of failure, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Bad(_) | Self::Missing(_) | Self::Language(_) => "bad_request",
            Self::NoKnownLanguage(_) => "no_known_language",
            Self::KeyMissing => "key_missing",
            Self::KeyUnknown => "key_unknown",
            Self::Pair { .. } => "no_model",
            Self::NotFound(_) => "not_found",
            Self::TooLarge { .. } => "too_large",
            Self::File(_) | Self::FileExtension { .. } => "unsupported_file",
            Self::Encoding(_) => "unsupported_encoding",
            Self::NothingTranslated => "nothing_translated",
            Self::Quota => "quota",
            Self::Busy { .. } => "busy",
            Self::Deadline => "deadline",
            Self::NotReady => "not_ready",
            Self::Model(_) | Self::Worker(_) | Self::Store(_) => "internal",
        }
    }

    /// The seconds after which the client should try again, if it should.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Busy { seconds, .. } => Some(*seconds),
            Self::NotReady => Some(1),
            _ => None,
        }
    }
}
