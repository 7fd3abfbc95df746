//! `cargo xtask`.
fn main() -> anyhow::Result<()> {
    xtask::dotnet::provision(false)?;
    let mut a = std::env::args().skip(1);
    let v = a.next().unwrap_or_default().parse().map_err(anyhow::Error::msg)?;
    let out = a.next().unwrap_or_default();
    println!("{}", xtask::dotnet::compile(&xtask::dotnet::CSharp::new(v, a, out))?.display());
    Ok(())
}
