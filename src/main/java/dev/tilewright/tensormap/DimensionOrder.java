package dev.tilewright.tensormap;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The order in which a builder's lists name the dimensions. */
public enum DimensionOrder {
    /** The order of NumPy and PyTorch shapes: rows before columns, N before C. */
    OUTERMOST_FIRST,
    /** The order of cuda.h and the coordinates of PTX instructions: columns before rows, C before N. */
    INNERMOST_FIRST;

    /** The values with the innermost dimension first. */
    List<Long> toInnermostFirst(long... values) {
        List<Long> list = new ArrayList<>(Lists.of(values));
        if (this == OUTERMOST_FIRST) {
            Collections.reverse(list);
        }
        return Collections.unmodifiableList(list);
    }
}
