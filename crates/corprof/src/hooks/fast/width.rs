//! The width of the vector registers, by which stubs for x86-64 are chosen.

/// How wide vector registers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// 16 bytes.
    Sse,
    /// 32 bytes.
    Avx,
    /// 64 bytes.
    Avx512,
}

impl Width {
    /// That of this processor, as far as the operating system lets it be used.
    pub(super) fn of_this_processor() -> Self {
        if std::arch::is_x86_feature_detected!("avx512f") {
            Self::Avx512
        } else if std::arch::is_x86_feature_detected!("avx") {
            Self::Avx
        } else {
            Self::Sse
        }
    }
}
