//! Code: IL, native code, ReJIT, inliners.

use corprof::values::{CodegenFlags, IlMapEntry, ReJitFlags};
use corprof::{AssemblyReference, NativeCodeStart, Result};

use super::Calls;
use crate::at::{At, Done, shown, value};

fn il_map(it: &At<'_>) -> Vec<IlMapEntry> {
    it.some(|it| Some(IlMapEntry { old_offset: it.u32(), new_offset: it.u32(), accurate: it.is() }))
}

fn starts(it: &At<'_>, found: Result<Vec<NativeCodeStart>>) -> Done {
    for start in found.iter().flatten() {
        it.keep_address(start.address());
        it.keep(&it.shared.known.code_starts, *start);
    }
    shown(found)
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::code_regions", |it| {
        let regions = it.info().code_regions(it.function()?, it.rejit());
        for region in regions.iter().flatten() {
            it.keep_address(region.start);
        }
        shown(regions)
    }),
    ("ProfilerInfo::native_code_start_addresses", |it| {
        starts(it, it.info().native_code_start_addresses(it.function()?, it.rejit()))
    }),
    ("NativeCodeStart::function", |it| value(it.code_start()?.function())),
    ("NativeCodeStart::address", |it| value(it.code_start()?.address())),
    ("ProfilerInfo::code_regions_at", |it| shown(it.info().code_regions_at(it.code_start()?))),
    ("ProfilerInfo::il_to_native_map", |it| shown(it.info().il_to_native_map(it.function()?, it.rejit()))),
    ("ProfilerInfo::il_to_native_map_at", |it| shown(it.info().il_to_native_map_at(it.code_start()?))),
    ("ProfilerInfo::jitted_functions", |it| {
        let jitted = it.info().jitted_functions();
        for jitted in jitted.iter().flatten().take(20) {
            it.keep(&it.shared.known.functions, jitted.function);
            jitted.rejit.into_iter().for_each(|rejit| it.keep(&it.shared.known.rejits, rejit));
        }
        shown(jitted)
    }),
    ("ProfilerInfo::il_function_body", |it| {
        let method = it.module_method()?;
        shown(it.info().il_function_body(method.module, method.method))
    }),
    ("ProfilerInfo::set_il_instrumented_code_map", |it| {
        shown(it.info().set_il_instrumented_code_map(it.function()?, it.is(), &il_map(it)))
    }),
    ("ProfilerInfo::request_rejit", |it| shown(it.info().request_rejit(&it.module_methods()))),
    ("ProfilerInfo::request_rejit_with_inliners", |it| {
        let flags = ReJitFlags::from_bits_retain(it.u32());
        shown(it.info().request_rejit_with_inliners(flags, &it.module_methods()))
    }),
    ("ProfilerInfo::request_revert", |it| shown(it.info().request_revert(&it.module_methods()))),
    ("ProfilerInfo::rejit_ids", |it| {
        let found = it.info().rejit_ids(it.function()?);
        for rejit in found.iter().flatten() {
            it.keep(&it.shared.known.rejits, *rejit);
        }
        shown(found)
    }),
    ("ProfilerInfo::precompiled_inliners", |it| {
        let method = it.module_method()?;
        shown(it.info().precompiled_inliners(it.module()?, method.module, method.method))
    }),
    ("ProfilerInfo::may_request_rejit", |it| shown(it.info().may_request_rejit(it.module_method()?))),
    ("ProfilerInfo::may_request_inliners", |it| shown(it.info().may_request_inliners(it.module_method()?))),
    ("FunctionControl::set_codegen_flags", |it| {
        shown(it.given.control?.set_codegen_flags(CodegenFlags::from_bits_retain(it.u32() % 4)))
    }),
    ("FunctionControl::set_il_instrumented_code_map", |it| {
        shown(it.given.control?.set_il_instrumented_code_map(&il_map(it)))
    }),
    ("AssemblyReferences::add", |it| {
        let bytes = it.bytes();
        let reference = AssemblyReference {
            name: it.text(),
            version: [it.u32().to_le_bytes()[0].into(); 4],
            culture: if it.is() { "" } else { it.text() },
            public_key_or_token: &bytes,
            hash: &bytes,
            flags: it.u32(),
        };
        shown(it.given.references?.add(&reference))
    }),
];
