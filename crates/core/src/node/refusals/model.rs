//! What refusals promise, in all interleavings.
//!
//! A rank that refuses rounds does not wait for the others, except where it has refused as many as it may;
//! every other rank sees in each of these rounds that it has, the tag, and the text if it has one, and no
//! notice instead; rounds in which a rank posts are as without refusals, and nobody waits for ever once all
//! have posted or refused.
//!
//! In a model there are three texts and four tags, so that both rings are used again from the third and the
//! fourth refusal on.

use crate::atomic::model::{Extent, Model};
use crate::node::board::model::rounds;

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::refusals", "a rank refuses the first round", |scene| rounds(scene, &["R-", "--"]))
        .with(Extent::Preemptions(4)),
    Model::new("node::refusals", "a rank refuses between two rounds", |scene| rounds(scene, &["-R-", "---"]))
        .with(Extent::Preemptions(4)),
    Model::new("node::refusals", "a rank refuses that has not read", |scene| rounds(scene, &[".R-", "---"]))
        .with(Extent::Preemptions(4)),
    Model::new("node::refusals", "ranks refuse in turn", |scene| rounds(scene, &["R-R-", "-R--"]))
        .with(Extent::Preemptions(3)),
    Model::new("node::refusals", "a rank refuses ahead", |scene| rounds(scene, &["RR-", "---"]))
        .with(Extent::Preemptions(2)),
    Model::new("node::refusals", "rings of tags and texts wrap", |scene| {
        rounds(scene, &["RRRRRR-", "-------"])
    })
    .with(Extent::Preemptions(1)),
    Model::new("node::refusals", "texts are read while others are written", |scene| {
        rounds(scene, &["RRR|RR-", "-|-----"]);
    })
    .with(Extent::Preemptions(1)),
    // The reader begins, so that one switch from it is enough.
    Model::new("node::refusals", "as many refusals ahead as the rings have room for", |scene| {
        rounds(scene, &[".|-------", "-RRR|RRR-"]);
    })
    .with(Extent::Preemptions(1)),
    Model::new("node::refusals", "both ranks refuse", |scene| rounds(scene, &["RR-", "RR-"]))
        .with(Extent::Preemptions(1)),
    Model::new("node::refusals", "one of three ranks refuses", |scene| rounds(scene, &["RR-", "---", "---"]))
        .with(Extent::Preemptions(1)),
    Model::new("node::refusals", "many refusals of three ranks", |scene| {
        rounds(scene, &["-RRRRRRRR-R-.R-", "RRR-RRR--RRR.R-", "---------------"]);
    })
    .with(Extent::Random(100)),
    Model::new("node::refusals", "one of three refuses, more switches", |scene| {
        rounds(scene, &["RR-", "---", "---"]);
    })
    .with(Extent::Preemptions(2))
    .long(),
    Model::new("node::refusals", "both ranks refuse, more switches", |scene| rounds(scene, &["RR-", "RR-"]))
        .with(Extent::Preemptions(2))
        .long(),
    Model::new("node::refusals", "many more refusals of three ranks", |scene| {
        rounds(scene, &["-RRRRRRRR-R-.R-", "RRR-RRR--RRR.R-", "--R---R---RRR--"]);
    })
    .with(Extent::Random(20_000))
    .long(),
];
