//! Messages on standard error, each on one line: `metaphrase: error: …`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{MultiProgress, ProgressBar, ProgressFinish, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// The options of messages.
#[derive(Args)]
#[command(next_help_heading = "Messages")]
pub struct Messages {
    /// Print neither warnings nor a progress bar
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print messages of this level and above; info reports the model, the threads and the speed
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn", value_parser = level())]
    pub log: LevelFilter,
}

/// The levels, the most severe first.
fn level() -> impl TypedValueParser<Value = LevelFilter> {
    PossibleValuesParser::new(["error", "warn", "info", "debug", "trace"]).try_map(|level| level.parse())
}

/// The terminal that messages and progress bars share.
#[derive(Clone)]
pub struct Terminal {
    /// The bars, which messages must not overwrite.
    bars: MultiProgress,
    /// Whether to show no bar.
    pub quiet: bool,
}

impl Terminal {
    /// A bar in the form of `template`, which disappears when it is dropped; `None` if no bar can be shown.
    pub fn bar(&self, bar: ProgressBar, template: &str) -> Option<ProgressBar> {
        let shown = !self.quiet && io::stderr().is_terminal();
        shown.then(|| {
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            self.bars.add(bar.with_style(style).with_finish(ProgressFinish::AndClear))
        })
    }

    /// Prints a result of the run as a line on standard error, which need not be a terminal. Prints nothing with
    /// `--quiet`.
    pub fn print(&self, text: &str) {
        if !self.quiet {
            self.bars.suspend(|| eprintln!("{}", one_line(text)));
        }
    }

    /// Prints messages of another process of this program, unchanged.
    pub fn pass_on(&self, messages: &str) {
        self.bars.suspend(|| eprint!("{messages}"));
    }
}

impl Default for Messages {
    fn default() -> Self {
        Self { quiet: false, log: LevelFilter::WARN }
    }
}

impl Messages {
    /// Starts to print messages.
    pub fn start(&self) -> Terminal {
        let level = if self.quiet { LevelFilter::ERROR } else { self.log };
        let terminal = Terminal { bars: MultiProgress::new(), quiet: self.quiet };
        let stderr = Stderr(terminal.bars.clone());
        let writer = move || stderr.clone();
        // A process that has a subscriber already, such as Python's, keeps it.
        let _ = tracing_subscriber::fmt().with_max_level(level).with_writer(writer).event_format(OneLine).try_init();
        terminal
    }
}

/// The BLEU below which a trained model is useless: its translations share hardly a phrase with the references.
const USELESS: f64 = 2.0;

/// Warns that a trained model is useless, by its BLEU on the development set; `advice` names probable causes.
pub fn warn_if_useless(bleu: f64, advice: &str) {
    if bleu < USELESS {
        tracing::warn!("BLEU is {bleu:.2} on the development set: the model is useless; {advice}");
    }
}

/// The target of messages that name what the program waits for. They are no warnings.
pub const HINT: &str = "hint";

/// The form of a message: `metaphrase: warning: text key=value`.
struct OneLine;

impl<S, N> FormatEvent<S, N> for OneLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let level = match *event.metadata().level() {
            _ if event.metadata().target() == HINT => HINT,
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        write!(writer, "metaphrase: {level}: ")?;
        // The file of several that the message is about.
        for span in context.event_scope().into_iter().flatten() {
            let extensions = span.extensions();
            let name = extensions.get::<FormattedFields<N>>().map_or("", |name| &name.fields);
            if !fields.message.starts_with(name) {
                write!(writer, "{}: ", one_line(name))?;
            }
        }
        writeln!(writer, "{}{}", one_line(&fields.message), one_line(&fields.others))
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

/// The longest message, in characters. Our errors shorten text that they quote from files; this is for libraries that
/// do not.
const LONGEST: usize = 2000;

/// The text on one line. Control characters in names of files, lines or tensors must not break or colour it.
pub fn one_line(text: &str) -> String {
    let mut line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

/// Standard error, which suspends the progress bars while it writes. A failure to write a message does not stop the
/// program.
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
