//! Programs with coarrays of derived types: random sections of components move between images, and other
//! images change the shape of components. The models are ordinary arrays of the same type.

use super::PROCEDURES;
use super::arrays::fold;
use super::section::{Dimension, Rules, any_shape, of_shape};
use super::types::Type;
use crate::chance::Chance;
use std::fmt::Write;

const COMPONENTS: usize = 6;
const ROUNDS: usize = 24;
/// gfortran 12 crashes over vectors of subscripts with components.
const SECTION: Rules = Rules { vectors: 0, mixed: true, repeats: true };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// In the object.
    Fixed,
    Allocatable,
    /// Where other images have no access.
    Pointer,
}

/// A component.
struct Component {
    /// As it is written behind an object.
    name: String,
    of: Type,
    memory: Memory,
    dimensions: Vec<Dimension>,
}

impl Component {
    fn any(chance: &mut Chance, number: usize, has_pointers: bool) -> Self {
        let memory = match chance.below(4) {
            0 => Memory::Fixed,
            1 if has_pointers => Memory::Pointer,
            _ => Memory::Allocatable,
        };
        // gfortran 12 registers no memory for allocatable scalars of some coarrays.
        let least = i64::from(memory != Memory::Fixed);
        let rank = chance.from(least, 3) as usize;
        let dimensions =
            (0..rank).map(|_| Dimension { extent: chance.from(1, 6) as usize, lower: chance.from(-3, 3) });
        let dimensions = dimensions.collect();
        // The second half are components of a component.
        let name = if number < COMPONENTS / 2 { format!("c{number}") } else { format!("in%c{number}") };
        Self { name, of: Type::any(chance), memory, dimensions }
    }

    fn rank(&self) -> usize {
        self.dimensions.len()
    }

    fn bounds(&self) -> String {
        self.dimensions.iter().map(|one| one.bounds()).collect::<Vec<_>>().join(", ")
    }

    fn declare(&self) -> String {
        let (of, plain) = (self.of.declaration(), self.name.trim_start_matches("in%"));
        let colons = vec![":"; self.rank()].join(", ");
        match self.memory {
            Memory::Fixed if self.rank() == 0 => format!("    {of} :: {plain}\n"),
            Memory::Fixed => format!("    {of} :: {plain}({})\n", self.bounds()),
            Memory::Allocatable => format!("    {of}, allocatable :: {plain}({colons})\n"),
            Memory::Pointer => format!("    {of}, pointer :: {plain}({colons})\n"),
        }
    }

    /// Values for all elements of a shape, which depend on an image.
    fn values(&self, shape: &[usize], number: i64, image: &str) -> String {
        if shape.is_empty() {
            return self.of.value(&format!("({number} + 7*{image})"));
        }
        let value = self.of.value(&format!("(37*j + {number} + 7*{image})"));
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        let count: usize = shape.iter().product();
        let declared = self.of.declaration();
        format!("reshape([{declared} :: ({value}, j=1, {count})], [{}])", extents.join(", "))
    }

    /// Allocates it in an object, and fills it.
    fn begin(&self, object: &str, number: i64, image: &str) -> String {
        let name = format!("{object}%{}", self.name);
        let shape: Vec<usize> = self.dimensions.iter().map(|one| one.extent).collect();
        let allocate = match self.memory {
            Memory::Fixed => String::new(),
            _ => format!("    allocate ({name}({}))\n", self.bounds()),
        };
        let all =
            if shape.is_empty() { String::new() } else { format!("({})", vec![":"; shape.len()].join(", ")) };
        format!("{allocate}    {name}{all} = {}\n", self.values(&shape, number, image))
    }
}

/// A program in the making.
struct Program {
    components: Vec<Component>,
    /// Elements of the coarray; none for a scalar.
    elements: Option<i64>,
    text: String,
}

impl Program {
    /// An object on an image.
    fn there(&self, element: i64, image: &str) -> String {
        self.elements.map_or(format!("o[{image}]"), |_| format!("o({element})[{image}]"))
    }

    fn here(&self, element: i64) -> String {
        self.elements.map_or("o".into(), |_| format!("o({element})"))
    }

