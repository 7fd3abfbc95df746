//! An assembly file: what is read of it, and that nothing that can be wrong with one does harm.
#![allow(clippy::unwrap_used)]

#[allow(unreachable_pub)] // `fuzz/` has this module too, and exports it.
mod checks;

use std::sync::Arc;

use checks::{One, SAMPLE, name_all};
use clrnames::metadata::{Manifest as _, Metadata as _};
use clrnames::{
    Formatter, Image, ImageErrorKind, Instantiation, MethodIdentity, Mvid, SymbolError, Symbolizer,
    TypeIdentity,
};
use sigparse::token::MethodDef;

/// The declarations of all methods.
fn declarations(one: &One<'_>) -> Vec<String> {
    let methods = (1..).map_while(MethodDef::from_rid);
    methods.map_while(|method| one.all_names(method).ok()).map(|[_, declaration, _]| declaration).collect()
}

fn assert_among(expected: &[&str], texts: &[String]) {
    for expected in expected {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among\n{}", texts.join("\n"));
    }
}

#[test]
fn declarations_are_those_of_the_source() {
    let one = One(Arc::new(Image::parse(SAMPLE).unwrap()));
    let texts = declarations(&one);
    let expected = [
        "bool Shop.IHolds<Shop.Opt>.Take(Shop.Opt item)",
        "Shop.Money Shop.Money.operator +(Shop.Money a, Shop.Money b)",
        "Shop.Money.implicit operator decimal(Shop.Money money)",
        "static Shop.Cart<Shop.Opt>.Cart()",
        "Shop.Cart<Shop.Opt>.Cart(int size)",
        "Shop.Cart<Shop.Opt>.~Cart()",
        "int Shop.Cart<Shop.Opt>.Size.get",
        "Shop.Opt Shop.Cart<Shop.Opt>.this[int index].set",
        "System.Action<(Shop.Opt Item, int Count)> Shop.Cart<Shop.Opt>.Changed.add",
        "bool Shop.Cart<Shop.Opt>.Add<System.__Canon>(string name, ref int count, in System.__Canon unit, \
         out Shop.Opt[][,] all, int limit = 5, Shop.Opt opt = Shop.Opt.A | Shop.Opt.C, params object[] rest)",
        "bool Shop.Cart<Shop.Opt>.Shop.IHolds<Shop.Opt>.Take(Shop.Opt item)",
        "System.Threading.Tasks.Task<dynamic> Shop.Cart<Shop.Opt>.Load(int? count, double price = 1E+17, \
         string text = \"a\\\"b\")",
        "void* Shop.Cart<Shop.Opt>.Raw(int* place)",
        "(Shop.Opt First, Shop.Opt Second, (int a, int b) Both) Shop.Cart<Shop.Opt>.Line<Shop.Opt>.Of(Shop.Opt value)",
    ];
    assert_among(&expected, &texts);
    assert!(texts.iter().any(|text| text.contains("Add<Shop.Opt>.Check(int value)")), "{texts:#?}");
}

/// Two conversions of a type have the same parameters, and differ in what they return.
#[test]
fn conversions_have_their_type_in_their_names() {
    let one = One(Arc::new(Image::parse(SAMPLE).unwrap()));
    let formatter = Formatter::new(&one);
    let name = |method| {
        let definition = formatter.read_method((), method).ok()?;
        let (class_args, type_args) =
            (vec![None; definition.class_arity], vec![None; definition.method_arity]);
        let method = Instantiation {
            module: (),
            definition: &definition,
            class_args: &class_args,
            type_args: &type_args,
        };
        let formatted = formatter.method(&method).ok()?;
        Some(formatter.declaration(&method, &formatted).ok()?.name)
    };
    let names: Vec<String> = (1..).map_while(MethodDef::from_rid).map_while(name).collect();
    assert!(names.iter().any(|name| name == "Shop.Money.implicit operator decimal"), "{names:#?}");
}

/// Where something is made wrong: all headers, and samples of the tables and heaps behind the code.
fn samples() -> impl Iterator<Item = usize> {
    let root = SAMPLE.windows(4).position(|window| window == b"BSJB").unwrap();
    let all = (0..SAMPLE.len()).step_by(11);
    (60..64).chain(128..560).chain(root..root + 320).chain(all)
}

