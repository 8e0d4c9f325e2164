package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.Objects;

/** The places of a tile's elements along one or several of a tensor's dimensions. */
public sealed interface Axis permits Span, Axis.Rows, Axis.Patches {

    /** How many of the tensor's dimensions it places, in their order. */
    int covers();

    /** How many places. */
    Dim length();

    /** Whether it is a single index, so that the tile lacks this dimension. */
    default boolean single() {
        return false;
    }

    /**
     * Rows by their numbers: a gather, or a scatter. A number outside the dimension is outside the tensor.
     *
     * @param numbers a tile of rank 1, of i32 or i64
     */
    record Rows(Tile numbers) implements Axis {
        public Rows {
            Objects.requireNonNull(numbers, "numbers");
        }

        @Override
        public int covers() {
            return 1;
        }

        @Override
        public Dim length() {
            return numbers.shape().getFirst();
        }

        @Override
        public String toString() {
            return "rows " + numbers.label();
        }
    }

    /**
     * The input elements that one filter element meets at some of a convolution's outputs: im2col. It places a tensor's
     * images and their spatial dimensions at once.
     *
     * @param pixels numbers of outputs, those of all images following each other, row by row
     */
    record Patches(Convolution convolution, Span pixels, List<Expr> filter)
            implements Axis {
        public Patches {
            NotNull.all("convolution, pixels, filter", convolution, pixels, filter);
            filter = List.copyOf(filter);
        }

        @Override
        public int covers() {
            return 1 + filter.size();
        }

        @Override
        public Dim length() {
            return pixels.length();
        }

        @Override
        public String toString() {
            return "patches " + pixels + " under " + filter + " of " + convolution;
        }
    }
}
