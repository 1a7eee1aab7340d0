//! Decoders that begin with attention (Devlin 2017) against the paper's equations in plain loops.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{marian_options, search, word_scores};
use metaphrase_base::WordId;
use metaphrase_models::config::{
    AttentionFirst, Cell, Config, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, TiedEmbeddings, Top,
};
use metaphrase_models::{Architecture, Model, Optimizations, Weights};
use std::collections::BTreeMap;

const WORDS: usize = 17;
const E: usize = 6;
const D: usize = 5;

type Row = Vec<f64>;

/// Tensors by name: `inputs × outputs`, made up.
struct Tensors(BTreeMap<String, (usize, usize, Vec<f32>)>);

impl Tensors {
    fn new(config: &RecurrentConfig, form: &AttentionFirst) -> Self {
        let mut all = Self(BTreeMap::new());
        let (a, m) = (form.dim_attention, 2 * D);
        all.add("encoder_Wemb", WORDS, E);
        all.add("decoder_Wemb", WORDS, E);
        for prefix in ["encoder_bi", "encoder_bi_r"] {
            all.gru(prefix, E);
            (2..=config.encoder_depth).for_each(|layer| all.gru(&format!("{prefix}_l{layer}_cell1"), m));
        }
        all.gru("decoder_cell1", E);
        for (name, rows, cols) in [
            ("decoder_cell1_C", m, 2 * D),
            ("decoder_cell1_Cx", m, D),
            ("decoder_Wc_att", m, a),
            ("decoder_V_att", E, a),
            ("decoder_W_comb_att", D, a),
            ("decoder_ff_state_W", m, D),
            ("decoder_ff_state_b", 1, D),
        ] {
            all.add(name, rows, cols);
        }
        let mut below = D;
        for i in 1..=form.layers {
            all.add(&format!("decoder_fc{i}_W"), below, form.dim_layers);
            all.add(&format!("decoder_fc{i}_b"), 1, form.dim_layers);
            below = form.dim_layers;
        }
        match form.top {
            Top::None => {}
            Top::Tanh { dim } => {
                all.add("decoder_top_W", below, dim);
                all.add("decoder_top_b", 1, dim);
            }
            Top::Gru => all.gru("decoder_top_cell1", below),
        }
        all.add("decoder_ff_logit_l2_Wt", WORDS, form.dim_output(D));
        all.add("decoder_ff_logit_l2_b", 1, WORDS);
        all
    }

    fn gru(&mut self, prefix: &str, inputs: usize) {
        for (name, rows, cols) in
            [("W", inputs, 2 * D), ("Wx", inputs, D), ("U", D, 2 * D), ("Ux", D, D), ("b", 1, 2 * D), ("bx", 1, D)]
        {
            self.add(&format!("{prefix}_{name}"), rows, cols);
        }
    }

    fn add(&mut self, name: &str, rows: usize, cols: usize) {
        let seed = name.bytes().map(f32::from).sum::<f32>();
        let values = (0..rows * cols).map(|i| 0.6 * (seed + i as f32 * 1.7).sin()).collect();
        self.0.insert(name.to_owned(), (rows, cols, values));
    }

    fn row(&self, name: &str, row: usize) -> Row {
        let (_, cols, values) = &self.0[name];
        values[row * cols..(row + 1) * cols].iter().map(|&v| f64::from(v)).collect()
    }

    /// x · W
    fn times(&self, x: &[f64], name: &str) -> Row {
        let (rows, cols, _) = self.0[name];
        assert_eq!(rows, x.len(), "{name}");
        let mut y = vec![0.0; cols];
        for (i, x) in x.iter().enumerate() {
            self.row(name, i).iter().zip(&mut y).for_each(|(w, y)| *y += x * w);
        }
        y
    }

    /// §4's GRU: `more` is what the context adds to gates and candidate.
    fn gru_step(&self, prefix: &str, x: &[f64], s: &[f64], more: Option<[Row; 2]>) -> Row {
        let name = |suffix: &str| format!("{prefix}_{suffix}");
        let [more_gates, more_candidate] = more.unwrap_or([vec![0.0; 2 * D], vec![0.0; D]]);
        let gates = sum(&[self.times(x, &name("W")), self.times(s, &name("U")), self.row(&name("b"), 0), more_gates]);
        let gates: Row = gates.iter().map(|g| 1.0 / (1.0 + (-g).exp())).collect();
        let (reset, update) = gates.split_at(D);
        let by_state: Row = self.times(s, &name("Ux")).iter().zip(reset).map(|(u, r)| u * r).collect();
        let candidate = sum(&[self.times(x, &name("Wx")), by_state, self.row(&name("bx"), 0), more_candidate]);
        (0..D).map(|k| (1.0 - update[k]) * candidate[k].tanh() + update[k] * s[k]).collect()
    }

