//! Enums: from a number to the names that C# would print.

use super::{Integer, Primitive};
use crate::limits::MAX_ENUM_NAMES;

/// The declaration of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumShape {
    underlying: Primitive,
    flags: bool,
    /// By their bits, ascending; of equal ones the first declared first.
    members: Box<[(u64, Box<str>)]>,
}

impl EnumShape {
    /// Creates an enum over `underlying`, with its members in the order of their declaration.
    ///
    /// `flags` is whether it has `System.FlagsAttribute`. The values are those of the underlying type, sign-extended to
    /// 64 bits where it is signed ([`Integer::bits`]). `underlying` is the type in metadata, which C# limits to the
    /// integers and other languages do not.
    #[must_use]
    pub fn new(
        underlying: Primitive,
        flags: bool,
        members: impl IntoIterator<Item = (u64, Box<str>)>,
    ) -> Self {
        let mut members: Vec<_> = members.into_iter().collect();
        members.sort_by_key(|member| member.0);
        Self { underlying, flags, members: members.into() }
    }

    /// The type of the values.
    #[must_use]
    pub const fn underlying(&self) -> Primitive {
        self.underlying
    }

    /// The names that make up a value, as `Enum.ToString` finds them: the member of that value, or else, for
    /// an enum with flags, the members that together have exactly its bits. None, if there are none. Of several members
    /// with the same value, .NET leaves open which one `ToString` takes; here it is the one declared first, and the
    /// one declared last in a combination.
    ///
    /// ```
    /// # use argvalues::{EnumShape, Integer, Primitive};
    /// let members = [(1, "A"), (2, "B"), (4, "C")].map(|(value, name)| (value, name.into()));
    /// let options = EnumShape::new(Primitive::I32, true, members);
    /// let names = |value| options.names(Integer::Signed(value)).iter().collect::<Vec<_>>().join("|");
    /// assert_eq!(names(2), "B");
    /// assert_eq!(names(5), "A|C");
    /// assert_eq!(names(8), "");
    /// ```
    #[must_use]
    pub fn names(&self, value: Integer) -> EnumNames<'_> {
        let bits = value.bits();
        let mut names = EnumNames::none(&self.members);
        let at = self.members.partition_point(|member| member.0 < bits);
        if self.members.get(at).is_some_and(|member| member.0 == bits) {
            names.push(at);
            return names;
        }
        if !self.flags || bits == 0 {
            return names;
        }
        let mut rest = bits;
        for (index, member) in self.members.iter().enumerate().rev() {
            if member.0 != 0 && rest & member.0 == member.0 {
                rest &= !member.0;
                names.push(index);
            }
        }
        if rest != 0 {
            names.count = 0;
        }
        names
    }
}

/// The names that make up the value of an enum, without the enum's own name.
#[derive(Clone, Debug)]
pub struct EnumNames<'a> {
    names: Names<'a>,
    count: usize,
}

#[derive(Clone, Debug)]
enum Names<'a> {
    /// Some of the members, by their indexes, the highest value first.
    Found { members: &'a [(u64, Box<str>)], found: [u16; MAX_ENUM_NAMES] },
    /// All of a list.
    List(&'a [Box<str>]),
}

/// Names that were kept, the smallest value first.
impl<'a> From<&'a [Box<str>]> for EnumNames<'a> {
    fn from(list: &'a [Box<str>]) -> Self {
        Self { names: Names::List(list), count: list.len() }
    }
}

impl<'a> EnumNames<'a> {
    const fn none(members: &'a [(u64, Box<str>)]) -> Self {
        Self { names: Names::Found { members, found: [0; MAX_ENUM_NAMES] }, count: 0 }
    }

    fn push(&mut self, index: usize) {
        // No enum has more members than two bytes count; if one had, the others had no names.
        if let Names::Found { found, .. } = &mut self.names
            && let (Some(slot), Ok(index)) = (found.get_mut(self.count), u16::try_from(index))
        {
            *slot = index;
            self.count += 1;
        }
    }

    /// Returns the number of names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Returns whether the number has no name.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The names, the smallest value first.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> {
        (0..self.count).filter_map(|at| match &self.names {
            Names::Found { members, found } => {
                let index = *found.get(self.count - 1 - at)?;
                Some(&*members.get(usize::from(index))?.1)
            }
            Names::List(list) => list.get(at).map(|name| &**name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(underlying: Primitive, flags: bool, members: &[(i64, &str)]) -> EnumShape {
        EnumShape::new(
            underlying,
            flags,
            members.iter().map(|&(value, name)| (value.cast_unsigned(), name.into())),
        )
    }

    fn names(shape: &EnumShape, value: Integer) -> Vec<&str> {
        shape.names(value).iter().collect()
    }

    #[test]
    fn a_negative_member_is_found() {
        let shape = shape(Primitive::I8, false, &[(-1, "Minus"), (0, "Zero"), (1, "One")]);
        assert_eq!(names(&shape, Integer::Signed(-1)), ["Minus"]);
        assert_eq!(names(&shape, Integer::Signed(0)), ["Zero"]);
        assert!(names(&shape, Integer::Signed(3)).is_empty());
    }

    #[test]
    fn flags_take_the_widest_member_first_and_print_ascending() {
        let shape = shape(Primitive::I32, true, &[(0, "None"), (1, "A"), (2, "B"), (3, "AB"), (8, "D")]);
        assert_eq!(names(&shape, Integer::Signed(3)), ["AB"]);
        assert_eq!(names(&shape, Integer::Signed(11)), ["AB", "D"]);
        assert_eq!(names(&shape, Integer::Signed(9)), ["A", "D"]);
        assert_eq!(names(&shape, Integer::Signed(0)), ["None"]);
        assert!(names(&shape, Integer::Signed(16 + 1)).is_empty());
    }

    #[test]
    fn without_flags_nothing_is_composed() {
        let shape = shape(Primitive::I32, false, &[(1, "A"), (2, "B")]);
        assert!(names(&shape, Integer::Signed(3)).is_empty());
    }

    #[test]
    fn of_equal_members_the_first_is_named() {
        let shape = shape(Primitive::U64, false, &[(5, "First"), (5, "Second")]);
        assert_eq!(names(&shape, Integer::Unsigned(5)), ["First"]);
    }

    #[test]
    fn all_64_flags_have_room() {
        let members: Vec<_> = (0..64).map(|bit| (1_u64 << bit, format!("F{bit}").into())).collect();
        let shape = EnumShape::new(Primitive::U64, true, members);
        assert_eq!(shape.names(Integer::Unsigned(u64::MAX)).len(), 64);
        assert_eq!(shape.names(Integer::Unsigned(u64::MAX)).iter().next(), Some("F0"));
    }
}
