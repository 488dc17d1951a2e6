//! The processor time of simulations on this machine, by section: which of them to shorten.

/// Seconds of each section, in the order in which their first simulations have ended.
#[derive(Debug, Default)]
pub struct Spent(Vec<(String, f64)>);

impl Spent {
    /// Adds the seconds of a simulation.
    pub fn add(&mut self, section: &str, seconds: f64) {
        match self.0.iter_mut().find(|one| one.0 == section) {
            Some(one) => one.1 += seconds,
            None => self.0.push((section.to_owned(), seconds)),
        }
    }

    /// A line of all sections, the longest first, and their sum.
    pub fn text(&self) -> String {
        let mut all = self.0.clone();
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        let sum: f64 = all.iter().map(|one| one.1).sum();
        let all: Vec<String> =
            all.iter().map(|(section, seconds)| format!("{section} {seconds:.0}")).collect();
        if all.is_empty() {
            return String::new();
        }
        format!("processor time of simulations in s: {}; total {sum:.0}\n", all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_section_is_first() {
        let mut spent = Spent::default();
        for (section, seconds) in [("ranks", 3.0), ("fft", 30.0), ("fft", 10.0)] {
            spent.add(section, seconds);
        }
        assert_eq!(spent.text(), "processor time of simulations in s: fft 40, ranks 3; total 43\n");
        assert_eq!(Spent::default().text(), "");
    }
}
