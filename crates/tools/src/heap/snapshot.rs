//! A snapshot by name: classes, roots, paths, strings.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use corprof::values::GcRootKind;
use corprof::{ClassId, FunctionId, Names};
use corprof_profile::{ContextId, Frame, FrameId, Profile, Unit, ValueType};

use super::copied::{Copied, Times};
use super::dominators::{Dominators, bytes};
use super::graph::{Graph, Index, number};
use super::paths::{Labelled, Paths};
use super::statics::FieldKind;
use super::strings::Same;
use crate::program::program_name;
use crate::unnamed::{CONTINUATION, UNKNOWN_CLASS, continuation_of};

/// The number of texts of duplicated strings that are kept.
const TEXTS: usize = 1_000;

/// Objects and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of objects.
    pub objects: u64,
    /// Their bytes, with headers.
    pub bytes: u64,
}

impl Totals {
    fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes += bytes;
    }
}

/// The objects of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTotals {
    /// The class.
    pub name: String,
    /// All objects.
    pub all: Totals,
    /// Those on the large object heap.
    pub large: Totals,
    /// The bytes that would be freed if there were no objects of the class.
    pub retained: u64,
    /// Whether they are boxed values.
    pub is_box: bool,
}

/// A part of the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceTotals {
    /// The name, such as `generation 2`.
    pub name: &'static str,
    /// Its objects.
    pub all: Totals,
}

/// The roots of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootTotals {
    /// The kind.
    pub kind: &'static str,
    /// The number of roots.
    pub roots: u64,
    /// The objects whose shortest path begins at such a root.
    pub reached: Totals,
}

/// Strings with the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringTotals {
    /// The beginning of the text.
    pub text: String,
    /// The strings.
    pub all: Totals,
}

/// A snapshot of the heap, analysed.
///
/// Its memory depends on the number of classes and paths. The analysis needs some 60 bytes for each object and 12 for
/// each reference.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HeapSnapshot {
    /// All objects.
    pub all: Totals,
    /// The number of references between them.
    pub references: u64,
    /// By class; the class that retains most bytes first.
    pub classes: Vec<ClassTotals>,
    /// By generation.
    pub spaces: Vec<SpaceTotals>,
    /// By kind of root.
    pub roots: Vec<RootTotals>,
    /// The number of weak roots, which keep nothing alive.
    pub weak_roots: u64,
    /// Objects that no root reaches.
    pub unreached: Totals,
    /// References to what is no object of the snapshot.
    pub dangling: u64,
    /// Objects whose size is unknown.
    pub unsized_objects: u64,
    /// The shortest path from a root to each object, as classes, with the values objects and bytes. The innermost frame is the
    /// class of the objects, the outermost their root. Of a run of classes that repeats, the first is in the path.
    pub paths: Profile,
    /// Objects that count for the outer part of their path, because there are too many paths.
    pub merged: u64,
    /// Why the classes that were loaded before the profiler was attached could not be listed: their static fields have no names.
    pub unlisted: Option<String>,
    /// All strings.
    pub strings: Totals,
    /// Strings that exist more than once: all of a text except one.
    pub superfluous: Totals,
    /// The duplicated strings that take most.
    pub duplicates: Vec<StringTotals>,
    /// The time for which the program was paused, from the request to suspend it.
    pub paused: Duration,
    /// The time until it was suspended; part of the pause.
    pub suspending: Duration,
    /// The time for which the heap was copied; part of the pause.
    pub walked: Duration,
    /// The time that the analysis took, while the program ran.
    pub analysed: Duration,
}

/// The kinds of roots, in the order in which a path is preferred.
const KINDS: [&str; 6] = [
    "static field",
    "stack",
    "handle",
    "finalizer queue",
    "other",
    "frozen objects, which are never collected",
];

const fn kind(kind: GcRootKind) -> usize {
    match kind {
        GcRootKind::STACK => 1,
        GcRootKind::HANDLE => 2,
        GcRootKind::FINALIZER => 3,
        _ => 4,
    }
}

/// The labels of roots, numbered behind the classes.
struct Labels {
    base: usize,
    names: Vec<(usize, String)>,
    number_of: HashMap<(usize, String), u32>,
}

impl Labels {
    fn number(&mut self, kind: usize, name: String) -> u32 {
        let key = (kind, name);
        if let Some(known) = self.number_of.get(&key) {
            return *known;
        }
        let new = number(self.base + self.names.len());
        self.names.push(key.clone());
        self.number_of.insert(key, new);
        new
    }
}

