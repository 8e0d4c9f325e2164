package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.Qualifier;
import java.util.Locale;

/** The sizes of the product of a warp: A has m rows and k columns, B has k rows and n columns. */
public enum MmaShape implements Qualifier {
    M8N8K4(8, 4), M8N8K16(8, 16), M16N8K4(16, 4), M16N8K8(16, 8), M16N8K16(16, 16), M16N8K32(16, 32);

    private final int m;
    private final int k;

    MmaShape(int m, int k) {
        this.m = m;
        this.k = k;
    }

    /** Rows of A and of the result. */
    public int m() {
        return m;
    }

    /** Columns of B and of the result. */
    public int n() {
        return 8;
    }

    /** Columns of A, rows of B. */
    public int k() {
        return k;
    }

    /** The name in PTX: {@code m16n8k16}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
