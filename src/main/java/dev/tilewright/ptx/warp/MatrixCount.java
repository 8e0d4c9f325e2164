package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.Qualifier;

/** How many matrices a warp loads or stores at once. */
public enum MatrixCount implements Qualifier {
    X1, X2, X4;

    int count() {
        return 1 << ordinal();
    }
}