    fn annotations(&self, config: &RecurrentConfig, source: &[WordId]) -> Vec<Row> {
        let mut x: Vec<Row> = source.iter().map(|w| self.row("encoder_Wemb", w.index())).collect();
        for layer in 1..=config.encoder_depth {
            let name = |prefix: &str| if layer == 1 { prefix.into() } else { format!("{prefix}_l{layer}_cell1") };
            let run = |prefix: &str, order: &mut dyn Iterator<Item = usize>| {
                let mut out = vec![Vec::new(); x.len()];
                let mut s = vec![0.0; D];
                for t in order {
                    s = self.gru_step(&name(prefix), &x[t], &s, None);
                    out[t] = s.clone();
                }
                out
            };
            let forward = run("encoder_bi", &mut (0..x.len()));
            let backward = run("encoder_bi_r", &mut (0..x.len()).rev());
            x = forward.into_iter().zip(backward).map(|(f, b)| [f, b].concat()).collect();
        }
        x
    }

    /// ln p of each target word.
    fn log_probs(&self, config: &RecurrentConfig, form: &AttentionFirst, source: &[WordId], target: &[WordId]) -> Row {
        let annotations = self.annotations(config, source);
        let mean = sum(&annotations).iter().map(|v| v / annotations.len() as f64).collect::<Row>();
        let start = sum(&[self.times(&mean, "decoder_ff_state_W"), self.row("decoder_ff_state_b", 0)]);
        let mut s: Row = start.iter().map(|v| v.tanh()).collect();
        let mut top = s.clone();
        let mut y = vec![0.0; E];
        let mut log_probs = Vec::new();
        for word in target {
            let query = sum(&[self.times(&s, "decoder_W_comb_att"), self.times(&y, "decoder_V_att")]);
            let energy = |h: &Row| -> f64 {
                let key = self.times(h, "decoder_Wc_att");
                query.iter().zip(key).map(|(q, k)| q.tanh() * k.tanh()).sum::<f64>().exp()
            };
            let energies: Row = annotations.iter().map(energy).collect();
            let total: f64 = energies.iter().sum();
            let weighted = |(h, e): (&Row, &f64)| h.iter().map(|v| v * e / total).collect::<Row>();
            let context = sum(&annotations.iter().zip(&energies).map(weighted).collect::<Vec<_>>());
            let more = [self.times(&context, "decoder_cell1_C"), self.times(&context, "decoder_cell1_Cx")];
            s = self.gru_step("decoder_cell1", &y, &s, Some(more));
            // h[0] is the cell, h[i] fully-connected layer i.
            let mut h = vec![s.clone()];
            for i in 1..=form.layers {
                let mut next = sum(&[
                    self.times(&h[i - 1], &format!("decoder_fc{i}_W")),
                    self.row(&format!("decoder_fc{i}_b"), 0),
                ]);
                if i >= 3 && i % 2 == 1 {
                    next = sum(&[next, h[i - 2].clone()]);
                }
                h.push(next.iter().map(|v| v.max(0.0)).collect());
            }
            let below = &h[form.layers];
            let hidden = match form.top {
                Top::None => below.clone(),
                Top::Tanh { .. } => {
                    let t = sum(&[self.times(below, "decoder_top_W"), self.row("decoder_top_b", 0)]);
                    t.iter().map(|v| v.tanh()).collect()
                }
                Top::Gru => {
                    top = self.gru_step("decoder_top_cell1", below, &top, None);
                    top.clone()
                }
            };
            let logit = |w: usize| -> f64 {
                let row = self.row("decoder_ff_logit_l2_Wt", w);
                row.iter().zip(&hidden).map(|(w, h)| w * h).sum::<f64>() + self.row("decoder_ff_logit_l2_b", 0)[w]
            };
            let logits: Row = (0..WORDS).map(logit).collect();
            log_probs.push(logits[word.index()] - logits.iter().map(|l| l.exp()).sum::<f64>().ln());
            y = self.row("decoder_Wemb", word.index());
        }
        log_probs
    }
}

fn sum(rows: &[Row]) -> Row {
    (0..rows[0].len()).map(|i| rows.iter().map(|row| row[i]).sum()).collect()
}

fn systems() -> Vec<(RecurrentConfig, AttentionFirst)> {
    let form = |layers, top| AttentionFirst { dim_attention: 4, layers, dim_layers: 7, top };
    let tanh = Top::Tanh { dim: 8 };
    // S1, S2, S3, S4 and S5 of table 2, and an even number of layers.
    [form(0, Top::None), form(0, Top::Gru), form(3, tanh), form(7, tanh), form(7, Top::Gru), form(2, Top::None)]
        .map(|form| {
            let config = RecurrentConfig {
                dim_emb: E,
                dim_rnn: D,
                dim_encoder: None,
                encoder_type: EncoderType::Joined,
                encoder_cell: Cell::Gru,
                encoder_cell_depth: 1,
                encoder_depth: 3,
                decoder_cell: Cell::Gru,
                decoder_cell_base_depth: 1,
                decoder_cell_high_depth: 1,
                decoder_depth: 1,
                skip: false,
                layer_norm: LayerNorm::None,
                tied_embeddings: TiedEmbeddings { source_target: false, target_output: false },
                output_bias: true,
                attention_heads: 1,
                decoder: DecoderForm::AttentionFirst(form),
            };
            (config, form)
        })
        .to_vec()
}

