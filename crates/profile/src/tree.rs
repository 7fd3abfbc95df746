//! The tree of frames: each prefix of a stack is one node.

use std::collections::HashMap;

use crate::profile::FrameId;

/// A node of the tree; its parent has a smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The empty stack.
    pub(crate) const ROOT: Self = Self(0);
}

/// The nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The parent and the frame of each node but the root, whose number is 0.
    nodes: Vec<(NodeId, FrameId)>,
    children: HashMap<(NodeId, FrameId), NodeId>,
}

impl Tree {
    /// Returns the number of nodes, with the root.
    fn len(&self) -> usize {
        self.nodes.len() + 1
    }

    /// Returns a node's child with this frame. A new one beyond the limit does not exist.
    pub(crate) fn child(&mut self, parent: NodeId, frame: FrameId, limit: usize) -> Option<NodeId> {
        if let Some(node) = self.children.get(&(parent, frame)) {
            return Some(*node);
        }
        let node = NodeId(u32::try_from(self.len()).ok().filter(|_| self.len() < limit)?);
        self.nodes.push((parent, frame));
        self.children.insert((parent, frame), node);
        Some(node)
    }

    /// Returns a node's parent and its frame; the root has none.
    pub(crate) fn node(&self, node: NodeId) -> Option<(NodeId, FrameId)> {
        self.nodes.get((node.0 as usize).checked_sub(1)?).copied()
    }

    /// Visits the frames of a stack, innermost first.
    pub(crate) fn stack(&self, node: NodeId) -> impl Iterator<Item = FrameId> {
        let nodes = core::iter::successors(self.node(node), |(parent, _)| self.node(*parent));
        nodes.map(|(_, frame)| frame)
    }
}
