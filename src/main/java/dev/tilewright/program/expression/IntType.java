package dev.tilewright.program.expression;

import dev.tilewright.NotNull;

/** The type of an {@link Expr}. */
public enum IntType {
    /** 32-bit signed: thread and block numbers, shared-memory offsets, coordinates. */
    S32,
    /** 64-bit signed: global byte offsets and sizes. */
    S64,
    /** Truth value of a comparison. */
    BOOL;

    /** The wider of two types of integers. */
    public static IntType wider(IntType a, IntType b) {
        NotNull.all("a, b", a, b);
        return a == S64 || b == S64 ? S64 : S32;
    }

    /** Refuses an expression of another type. @param what it is, such as "a shared offset" */
    void require(Expr e, String what) {
        if (e.type() != this) {
            throw new IllegalArgumentException(what + " has " + (this == S32 ? "32 bits" : "64 bits") + ", got type "
                    + e.type() + (e.type() == BOOL ? "" : ": use to" + this + "()"));
        }
    }
}
