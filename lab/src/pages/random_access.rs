//! RandomAccess beside Plimpton et al. 2006 and Jin et al. 2011.

use super::table::{named, percent, printed, table};
use hcube_results::machine::Machine;
use hcube_results::published::{
    COARRAYS, MACHINE, OPTIMISED, SWEEP_RANKS, TABLE_2, TABLE_4, optimised_seconds, over_ranks,
};
use hcube_results::simulated::{COARRAY_EVENTS, LOOK_AHEAD, RED_STORM, Reversed, SAVED_PERCENT, reversed};
use hcube_tool::machine::parameters;
use hcube_tool::model::{Compared, compare};

fn deviation(simulated: f64, published: f64) -> String {
    percent(100.0 * (simulated / published - 1.0))
}

/// Simulated and published rates over ranks.
pub fn red_storm() -> String {
    let each = |of: &dyn Fn(usize) -> String| TABLE_2.map(|rate| of(rate.ranks));
    let published = |ranks: usize| over_ranks(ranks).map_or(0.0, |rate| rate.hypercube);
    let none = |value: Option<f64>| value.map(printed).unwrap_or_default();
    let recorded = |ranks: usize| RED_STORM.into_iter().find(|rate| rate.ranks == ranks);
    let of = |pick: fn(&hcube_results::simulated::Rate) -> Option<f64>| {
        each(&|ranks| none(recorded(ranks).and_then(|rate| pick(&rate))))
    };
    table(
        named("ranks", each(&|ranks| ranks.to_string())),
        vec![
            named("Plimpton et al. 2006, measured (Table 2)", each(&|ranks| printed(published(ranks)))),
            named(
                "Plimpton et al. 2006, formula",
                each(&|ranks| none(over_ranks(ranks).and_then(|rate| rate.model))),
            ),
            named(
                "simulated: the published algorithm (no optimisation, rounds of Q)",
                of(|rate| Some(rate.paper)),
            ),
            named(
                "deviation from the published measurement",
                each(&|ranks| {
                    recorded(ranks).map_or(String::new(), |rate| deviation(rate.paper, published(ranks)))
                }),
            ),
            named(
                "simulated: hcube with defaults (strict look-ahead, two rounds of Q/2)",
                of(|rate| Some(rate.strict)),
            ),
            named("simulated: hcube with the published rounds (`HCUBE_RELAXED=1`)", of(|rate| rate.relaxed)),
        ],
    )
}

fn moves(change: f64) -> String {
    let verb = if change < 0.0 { "falls" } else { "rises" };
    format!("{verb} by {:.0} %", change.abs())
}

/// Where the simulation moves the other way than the machine, and what optimisations gain on many ranks.
pub fn signs() -> String {
    let rates = TABLE_2.iter().zip(RED_STORM).map(|(one, own)| (one.ranks as f64, one.hypercube, own.paper));
    let looks = TABLE_4.iter().zip(LOOK_AHEAD).map(|(one, own)| (one.0 as f64, one.1, own.1));
    let line = |what: &str, step: &Reversed, source: &str| {
        format!(
            "- Reversed sign: from {} to {} {what} the published rate {} ({source}),\n  the simulated rate {}.\n",
            step.from,
            step.to,
            moves(step.published),
            moves(step.simulated)
        )
    };
    let rates = reversed(&rates.collect::<Vec<_>>());
    let looks = reversed(&looks.collect::<Vec<_>>());
    let mut text: String = rates.iter().map(|step| line("ranks", step, "Table 2")).collect();
    text += &looks.iter().map(|step| line("values of look-ahead", step, "Table 4")).collect::<String>();
    let gain = |after: f64, before: f64| 100.0 * (after / before - 1.0);
    let (ranks, optimised) = OPTIMISED;
    let published = over_ranks(ranks).map_or(0.0, |rate| gain(optimised, rate.hypercube));
    let most = RED_STORM.iter().rev().find_map(|rate| Some((rate.ranks, gain(rate.relaxed?, rate.paper))));
    if let Some((simulated_ranks, simulated)) = most {
        text += &format!(
            "- All optimisations raise the simulated rate by {simulated:.0} % on {simulated_ranks} ranks; the published rate by\n  \
             {published:.0} % on {ranks} (section 4).\n"
        );
    }
    text
}

