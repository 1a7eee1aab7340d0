//! Messages to people, on standard error, a line for each: `metaphrase: error: …`.

use clap::{Args, ValueEnum};
use indicatif::MultiProgress;
use std::fmt;
use std::io::{self, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The options of messages.
#[derive(Args, Default)]
#[command(next_help_heading = "Messages")]
pub struct Messages {
    /// Print neither warnings nor a progress bar
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print messages of this level and of more severe ones; info tells the model, the threads and the speed
    #[arg(long, global = true, value_name = "LEVEL", value_enum, default_value_t = LogLevel::Warn)]
    pub log: LogLevel,
}

/// The levels, the most severe first.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum LogLevel {
    Error,
    #[default]
    Warn,
    Info,
    Debug,
    Trace,
}

/// The terminal that messages and progress bars share.
#[derive(Clone)]
pub struct Terminal {
    /// The bars that messages must not break.
    pub bars: MultiProgress,
    /// Whether to show no bar.
    pub quiet: bool,
}

impl Messages {
    /// Starts to print messages.
    pub fn start(&self) -> Terminal {
        let level = match self.log {
            _ if self.quiet => LevelFilter::ERROR,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        };
        let terminal = Terminal { bars: MultiProgress::new(), quiet: self.quiet };
        let stderr = Stderr(terminal.bars.clone());
        let writer = move || stderr.clone();
        tracing_subscriber::fmt().with_max_level(level).with_writer(writer).event_format(OneLine).init();
        terminal
    }
}

/// `metaphrase: warning: text key=value`.
struct OneLine;

impl<S, N> FormatEvent<S, N> for OneLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        writeln!(writer, "metaphrase: {level}: {}{}", one_line(&fields.message), one_line(&fields.others))
    }
}

/// The fields of a message.
#[derive(Default)]
struct Fields {
    message: String,
    others: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.others += &format!(" {}={value:?}", field.name());
        }
    }
}

/// Control characters in names of files, lines or tensors must not break or colour the line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Standard error, around the progress bars. A failure to write a message does not stop the program.
#[derive(Clone)]
struct Stderr(MultiProgress);

impl Write for Stderr {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let _ = self.0.suspend(|| io::stderr().lock().write_all(text));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
