//! The time that simulations take on this machine, by section: which of them to shorten.

use std::cmp::Reverse;
use std::time::Duration;

/// Seconds of each section, in the order in which their first simulations have ended.
#[derive(Debug, Default)]
pub struct Spent(Vec<(String, Duration)>);

impl Spent {
    /// Adds the time of a simulation.
    pub fn add(&mut self, section: &str, time: Duration) {
        match self.0.iter_mut().find(|one| one.0 == section) {
            Some(one) => one.1 += time,
            None => self.0.push((section.to_owned(), time)),
        }
    }

    /// A line of all sections, the longest first.
    pub fn text(&self) -> String {
        let mut all = self.0.clone();
        all.sort_by_key(|one| Reverse(one.1));
        let all: Vec<String> =
            all.iter().map(|(section, time)| format!("{section} {:.0}", time.as_secs_f64())).collect();
        if all.is_empty() { String::new() } else { format!("seconds of simulations: {}\n", all.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_section_is_first() {
        let seconds = Duration::from_secs;
        let spent = Spent(vec![("ranks".to_owned(), seconds(3)), ("fft".to_owned(), seconds(40))]);
        assert_eq!(spent.text(), "seconds of simulations: fft 40, ranks 3\n");
        assert_eq!(Spent::default().text(), "");
    }
}