fn predictions() -> Vec<Compared> {
    Machine::find(MACHINE).map_or_else(|_| Vec::new(), |machine| compare(&parameters(&machine)))
}

/// Rates over the look-ahead.
pub fn look_ahead() -> String {
    let predicted = predictions();
    let of_model = |look_ahead: u64| {
        let is = |one: &&Compared| one.source == "Table 4" && one.look_ahead as u64 == look_ahead;
        predicted.iter().find(is).map_or(0.0, |one| one.gups)
    };
    let both = || TABLE_4.iter().zip(LOOK_AHEAD);
    table(
        named("Q", TABLE_4.map(|(look_ahead, _)| look_ahead.to_string())),
        vec![
            named("Plimpton et al. 2006, measured (Table 4)", TABLE_4.map(|(_, rate)| printed(rate))),
            named("simulated: the published algorithm", LOOK_AHEAD.map(|(_, rate)| printed(rate))),
            named("deviation", both().map(|(one, own)| deviation(own.1, one.1))),
            named("`hcube model`", TABLE_4.map(|(look_ahead, _)| printed(of_model(look_ahead)))),
            named("deviation", TABLE_4.map(|(look_ahead, rate)| deviation(of_model(look_ahead), rate))),
        ],
    )
}

/// Time that optimisations save.
pub fn optimisations() -> String {
    let seconds = optimised_seconds(SWEEP_RANKS).unwrap_or_default();
    let saved = |seconds: Option<f64>, original: Option<f64>| {
        let share = seconds.zip(original).map(|(seconds, original)| 100.0 * (1.0 - seconds / original));
        share.map_or_else(String::new, |share| format!("{share:.0} %"))
    };
    table(
        named(
            &format!("time saved on {SWEEP_RANKS} ranks"),
            ["Mod1", "+ Mod2", "+ Mod3", "+ Mod7"].map(str::to_owned),
        ),
        vec![
            named(
                "Plimpton et al. 2006, measured (Table 3)",
                seconds[1..].iter().map(|&one| saved(one, seconds[0])),
            ),
            named("simulated", SAVED_PERCENT.map(|share| format!("{share:.0} %"))),
        ],
    )
}

/// The deviation of the cost model from the figures of Plimpton et al. 2006.
pub fn model_errors() -> String {
    let all = predictions();
    let model = all.iter().filter_map(Compared::off_model).map(f64::abs).fold(0.0, f64::max);
    let of = |source: &str| {
        let errors: Vec<f64> =
            all.iter().filter(|one| one.source == source).map(|one| 100.0 * one.off_measured()).collect();
        let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|pick| errors.iter().copied().fold(0.0, pick));
        [percent(least), percent(most), format!("{mean:.0} %")]
    };
    let line = |name: &str, source: &str| named(name, of(source));
    table(
        named("deviation from", ["smallest", "largest", "mean of absolute values"].map(str::to_owned)),
        vec![
            named(
                "the model of Plimpton et al. (Table 2)",
                ["".to_owned(), format!("{:.1} %", 100.0 * model), "".to_owned()],
            ),
            line("the measurements over ranks (Table 2)", "Table 2"),
            line("the measurements over the look-ahead (Table 4)", "Table 4"),
        ],
    )
}

/// Rates of the program with copies and events on coarrays.
pub fn coarray_events() -> String {
    let (images, rate) = COARRAYS;
    table(
        named("images", COARRAY_EVENTS.map(|(images, _)| images.to_string())),
        vec![
            named(
                "simulated: routed by copies with events (Figure 6 of Jin et al. 2011)",
                COARRAY_EVENTS.map(|one| printed(one.1)),
            ),
            named(
                "Jin et al. 2011, measured",
                COARRAY_EVENTS.map(|one| if one.0 == images { printed(rate) } else { String::new() }),
            ),
            named(
                "simulated / measured",
                COARRAY_EVENTS
                    .map(|one| if one.0 == images { format!("{:.1}", one.1 / rate) } else { String::new() }),
            ),
        ],
    )
}
