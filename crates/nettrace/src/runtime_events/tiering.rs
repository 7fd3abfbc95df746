//! Events of tiered compilation.

use crate::runtime_events::layout::layout;

layout! {
    /// `TieredCompilationSettings`.
    TieringSettings {
        skip u16;
        /// Bits: 1 none, 2 quick JIT, 4 quick JIT for loops, 8 profile guided, 16 ReadyToRun code.
        flags: u32 = u32;
    }
}

layout! {
    /// `TieredCompilationResume`: methods may be promoted again.
    TieringResume {
        skip u16;
        /// The number of methods that were called for the first time meanwhile.
        new_methods: u32 = u32;
    }
}

layout! {
    /// `TieredCompilationBackgroundJitStart`: the compilation of promoted methods begins.
    BackgroundJitStart {
        skip u16;
        /// The number of methods that wait for it.
        pending: u32 = u32;
    }
}

layout! {
    /// `TieredCompilationBackgroundJitStop`.
    BackgroundJitStop {
        skip u16;
        /// The number of methods that still wait.
        pending: u32 = u32;
        /// The number of methods that were compiled.
        jitted: u32 = u32;
    }
}
