//! Metadata: what is defined can be read, through `corprof`, and by the names that it makes of it.

use corprof::{EventMask, HResult, ModuleId, Names, Profiler, ProfilerInfo, Result};
use corprof_double::{Runtime, Type, Version};

struct Reader(Names);

impl Profiler for Reader {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::CLASS_LOADS | EventMask::JIT_COMPILATION)?;
        Ok(Self(Names::new(info)))
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        self.0.info().module_metadata(module).unwrap();
    }
}

#[test]
fn what_is_defined_can_be_read() {
    let runtime = Runtime::new(Version::NET_9);
    let library = runtime.module("Library").with_version([4, 2, 0, 1]);
    let helper = library.class("Library.Helper");
    let app = runtime.module("App").with_path("/somewhere/App.exe");
    let interface = app.interface("App.IRun");
    let class = app.class("App.Outer").implements(&interface).attribute("App.MarkAttribute", &[1, 0, 0, 0]);
    let nested = class.nested("Inner`1").generic(&["TItem"]);
    let field = nested.field("items", Type::Var(0).vector());
    let color = app.enumeration("App.Color", &[("Red", 1), ("Blue", 2)]);
    let method = nested
        .method("Run")
        .generic(&["TResult"])
        .param("helper", &helper)
        .param("by", Type::I4.by_ref())
        .param("color", &color)
        .returns(Type::MVar(0))
        .define();

    let session = runtime.start::<Reader>().unwrap();
    session.load(library);
    session.load(app);
    let names = &session.profiler().0;
    let metadata = names.info().module_metadata(app.id()).unwrap();
    assert_eq!(metadata.mvid().unwrap(), app.mvid());
    assert_eq!(metadata.type_defs().unwrap().len(), 4);
    assert_eq!(metadata.find_type_def("App.Outer", None).unwrap(), Some(class.type_def()));
    let inner = metadata.find_type_def("Inner`1", Some(class.type_def())).unwrap();
    assert_eq!(
        (inner, metadata.enclosing_type(nested.type_def()).unwrap()),
        (Some(nested.type_def()), Some(class.type_def()))
    );
    assert_eq!(
        metadata.custom_attribute(class.type_def(), "App.MarkAttribute").unwrap(),
        Some(&[1, 0, 0, 0][..])
    );
    assert_eq!(metadata.custom_attribute(class.type_def(), "App.OtherAttribute").unwrap(), None);
    assert_eq!(metadata.interface_impls(class.type_def()).unwrap().len(), 1);
    assert_eq!(metadata.field(field.token()).unwrap().name, "items");
    let params = metadata.params(method.token()).unwrap();
    assert_eq!(params.len(), 3);
    assert_eq!(metadata.param(params[1]).unwrap().name, "by");
    let library_ref = metadata.assembly_refs().unwrap();
    let referred: Vec<_> = library_ref.iter().map(|token| metadata.assembly_ref(*token).unwrap()).collect();
    assert!(referred.iter().any(|it| it.name == "Library" && it.version == [4, 2, 0, 1]), "{referred:?}");
    assert_eq!(names.info().module_info(app.id()).unwrap().path, "/somewhere/App.exe");
    let blue = metadata.fields(color.type_def()).unwrap();
    let constant = metadata.field(blue[2]).unwrap().constant.unwrap();
    assert_eq!(constant.bytes, 2_i32.to_le_bytes());

    // Through the reference to the other module.
    let exact = method.on(&nested.of(&[Type::I4])).of(&[Type::String]);
    session.compile(&exact);
    assert_eq!(&*names.function(exact.id()).unwrap(), "App.Outer.Inner<int>.Run<System.__Canon>");
    let instance = names.method(exact.id()).unwrap();
    let string = names.info().known_class(runtime.core_lib().id(), string_of(&runtime, names), &[]);
    let known = names.instance(&instance, Some(nested.of(&[Type::I4]).id()), &[string]).unwrap();
    assert_eq!(known.name, "App.Outer.Inner<int>.Run<string>");
    assert_eq!(
        known.signature,
        "string App.Outer.Inner<int>.Run<string>(Library.Helper helper, ref int by, App.Color color)"
    );
    drop(metadata);
    session.shutdown();
    runtime.assert_released();
    assert_eq!(runtime.unscripted(), [""; 0]);
}

fn string_of(runtime: &Runtime, names: &Names) -> corprof::token::TypeDef {
    let core = names.info().module_metadata(runtime.core_lib().id()).unwrap();
    core.find_type_def("System.String", None).unwrap().unwrap()
}
