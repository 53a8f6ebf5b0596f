//! Messages as bytes, for the way between the page and its worker: postcard, nothing else.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A command or an update as bytes.
///
/// # Panics
/// Never for the types of this crate: they hold nothing that postcard cannot write.
#[must_use]
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).expect("plain data")
}

/// The command or update that these bytes hold.
///
/// # Errors
/// If the bytes are not such a message: cut short, or of another version of the page.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| format!("not a message of this version: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Goto, Stride};

    #[test]
    fn round_trip_and_garbage() {
        let command = Command::Show { goto: Goto::Next(Stride::Switch(3), 41), focus: 7 };
        assert_eq!(decode::<Command>(&encode(&command)), Ok(command));
        assert!(decode::<Command>(&[]).is_err());
        assert!(decode::<Command>(&[250, 1, 2]).is_err());
    }
}
