//! The names that Nematus, and Marian's types `amun` and `nematus`, give to tensors.

use crate::stored::StoredTensor;
use std::collections::BTreeMap;

/// Present, and empty of meaning, in all files that follow Nematus' names.
const MARKER: &str = "decoder_c_tt";

/// Arrays of the training's state.
const NO_TENSORS: [&str; 3] = [MARKER, "uidx", "history_errs"];

/// How the stored names of a family of tensors begin and end, how their canonical names do, and the parts between.
type Family = ([&'static str; 2], [&'static str; 2], &'static [&'static str]);

const CELL: &[&str] = &["U", "Ux", "W", "Wx", "b", "bx"];
const NORMALISED_CELL: &[&str] = &["U", "Ux", "W", "Wx", "b", "bx", "gamma1", "gamma2"];
const MAP: &[&str] = &["W", "b", "ln_s", "ln_b"];

/// All names. A name may be followed by `_lns` or `_lnb` in cells and attention.
const FAMILIES: [Family; 12] = [
    (["Wemb_dec", ""], ["decoder_Wemb", ""], &[""]),
    (["encoder_", ""], ["encoder_bi_", ""], NORMALISED_CELL),
    (["encoder_r_", ""], ["encoder_bi_r_", ""], NORMALISED_CELL),
    (["ff_state_", ""], ["decoder_ff_state_", ""], &["W", "b", "gamma", "ln_s", "ln_b"]),
    (["decoder_", ""], ["decoder_cell1_", ""], CELL),
    (["decoder_", "_nl"], ["decoder_cell2_", ""], &["U", "Ux", "b", "bx"]),
    (["decoder_Wc", ""], ["decoder_cell2_W", ""], &["", "x"]),
    (["ff_logit_prev_", ""], ["decoder_ff_logit_l1_", "0"], MAP),
    (["ff_logit_lstm_", ""], ["decoder_ff_logit_l1_", "1"], MAP),
    (["ff_logit_ctx_", ""], ["decoder_ff_logit_l1_", "2"], MAP),
    (["ff_logit_l1_", ""], ["decoder_ff_logit_l1_", ""], &["gamma0", "gamma1", "gamma2"]),
    (["ff_logit_", ""], ["decoder_ff_logit_l2_", ""], &["W", "Wt", "b"]),
];

/// Whether these are Nematus' names.
pub(crate) fn uses_names(tensors: &BTreeMap<String, StoredTensor>) -> bool {
    tensors.contains_key(MARKER)
}

/// Gives the tensors their canonical names, and drops arrays that are not tensors. `tied_source`: the table `Wemb`
/// serves source and target, and keeps its name.
pub(crate) fn rename(tensors: BTreeMap<String, StoredTensor>, tied_source: bool) -> BTreeMap<String, StoredTensor> {
    let kept = tensors.into_iter().filter(|(name, _)| !NO_TENSORS.contains(&name.as_str()));
    kept.map(|(name, tensor)| (canonical(&name, tied_source), tensor)).collect()
}

fn canonical(name: &str, tied_source: bool) -> String {
    if name == "Wemb" {
        return if tied_source { name.to_owned() } else { "encoder_Wemb".to_owned() };
    }
    let (stem, normalisation) = match name.rfind("_ln") {
        Some(at) if matches!(&name[at..], "_lns" | "_lnb") => name.split_at(at),
        _ => (name, ""),
    };
    match renamed(stem).or_else(|| transition(stem)) {
        Some(stem) => stem + normalisation,
        None => name.to_owned(),
    }
}

fn renamed(stem: &str) -> Option<String> {
    FAMILIES.iter().find_map(|([start, end], [canonical_start, canonical_end], parts)| {
        let part = stem.strip_prefix(start)?.strip_suffix(end)?;
        parts.contains(&part).then(|| format!("{canonical_start}{part}{canonical_end}"))
    })
}

/// Transition cells: `encoder[_r]_{U,Ux,b,bx}_drt_{i}` are cells from 2 on, `decoder_…_nl_drt_{i}` from 3 on.
fn transition(stem: &str) -> Option<String> {
    let (head, number) = stem.rsplit_once("_drt_")?;
    let number: usize = number.parse().ok()?;
    if let Some(part) = head.strip_prefix("decoder_").and_then(|rest| rest.strip_suffix("_nl")) {
        Some(format!("decoder_cell{}_{part}", number.checked_add(2)?))
    } else if let Some(part) = head.strip_prefix("encoder_r_") {
        Some(format!("encoder_bi_r_cell{}_{part}", number.checked_add(1)?))
    } else {
        let part = head.strip_prefix("encoder_")?;
        Some(format!("encoder_bi_cell{}_{part}", number.checked_add(1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_become_canonical() {
        for (stored, expected) in [
            ("Wemb", "encoder_Wemb"),
            ("Wemb_dec", "decoder_Wemb"),
            ("encoder_r_bx", "encoder_bi_r_bx"),
            ("encoder_U_drt_1", "encoder_bi_cell2_U"),
            ("encoder_r_Ux_drt_1_lns", "encoder_bi_r_cell2_Ux_lns"),
            ("decoder_bx_nl_drt_1", "decoder_cell3_bx"),
            ("decoder_U_nl_drt_2_lnb", "decoder_cell4_U_lnb"),
            ("decoder_Wcx_lns", "decoder_cell2_Wx_lns"),
            ("decoder_W_comb_att_lnb", "decoder_W_comb_att_lnb"),
            ("decoder_U_att", "decoder_U_att"),
            ("ff_logit_ctx_ln_s", "decoder_ff_logit_l1_ln_s2"),
            ("decoder_ff_logit_l2_Wt", "decoder_ff_logit_l2_Wt"),
            ("decoder_att_gamma1", "decoder_att_gamma1"),
        ] {
            assert_eq!(canonical(stored, false), expected);
        }
        assert_eq!(canonical("Wemb", true), "Wemb");
    }
}