/// The roots with their labels, best first, and the number of roots of each kind.
fn roots(
    names: &Names,
    copied: &Copied,
    graph: &Graph,
    index: &Index,
    frozen: Vec<u32>,
) -> (Vec<Labelled>, Labels, [u64; KINDS.len()]) {
    let mut labels = Labels { base: copied.classes.len(), names: Vec::new(), number_of: HashMap::new() };
    let mut counts = [0; KINDS.len()];
    let mut roots: Vec<(usize, Labelled)> = Vec::new();
    for (name, kind, address) in &copied.statics {
        let Some(object) = index.object(*address) else { continue };
        let class = graph.class_of.get(object as usize).and_then(|class| copied.classes.get(*class as usize));
        let is_box = class.is_some_and(|class| matches!(names.info().box_layout(*class), Ok(Some(_))));
        if *kind == FieldKind::Boxed && !is_box {
            continue;
        }
        counts[0] += 1;
        let label = labels.number(0, name.clone());
        roots.push((0, Labelled { object, label, is_root: false }));
    }
    let mut functions: HashMap<FunctionId, String> = HashMap::new();
    for root in &copied.roots {
        let kind = kind(root.kind);
        counts[kind] += 1;
        let Some(object) = index.object(root.object) else { continue };
        let end = root.object.saturating_add(size_of(graph, object));
        let slot = copied.slots.get(copied.slots.partition_point(|slot| *slot < root.object));
        if root.function.is_none() && slot.is_some_and(|slot| *slot < end) {
            // The runtime's own array of static fields. Those with names are roots before it.
            let label = labels.number(0, "static fields".to_owned());
            roots.push((0, Labelled { object, label, is_root: true }));
            continue;
        }
        let name = match root.function {
            Some(function) => functions
                .entry(function)
                .or_insert_with(|| {
                    names
                        .function(function)
                        .map_or_else(|_| "stack".to_owned(), |name| format!("stack of {name}"))
                })
                .clone(),
            None => KINDS[kind].to_owned(),
        };
        roots.push((kind, Labelled { object, label: labels.number(kind, name), is_root: false }));
    }
    if !frozen.is_empty() {
        let (kind, label) = (KINDS.len() - 1, labels.number(KINDS.len() - 1, "frozen".to_owned()));
        counts[kind] = frozen.len() as u64;
        roots.extend(frozen.into_iter().map(|object| (kind, Labelled { object, label, is_root: false })));
    }
    roots.sort_by_key(|(kind, ..)| *kind);
    (roots.into_iter().map(|(_, root)| root).collect(), labels, counts)
}

/// The names of the parts of the heap, by the number of the generation.
const SPACES: [&str; 6] =
    ["generation 0", "generation 1", "generation 2", "large objects", "pinned objects", "frozen objects"];
const LARGE: usize = 3;
const FROZEN: usize = 5;

/// Calls `visit` with each object and the part of the heap that it is in.
fn each_space(copied: &Copied, index: &Index, mut visit: impl FnMut(usize, usize)) {
    let mut ranges: Vec<(usize, usize, usize)> = copied
        .generations
        .iter()
        .map(|range| (range.start, range.length, usize::try_from(range.generation.0).unwrap_or(usize::MAX)))
        .collect();
    ranges.sort_unstable();
    for (object, address) in index.addresses.iter().enumerate() {
        let below = ranges.partition_point(|(start, ..)| start <= address);
        let range = below.checked_sub(1).and_then(|range| ranges.get(range));
        let inside = range.filter(|(start, length, _)| address - start < *length);
        visit(object, inside.map_or(FROZEN, |(.., generation)| (*generation).min(FROZEN)));
    }
}

fn class_names(names: &Names, copied: &Copied) -> Vec<String> {
    let name = |(index, class): (usize, &ClassId)| match copied.resumed.get(&number(index)) {
        Some(code) => continuation_of(names, *code),
        None if copied.are_continuations(number(index)) => CONTINUATION.to_owned(),
        None => names.class(*class).map_or_else(|_| UNKNOWN_CLASS.to_owned(), |name| name.to_string()),
    };
    copied.classes.iter().enumerate().map(name).collect()
}

/// The size of an object.
fn size_of(graph: &Graph, object: u32) -> usize {
    let size = graph.sizes.get(object as usize).copied().unwrap_or(0);
    usize::try_from(bytes(size)).unwrap_or(0)
}

/// The duplicates of strings, those that take most first.
fn duplicates(strings: impl IntoIterator<Item = Same>) -> (Totals, Totals, Vec<StringTotals>) {
    let (mut all, mut superfluous) = (Totals::default(), Totals::default());
    let mut duplicates = Vec::new();
    for Same { count, bytes, text } in strings {
        all.objects += count;
        all.bytes += bytes;
        if let Some(text) = text {
            superfluous.objects += count - 1;
            superfluous.bytes += bytes - bytes / count;
            duplicates.push(StringTotals { text, all: Totals { objects: count, bytes } });
        }
    }
    duplicates.sort_by(|one, other| (other.all.bytes, &one.text).cmp(&(one.all.bytes, &other.text)));
    duplicates.truncate(TEXTS);
    (all, superfluous, duplicates)
}

