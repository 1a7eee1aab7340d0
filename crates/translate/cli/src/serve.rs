//! `metaphrase serve`.

use crate::config::Config as UserConfig;
use crate::models;
use crate::number;
use crate::values::{AUTO, PrecisionChoice, precision};
use anyhow::{Context, Result};
use metaphrase::Device;
use metaphrase_server::{Config, Limits, ModelSpec, Store, parse_model};
use std::io::Write;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  metaphrase serve                                            # English and German, http://127.0.0.1:5000
  metaphrase serve -m de-en=opus-mt-de-en/ -m en-fr=opus-mt-en-fr/
  metaphrase serve -m en,de,fr=nllb-200-distilled-600M/       # from each of these languages into each other
  metaphrase serve --models ~/models                          # all models in a folder
  metaphrase serve --data state.db --add-key web              # prints a key
  metaphrase serve --data state.db --require-key --host 0.0.0.0";

/// Serve translations to programs and browsers
///
/// Programs for the APIs of LibreTranslate and DeepL can use this server unchanged; `docs/serve.md` lists the addresses
/// that they need. A browser shows a page at the server's address. A model is loaded when a request first needs it.
/// Without --model and --models the server translates between English and German.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model and its languages, such as de-en=opus-mt-de-en/; give this option once for each pair of languages.
    /// With a code that has a hyphen, write pt-BR:en=PATH. A model of several languages, such as NLLB-200, translates
    /// between all that are listed as in en,de,fr=nllb/, and is in memory once [default: the bundled en-de and de-en]
    #[arg(short, long = "model", value_name = "SOURCE-TARGET=PATH", value_parser = parse_model)]
    model: Vec<ModelSpec>,
    /// A folder of models, each a directory or an archive that --model could name: all of them are served under the
    /// languages that their files or their names show, such as en-de or opus-mt-en-de; the log names those that are
    /// skipped; may be repeated. Example: ~/.local/share/argos-translate/packages
    #[arg(long = "models", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The address or the name to listen on, such as localhost or ::1; 0.0.0.0 serves other machines, too
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 selects a free one
    #[arg(short, long, value_name = "PORT", default_value_t = 5000, value_parser = number::whole::<u16>)]
    port: u16,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The use of the machine.
#[derive(clap::Args)]
#[command(next_help_heading = "Machine")]
struct MachineArgs {
    /// Number of threads of each model [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = number::thread_count)]
    threads: Option<NonZeroUsize>,
    /// The device that computes the models: cpu, cuda:0 for the first NVIDIA GPU, or cuda:0,1 for two of them, which
    /// share the lines; the driver and the libraries of CUDA 12 or 13 are looked for then
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
    /// The batch of each thread: number of source pieces that are translated together [default: 256, or 8192 for a GPU]
    #[arg(long, value_name = "N", value_parser = number::whole::<NonZeroUsize>)]
    batch_tokens: Option<NonZeroUsize>,
    /// The precision of the models' matrix products
    #[arg(long, value_parser = precision(), default_value = AUTO)]
    precision: PrecisionChoice,
    /// Keep loaded models up to N megabytes of model files; the least recently used one is unloaded first [default: all
    /// models stay]
    #[arg(long, value_name = "N", value_parser = number::whole::<u64>)]
    model_memory: Option<u64>,
}

/// Keys, glossaries and usage.
#[derive(clap::Args)]
#[command(next_help_heading = "State")]
struct StateArgs {
    /// Keep glossaries, keys and usage in this file [default: in memory, until the server ends]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Serve only requests with a known key
    #[arg(long, requires = "data")]
    require_key: bool,
    /// Create a key with this name, print it, and exit; the server may run at the same time
    #[arg(long, value_name = "NAME", requires = "data")]
    add_key: Option<String>,
    /// Limit of translated characters per month for the new key [default: no limit]
    #[arg(long, value_name = "N", requires = "add_key", value_parser = number::whole::<u64>)]
    characters_per_month: Option<u64>,
    /// Limit of requests per minute for the new key or, without --add-key, for each client without a key [default: no
    /// limit]
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>)]
    requests_per_minute: Option<u32>,
    /// Remove the key with this name and its glossaries, and exit
    #[arg(long, value_name = "NAME", requires = "data", conflicts_with = "add_key")]
    remove_key: Option<String>,
    /// Print the names, limits and characters of this month of all keys, and exit
    #[arg(long, requires = "data", conflicts_with_all = ["add_key", "remove_key"])]
    list_keys: bool,
    /// Allow web pages of this origin to use the server, such as https://example.org; * allows all; may be repeated
    #[arg(long = "cors", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Take the address of the client from the header X-Forwarded-For, and the server's own address from
    /// X-Forwarded-Host, -Proto and -Prefix, which a proxy in front of the server sets
    #[arg(long)]
    trust_forwarded: bool,
}

