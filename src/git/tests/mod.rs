//! Every kind of target over real repositories (issue 2, point 1).

mod targets;