/// The paths with names.
fn named(paths: &Paths, classes: &[String], labels: &Labels) -> Profile {
    let types = vec![ValueType::new("objects", Unit::Count), ValueType::new("bytes", Unit::Bytes)];
    let mut profile = Profile::new(&program_name(), types);
    let labels = labels.names.iter().map(|(_, name)| name);
    let frames: Vec<FrameId> =
        classes.iter().chain(labels).map(|name| profile.frame(Frame { name, module: "" })).collect();
    for (index, node) in paths.nodes.iter().enumerate().filter(|(_, node)| node.objects > 0) {
        let stack = paths.frames(index);
        let stack = stack.into_iter().map(|frame| frames[frame as usize]);
        profile.add(stack, ContextId::NONE, &[node.objects, node.bytes]);
    }
    profile
}

impl HeapSnapshot {
    /// Analyses a copy of the heap.
    pub(super) fn new(names: &Names, mut copied: Copied, times: Times) -> Self {
        let begin = Instant::now();
        let class_names = class_names(names, &copied);
        let strings = copied.strings.drain(..).zip(&class_names);
        let strings = strings.filter(|(_, name)| ["string", "System.String"].contains(&name.as_str()));
        let (strings, superfluous, duplicates) =
            duplicates(strings.filter_map(|(strings, _)| strings).flat_map(HashMap::into_values));

        let (graph, index) = Graph::new(&mut copied);
        let mut all = Totals::default();
        let mut classes: Vec<ClassTotals> = class_names
            .iter()
            .zip(&copied.classes)
            .map(|(name, class)| ClassTotals {
                name: name.clone(),
                all: Totals::default(),
                large: Totals::default(),
                retained: 0,
                is_box: matches!(names.info().box_layout(*class), Ok(Some(_))),
            })
            .collect();
        let mut frozen = Vec::new();
        let mut spaces = SPACES.map(|name| SpaceTotals { name, all: Totals::default() });
        each_space(&copied, &index, |object, space| {
            let (size, class) = (bytes(graph.sizes[object]), &mut classes[graph.class_of[object] as usize]);
            all.add(size);
            class.all.add(size);
            spaces[space].all.add(size);
            match space {
                LARGE => class.large.add(size),
                FROZEN => frozen.push(number(object)),
                _ => {}
            }
        });
        let (roots, labels, root_counts) = roots(names, &copied, &graph, &index, frozen);
        drop(index);

        let paths = Paths::new(&graph, &roots);
        let mut objects: Vec<u32> = roots.iter().map(|root| root.object).collect();
        objects.sort_unstable();
        objects.dedup();
        let retained = Dominators::new(&graph, &objects).retained_by_class(&graph, classes.len());
        classes.iter_mut().zip(retained).for_each(|(class, retained)| class.retained = retained);
        let classes = merged(classes);

        let mut by_kind = KINDS.map(|kind| RootTotals { kind, roots: 0, reached: Totals::default() });
        by_kind.iter_mut().zip(root_counts).for_each(|(kind, count)| kind.roots = count);
        for node in &paths.nodes {
            let (kind, _) = labels.names[node.label as usize - labels.base];
            by_kind[kind].reached.objects += node.objects;
            by_kind[kind].reached.bytes += node.bytes;
        }
        let (unreached, unreached_bytes) = paths.unreached;
        Self {
            all,
            references: graph.references() as u64,
            classes,
            spaces: spaces.into(),
            roots: by_kind.into(),
            weak_roots: copied.weak_roots,
            unreached: Totals { objects: unreached, bytes: unreached_bytes },
            dangling: graph.dangling,
            unsized_objects: copied.unsized_objects,
            paths: named(&paths, &class_names, &labels),
            merged: paths.merged,
            unlisted: None,
            strings,
            superfluous,
            duplicates,
            paused: times.paused,
            suspending: times.suspending,
            walked: times.walked,
            analysed: begin.elapsed(),
        }
    }
}

/// Merges classes of the same name, which are loaded in several contexts, and sorts them.
fn merged(classes: Vec<ClassTotals>) -> Vec<ClassTotals> {
    let mut index_of: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<ClassTotals> = Vec::new();
    for class in classes {
        let index = *index_of.entry(class.name.clone()).or_insert(merged.len());
        match merged.get_mut(index) {
            Some(same) => {
                for (sum, totals) in [(&mut same.all, class.all), (&mut same.large, class.large)] {
                    sum.objects += totals.objects;
                    sum.bytes += totals.bytes;
                }
                same.retained += class.retained;
                same.is_box |= class.is_box;
            }
            None => merged.push(class),
        }
    }
    merged.sort_by(|one, other| {
        (other.retained, other.all.bytes, &one.name).cmp(&(one.retained, one.all.bytes, &other.name))
    });
    merged
}
