//! The names that Nematus, and Marian's types `amun` and `nematus`, give to tensors.

use crate::stored::Stored;
use std::collections::BTreeMap;

/// Present, and empty of meaning, in all files that follow Nematus' names.
const MARKER: &str = "decoder_c_tt";

/// Arrays that training leaves behind.
const NO_TENSORS: [&str; 3] = [MARKER, "uidx", "history_errs"];

/// Stored name and canonical name. The stem may be followed by `_lns` or `_lnb` in cells and attention.
const NAMES: [(&str, &str); 52] = [
    ("Wemb_dec", "decoder_Wemb"),
    ("encoder_U", "encoder_bi_U"),
    ("encoder_Ux", "encoder_bi_Ux"),
    ("encoder_W", "encoder_bi_W"),
    ("encoder_Wx", "encoder_bi_Wx"),
    ("encoder_b", "encoder_bi_b"),
    ("encoder_bx", "encoder_bi_bx"),
    ("encoder_gamma1", "encoder_bi_gamma1"),
    ("encoder_gamma2", "encoder_bi_gamma2"),
    ("encoder_r_U", "encoder_bi_r_U"),
    ("encoder_r_Ux", "encoder_bi_r_Ux"),
    ("encoder_r_W", "encoder_bi_r_W"),
    ("encoder_r_Wx", "encoder_bi_r_Wx"),
    ("encoder_r_b", "encoder_bi_r_b"),
    ("encoder_r_bx", "encoder_bi_r_bx"),
    ("encoder_r_gamma1", "encoder_bi_r_gamma1"),
    ("encoder_r_gamma2", "encoder_bi_r_gamma2"),
    ("ff_state_W", "decoder_ff_state_W"),
    ("ff_state_b", "decoder_ff_state_b"),
    ("ff_state_gamma", "decoder_ff_state_gamma"),
    ("ff_state_ln_s", "decoder_ff_state_ln_s"),
    ("ff_state_ln_b", "decoder_ff_state_ln_b"),
    ("decoder_U", "decoder_cell1_U"),
    ("decoder_Ux", "decoder_cell1_Ux"),
    ("decoder_W", "decoder_cell1_W"),
    ("decoder_Wx", "decoder_cell1_Wx"),
    ("decoder_b", "decoder_cell1_b"),
    ("decoder_bx", "decoder_cell1_bx"),
    ("decoder_U_nl", "decoder_cell2_U"),
    ("decoder_Ux_nl", "decoder_cell2_Ux"),
    ("decoder_Wc", "decoder_cell2_W"),
    ("decoder_Wcx", "decoder_cell2_Wx"),
    ("decoder_b_nl", "decoder_cell2_b"),
    ("decoder_bx_nl", "decoder_cell2_bx"),
    ("ff_logit_prev_W", "decoder_ff_logit_l1_W0"),
    ("ff_logit_lstm_W", "decoder_ff_logit_l1_W1"),
    ("ff_logit_ctx_W", "decoder_ff_logit_l1_W2"),
    ("ff_logit_prev_b", "decoder_ff_logit_l1_b0"),
    ("ff_logit_lstm_b", "decoder_ff_logit_l1_b1"),
    ("ff_logit_ctx_b", "decoder_ff_logit_l1_b2"),
    ("ff_logit_l1_gamma0", "decoder_ff_logit_l1_gamma0"),
    ("ff_logit_l1_gamma1", "decoder_ff_logit_l1_gamma1"),
    ("ff_logit_l1_gamma2", "decoder_ff_logit_l1_gamma2"),
    ("ff_logit_prev_ln_s", "decoder_ff_logit_l1_ln_s0"),
    ("ff_logit_lstm_ln_s", "decoder_ff_logit_l1_ln_s1"),
    ("ff_logit_ctx_ln_s", "decoder_ff_logit_l1_ln_s2"),
    ("ff_logit_prev_ln_b", "decoder_ff_logit_l1_ln_b0"),
    ("ff_logit_lstm_ln_b", "decoder_ff_logit_l1_ln_b1"),
    ("ff_logit_ctx_ln_b", "decoder_ff_logit_l1_ln_b2"),
    ("ff_logit_W", "decoder_ff_logit_l2_W"),
    ("ff_logit_Wt", "decoder_ff_logit_l2_Wt"),
    ("ff_logit_b", "decoder_ff_logit_l2_b"),
];

/// Whether these are Nematus' names.
pub(crate) fn uses_names(tensors: &BTreeMap<String, Stored>) -> bool {
    tensors.contains_key(MARKER)
}

/// Gives the tensors their canonical names, and drops arrays that are not tensors. `tied_source`: the table `Wemb`
/// serves source and target, and keeps its name.
pub(crate) fn rename(tensors: BTreeMap<String, Stored>, tied_source: bool) -> BTreeMap<String, Stored> {
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
    let (_, canonical) = NAMES.iter().find(|(stored, _)| *stored == stem)?;
    Some((*canonical).to_owned())
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