fn model(config: &RecurrentConfig, tensors: &Tensors) -> Model {
    let all = tensors.0.iter().map(|(name, (rows, cols, values))| (name.clone(), vec![*rows, *cols], values.clone()));
    let weights = Weights::from_tensors("made up", all).unwrap();
    let config = Config {
        source_words: WORDS,
        target_words: WORDS,
        end_of_sentence: 0,
        never: vec![1],
        languages: None,
        language_words: None,
        inline_terms: None,
        unlearned_letters: String::new(),
        decoding: Default::default(),
        architecture: Architecture::Recurrent(config.clone()),
    };
    Model::new(config, &weights).unwrap()
}

fn words(ids: &[u32]) -> Vec<WordId> {
    ids.iter().map(|&id| WordId(id)).collect()
}

#[test]
fn scores_are_those_of_the_equations() {
    for (config, form) in systems() {
        let tensors = Tensors::new(&config, &form);
        let model = model(&config, &tensors);
        for (source, target) in [(words(&[3, 4, 5, 0]), words(&[6, 2, 9, 9, 0])), (words(&[0]), words(&[7, 0]))] {
            let expected = tensors.log_probs(&config, &form, &source, &target);
            let got = word_scores(&model, &source, &target);
            for (got, expected) in got.iter().zip(&expected) {
                assert!((f64::from(*got) - expected).abs() < 1e-5, "{form:?}: {got}, by the equations {expected}");
            }
        }
    }
}

#[test]
fn searches_are_the_same_alone_and_in_any_batch() {
    let sentence = |i: usize| (0..(5 * i) % 13).map(move |j| WordId((2 + (3 * i + 5 * j) % 15) as u32));
    let sentences: Vec<Vec<WordId>> = (0..20).map(|i| sentence(i).chain([WordId(0)]).collect()).collect();
    for (config, form) in systems() {
        let model = model(&config, &Tensors::new(&config, &form));
        let options = metaphrase_search::Options { attention: true, ..marian_options(&model, 4, 1.0) };
        let alone = search(&model, &options, 1, &sentences);
        for batch_tokens in [10, 37, 1000] {
            assert_eq!(search(&model, &options, batch_tokens, &sentences), alone, "{form:?}, batch {batch_tokens}");
        }
    }
}

#[test]
fn settings_that_do_not_fit_are_told() {
    let (config, form) = systems()[2].clone();
    let problem = |config: RecurrentConfig| {
        let architecture = Architecture::Recurrent(config);
        let config = Config {
            source_words: WORDS,
            target_words: WORDS,
            end_of_sentence: 0,
            never: vec![],
            languages: None,
            language_words: None,
            inline_terms: None,
            unlearned_letters: String::new(),
            decoding: Default::default(),
            architecture,
        };
        config.check("config.toml".as_ref()).unwrap_err().to_string()
    };
    let tied = TiedEmbeddings { source_target: false, target_output: true };
    let tied_problem = problem(RecurrentConfig { tied_embeddings: tied, ..config.clone() });
    assert!(
        tied_problem.contains("embeddings of size 6 can not be the output layer of a decoder of size 8"),
        "{tied_problem}"
    );
    let cell_problem = problem(RecurrentConfig { decoder_cell: Cell::Lstm, ..config.clone() });
    assert!(cell_problem.contains("gru cells"), "{cell_problem}");
    let decoder = DecoderForm::AttentionFirst(AttentionFirst { dim_attention: 0, ..form });
    assert!(problem(RecurrentConfig { decoder, ..config }).contains("size of attention is 0"));
}

/// Devlin 2017, §4.2, §4.3 and §4.5: what is computed once is what would be computed again and again.
#[test]
fn optimizations_change_no_translation() {
    let sentence = |i: usize| (0..(5 * i) % 13).map(move |j| WordId((2 + (3 * i + 5 * j) % 15) as u32));
    let sentences: Vec<Vec<WordId>> = (0..12).map(|i| sentence(i).chain([WordId(0)]).collect()).collect();
    for (config, form) in systems() {
        let tensors = Tensors::new(&config, &form);
        let plain = model(&config, &tensors);
        let options = marian_options(&plain, 4, 1.0);
        let expected = search(&plain, &options, 20, &sentences);
        for (frequent_words, merged_states) in [(0, false), (5, true), (WORDS + 1, false)] {
            let optimizations = Optimizations { frequent_words, merged_states, ..Optimizations::default() };
            let model = model(&config, &tensors).with_optimizations(optimizations);
            assert_eq!(search(&model, &options, 20, &sentences), expected, "{form:?}, {optimizations:?}");
        }
        let again = model(&config, &tensors)
            .with_optimizations(Optimizations { prepared_context: false, ..Optimizations::default() });
        let (source, target) = (words(&[3, 4, 5, 0]), words(&[6, 2, 9, 9, 0]));
        let scores = word_scores(&plain, &source, &target);
        for (a, b) in word_scores(&again, &source, &target).iter().zip(&scores) {
            assert!((a - b).abs() < 1e-5, "{form:?}: {a}, {b}");
        }
    }
}