/// The limits of requests.
#[derive(clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Characters of all texts of a request
    #[arg(long, value_name = "N", default_value_t = Limits::default().characters)]
    #[arg(value_parser = number::whole::<usize>)]
    max_characters: usize,
    /// Texts of a request
    #[arg(long, value_name = "N", default_value_t = Limits::default().texts, value_parser = number::whole::<usize>)]
    max_texts: usize,
    /// Alternative translations of a text
    #[arg(long, value_name = "N", default_value_t = Limits::default().alternatives)]
    #[arg(value_parser = number::whole::<usize>)]
    max_alternatives: usize,
    /// Megabytes of a file
    #[arg(long, value_name = "N", default_value_t = Limits::default().file_bytes / 1_000_000)]
    #[arg(value_parser = number::whole::<usize>)]
    max_file: usize,
    /// Sentences in the queue, of all clients together; one client may have half of them
    #[arg(long, value_name = "N", default_value_t = Limits::default().queue, value_parser = number::whole::<usize>)]
    max_queue: usize,
    /// Megabytes of the translations that are kept in memory for sentences that come again; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = Limits::default().cache_bytes >> 20)]
    #[arg(value_parser = number::whole::<usize>)]
    cache: usize,
    /// Open connections
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    #[arg(value_parser = number::whole::<usize>)]
    max_connections: usize,
    /// Seconds until a translation is cancelled
    #[arg(long, value_name = "N", default_value_t = Limits::default().deadline / 1000)]
    #[arg(value_parser = number::whole::<u64>)]
    deadline: u64,
    /// Seconds for the requests in progress to finish when a signal stops the server
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = number::whole::<u64>)]
    drain: u64,
}

/// Serves until a signal ends the program.
pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.state.data {
        let state = &args.state;
        let open = || Store::open(Some(path)).with_context(|| path.display().to_string());
        if let Some(name) = &state.add_key {
            println!("{}", open()?.add_key(name, state.characters_per_month, state.requests_per_minute)?);
            return Ok(());
        }
        if let Some(name) = &state.remove_key {
            anyhow::ensure!(open()?.remove_key(name)?, "there is no key named '{name}'; --list-keys prints the names");
            return Ok(());
        }
        if state.list_keys {
            return list_keys(&open()?);
        }
    }
    raise_file_limit();
    let address = address(&args.host, args.port)?;
    metaphrase_server::run(config(args, &UserConfig::load()?, address), |address| {
        // The server also works if nobody reads standard output.
        let _ = writeln!(std::io::stdout(), "http://{address}");
    })?;
    Ok(())
}

fn list_keys(store: &Store) -> Result<()> {
    let limit = |limit: Option<u64>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    println!("name\tcharacters this month\tof\trequests a minute");
    for (key, used) in store.keys()? {
        println!("{}\t{used}\t{}\t{}", key.name, limit(key.characters), limit(key.requests.map(u64::from)));
    }
    Ok(())
}

/// The address of a host: an address, with or without the brackets of an IPv6 address in URLs, or a name. Of several
/// addresses one of IPv4 is taken, which all clients reach.
fn address(host: &str, port: u16) -> Result<SocketAddr> {
    let plain = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = plain.parse::<IpAddr>() {
        return Ok((address, port).into());
    }
    let found = (plain, port).to_socket_addrs();
    let mut found =
        found.with_context(|| format!("'{host}' is neither an address nor a name that this machine knows"))?;
    let first = found.next().with_context(|| format!("the name '{host}' has no address"))?;
    Ok(std::iter::once(first).chain(found).find(SocketAddr::is_ipv4).unwrap_or(first))
}

/// The place of a model in the folders of the user's settings, or the path as it is.
fn place(path: &Path, settings: &UserConfig) -> PathBuf {
    models::find(path, settings).unwrap_or_else(|| path.to_owned())
}

fn config(args: &Args, settings: &UserConfig, address: SocketAddr) -> Config {
    let Args { machine, state, limits, .. } = args;
    let mut config = Config::local();
    config.address = address;
    if !args.model.is_empty() || !args.folders.is_empty() {
        let placed = |model: &ModelSpec| ModelSpec { path: place(&model.path, settings), ..model.clone() };
        config.models = args.model.iter().map(placed).collect();
        config.model_folders.clone_from(&args.folders);
    }
    let options = &mut config.model_options;
    options.threads = number::threads(machine.threads.or(settings.threads.value)).get();
    options.device = machine.device;
    options.batch_tokens = machine.batch_tokens.map_or(machine.device.batch_tokens(), NonZeroUsize::get);
    options.precision = machine.precision.0;
    options.memory = machine.model_memory.map(|megabytes| megabytes.saturating_mul(1_000_000));
    config.data.clone_from(&state.data);
    config.require_key = state.require_key;
    config.origins.clone_from(&state.origins);
    config.trust_forwarded = state.trust_forwarded;
    config.drain = Duration::from_secs(limits.drain);
    config.limits = Limits {
        characters: limits.max_characters,
        texts: limits.max_texts,
        alternatives: limits.max_alternatives,
        file_bytes: limits.max_file.saturating_mul(1_000_000),
        queue: limits.max_queue,
        cache_bytes: limits.cache.saturating_mul(1 << 20),
        connections: limits.max_connections,
        deadline: limits.deadline.saturating_mul(1000),
        requests: state.requests_per_minute,
        ..Limits::default()
    };
    config
}

/// Raises the limit of open files to the most that the system allows: each connection needs a file descriptor.
fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // If this fails, there are fewer connections.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_or_names() {
        for (host, expected) in
            [("127.0.0.1", "127.0.0.1:5"), ("[::1]", "[::1]:5"), ("::1", "[::1]:5"), ("0.0.0.0", "0.0.0.0:5")]
        {
            assert_eq!(address(host, 5).ok().map(|found| found.to_string()).as_deref(), Some(expected));
        }
        assert!(address("localhost", 5).is_ok_and(|found| found.ip().is_loopback()));
        assert!(address("no such host", 5).is_err());
    }
}