#[test]
fn a_file_that_ends_early_is_an_error() {
    for length in (0..1024).chain((1024..SAMPLE.len()).step_by(13)) {
        // The metadata is not at the very end of the file.
        if let Ok((named, failed)) = name_all(&SAMPLE[..length]) {
            assert!(named > 0, "{length} bytes: {failed} methods without names");
        }
    }
    let error = Image::parse(&SAMPLE[..100]).unwrap_err();
    assert!(matches!(error.kind, ImageErrorKind::UnexpectedEnd(_)), "{error}");
    assert!(matches!(Image::parse(b"").unwrap_err().kind, ImageErrorKind::NotPe));
    assert!(matches!(Image::parse(b"\x7fELF").unwrap_err().kind, ImageErrorKind::NotPe));
}

#[test]
fn a_bit_that_is_wrong_does_no_harm() {
    let (named, _) = name_all(SAMPLE).unwrap();
    let (mut worse, mut refused) = (0, 0);
    let mut file = SAMPLE.to_vec();
    for at in samples() {
        let bit = 1 << (at % 8);
        file[at] ^= bit;
        match name_all(&file) {
            Ok((less, _)) if less < named => worse += 1,
            Ok(_) => {}
            Err(_) => refused += 1,
        }
        file[at] ^= bit;
    }
    // Some bits matter: otherwise nothing was tested.
    assert!(worse > 50 && refused > 50, "{worse} {refused}");
}

#[test]
fn bytes_of_all_ones_do_no_harm() {
    let mut file = SAMPLE.to_vec();
    for at in samples() {
        let end = (at + 4).min(file.len());
        let saved = file[at..end].to_vec();
        file[at..end].fill(0xFF);
        let _ = name_all(&file);
        file[at..end].copy_from_slice(&saved);
    }
}

/// Replays what the fuzzer has kept.
fn replay(corpus: &str, check: impl Fn(&[u8])) {
    assert!(!corpus.is_empty());
    for line in corpus.lines() {
        let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
        let input: Vec<u8> = (0..line.len()).step_by(2).map(digits).collect();
        check(&input);
    }
}

#[test]
fn inputs_found_by_fuzzing_do_no_harm() {
    replay(include_str!("corpus/image.hex"), checks::patched);
}

#[test]
fn pdbs_found_by_fuzzing_do_no_harm() {
    replay(include_str!("corpus/pdb.hex"), checks::pdbs::patched);
}

/// A folder with the sample in it.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("sample.dll"), SAMPLE).unwrap();
    folder
}

#[test]
fn identities_are_named_from_a_folder() {
    let folder = folder("named");
    // Native code and other things are passed over.
    std::fs::write(folder.join("native.dll"), b"MZ").unwrap();
    let mut symbols = Symbolizer::new();
    symbols.add_folder(&folder).unwrap();
    let image = Image::parse(SAMPLE).unwrap();
    let module = image.mvid().unwrap();
    let type_def = image.find_type_def("Shop.Cart`1", None).unwrap().unwrap();
    let add = image.methods_named(type_def, "Add").unwrap()[0];
    let identity = MethodIdentity {
        module,
        method: add,
        class_args: vec![TypeIdentity::Defined { module, type_def, args: vec![TypeIdentity::Unknown] }],
        method_args: vec!["int[][,]".parse().unwrap()],
    };
    let symbol = symbols.method(&identity).unwrap();
    assert_eq!(symbol.file(), folder.join("sample.dll"));
    assert_eq!(symbol.format().unwrap().name, "Shop.Cart<Shop.Cart<System.__Canon>>.Add<int[,][]>");
    assert!(symbol.il_name().unwrap().starts_with(
        "instance bool Shop.Cart`1<class Shop.Cart`1<class System.__Canon>>::Add<int32[][0...,0...]>("
    ));
    // Nothing is known of the arguments.
    let plain = MethodIdentity { class_args: vec![], method_args: vec![], ..identity.clone() };
    assert_eq!(symbols.method(&plain).unwrap().format().unwrap().name, "Shop.Cart<System.__Canon>.Add");
    // Another number of them.
    let wrong = MethodIdentity { method_args: vec![TypeIdentity::Unknown; 2], ..identity };
    let error = symbols.method(&wrong).unwrap_err().to_string();
    assert!(error.contains("Shop.Cart.Add has 1 generic parameters and 1 of its type"), "{error}");
}

