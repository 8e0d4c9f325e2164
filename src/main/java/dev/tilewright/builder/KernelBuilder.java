package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What all builders let a user choose. Every choice has a default; a wrong one is refused when {@link #build} looks at
 * all of them together.
 *
 * @param <B> the builder itself
 */
public abstract class KernelBuilder<B extends KernelBuilder<B>> {
    private static final int WARP = 32;

    final ElementType type;
    List<Integer> tile;
    int stages;
    private OptionalInt threads = OptionalInt.empty();
    ElementStep step = ElementStep.COPY;

    KernelBuilder(ElementType type, List<Integer> tile, int stages) {
        this.type = Objects.requireNonNull(type, "element type");
        this.tile = tile;
        this.stages = stages;
    }

    abstract B self();

    /** Makes the kernel. @throws BadRequestException if the choices do not go together; the message says what would */
    public abstract TileKernel build();

    /** Extents of a tile in elements, outermost dimension first. */
    public B tile(int... extents) {
        return tile(Arrays.stream(extents).boxed().toList());
    }

    /** Extents of a tile in elements, outermost dimension first. */
    public B tile(List<Integer> extents) {
        tile = List.copyOf(extents);
        return self();
    }

    /** Tiles of one block that shared memory holds at once. */
    public B stages(int count) {
        stages = count;
        return self();
    }

    /** Threads of one block: a multiple of a warp's 32. */
    public B threads(int count) {
        threads = OptionalInt.of(count);
        return self();
    }

    /** What happens to each element on the way. */
    public B step(ElementStep elementStep) {
        step = Objects.requireNonNull(elementStep, "step");
        return self();
    }

    final void requireTile(int least, int most) {
        if (tile.size() < least || tile.size() > most) {
            throw new BadRequestException("a tile of " + name() + " has "
                    + (least == most ? counted(least, "dimension") : least + " to " + most + " dimensions") + ", got "
                    + tile.size() + (tile.isEmpty() ? "" : ": " + Shapes.text(tile)));
        }
        for (int extent : tile) {
            if (extent < 1) {
                throw new BadRequestException("a tile's extents are at least 1, got " + Shapes.text(tile));
            }
        }
    }

    /** Refuses a box that a tensor map cannot have: its extents are at most 256 (cuda.h, boxDim). */
    final void requireBoxExtents() {
        if (tile.stream().anyMatch(extent -> extent > 256)) {
            throw new BadRequestException("a tensor copy's box has at most 256 elements along each dimension, got "
                    + Shapes.text(tile));
        }
    }

    /** Refuses a box whose rows are not whole 16 bytes. @return bytes of a row */
    final int requireWholeChunks() {
        int rowBytes = tile.getLast() * type.bytes();
        if (rowBytes % 16 != 0) {
            throw new BadRequestException("a box's rows must be a multiple of 16 bytes, got " + tile.getLast() + " "
                    + type + " = " + rowBytes + " bytes: use a multiple of " + 16 / type.bytes() + " columns");
        }
        return rowBytes;
    }

    final void requireStages(int least, int most) {
        if (stages < least || stages > most) {
            throw new BadRequestException(name() + " takes " + least + " to " + most + " stages, got " + stages);
        }
    }

    /** Threads that were chosen, or else those that suit the kernel. */
    final int requireThreads(int otherwise) {
        int count = threads.orElse(otherwise);
        if (count < WARP || count > 1024 || count % WARP != 0) {
            throw new BadRequestException("a block has a multiple of " + WARP + " threads, at most 1024, got " + count);
        }
        return count;
    }

    /** Bytes of one tile, refused where a single stage would not fit. */
    final int tileBytes() {
        long bytes = type.bytes();
        for (int extent : tile) {
            bytes *= extent;
            if (bytes > SharedLayout.LARGEST) {
                throw new BadRequestException("a tile of " + Shapes.text(tile) + " " + type + " takes more than the "
                        + SharedLayout.LARGEST + " bytes of shared memory that a block can have: choose a smaller tile");
            }
        }
        return (int) bytes;
    }

    /** Refuses more stages than fit, given the fewest that will do, the bytes of one, and of what else is in shared memory. */
    final void requireFit(int leastStages, int stageBytes, int otherBytes) {
        long needed = (long) stageBytes * stages + otherBytes;
        if (needed > SharedLayout.LARGEST) {
            int fitting = (SharedLayout.LARGEST - otherBytes) / stageBytes;
            throw new BadRequestException(counted(stages, "stage") + " of " + stageBytes + " bytes need " + needed
                    + " bytes of shared memory with what else is in it, a block has at most " + SharedLayout.LARGEST + ": "
                    + (fitting < leastStages ? "choose a smaller tile" : "use at most " + counted(fitting, "stage") + " of this tile"));
        }
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    final Optional<Parameter.Scalar> scalar() {
        return step.hasScalar()
                ? Optional.of(new Parameter.Scalar("scalar", ElementStep.scalarType(type)))
                : Optional.empty();
    }

    /** The mechanism's name, as in messages: {@code tensor-copy}. */
    abstract String name();
}
