//! Random shapes: those of any slot, and those that are shown as what they stand for.

use std::sync::Arc;

use argvalues::{Field, KnownBase, Primitive, Target, TypeShape};

use super::choices::Random;
use crate::heap::{WORD, enumeration, nullable, point, primitive, span};

/// A random shape of a slot. Offsets and sizes need not fit together.
pub(super) fn shape(random: &mut Random<'_>, depth: usize) -> Arc<TypeShape> {
    let leaf = depth == 0;
    Arc::new(match random.below(if leaf { 7 } else { 16 }) {
        0 | 1 => return primitive(*random.pick(&Primitive::ALL)),
        2 => return TypeShape::string(),
        3 | 4 => return TypeShape::object(),
        5 => enumeration(
            "E",
            *random.pick(&Primitive::ALL),
            random.chance(2),
            &[(0, "Z"), (1, "A"), (-1, "M")],
        ),
        6 => TypeShape::opaque("O", (!random.chance(3)).then(|| random.below(40)), "not decoded"),
        7 => TypeShape::pointer("p", Target::Shape(shape(random, depth - 1))),
        8 => TypeShape::by_ref("r", Target::Shape(shape(random, depth - 1))),
        9 => {
            let of = shape(random, depth - 1);
            if of.size().is_none() {
                return of;
            }
            nullable("N?", &of)
        }
        10 => span("System.Span`1", "Span", &shape(random, depth - 1)),
        11 => {
            let names =
                ["Decimal", "DateTime", "TimeSpan", "Guid", "Int128", "UInt128", "Half", "DateTimeOffset"];
            let name = format!("System.{}", random.pick(&names));
            let size = *random.pick(&[2, 8, 16, 5]);
            let data = Field::new("_dateTime", 0, primitive(Primitive::U64));
            let offset = Field::new("_offsetMinutes", 8, primitive(Primitive::I16));
            TypeShape::value_type(&name, name.as_str(), size, vec![data, offset])
        }
        12 => point(),
        13 => viewed_struct(random, depth),
        14 => {
            let first = Field::new("first", random.below(2) * 4, shape(random, depth - 1));
            match random.chance(3) {
                true => TypeShape::union("Union", random.below(16), first),
                false => TypeShape::inline_array("Row", random.below(64), first),
            }
        }
        _ => {
            let size = random.below(64);
            TypeShape::value_type("S", "S", size, fields(random, depth, size))
        }
    })
}

/// A struct that is shown as what it stands for, if its fields are where they may be.
pub(super) fn viewed_struct(random: &mut Random<'_>, depth: usize) -> TypeShape {
    const VIEWS: [(&str, &[&str]); 11] = [
        ("System.Memory`1", &["_object", "_index", "_length"]),
        ("System.Collections.Immutable.ImmutableArray`1", &["array"]),
        ("System.Threading.Tasks.ValueTask`1", &["_obj", "_result"]),
        ("System.RuntimeTypeHandle", &["m_type"]),
        ("System.RuntimeMethodHandle", &["m_value"]),
        ("System.RuntimeFieldHandle", &["m_ptr"]),
        ("System.TypedReference", &["_value", "_type"]),
        ("System.Numerics.Vector`1", &["_00"]),
        ("System.Runtime.Intrinsics.Vector128`1", &["_00"]),
        ("System.Threading.CancellationToken", &["_source"]),
        ("System.Text.Json.JsonElement", &["_parent", "_idx"]),
    ];
    let (name, fields) = *random.pick(&VIEWS);
    let fields = known_fields(random, depth, fields);
    let size = if random.chance(8) { 7 } else { fields.len() * WORD };
    TypeShape::value_type(name, name, size, fields).with_args([shape(random, depth - 1)])
}

