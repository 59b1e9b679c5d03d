//! Renders a brief from a packet, and the text of a turn: templates, budget, redaction, fences.