#[test]
fn a_missing_module_is_an_error_that_names_the_searched_folders() {
    let folder = folder("missing");
    std::fs::write(folder.join("broken.dll"), &SAMPLE[..1024]).unwrap();
    let mut symbols = Symbolizer::new();
    symbols.add_folder(&folder).unwrap();
    let nowhere: MethodIdentity = "00112233445566778899aabbccddeeff!06000001".parse().unwrap();
    let error = symbols.method(&nowhere).unwrap_err();
    assert!(matches!(&error, SymbolError::NoModule { unreadable, .. } if unreadable.len() == 1), "{error:?}");
    let text = error.to_string();
    for part in ["00112233445566778899aabbccddeeff", folder.to_str().unwrap(), "broken.dll"] {
        assert!(text.contains(part), "{text}");
    }
    let module: Mvid = Image::parse(SAMPLE).unwrap().mvid().unwrap();
    let method = MethodDef::from_rid(0xFFFF).unwrap();
    let beyond = MethodIdentity { module, method, class_args: vec![], method_args: vec![] };
    let text = symbols.method(&beyond).unwrap_err().to_string();
    assert!(text.contains("sample.dll: there is no row 0x0600FFFF"), "{text}");
    assert!(symbols.add_file(folder.join("broken.dll")).is_err());
    assert!(symbols.add_folder(folder.join("nowhere")).is_err());
}

/// Extension blocks and types of a file, compiled by a newer compiler.
#[test]
fn members_of_extension_blocks_have_their_names() {
    let one = One(Arc::new(Image::parse(include_bytes!("data/modern.dll").as_slice()).unwrap()));
    let texts = declarations(&one);
    let expected = [
        "int Shop.Extensions.extension(string).Vowels()",
        "bool Shop.Extensions.extension(string).IsLong.get",
        "string Shop.Extensions.extension(string).Repeat(char c, int count = 2)",
        "int Shop.Extensions.extension(string).Limit.set",
        "System.Threading.Tasks.Task<int> Shop.Extensions.extension(string).LaterAsync(int add)",
        "System.__Canon Shop.Extensions.extension(string).Convert<System.__Canon>(\
         System.Func<string, System.__Canon> how)",
        // The same name and another receiver.
        "int Shop.Extensions.extension(int).Vowels()",
        "bool Shop.Extensions.extension(int).IsLong.get",
        "System.__Canon Shop.Extensions.extension<System.__Canon>(\
         System.Collections.Generic.List<System.__Canon>).Map<System.__Canon>(\
         System.Func<System.__Canon, System.__Canon> how)",
        "System.Collections.Generic.List<System.__Canon> Shop.Extensions.extension<System.__Canon>(\
         System.Collections.Generic.List<System.__Canon>).operator -(\
         System.Collections.Generic.List<System.__Canon> left, System.__Canon right)",
        "void Shop.Extensions.extension(ref Shop.Counter).Bump(int by)",
        "int Shop.Extensions.extension(in Shop.Counter).Peek()",
        "string Shop.Extensions.extension((int, string Name)).Second()",
        "System.DateTime Shop.Extensions.extension(System.DateTime).Birthday.get",
        // What a block's members are lowered to.
        "bool Shop.Extensions.extension(string).Vowels.AnonymousMethod__1_0(char c)",
        "void Shop.Extensions.extension(string).LaterAsync.MoveNext()",
        // In no block.
        "int Shop.Extensions.Old(this string text)",
        "int Shop.Extensions.Plain(string text)",
        // Types that only their file can name.
        "int Shop.Hidden@modern.Run()",
        "Shop.Hidden@modern.Hidden()",
        "int Shop.Hidden@modern.Inner.Run()",
        "System.__Canon Shop.Hidden@modern<System.__Canon>.Run(System.__Canon it)",
        "Shop.Hidden@modern<System.__Canon>.Hidden()",
    ];
    assert_among(&expected, &texts);
}
