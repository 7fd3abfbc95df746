//! Owned trees: a signature read once, to be kept and looked into from anywhere.
//!
//! A tree has forgotten the bytes that it came from. It is a single allocation of eight bytes for each type (a few more
//! for what is rare), so that every parameter, every generic argument and whatever they nest is one step away. Trees are
//! `Send` and `Sync`, equal if what they say is equal, and can be keys of maps.
//!
//! ```
//! use sigparse::{ElementType, MethodTree, TypeDefOrRef, tree::{Node, NodeKind}};
//!
//! // instance string Method(int, class 0x01000002<long>)
//! let tree = MethodTree::parse(&[0x20, 0x02, 0x0E, 0x08, 0x15, 0x12, 0x09, 0x01, 0x0A])?;
//! assert!(tree.root().has_this());
//! assert_eq!(tree.return_type().element_type(), ElementType::STRING);
//! assert_eq!(tree.params().len(), 2);
//!
//! let last = tree.params().get(1).unwrap();
//! let NodeKind::GenericInst(inst) = last.kind() else { panic!() };
//! assert!(matches!(inst.args().get(0).unwrap().kind(), NodeKind::Leaf(ElementType::I8)));
//!
//! /// Whether a type names another, however deep.
//! fn mentions(node: Node<'_>, ty: TypeDefOrRef) -> bool {
//!     node.type_def_or_ref() == Some(ty) || node.children().any(|child| mentions(child, ty))
//! }
//! let list = TypeDefOrRef::from_token(0x0100_0002).unwrap();
//! assert!(tree.params().any(|param| mentions(param, list)));
//! # Ok::<(), sigparse::Error>(())
//! ```
//!
//! Whoever wants the bytes again, or text, goes through [`to_buf`](MethodTree::to_buf): an owned signature of the same
//! kind, which can be printed with names. `Display` of a tree is that of the signature.

mod build;
mod encode;
mod fast;
mod node;
mod parts;
mod slot;

use alloc::boxed::Box;
use core::fmt;

pub use node::{Node, NodeKind, NodeModifiers, Nodes};
pub use parts::{ArrayNode, GenericInstNode, MethodNode};

use self::slot::Slot;
use crate::{
    Error, FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, Reader, SigHeader,
    SigKind, TypeSigBuf, walk,
};

macro_rules! trees {
    ($(
        $(#[$meta:meta])*
        $name:ident of $buf:ident, $walk:ident;
    )+) => { $(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name(Box<[Slot]>);

        impl $name {
            /// Reads a signature, which has to be all of the blob. There is one allocation, and none if there is an
            /// error.
            ///
            /// # Errors
            /// If it is malformed or of another kind, or bytes follow it.
            pub fn parse(blob: &[u8]) -> Result<Self, Error> {
                build::build(blob, fast::$walk, |blob, build| walk::$walk(blob, build)).map(Self)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_buf(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_buf(), f)
            }
        }

        impl From<&$name> for $buf {
            fn from(tree: &$name) -> Self {
                tree.to_buf()
            }
        }
    )+ };
}

trees! {
    /// The signature of a method, a call site or a function pointer (II.23.2.1 to 3), as a tree.
    ///
    /// ```
    /// use sigparse::{ElementType, MethodTree};
    ///
    /// // static void Copy(string, ref int)
    /// let tree = MethodTree::parse(&[0x00, 0x02, 0x01, 0x0E, 0x10, 0x08])?;
    /// assert!(tree.return_type().is_void());
    /// let target = tree.params().get(1).and_then(|param| param.by_ref()).unwrap();
    /// assert_eq!(target.element_type(), ElementType::I4);
    /// assert_eq!(tree.to_string(), "void (string, ref int)");
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    MethodTree of MethodSigBuf, method;
    /// The type of a field (II.23.2.4), as a tree.
    ///
    /// ```
    /// use sigparse::{ElementType, FieldTree};
    ///
    /// // volatile int: modreq(0x01000003) int
    /// let tree = FieldTree::parse(&[0x06, 0x1F, 0x0D, 0x08])?;
    /// assert_eq!(tree.field_type().element_type(), ElementType::I4);
    /// assert!(tree.field_type().modifiers().all(|modifier| modifier.is_required()));
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    FieldTree of FieldSigBuf, field;
    /// The type of a property, and the parameters of an indexer (II.23.2.5), as a tree.
    ///
    /// ```
    /// use sigparse::{ElementType, PropertyTree};
    ///
    /// // instance string this[int]
    /// let tree = PropertyTree::parse(&[0x28, 0x01, 0x0E, 0x08])?;
    /// assert_eq!(tree.property_type().element_type(), ElementType::STRING);
    /// assert_eq!(tree.params().len(), 1);
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    PropertyTree of PropertySigBuf, property;
    /// The types of a method's local variables (II.23.2.6), as a tree.
    ///
    /// ```
    /// use sigparse::{LocalVarTree, tree::NodeKind};
    ///
    /// // int; pinned ref byte
    /// let tree = LocalVarTree::parse(&[0x07, 0x02, 0x08, 0x45, 0x10, 0x05])?;
    /// assert!(matches!(tree.locals().get(1).unwrap().kind(), NodeKind::Pinned(_)));
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    LocalVarTree of LocalVarSigBuf, locals;
    /// A type by itself, or the signature of a TypeSpec (II.23.2.12, II.23.2.14), as a tree.
    ///
    /// ```
    /// use sigparse::{TypeTree, tree::NodeKind};
    ///
    /// // int[-3...1, 4...]
    /// let tree = TypeTree::parse(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x02, 0x7B, 0x08])?;
    /// let NodeKind::Array(array) = tree.root().kind() else { panic!() };
    /// assert_eq!(array.rank(), 2);
    /// assert!(array.sizes().eq([5]) && array.lower_bounds().eq([-3, 4]));
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    TypeTree of TypeSigBuf, ty;
    /// The arguments of a generic method (II.23.2.15), as a tree.
    ///
    /// ```
    /// use sigparse::{MethodSpecTree, tree::NodeKind};
    ///
    /// let tree = MethodSpecTree::parse(&[0x0A, 0x02, 0x08, 0x1E, 0x00])?;
    /// assert!(matches!(tree.args().get(1).unwrap().kind(), NodeKind::MVar(0)));
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    MethodSpecTree of MethodSpecSigBuf, method_spec;
}

impl MethodTree {
    /// The signature: calling convention, generic parameters, types.
    #[inline]
    pub fn root(&self) -> MethodNode<'_> {
        MethodNode::root(&self.0)
    }

    /// The return type. [`Node::is_void`] tells whether there is one.
    #[inline]
    pub fn return_type(&self) -> Node<'_> {
        self.root().return_type()
    }

    /// The parameters, those after a SENTINEL included, `this` not.
    #[inline]
    pub fn params(&self) -> Nodes<'_> {
        self.root().params()
    }
}

