//! How to speak with each agent, and the room a judge sits in.
