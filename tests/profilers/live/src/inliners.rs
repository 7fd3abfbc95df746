//! The inlining in precompiled code, compared with the JIT's for the same methods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use corprof::token::MethodDef;
use corprof::{FunctionId, ModuleId, Result};

use crate::facts::Facts;
use crate::{State, locked};

/// The methods that the JIT has inlined, with the inliners.
#[derive(Debug, Default)]
pub(crate) struct Inlinings {
    pairs: Mutex<BTreeSet<(FunctionId, FunctionId)>>,
}

impl Inlinings {
    pub(crate) fn inlining(&self, caller: FunctionId, callee: FunctionId) {
        locked(&self.pairs).insert((caller, callee));
    }
}

/// Methods of one module: the inlinees of each.
type Callees = BTreeMap<MethodDef, BTreeSet<MethodDef>>;

/// The method, if it is one of the module.
fn method_of(state: &State, module: ModuleId, function: FunctionId) -> Option<MethodDef> {
    let info = state.info.function_info(function).ok()?;
    info.token.filter(|_| info.module == module)
}

/// Whether `callee` is inlined into `caller`, perhaps through others.
fn reaches(callees: &Callees, caller: MethodDef, callee: MethodDef) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([caller]), vec![caller]);
    while let Some(next) = open.pop() {
        for into in callees.get(&next).into_iter().flatten() {
            if *into == callee {
                return true;
            }
            if seen.insert(*into) {
                open.push(*into);
            }
        }
    }
    false
}

/// Compares for the core library's methods that were compiled both ways, and prints the agreement.
pub(crate) fn answer(state: &State) -> Result<String> {
    let info = &state.info;
    let core = state.module("System.Private.CoreLib.dll")?;
    let mut compiled = BTreeSet::new();
    for version in info.jitted_functions()? {
        compiled.extend(method_of(state, core, version.function));
    }
    let mut callees = Callees::new();
    for (caller, callee) in locked(&state.inlinings.pairs).clone() {
        let found = (method_of(state, core, caller), method_of(state, core, callee));
        if let (Some(caller), Some(callee)) = found {
            callees.entry(caller).or_default().insert(callee);
        }
    }
    let inlined: BTreeSet<MethodDef> = callees.values().flatten().copied().collect();
    let (mut both, mut agree) = (0_u32, 0_u32);
    for callee in inlined {
        for inliner in info.precompiled_inliners(core, core, callee)?.methods {
            if inliner.module == core && compiled.contains(&inliner.method) {
                both += 1;
                agree += u32::from(reaches(&callees, inliner.method, callee));
            }
        }
    }
    let mut facts = Facts::of("inliners");
    // The target processor differs, and with it some inlining: 97 % were the same.
    let counts = format!("{agree} of {both}");
    facts.say("many", if both >= 200 { "true" } else { &counts });
    facts.say("agree", if agree * 100 >= both * 90 { "true" } else { &counts });
    Ok(facts.finish())
}