    fn element(&self, chance: &mut Chance) -> i64 {
        chance.from(1, self.elements.unwrap_or(1))
    }

    fn say(&mut self, line: &str) {
        writeln!(self.text, "  {}", fold(line)).expect("text");
    }

    /// Runs a statement for the models of all images.
    fn for_models(&mut self, shift: (i64, i64), lines: &[String]) {
        let (one, two) = shift;
        self.say(&format!("do k = 1, n\n    call partners(k, {one}, {two})"));
        lines.iter().for_each(|line| self.say(line));
        self.say("end do");
    }

    fn check(&mut self, round: usize, element: i64, number: usize) {
        let Component { name, of, .. } = &self.components[number];
        let mine = format!("{}%{name}", self.here(element));
        let differs = format!("{mine} {} m({element}, me)%{name}", of.differs());
        let line = if self.components[number].rank() == 0 {
            format!("if ({differs}) call wrong({round}, '{name}')")
        } else {
            format!(
                "if (any(shape({mine}) /= shape(m({element}, me)%{name}))) call wrong({round}, 'shape of {name}')\n  if (any({differs})) call wrong({round}, '{name}')"
            )
        };
        self.say(&line);
    }

    /// A statement, if the components that were chosen go together.
    fn statement(&mut self, chance: &mut Chance, round: usize) -> bool {
        let (target, source) = (chance.below(COMPONENTS), chance.below(COMPONENTS));
        let (one, two) = (self.element(chance), self.element(chance));
        let shift = (chance.from(0, 7), chance.from(0, 7));
        let component = &self.components[target];
        let shape = any_shape(chance, &component.dimensions);
        let Some(section) = of_shape(chance, &component.dimensions, &shape, SECTION) else { return false };
        let chosen = |name: &str, section: &str| {
            if section.is_empty() { name.to_owned() } else { format!("{name}({section})") }
        };
        let place = chosen(&component.name, &section);
        let (there, from) = (self.there(one, "to"), self.there(one, "from"));
        let number = chance.from(0, 500);
        let local = format!("y{target}_{}", shape.len());
        let start = format!("call partners(me, {}, {})", shift.0, shift.1);
        match chance.below(5) {
            // A get, compared at once.
            0 => {
                let differs = format!("{local} {} m({one}, from)%{place}", component.of.differs());
                let differs = if shape.is_empty() { differs } else { format!("any({differs})") };
                self.say(&start);
                self.say(&format!("{local} = {from}%{place}"));
                self.say(&format!("if ({differs}) call wrong({round}, '{place}')\n  sync all"));
                return true;
            }
            // A component as a whole, of another shape; all elements of the coarray have the same one.
            1 => {
                if component.memory != Memory::Allocatable || self.elements.is_some_and(|count| count > 1) {
                    return false;
                }
                let shape: Vec<usize> =
                    component.dimensions.iter().map(|_| chance.from(1, 6) as usize).collect();
                let local = format!("y{target}_{}", shape.len());
                let name = component.name.clone();
                let (mine, its) =
                    (component.values(&shape, number, "me"), component.values(&shape, number, "k"));
                self.say(&start);
                self.say(&format!("{local} = {mine}"));
                self.say(&format!("{there}%{name} = {local}\n  sync all"));
                self.for_models(
                    shift,
                    &[format!("{local} = {its}"), format!("m({one}, to)%{name} = {local}")],
                );
                if shape
                    .iter()
                    .zip(&self.components[target].dimensions)
                    .any(|(&count, one)| count != one.extent)
                {
                    let bounds = |&extent: &usize| Dimension { lower: 1, extent };
                    self.components[target].dimensions = shape.iter().map(bounds).collect();
                }
            }
            // From another component.
            2 | 3 => {
                let other = &self.components[source];
                if source == target || !other.of.becomes(component.of) {
                    return false;
                }
                let Some(its) = of_shape(chance, &other.dimensions, &shape, SECTION) else { return false };
                let its = chosen(&other.name, &its);
                let from = self.there(two, "from");
                self.say(&start);
                self.say(&format!("{there}%{place} = {from}%{its}\n  sync all"));
                self.for_models(shift, &[format!("m({one}, to)%{place} = m({two}, from)%{its}")]);
            }
            _ => {
                let (mine, its) =
                    (component.values(&shape, number, "me"), component.values(&shape, number, "k"));
                self.say(&start);
                self.say(&format!("{local} = {mine}"));
                self.say(&format!("{there}%{place} = {local}\n  sync all"));
                self.for_models(
                    shift,
                    &[format!("{local} = {its}"), format!("m({one}, to)%{place} = {local}")],
                );
            }
        }
        self.check(round, one, target);
        self.say("sync all");
        true
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let is_allocatable = chance.is(40);
    let components: Vec<Component> =
        (0..COMPONENTS).map(|number| Component::any(&mut chance, number, !is_allocatable)).collect();
    let elements = chance.is(50).then(|| chance.from(1, 3));
    let mut fill = String::new();
    for (number, one) in components.iter().enumerate() {
        fill += &one.begin("object", 13 * number as i64, "(me + 3*i)");
    }
    let mut program =
        Program { components, elements, text: String::from("program components\n  implicit none\n") };
    let (outer, inner) = program.components.split_at(COMPONENTS / 2);
    program.text += "  type parts\n";
    inner.iter().for_each(|one| program.text += &one.declare());
    program.text += "  end type\n  type things\n";
    outer.iter().for_each(|one| program.text += &one.declare());
    program.text += "    type(parts) :: in\n  end type\n";
    let count = elements.unwrap_or(1);
    program.text += &match (is_allocatable, elements) {
        (true, Some(_)) => "  type(things), allocatable :: o(:)[:]\n".to_owned(),
        (true, None) => "  type(things), allocatable :: o[:]\n".to_owned(),
        (false, Some(count)) => format!("  type(things), save :: o({count})[*]\n"),
        (false, None) => "  type(things), save :: o[*]\n".to_owned(),
    };
    program.text += "  type(things), allocatable :: m(:, :)\n";
    for (number, one) in program.components.iter().enumerate() {
        for rank in 0..=one.rank() {
            let colons = vec![":"; rank].join(", ");
            let (of, rest) =
                (one.of.declaration(), if rank == 0 { String::new() } else { format!("({colons})") });
            let kind = if rank == 0 { "" } else { ", allocatable" };
            writeln!(program.text, "  {of}{kind} :: y{number}_{rank}{rest}").expect("text");
        }
    }
    program.text += "  integer :: me, n, i, j, k, to, from, zero\n\n  me = this_image()\n  n = num_images()\n  zero = n/1000\n";
    if is_allocatable {
        program.say(&elements.map_or("allocate (o[*])".into(), |count| format!("allocate (o({count})[*])")));
    }
    writeln!(program.text, "  allocate (m({count}, n))\n  do k = 1, n\n    do i = 1, {count}").expect("text");
    for (number, one) in program.components.iter().enumerate() {
        let lines = one.begin("m(i, k)", 13 * number as i64, "(k + 3*i)");
        program.text += &lines;
    }
    program.text += "    end do\n  end do\n";
    // By the program itself, which allocates in the coarray's memory, or by a procedure that knows no
    // coarrays.
    if chance.is(60) {
        writeln!(program.text, "  do i = 1, {count}").expect("text");
        let object = if elements.is_some() { "o(i)" } else { "o" };
        for (number, one) in program.components.iter().enumerate() {
            program.text += &one.begin(object, 13 * number as i64, "(me + 3*i)");
        }
        program.text += "  end do\n";
    } else {
        for element in 1..=count {
            let object = program.here(element);
            program.say(&format!("call fill({object}, {element})"));
        }
    }
    program.say("sync all");
    let mut round = 0;
    while round < ROUNDS {
        round += usize::from(program.statement(&mut chance, round + 1));
    }
    for element in 1..=count {
        (0..COMPONENTS).for_each(|number| program.check(round + 1, element, number));
    }
    program.text += "  sync all\n  if (me == 1) print '(a)', 'passed'\n\ncontains\n\n  subroutine fill(object, i)\n    type(things), intent(inout) :: object\n    integer, intent(in) :: i\n    integer :: j\n";
    program.text += &fill;
    program.text + "  end subroutine\n" + PROCEDURES
}
