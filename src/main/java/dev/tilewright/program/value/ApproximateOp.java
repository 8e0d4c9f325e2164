package dev.tilewright.program.value;

/** The hardware's approximations of functions of an f32. */
public enum ApproximateOp {
    EX2, LG2, RCP, RSQRT, SQRT, SIN, COS, TANH
}