/// An object that is shown as what it stands for, if its fields are where they may be.
pub(super) fn viewed_class(random: &mut Random<'_>) -> TypeShape {
    const VIEWS: [(&str, &[&str]); 24] = [
        ("System.Collections.Generic.List`1", &["_items", "_size"]),
        ("System.Collections.Generic.Stack`1", &["_array", "_size"]),
        ("System.Collections.Generic.Queue`1", &["_array", "_head", "_size"]),
        ("System.Collections.Generic.Dictionary`2", &["_entries", "_count", "_freeCount"]),
        ("System.Collections.Generic.OrderedDictionary`2", &["_entries", "_count"]),
        ("System.Lazy`1", &["_state", "_value"]),
        ("System.Collections.Generic.HashSet`1", &["_slots", "_lastIndex", "_count"]),
        ("System.RuntimeType", &["m_handle"]),
        ("System.Reflection.RuntimeMethodInfo", &["m_handle", "m_declaringType"]),
        ("System.Reflection.RtFieldInfo", &["m_fieldHandle", "m_declaringType"]),
        ("System.Reflection.RuntimePropertyInfo", &["m_token", "m_declaringType"]),
        ("System.Reflection.RuntimeModule", &["m_pData"]),
        ("System.Text.StringBuilder", &["m_ChunkChars", "m_ChunkPrevious", "m_ChunkLength", "m_ChunkOffset"]),
        ("System.Collections.Concurrent.ConcurrentStack`1", &["_head"]),
        ("System.Collections.Concurrent.ConcurrentQueue`1", &["_head"]),
        ("System.Collections.Concurrent.ConcurrentBag`1", &["_workStealingQueues"]),
        ("System.Collections.Concurrent.ConcurrentDictionary`2", &["_tables"]),
        // What these consist of.
        ("Node", &["_value", "_next", "_key"]),
        ("Segment", &["_slots", "_headAndTail", "_nextSegment"]),
        ("Stealing", &["_array", "_headIndex", "_tailIndex", "_nextQueue"]),
        ("Tables", &["_buckets", "_countPerLock"]),
        ("System.Threading.CancellationTokenSource", &["_state", "_timer", "_registrations"]),
        ("System.Text.Json.JsonDocument", &["_utf8Json", "_parsedData"]),
        ("System.Text.Json.Nodes.JsonObject", &["_jsonElement", "_dictionary"]),
    ];
    const BASES: [(KnownBase, &[&str]); 5] = [
        (
            KnownBase::Delegate,
            &["_target", "_methodPtr", "_methodPtrAux", "_invocationCount", "_invocationList"],
        ),
        (KnownBase::Delegate, &["_target", "_methodPtr", "_methodPtrAux", "_extraData", "_helperObject"]),
        (KnownBase::Exception, &["_message", "_innerException", "_HResult"]),
        (KnownBase::DbCommand, &["_commandText", "_parameters"]),
        (KnownBase::Task, &["m_stateFlags", "m_result", "m_contingentProperties", "own"]),
    ];
    if random.chance(3) {
        let (base, names) = *random.pick(&BASES);
        let fields = known_fields(random, 2, names);
        return TypeShape::derived(base, random.below(fields.len() + 2), "V", fields);
    }
    let (name, names) = *random.pick(&VIEWS);
    let fields = known_fields(random, 2, names);
    let class = TypeShape::class(name, name, fields.clone()).with_args([shape(random, 1), shape(random, 1)]);
    if !random.chance(4) {
        return class;
    }
    // A class that is derived from it has more fields.
    let own = random.below(3);
    let more = (0..own).map(|index| Field::new("own", (8 + index) * WORD, shape(random, 1)));
    TypeShape::subclass(Arc::new(class), "W", fields.into_iter().chain(more.collect::<Vec<_>>()).collect())
}

/// Fields with these names, mostly of the shape and in a place that they may have.
fn known_fields(random: &mut Random<'_>, depth: usize, names: &[&str]) -> Vec<Field> {
    const NUMBERS: [&str; 16] = [
        "m_ChunkLength",
        "m_ChunkOffset",
        "_headIndex",
        "_tailIndex",
        "_state",
        "_idx",
        "_index",
        "_length",
        "_size",
        "_head",
        "_count",
        "_freeCount",
        "_lastIndex",
        "m_stateFlags",
        "_HResult",
        "m_token",
    ];
    let begin = random.below(2) * WORD;
    let field = |(index, name): (usize, &&str)| {
        let of = match () {
            () if random.chance(12) => shape(random, depth - 1),
            () if NUMBERS.contains(name) => primitive(Primitive::I32),
            () if name.ends_with("andle") || *name == "m_pData" || name.starts_with("_method") => {
                primitive(Primitive::ISize)
            }
            () => TypeShape::object(),
        };
        let offset = if random.chance(8) { random.below(10) * 4 } else { begin + index * WORD };
        Field::new(name, offset, of)
    };
    names.iter().enumerate().map(field).collect()
}

/// What a hash table has for an entry.
pub(super) fn entry(random: &mut Random<'_>) -> Arc<TypeShape> {
    let names: [&[&str]; 2] = [&["key", "value", "next"], &["value", "hashCode"]];
    let fields = random.pick(&names).iter().map(|name| {
        let of = match *name {
            "key" | "value" => shape(random, 1),
            _ => primitive(Primitive::I32),
        };
        Field::new(name, random.below(6) * 4, of)
    });
    let fields = fields.collect();
    Arc::new(TypeShape::value_type("Entry", "Entry", 8 + random.below(4) * 8, fields))
}

pub(super) fn fields(random: &mut Random<'_>, depth: usize, size: usize) -> Vec<Field> {
    (0..random.below(6))
        .map(|index| {
            let offset =
                if random.chance(20) { usize::MAX - random.below(16) } else { random.below(size + 8) };
            Field::new(&format!("f{index}"), offset, shape(random, depth - 1))
        })
        .collect()
}
