use std::path::PathBuf;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::Result;

/// One request, as it is to be sent.
#[derive(Clone, Default, Deserialize)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub headers: Fields,
    pub body: Option<Body>,
}

/// Names and values.
pub type Fields = Vec<(String, String)>;

/// The content of a request.
#[derive(Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Body {
    Form {
        fields: Fields,
    },
    Json {
        value: Value,
    },
    Multipart {
        fields: Fields,
        files: Vec<File>,
    },
    Raw {
        content_type: String,
        #[serde(rename = "path", deserialize_with = "read_file")]
        data: Bytes,
    },
}

/// A file of a multipart body.
#[derive(Clone, Deserialize)]
pub struct File {
    pub name: String,
    pub filename: String,
    pub content_type: String,
    pub path: PathBuf,
}

/// Content as bytes, and its type.
pub struct Encoded<'a> {
    pub content: Bytes,
    pub content_type: &'a str,
}

impl Request {
    /// The body made anew, for clients that take bytes. A multipart body is the library's to encode:
    /// its features say whether it can.
    pub fn encode(&self) -> Result<Option<Encoded<'_>>> {
        let (content, content_type) = match &self.body {
            None => return Ok(None),
            Some(Body::Form { fields }) => {
                let mut form = form_urlencoded::Serializer::new(String::new());
                (form.extend_pairs(fields).finish().into(), "application/x-www-form-urlencoded")
            }
            Some(Body::Json { value }) => (serde_json::to_vec(value)?.into(), "application/json"),
            Some(Body::Raw { content_type, data }) => (data.clone(), content_type.as_str()),
            Some(Body::Multipart { .. }) => {
                return Err("no bytes are made of a multipart body".into());
            }
        };
        Ok(Some(Encoded { content, content_type }))
    }
}

fn read_file<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Bytes, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    let data = std::fs::read(&path)
        .map_err(|error| de::Error::custom(format!("{}: {error}", path.display())))?;
    Ok(data.into())
}
