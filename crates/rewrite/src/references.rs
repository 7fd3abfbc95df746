//! Rows that inserted code refers to. They are looked up first, and added if the module does not have them.
#![forbid(unsafe_code)]

use corprof::Error;
use corprof::token::{AssemblyRef, MemberRef, MethodSpec, StandAloneSig, TypeRef, TypeSpec, UserString};
use sigparse::{
    CallingConvention, MemberRefParent, MethodDefOrRef, MethodSig, MethodSigBuilder, Modifier,
    ResolutionScope, Token, TypeDefOrRef,
};

use crate::core_library::assembly_ref;
use crate::module::LiveModule;
use crate::{Result, RewriteError};

impl LiveModule {
    /// Finds or adds a reference to a type of the core library: `System.Threading.Interlocked`.
    ///
    /// The reference leads through the assembly that the module has its other types from, if that forwards the type; else to
    /// the core library itself. In the core library it is the definition.
    ///
    /// # Errors
    /// The core library itself does not have the type. Any failure of the runtime's calls.
    pub fn core_type(&self, name: &str) -> Result<TypeDefOrRef> {
        let found = self.core.ty(&self.emit, name)?;
        found.ok_or_else(|| RewriteError::Runtime(Error::NotFound(format!("no type {name}"))))
    }

    /// Finds or adds a reference to an assembly. Of a reference that is there, the name alone counts.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn assembly_ref(&self, name: &str, version: [u16; 4], key_token: &[u8]) -> Result<AssemblyRef> {
        assembly_ref(&self.emit, name, version, key_token)
    }

    /// Finds or adds a reference to a type of another assembly, or to a type nested in a referenced type.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn type_ref(&self, scope: impl Into<ResolutionScope>, name: &str) -> Result<TypeRef> {
        let scope = scope.into();
        match self.metadata().find_type_ref(Some(scope), name)? {
            Some(found) => Ok(found),
            None => Ok(self.emit.define_type_ref(scope, name)?),
        }
    }

    /// Finds or adds a reference to a method or field. For a type of this module, returns the definition.
    ///
    /// The parent of a member of a generic type is the [`type_spec`](Self::type_spec) of the instantiation.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn member(&self, parent: TypeDefOrRef, name: &str, signature: &[u8]) -> Result<Token> {
        let parent = match parent {
            TypeDefOrRef::TypeDef(ty) => {
                if let Some(found) = self.metadata().find_member(ty, name, signature)? {
                    return Ok(found);
                }
                MemberRefParent::TypeDef(ty)
            }
            TypeDefOrRef::TypeRef(ty) => MemberRefParent::TypeRef(ty),
            TypeDefOrRef::TypeSpec(ty) => MemberRefParent::TypeSpec(ty),
        };
        Ok(self.member_ref(parent, name, signature)?.into())
    }

    /// Finds or adds a reference to a method or field.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn member_ref(
        &self,
        parent: impl Into<MemberRefParent>,
        name: &str,
        signature: &[u8],
    ) -> Result<MemberRef> {
        let parent = parent.into();
        match self.metadata().find_member_ref(parent, name, signature)? {
            Some(found) => Ok(found),
            None => Ok(self.emit.define_member_ref(parent, name, signature)?),
        }
    }

    /// Finds or adds an instantiation of a type, or an array, by its signature.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn type_spec(&self, signature: &[u8]) -> Result<TypeSpec> {
        // The runtime looks for the signature itself.
        Ok(self.emit.define_type_spec(signature)?)
    }

    /// Finds or adds an instantiation of a generic method.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn method_spec(&self, method: impl Into<MethodDefOrRef>, arguments: &[u8]) -> Result<MethodSpec> {
        Ok(self.emit.define_method_spec(method, arguments)?)
    }

    /// Finds or adds the signature of an indirect call, for `calli`.
    ///
    /// # Errors
    /// The signature is malformed. Any failure of the runtime's calls.
    pub fn call_site(&self, signature: &[u8]) -> Result<StandAloneSig> {
        MethodSig::parse(signature).and_then(|sig| sig.validate()).map_err(RewriteError::Signature)?;
        Ok(self.emit.define_signature(signature)?)
    }

    /// Finds or adds the signature of an unmanaged C function that takes so many pointer-sized integers and returns nothing, for `calli`
    /// without a transition.
    ///
    /// The signature has the modifiers `CallConvCdecl` and `CallConvSuppressGCTransition`: the JIT emits a plain call, and no
    /// collection runs before the function returns. The function must return soon, must not wait, and calls back into no managed
    /// code. Since .NET 5.
    ///
    /// # Errors
    /// The core library does not have the modifiers. Any failure of the runtime's calls.
    pub fn direct_call_site(&self, parameters: u8) -> Result<StandAloneSig> {
        let mut convention = Vec::new();
        for name in ["CallConvCdecl", "CallConvSuppressGCTransition"] {
            convention.push(self.core_type(&format!("System.Runtime.CompilerServices.{name}"))?);
        }
        let builder = MethodSigBuilder::new(|ty| {
            convention.iter().fold(ty, |ty, modifier| ty.modifier(Modifier::Optional(*modifier))).void()
        });
        let builder = builder.calling_convention(CallingConvention::UNMANAGED);
        let builder = (0..parameters).fold(builder, |builder, _| builder.param(|ty| ty.i()));
        let signature = builder.finish().map_err(RewriteError::Signature)?;
        Ok(self.emit.define_signature(signature.as_bytes())?)
    }

    /// Finds or adds a reference to `RuntimeTypeHandle.ToIntPtr`, which takes the handle that `ldtoken` has loaded and returns the
    /// class's id. The JIT makes a constant of both, or the lookup of the type argument that shared code makes. Since .NET 7.
    ///
    /// # Errors
    /// The core library does not have it. Any failure of the runtime's calls.
    pub fn class_of_handle(&self) -> Result<Token> {
        let handle = self.core_type("System.RuntimeTypeHandle")?;
        let builder = MethodSigBuilder::new(|ty| ty.i()).param(|ty| ty.value_type(handle));
        let signature = builder.finish().map_err(RewriteError::Signature)?;
        self.member(handle, "ToIntPtr", signature.as_bytes())
    }

    /// Finds or adds a string literal, for `ldstr`.
    ///
    /// # Errors
    /// Any failure of the runtime's calls.
    pub fn user_string(&self, text: &str) -> Result<UserString> {
        Ok(self.emit.define_user_string(text)?)
    }

    /// Finds or adds the signature of local variables.
    pub(crate) fn local_var_sig(&self, signature: &[u8]) -> Result<StandAloneSig> {
        Ok(self.emit.define_signature(signature)?)
    }
}
