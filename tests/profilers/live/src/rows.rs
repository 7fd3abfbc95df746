//! The metadata of modules in their images, compared with the runtime's own, row by row.

use corprof::clrnames::metadata::Metadata as _;
use corprof::token::Token;
use corprof::{Metadata, ModuleId, ModuleRows, Result};

use crate::facts::Facts;
use crate::{State, locked};

/// The numbers of rows.
#[derive(Default)]
struct Counts {
    types: usize,
    methods: usize,
    fields: usize,
    params: usize,
    different: usize,
}

/// The arguments: the names of files; their numbers of rows are printed.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let mut facts = Facts::of("rows");
    let (mut different, mut without_image) = (0, 0);
    for module in locked(&state.modules).clone() {
        let name = state.info.module_info(module)?;
        // First: the runtime's own are opened below, which must not matter.
        let rows = state.info.metadata_rows(module)?;
        let counts = compare(state, module, &rows)?;
        different += counts.different;
        without_image += usize::from(!rows.is_image());
        if arguments.contains(&name.file_name()) {
            let name = name.file_name();
            facts.say(format_args!("{name}.image"), if rows.is_image() { "True" } else { "False" });
            facts.say(format_args!("{name}.mvid"), rows.mvid()?);
            facts.say(format_args!("{name}.types"), counts.types);
            facts.say(format_args!("{name}.methods"), counts.methods);
            facts.say(format_args!("{name}.fields"), counts.fields);
            facts.say(format_args!("{name}.params"), counts.params);
        }
    }
    facts.say("different", different);
    facts.say("without image", without_image);
    Ok(facts.finish())
}

fn compare(state: &State, module: ModuleId, rows: &ModuleRows) -> Result<Counts> {
    let metadata = state.info.module_metadata(module)?;
    let mut counts = Counts::default();
    for type_def in metadata.type_defs()? {
        counts.types += 1;
        let (one, other) = (rows.type_def(type_def)?, metadata.type_def(type_def)?);
        counts
            .expect((one.name, one.attributes, one.extends) == (other.name, other.attributes, other.extends));
        counts.expect(rows.enclosing_type(type_def)? == metadata.enclosing_type(type_def)?);
        counts.expect(rows.generic_params(type_def.into())? == metadata.generic_params(type_def)?);
        counts.expect(rows.is_class(type_def)? == metadata.is_class(type_def)?);
        counts.expect(rows.method_impls(type_def)? == metadata.method_impls(type_def)?);
        for method in both(&mut counts, rows.methods(type_def)?, metadata.methods(type_def)?) {
            counts.methods += 1;
            let (one, other) = (rows.method(method)?, metadata.method(method)?);
            counts.expect(
                (one.name, one.attributes, one.signature) == (other.name, other.attributes, other.signature),
            );
            counts.expect(one.declaring_type == other.declaring_type);
            counts.expect(rows.accessed(method)? == metadata.accessed(method)?);
            params(&mut counts, rows, &metadata, method)?;
        }
        for field in both(&mut counts, rows.fields(type_def)?, metadata.fields(type_def)?) {
            counts.fields += 1;
            let (one, other) = (rows.field(field)?, metadata.field(field)?);
            counts.expect(
                (one.name, one.attributes, one.signature) == (other.name, other.attributes, other.signature),
            );
            counts.expect(
                one.constant.map(|it| (it.element_type, it.bytes))
                    == other.constant.map(|it| (it.element_type, it.bytes)),
            );
        }
    }
    Ok(counts)
}

/// Compares a method's parameters, and the attribute that most of those that have one have.
fn params(
    counts: &mut Counts,
    rows: &ModuleRows,
    metadata: &Metadata,
    method: corprof::token::MethodDef,
) -> Result<()> {
    const NULLABLE: &str = "System.Runtime.CompilerServices.NullableAttribute";
    for param in both(counts, rows.params(method)?, metadata.params(method)?) {
        counts.params += 1;
        let (one, other) = (rows.param(param)?, metadata.param(param)?);
        counts.expect(rows.param_at(method, one.sequence)? == metadata.param_at(method, one.sequence)?);
        counts.expect(
            (one.name, one.sequence, one.attributes) == (other.name, other.sequence, other.attributes),
        );
        let token = Token::from(param);
        counts.expect(rows.custom_attribute(token, NULLABLE)? == metadata.custom_attribute(token, NULLABLE)?);
    }
    Ok(())
}

/// The rows of a list, which is the same in both.
fn both<T: PartialEq>(counts: &mut Counts, one: Vec<T>, other: Vec<T>) -> Vec<T> {
    counts.expect(one == other);
    one
}

impl Counts {
    fn expect(&mut self, is_same: bool) {
        self.different += usize::from(!is_same);
    }
}
