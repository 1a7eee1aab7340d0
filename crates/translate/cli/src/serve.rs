//! `metaphrase serve`.

use crate::number;
use crate::values::{AUTO, Numbers, numbers};
use anyhow::{Context, Result};
use metaphrase_server::{Config, Limits, ModelSpec, Store, parse_model};
use std::io::Write;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Serve translations to programs and browsers
///
/// Programs that speak to LibreTranslate or to DeepL can use this server unchanged; `docs/serve.md` tells which addresses they
/// need. A browser finds a page at the server's address. Models are loaded when they are first asked for. Without --model the
/// server translates between English and German.
#[derive(clap::Args)]
pub struct Args {
    /// A model and its languages, as de-en=opus-mt-de-en/; repeat it for each pair of languages. A code with a hyphen is
    /// written pt-BR:en=PATH [default: the bundled en-de and de-en]
    #[arg(short, long = "model", value_name = "SOURCE-TARGET=PATH", value_parser = parse_model)]
    models: Vec<ModelSpec>,
    /// The address or the name to listen at, as localhost or ::1; 0.0.0.0 serves other machines, too
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port to listen at; 0 takes a free one
    #[arg(short, long, value_name = "PORT", default_value_t = 5000)]
    port: u16,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    limits: LimitArgs,
}

/// How models use the machine.
#[derive(clap::Args)]
#[command(next_help_heading = "Machine")]
struct Machine {
    /// Number of threads of each model [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = number::thread_count)]
    threads: Option<NonZeroUsize>,
    /// The batch of each thread: number of source pieces that are translated together
    #[arg(long, value_name = "N", default_value = "256")]
    batch_tokens: NonZeroUsize,
    /// The numbers of the models' products
    #[arg(long, value_parser = numbers(), default_value = AUTO)]
    precision: Numbers,
    /// Keep models in memory whose files have N megabytes together; the one that was not used for the longest time leaves
    /// [default: all models stay]
    #[arg(long, value_name = "N")]
    model_memory: Option<u64>,
}

/// Keys, glossaries, usage.
#[derive(clap::Args)]
#[command(next_help_heading = "State")]
struct State {
    /// Keep glossaries, keys and usage in this file [default: in memory, until the server ends]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Serve requests with a known key alone
    #[arg(long, requires = "data")]
    require_key: bool,
    /// Make a key with this name, print it, and end; the server may run at the same time
    #[arg(long, value_name = "NAME", requires = "data")]
    add_key: Option<String>,
    /// Characters that the new key may have translated in a month [default: no limit]
    #[arg(long, value_name = "N", requires = "add_key")]
    characters_per_month: Option<u64>,
    /// Requests in a minute of the new key or, without --add-key, of each client without a key [default: no limit]
    #[arg(long, value_name = "N")]
    requests_per_minute: Option<u32>,
    /// Forget the key with this name and its glossaries, and end
    #[arg(long, value_name = "NAME", requires = "data", conflicts_with = "add_key")]
    remove_key: Option<String>,
    /// Print the names, limits and characters of this month of all keys, and end
    #[arg(long, requires = "data", conflicts_with_all = ["add_key", "remove_key"])]
    list_keys: bool,
    /// Let pages of this origin use the server from a browser, as https://example.org; * stands for all; may be repeated
    #[arg(long = "cors", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// A proxy in front of the server says whose request it is, in the header X-Forwarded-For, and at which address clients
    /// find the server, in X-Forwarded-Host, -Proto and -Prefix
    #[arg(long)]
    trust_forwarded: bool,
}

/// What a client may ask for.
#[derive(clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Characters of the texts of a request
    #[arg(long, value_name = "N", default_value_t = Limits::default().characters)]
    max_characters: usize,
    /// Texts of a request
    #[arg(long, value_name = "N", default_value_t = Limits::default().texts)]
    max_texts: usize,
    /// Alternative translations of a text
    #[arg(long, value_name = "N", default_value_t = Limits::default().alternatives)]
    max_alternatives: usize,
    /// Megabytes of a file
    #[arg(long, value_name = "N", default_value_t = Limits::default().file_bytes / 1_000_000)]
    max_file: usize,
    /// Sentences that wait, of all clients; one client may have half of them
    #[arg(long, value_name = "N", default_value_t = Limits::default().queue)]
    max_queue: usize,
    /// Megabytes of the translations that are kept in memory for sentences that come again; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = Limits::default().cache_bytes >> 20)]
    cache: usize,
    /// Open connections
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    max_connections: usize,
    /// Seconds until a translation is given up
    #[arg(long, value_name = "N", default_value_t = Limits::default().deadline / 1000)]
    deadline: u64,
    /// Seconds for the requests in work when the server is told to end
    #[arg(long, value_name = "N", default_value_t = 30)]
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
    more_files();
    let address = address(&args.host, args.port)?;
    metaphrase_server::run(config(args, address), |address| {
        // Without a reader of standard output the server works, too.
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

fn config(args: &Args, address: SocketAddr) -> Config {
    let Args { machine, state, limits, .. } = args;
    let mut config = Config::local();
    config.address = address;
    if !args.models.is_empty() {
        config.models.clone_from(&args.models);
    }
    let options = &mut config.model_options;
    options.threads = number::threads(machine.threads).get();
    options.batch_tokens = machine.batch_tokens.get();
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

/// Each connection needs a file descriptor: takes as many as the system allows.
fn more_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // Without it there are fewer connections.
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
