//! A sound archive of any members: what random bytes never become, for the checksums.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::containers::zip;
use metaphrase_fuzz::models::{NAME, SETTINGS, use_model};
use metaphrase_models::from_bytes;
use std::path::Path;

#[derive(Arbitrary, Debug)]
struct Input {
    members: Vec<(Name, Content)>,
    deflated: bool,
}

#[derive(Arbitrary, Debug)]
enum Name {
    Known(u8),
    Any(String),
}

#[derive(Arbitrary, Debug)]
enum Content {
    Any(Vec<u8>),
    /// A `.npy` file of this version, header and content.
    Array {
        version: u8,
        header: String,
        content: Vec<u8>,
    },
    /// The header in order.
    Plain {
        descr: u8,
        fortran: bool,
        shape: Vec<u16>,
        content: Vec<u8>,
    },
}

const NAMES: [&str; 6] = [SETTINGS, "Wemb", "encoder_bi_Ux", "decoder_cell2_Ux", "decoder_c_tt", "encoder_l1_self_Wq"];
const DESCRS: [&str; 8] = ["<f4", "<f2", "<f8", "|i1", "|u1", "|b1", "<i8", ">f4"];

impl Content {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Any(bytes) => bytes,
            Self::Array { version, header, content } => npy(version, &header, &content),
            Self::Plain { descr, fortran, shape, content } => {
                let order = if fortran { "True" } else { "False" };
                let shape: String = shape.iter().map(|size| format!("{size},")).collect();
                let descr = DESCRS[usize::from(descr) % DESCRS.len()];
                npy(1, &format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}"), &content)
            }
        }
    }
}

fn npy(version: u8, header: &str, content: &[u8]) -> Vec<u8> {
    let length = header.len() as u32;
    let length = if version == 1 { (length as u16).to_le_bytes().to_vec() } else { length.to_le_bytes().to_vec() };
    [b"\x93NUMPY", &[version, 0][..], &length, header.as_bytes(), content].concat()
}

fuzz_target!(|input: Input| {
    let name = |name| match name {
        Name::Known(known) => format!("{}.npy", NAMES[usize::from(known) % NAMES.len()]),
        Name::Any(name) => name,
    };
    let members: Vec<_> = input.members.into_iter().map(|(member, content)| (name(member), content.bytes())).collect();
    use_model(from_bytes::marian(Path::new(NAME), zip(&members, input.deflated)));
});
