//! Layout: sizes of values, offsets of fields, the words of a method table.

use super::{ClassKind, Memory, Model, Module, Type, VECTOR};

/// `fdStatic`.
const STATIC: u32 = 0x10;

impl Model {
    /// The size of a value of a type in bytes, and its alignment.
    pub(crate) fn size_of(
        &mut self,
        ty: &Type,
        class_args: &[usize],
        method_args: &[usize],
    ) -> (usize, usize) {
        let size = match ty {
            Type::Void => 0,
            Type::Bool | Type::I1 | Type::U1 => 1,
            Type::Char | Type::I2 | Type::U2 => 2,
            Type::I4 | Type::U4 | Type::R4 => 4,
            Type::Class(row) if row.is_value => {
                let class = self.class_of(ty, class_args, method_args);
                return self.size_of_class(class);
            }
            Type::Var(_) | Type::MVar(_) => {
                let class = self.class_of(ty, class_args, method_args);
                return self.size_of_class(class);
            }
            _ => 8,
        };
        (size, size.max(1))
    }

    /// The size of a value of a class, 8 for a reference, and its alignment.
    pub(crate) fn size_of_class(&mut self, class: usize) -> (usize, usize) {
        if !self.is_value(class) {
            return (8, 8);
        }
        if let Some(size) = self.core.size_of(class) {
            return (size, size.max(1));
        }
        let (_, size) = self.layout(class);
        (size.max(1), size.max(1).next_power_of_two().min(8))
    }

    /// The instance fields of a class with their offsets, and where the next one would be: from the beginning of the
    /// value for a value type, from that of the object for any other. Fields of base classes are theirs.
    pub(crate) fn layout(&mut self, class: usize) -> (Vec<(u32, usize)>, usize) {
        let Some(ClassKind::Instance { module, rid, args }) =
            self.classes.get(class).map(|class| class.kind.clone())
        else {
            return (Vec::new(), 8);
        };
        let is_value = self.is_value(class);
        if is_value && let Some(size) = self.core.size_of(class) {
            return (Vec::new(), size);
        }
        let mut next = match self.parent(class) {
            _ if is_value => 0,
            Some(parent) => self.layout(parent).1,
            None => 8,
        };
        let Some(table) = self.modules.get(module) else { return (Vec::new(), next) };
        let own = Module::tokens(&table.fields, 0x04, |field| {
            field.type_def == 0x0200_0000 | rid && field.attributes & STATIC == 0
        });
        let types: Vec<(u32, Type)> =
            own.iter().filter_map(|token| Some((*token, table.field(*token)?.ty.clone()))).collect();
        let mut fields = Vec::new();
        for (token, ty) in types {
            let (size, alignment) = self.size_of(&ty, &args, &[]);
            next = next.next_multiple_of(alignment.min(8));
            fields.push((token, next));
            next += size;
        }
        (fields, next)
    }

    /// The value types of a class's instance fields, which are loaded before it.
    pub(crate) fn values_in(&mut self, class: usize) -> Vec<usize> {
        let kind = self.classes.get(class).map(|class| class.kind.clone());
        let Some(ClassKind::Instance { module, rid, args }) = kind else { return Vec::new() };
        let Some(table) = self.modules.get(module) else { return Vec::new() };
        let own = table.fields.iter().filter(|field| {
            field.type_def == 0x0200_0000 | rid && field.attributes & STATIC == 0 && field.ty.is_value_type()
        });
        let types: Vec<Type> = own.map(|field| field.ty.clone()).collect();
        types.iter().map(|ty| self.class_of(ty, &args, &[])).collect()
    }

    /// The value types of a function's parameters and result, which are loaded before it is compiled.
    pub(crate) fn values_of(&mut self, function: usize, class: usize, args: &[usize]) -> Vec<usize> {
        let class_args = self.class_args(class);
        let Some(found) = self.functions.get(function) else { return Vec::new() };
        let Some(row) =
            self.modules.get(found.module).and_then(|table| table.method(0x0600_0000 | found.rid))
        else {
            return Vec::new();
        };
        let signature = row.takes.iter().chain([&row.returns]);
        let types: Vec<Type> = signature.filter(|ty| ty.is_value_type()).cloned().collect();
        types.iter().map(|ty| self.class_of(ty, &class_args, args)).collect()
    }

    /// The offset of a field from the beginning of the object or value that has it.
    pub(crate) fn offset_of(&mut self, class: usize, name: &str) -> Option<usize> {
        let (fields, _) = self.layout(class);
        let module = match &self.classes.get(class)?.kind {
            ClassKind::Instance { module, .. } => *module,
            ClassKind::Array { .. } => return None,
        };
        let table = self.modules.get(module)?;
        let named = |(token, _): &&(u32, usize)| table.field(*token).is_some_and(|field| field.name == name);
        if let Some((_, offset)) = fields.iter().find(named) {
            return Some(*offset);
        }
        let parent = self.parent(class)?;
        self.offset_of(parent, name)
    }

    /// The words that a class id points to: the flags and the size that code in the runtime reads.
    pub(super) fn method_table(&mut self, kind: &ClassKind) -> Memory {
        let table = Memory::new(64);
        if let ClassKind::Array { element, rank } = kind {
            let size = if *rank == 1 { 24 } else { 24 + 8 * u64::from(*rank) };
            table.set_word(0, 0x8008_0000 | size << 32);
            table.set_word(6, self.class_id(*element) as u64);
        }
        table
    }
}

impl Model {
    /// The offsets of an object's references, with the addresses that they contain.
    pub(crate) fn references_of(&mut self, object: usize) -> Vec<(usize, usize)> {
        let Some(found) = self.heap.objects.get(object) else { return Vec::new() };
        let (class, length) = (found.class, found.length);
        let places = match self.classes.get(class).map(|class| class.kind.clone()) {
            Some(ClassKind::Array { element, rank }) if !self.is_value(element) => {
                let first = if rank == 1 { VECTOR } else { VECTOR + 8 * rank as usize };
                (0..length).map(|index| first + 8 * index).collect()
            }
            Some(ClassKind::Array { .. }) | None => Vec::new(),
            Some(ClassKind::Instance { .. }) => self.reference_fields(class),
        };
        let Some(found) = self.heap.objects.get(object) else { return Vec::new() };
        let word = |offset: usize| usize::try_from(found.memory.word(1 + offset / 8)).unwrap_or(0);
        places.into_iter().map(|offset| (offset, word(offset))).filter(|(_, address)| *address != 0).collect()
    }

    /// The offsets of the fields that are references, those of base classes included.
    fn reference_fields(&mut self, class: usize) -> Vec<usize> {
        if class == self.core.string {
            return Vec::new();
        }
        let mut places = self.parent(class).map_or_else(Vec::new, |parent| self.reference_fields(parent));
        let (fields, _) = self.layout(class);
        if let Some(ClassKind::Instance { module, .. }) = self.classes.get(class).map(|class| &class.kind)
            && let Some(table) = self.modules.get(*module)
        {
            let is_reference = |token: u32| table.field(token).is_some_and(|field| field.ty.is_reference());
            places.extend(fields.iter().filter(|(token, _)| is_reference(*token)).map(|(_, offset)| *offset));
        }
        places
    }
}
