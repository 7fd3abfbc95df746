//! The contenders under divan: time and allocations of a pass over all signatures.

use divan::{AllocProfiler, Bencher, counter::ItemsCount};
use sigparse_benches::{CONTENDERS, Corpus};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = CONTENDERS.iter().map(|contender| contender.name))]
fn methods(bencher: Bencher<'_, '_>, name: &str) {
    let corpus = Corpus::from_environment().expect("the signatures are there");
    let contender = CONTENDERS.iter().find(|contender| contender.name == name).expect("it is one of them");
    bencher.counter(ItemsCount::new(corpus.blobs().len())).bench(|| (contender.run)(&corpus));
}
