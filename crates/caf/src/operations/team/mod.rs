//! Teams: formation, members, and default teams.

mod lookup;
mod split;
mod stack;
