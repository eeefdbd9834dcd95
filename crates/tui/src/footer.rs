//! The line at the bottom: what answers, and what it has cost so far.
//!
//! Owns the figures and their words. Must not know where they come from.

use crate::text::{Line, Span};
use crate::theme;
use letscode_wire::{StateResult, Usage};
use std::time::Duration;

/// The share of the window from which on it is worth a warning, in percent.
const NEARLY_FULL: u64 = 70;

/// What the line tells.
#[derive(Debug, Clone, Default)]
pub struct Footer {
    model: String,
    thinking: String,
    window: Option<u64>,
    /// The sums over the session.
    spent: Usage,
    /// How many tokens the last request and its answer took; `None` before the first.
    context: Option<u64>,
}

impl Footer {
    /// Takes over who answers, and how large its window is.
    pub fn set_state(&mut self, state: &StateResult) {
        self.model.clone_from(&state.model);
        self.thinking.clone_from(&state.thinking);
        self.window = state.context_window;
        self.context = (state.context_tokens > 0).then_some(state.context_tokens);
    }

    /// Takes over what the session has cost.
    pub fn set_spent(&mut self, usage: Usage) {
        self.spent = usage;
    }

    /// Adds an answer's figures.
    pub fn answered(&mut self, usage: &Usage) {
        self.spent.input_tokens += usage.input_tokens;
        self.spent.output_tokens += usage.output_tokens;
        self.spent.cache_read_tokens += usage.cache_read_tokens;
        if let Some(cost) = usage.cost_usd {
            *self.spent.cost_usd.get_or_insert_default() += cost;
        }
        self.context = Some(usage.input_tokens + usage.output_tokens);
    }

    /// Returns the row with how long the run has taken, cut to the width; the figures that matter
    /// less give way first.
    pub fn view(&self, columns: usize, elapsed: Option<Duration>) -> Line {
        let mut parts = vec![Span::foreign(&self.model, theme::QUIET)];
        if !matches!(self.thinking.as_str(), "" | "off") {
            parts.push(Span::foreign(&self.thinking, theme::QUIET));
        }
        if let Some(elapsed) = elapsed {
            parts.push(Span::new(duration(elapsed), theme::QUIET));
        }
        if let Some(context) = self.context {
            parts.push(self.context_words(context));
        }
        if self.spent.input_tokens + self.spent.output_tokens > 0 {
            parts.push(Span::new(self.token_words(), theme::QUIET));
        }
        if let Some(cost) = self.spent.cost_usd {
            parts.push(Span::new(money(cost), theme::QUIET));
        }
        let mut line = Line::empty();
        for part in parts {
            let mut longer = line.clone();
            if !longer.is_empty() {
                longer.push(Span::new(" · ", theme::QUIET));
            }
            longer.push(part);
            if longer.width() > columns && !line.is_empty() {
                break;
            }
            line = longer;
        }
        line.clipped(columns)
    }

    fn context_words(&self, context: u64) -> Span {
        let Some(window) = self.window.filter(|window| *window > 0) else {
            return Span::new(format!("{} in context", tokens(context)), theme::QUIET);
        };
        let percent = context.saturating_mul(100) / window;
        let style = if percent >= NEARLY_FULL { theme::WARNING } else { theme::QUIET };
        Span::new(format!("{percent}% of {}", tokens(window)), style)
    }

    fn token_words(&self) -> String {
        let Usage { input_tokens, output_tokens, cache_read_tokens, .. } = self.spent;
        let cached = match (cache_read_tokens * 100).checked_div(input_tokens) {
            Some(percent) if percent > 0 => format!(" ({percent}% cached)"),
            _ => String::new(),
        };
        format!("{} in{cached} {} out", tokens(input_tokens), tokens(output_tokens))
    }
}

/// Returns a number of tokens in at most five characters.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
pub fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..9_950 => format!("{:.1}k", count as f64 / 1e3),
        9_950..999_500 => format!("{:.0}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// Returns a time as a person reads it: `4s`, `2m05s`, `1h02m`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns US dollars, small sums with more digits.
fn money(dollars: f64) -> String {
    if dollars < 0.1 { format!("${dollars:.4}") } else { format!("${dollars:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer() -> Footer {
        let mut footer = Footer { model: "glm-5.2".to_owned(), ..Footer::default() };
        footer.thinking = "low".to_owned();
        footer.window = Some(128_000);
        footer.answered(&Usage {
            input_tokens: 12_000,
            output_tokens: 345,
            cache_read_tokens: 9_600,
            cost_usd: Some(0.0123),
            ..Usage::default()
        });
        footer
    }

    #[test]
    fn the_line_tells_what_answers_and_what_it_cost() {
        let line = footer().view(200, Some(Duration::from_secs(75)));
        assert_eq!(
            line.text(),
            "glm-5.2 · low · 1m15s · 9% of 128k · 12k in (80% cached) 345 out · $0.0123"
        );
    }

    #[test]
    fn a33_on_a_narrow_screen_less_is_told() {
        for columns in 0..100 {
            assert!(footer().view(columns, None).width() <= columns);
        }
        assert_eq!(footer().view(16, None).text(), "glm-5.2 · low");
        assert_eq!(footer().view(5, None).text(), "glm-…");
    }

    #[test]
    fn numbers_are_short() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (9_949, "9.9k"),
            (9_950, "10k"),
            (128_000, "128k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (2_000_000, "2.0M"),
        ] {
            assert_eq!(tokens(count), text);
        }
        for (seconds, text) in [(0, "0s"), (59, "59s"), (125, "2m05s"), (3_720, "1h02m")] {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
        assert_eq!(money(1.5), "$1.50");
    }

    #[test]
    fn a_nearly_full_window_is_seen() {
        let mut footer = footer();
        footer.answered(&Usage { input_tokens: 100_000, ..Usage::default() });
        let line = footer.view(100, None);
        assert!(line.spans.iter().any(|span| span.style == theme::WARNING));
    }
}