impl FieldTree {
    /// The type with its custom modifiers.
    #[inline]
    pub fn field_type(&self) -> Node<'_> {
        Node::new(&self.0, 1)
    }
}

impl PropertyTree {
    /// The first byte.
    #[inline]
    pub fn header(&self) -> SigHeader {
        MethodNode::root(&self.0).header()
    }

    /// Whether the property is an instance's.
    #[inline]
    pub fn has_this(&self) -> bool {
        self.header().has_this()
    }

    /// The type of the property.
    #[inline]
    pub fn property_type(&self) -> Node<'_> {
        MethodNode::root(&self.0).return_type()
    }

    /// The parameters of an indexer.
    #[inline]
    pub fn params(&self) -> Nodes<'_> {
        MethodNode::root(&self.0).params()
    }
}

impl LocalVarTree {
    /// The types of the variables, in order.
    #[inline]
    pub fn locals(&self) -> Nodes<'_> {
        Nodes::new(&self.0, 1, self.0.first().map_or(0, |head| head.value()))
    }
}

impl TypeTree {
    /// The type with its custom modifiers.
    #[inline]
    pub fn root(&self) -> Node<'_> {
        Node::new(&self.0, 0)
    }
}

impl MethodSpecTree {
    /// The arguments, at least one.
    #[inline]
    pub fn args(&self) -> Nodes<'_> {
        Nodes::new(&self.0, 1, self.0.first().map_or(0, |head| head.small().into()))
    }
}

/// The tree of any signature that names its kind in the first byte.
///
/// ```
/// use sigparse::SigTree;
///
/// assert!(matches!(SigTree::parse(&[0x07, 0x01, 0x08])?, SigTree::LocalVar(_)));
/// assert!(matches!(SigTree::parse(&[0x00, 0x00, 0x01])?, SigTree::Method(_)));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SigTree {
    /// A method (II.23.2.1 to 3).
    Method(MethodTree),
    /// A field (II.23.2.4).
    Field(FieldTree),
    /// A property (II.23.2.5).
    Property(PropertyTree),
    /// Local variables (II.23.2.6).
    LocalVar(LocalVarTree),
    /// The arguments of a generic method (II.23.2.15).
    MethodSpec(MethodSpecTree),
}

impl SigTree {
    /// Reads a signature of the kind that the first byte names, which has to be all of the blob.
    ///
    /// # Errors
    /// If it is malformed, the first byte names no kind, or bytes follow it.
    pub fn parse(blob: &[u8]) -> Result<Self, Error> {
        let header = SigHeader(Reader::new(blob).read_u8()?);
        Ok(match SigKind::of(header) {
            Some(SigKind::Field) => Self::Field(FieldTree::parse(blob)?),
            Some(SigKind::Property) => Self::Property(PropertyTree::parse(blob)?),
            Some(SigKind::LocalVar) => Self::LocalVar(LocalVarTree::parse(blob)?),
            Some(SigKind::MethodSpec) => Self::MethodSpec(MethodSpecTree::parse(blob)?),
            Some(SigKind::Method) | None => Self::Method(MethodTree::parse(blob)?),
        })
    }

    /// The kind of the signature.
    pub const fn kind(&self) -> SigKind {
        match self {
            Self::Method(_) => SigKind::Method,
            Self::Field(_) => SigKind::Field,
            Self::Property(_) => SigKind::Property,
            Self::LocalVar(_) => SigKind::LocalVar,
            Self::MethodSpec(_) => SigKind::MethodSpec,
        }
    }

    /// The types in it, side by side: of a method and of a property the first is what it returns, of a field it is the
    /// only one.
    pub fn types(&self) -> Nodes<'_> {
        match self {
            Self::Method(tree) => tree.root().types(),
            Self::Field(tree) => Nodes::new(&tree.0, 1, 1),
            Self::Property(tree) => MethodNode::root(&tree.0).types(),
            Self::LocalVar(tree) => tree.locals(),
            Self::MethodSpec(tree) => tree.args(),
        }
    }
}

macro_rules! each_kind {
    ($this:expr, $tree:ident => $do:expr) => {
        match $this {
            SigTree::Method($tree) => $do,
            SigTree::Field($tree) => $do,
            SigTree::Property($tree) => $do,
            SigTree::LocalVar($tree) => $do,
            SigTree::MethodSpec($tree) => $do,
        }
    };
}

impl fmt::Debug for SigTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_kind!(self, tree => fmt::Debug::fmt(tree, f))
    }
}

impl fmt::Display for SigTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_kind!(self, tree => fmt::Display::fmt(tree, f))
    }
}
