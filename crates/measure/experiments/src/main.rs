//! The tables and figures of the papers, on our models and data: each is one command, which writes a JSON file with all
//! numbers and, for a figure, an SVG picture.
//!
//! ```sh
//! cargo run --release -p experiments -- post-fig4
//! ```

mod devlin;
mod iglesias;
mod memory;
mod pictures;
mod post;
mod process;
mod pruning;
mod random;
mod setup;
mod sum;
mod tables;
mod tags;
mod terminology;
mod wuebker;
mod zhang;

use anyhow::Result;
use clap::{Parser, Subcommand};
use setup::Setup;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Reproduces the papers' experiments; times are CPU seconds of one thread
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    experiment: Experiment,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Subcommand)]
enum Experiment {
    /// Post and Vilar 2018, table 1: hypotheses per step by number of constraints, three searches
    PostTable1,
    /// Table 2: pieces of the constraints
    PostTable2,
    /// Figure 1: one sentence with four lists of constraints
    PostFig1,
    /// Figure 4: time by number of constraints, dynamic beam allocation and grid beam search
    PostFig4,
    /// Figure 5: BLEU by beam and set of constraints; all constraints are counted
    PostFig5,
    /// Table 3: BLEU and time by pruning threshold
    PostTable3,
    /// Figure 6: one sentence with eleven lists of constraints
    PostFig6,
    /// Figure 7: where phrases stand in the reference and in the translation
    PostFig7,
    /// Figure 8: BLEU by the model's score of translations with and without constraints, and of the reference
    PostFig8,
    /// Figure 9 and §6.4: the work of a beam that waits until all of it has finished
    PostFig9,
    /// Appendix A.1 and A.2: constraints from a phrase table, and names
    PostAutomatic(post::AutomaticArgs),
    /// Devlin 2017, table 1: what each trick of the CPU brings; random weights of the paper's sizes
    DevlinTable1,
    /// Table 1, §4.4: tanh and the logistic function by a table, and in other ways
    DevlinFunctions,
    /// Table 1, "99.9 % identical": the translations and BLEU of networks that have learned, with and without tricks
    DevlinIdentical(devlin::IdenticalArgs),
    /// Devlin 2017, table 2: the speed of the systems S1 to S7, E1 and E2; random weights of the paper's sizes
    DevlinTable2,
    /// Iglesias et al. 2018, table 1: BLEU of phrase-based and neural systems, and of neural systems with evidence
    /// tuned on development text
    IglesiasTable1(Box<iglesias::table1::Args>),
    /// Table 2 and figure 1: speed, memory and parts of the time, research set-up and accelerated one, with evidence
    /// and without
    IglesiasTable2(Box<iglesias::speed::Args>),
    /// Iglesias et al. 2018, figure 2: the hypotheses of a beam together and one at a time, by beam
    IglesiasFig2,
    /// Figure 3: sentences together, by their number, in the order of the text and sorted by length
    IglesiasFig3,
    /// Iglesias et al. 2018, §2: the time of a step by the number of translations in the evidence
    IglesiasSteps(Box<iglesias::steps::Args>),
    /// Iglesias et al. 2018, §4.3, and Devlin 2017, §3: relative beam width, stopping margin; BLEU and steps saved
    Pruning,
    /// Zhang et al. 2018, table 1: time of each part of a step
    ZhangTable1,
    /// Figures 3 to 7: merging rate, rows, time and BLEU by beam for plain, naive and accelerated cube pruning
    ZhangFig3,
    /// Accelerated cube pruning at beam 30 together with a relative beam width
    ZhangPruned,
    /// Wuebker et al. 2012, table 1: work per source word and speed of the phrase-based search, four set-ups
    WuebkerTable1,
    /// Figure 1 and table 2: BLEU against speed, compared with Moses (run benches/peers/compare_phrase.py)
    WuebkerFig1 {
        /// Translation options per source phrase; Moses is run with 20
        #[arg(long, default_value_t = 20)]
        options: usize,
    },
    /// Table 2: settings chosen on a development text, and their BLEU, TER and speed on a test text
    WuebkerTable2(wuebker::Args),
    /// Model scores of a wide search against those that Moses reached with stacks of 1000
    WuebkerScores,
    /// All five papers: BLEU, chrF, speed and memory with each technique and with all at once
    Sum(sum::Args),
    /// Draw the pictures anew from the JSON files of earlier runs
    Pictures,
    /// Write the tables of README.md and of the pages of docs anew from the JSON files of docs/results
    Tables,
    /// Tags of phpdoc-de-en in translations, and their places in the reference
    Tags,
    /// Share of glossary terms produced, BLEU and time with and without the glossary, on the four lists
    Terminology,
}

fn main() -> Result<()> {
    let Cli { experiment, setup } = Cli::parse();
    match experiment {
        Experiment::PostTable1 => post::table_1(&setup),
        Experiment::PostTable2 => post::table_2(&setup),
        Experiment::PostFig1 => post::figure_1(&setup),
        Experiment::PostFig4 => post::figure_4(&setup),
        Experiment::PostFig5 => post::figure_5(&setup),
        Experiment::PostTable3 => post::table_3(&setup),
        Experiment::PostFig6 => post::figure_6(&setup),
        Experiment::PostFig7 => post::figure_7(&setup),
        Experiment::PostFig8 => post::figure_8(&setup),
        Experiment::PostFig9 => post::figure_9(&setup),
        Experiment::PostAutomatic(args) => post::automatic(&setup, &args),
        Experiment::DevlinTable1 => devlin::table_1(&setup),
        Experiment::DevlinFunctions => devlin::functions(&setup),
        Experiment::DevlinIdentical(args) => devlin::identical(&setup, &args),
        Experiment::DevlinTable2 => devlin::table_2(&setup),
        Experiment::IglesiasTable1(args) => iglesias::table1::run(&setup, &args),
        Experiment::IglesiasTable2(args) => iglesias::speed::run(&setup, &args),
        Experiment::IglesiasFig2 => iglesias::figure_2(&setup),
        Experiment::IglesiasFig3 => iglesias::figure_3(&setup),
        Experiment::IglesiasSteps(args) => iglesias::steps::run(&setup, &args),
        Experiment::Pruning => pruning::run(&setup),
        Experiment::ZhangTable1 => zhang::table_1(&setup),
        Experiment::ZhangFig3 => zhang::figures(&setup),
        Experiment::ZhangPruned => zhang::pruned(&setup),
        Experiment::WuebkerTable1 => wuebker::table_1(&setup),
        Experiment::WuebkerFig1 { options } => wuebker::figure_1(&setup, options),
        Experiment::WuebkerTable2(args) => wuebker::table_2(&setup, &args),
        Experiment::WuebkerScores => wuebker::scores(&setup),
        Experiment::Sum(args) => sum::run(&setup, &args),
        Experiment::Tables => tables::write(std::path::Path::new(".")),
        Experiment::Pictures => pictures::redraw(setup.out()),
        Experiment::Tags => tags::run(&setup),
        Experiment::Terminology => terminology::run(&setup),
    }
}
