//! The judge that needs no model: rules over the packet.
