package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The options that all builders have. Every choice has a default; a wrong one is refused when {@link #build} looks at
 * all of them together. Each builder lists its options in its {@link Mechanism}; options that all builders have are
 * declared here.
 *
 * @param <B> the builder itself
 */
public abstract class KernelBuilder<B extends KernelBuilder<B>> {
    private static final int MOST_THREADS = 1024;
    private static final String TILE = "tile";
    private static final String STAGES = "stages";
    private static final String THREADS_NAME = "threads";

    /** Threads of one block, a multiple of 32 up to 1024. */
    public static final Option<KernelBuilder<?>, Integer> THREADS = new Option<>(THREADS_NAME, "N",
            "threads of one block", new Numbers(Warp.LANES, MOST_THREADS, Warp.LANES), KernelBuilder::threads,
            KernelBuilder::threadCount);
    /** The operation on each element: {@link ElementStep#COPY}, SCALE or ADD. */
    public static final Option<KernelBuilder<?>, ElementStep> STEP = new Option<>("step", "STEP",
            "the operation on each element", Choices.steps(), KernelBuilder::step, b -> b.step);
    /** Which tiles a block takes, if it takes several. */
    public static final Option<KernelBuilder<?>, Walk> WALK = new Option<>("walk", "ORDER",
            "which tiles a block takes, if it takes several", Choices.of(Walk.class), KernelBuilder::walk,
            b -> b.walk);

    final ElementType type;
    /** Dimensions of the array that the kernel is for; it only decides the default tile. */
    int arrayRank = 2;
    int stages;
    ElementStep step = ElementStep.COPY;
    Walk walk = Walk.RUNS;
    private Optional<ElementType> resultType = Optional.empty();
    private Optional<List<Integer>> tile = Optional.empty();
    private OptionalInt threads = OptionalInt.empty();
    private Optional<GridPolicy> grid = Optional.empty();
    private Optional<String> kernelName = Optional.empty();

    private final Mechanism<B> mechanism;

    /** @param mechanism what it makes kernels for @param stages where no number is chosen */
    KernelBuilder(Mechanism<B> mechanism, ElementType type, int stages) {
        this.mechanism = mechanism;
        this.type = Objects.requireNonNull(type, "element type");
        this.stages = stages;
    }

    /** The option to choose a tile. */
    static Option<KernelBuilder<?>, List<Integer>> tileOption(Extents extents) {
        return new Option<>(TILE, "EXTENTS", "extents of a tile, outermost first, in elements or bytes (64x128B)",
                extents, KernelBuilder::tile, KernelBuilder::tileExtents);
    }

    /** The option to choose how many stages there are. */
    static Option<KernelBuilder<?>, Integer> stagesOption(int least, int most) {
        return new Option<>(STAGES, "N", "how many tiles of one block shared memory holds at once",
                new Numbers(least, most), KernelBuilder::stages, b -> b.stages);
    }

    /** Each builder names itself as its type parameter. */
    @SuppressWarnings("unchecked")
    final B self() {
        return (B) this;
    }

    /** The tile where none is chosen: 4 KiB of a row. */
    List<Integer> defaultTile() {
        return List.of(4096 / type.bytes());
    }

    /** Threads of a block where no number is chosen. */
    int defaultThreads() {
        return 256;
    }

    /** How tiles are shared out where none is chosen: what was found fastest for these choices. */
    GridPolicy ownGrid() {
        return GridPolicy.tilesEach(1);
    }

    /**
     * Makes the kernel.
     *
     * @throws BadRequestException if the choices do not go together; the message says what would
     */
    public abstract ElementwiseKernel build();

    /** Extents of a tile in elements, outermost dimension first. */
    public B tile(int... extents) {
        Objects.requireNonNull(extents, "extents");
        return tile(Arrays.stream(extents).boxed().toList());
    }

    /** Extents of a tile in elements, outermost dimension first. */
    public B tile(List<Integer> extents) {
        NotNull.all("extents", extents);
        tile = Optional.of(List.copyOf(extents));
        return self();
    }

    /** Tiles of one block that shared memory holds at once. */
    public B stages(int count) {
        stages = count;
        return self();
    }

    /** Sets which tiles a block takes, if it takes several. Default: a run of neighbouring ones. */
    public B walk(Walk order) {
        walk = Objects.requireNonNull(order, "walk");
        return self();
    }

    /** How many tiles each block takes where a launch does not say. Default: what was found fastest. */
    public B grid(GridPolicy policy) {
        grid = Optional.of(Objects.requireNonNull(policy, "policy"));
        return self();
    }

    /** How tiles are shared out where a launch does not say: as was chosen, or as suits the other choices. */
    final GridPolicy grid() {
        return grid.orElseGet(this::ownGrid);
    }

    /** Threads of one block: a multiple of a warp's 32. */
    public B threads(int count) {
        threads = OptionalInt.of(count);
        return self();
    }

    /** Sets the operation on each element. */
    public B step(ElementStep elementStep) {
        step = Objects.requireNonNull(elementStep, "step");
        return self();
    }

    /** Sets the operation on each element: {@code step(x -> x.times(2).max(0))}. See {@link ElementStep}. */
    public B step(UnaryOperator<Value> code) {
        return step(ElementStep.of(code));
    }

    /** Sets how the result is computed from the elements of two arrays: {@code step((x, y) -> x.plus(y))}. */
    public B step(BinaryOperator<Value> code) {
        return step(ElementStep.of(code));
    }

    /**
     * Sets how the result is computed from the elements of several arrays.
     *
     * @param inputs how many
     */
    public B step(int inputs, Function<List<Value>, Value> code) {
        return step(ElementStep.of(inputs, code));
    }

    /**
     * A number for the step to compute with, which every launch gives by this name: see {@link Scalars}. A step has the
     * scalars that it mentions.
     *
     * @param name a lower-case letter, then letters, digits and _
     */
    public final Value scalar(String name, ElementType scalarType) {
        NotNull.all("name, scalarType", name, scalarType);
        return new Parameter.Scalar(name, scalarType).value();
    }

    /** The type of the result's elements; the sources', without this. */
    public B resultType(ElementType elementType) {
        resultType = Optional.of(Objects.requireNonNull(elementType, "elementType"));
        return self();
    }

    final ElementType resultType() {
        return resultType.orElse(type);
    }

    /** The step for the types that were chosen. */
    final ElementStep.Typed typedStep() {
        try {
            return step.typed(type, resultType());
        } catch (BadRequestException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(mechanism.name() + " of " + type
                    + (type == resultType() ? "" : " to " + resultType()) + ": " + e.getMessage(), e);
        }
    }

    /** The sources' pointers: as many as the step takes. */
    final List<Parameter.Pointer> sources() {
        return step.inputs() == 1 ? List.of(new Parameter.Pointer("source", false))
                : IntStream.range(0, step.inputs()).mapToObj(i -> new Parameter.Pointer("source_" + i, false)).toList();
    }

    /** One for each source: a name, numbered where there are several. */
    final List<StageBuffer> buffers(Expr bytes, Expr pitch, int alignment) {
        return IntStream.range(0, step.inputs()).mapToObj(i -> new StageBuffer(
                step.inputs() == 1 ? "ring" : "ring_" + i, bytes, pitch, alignment)).toList();
    }

    /**
     * The kernel's name in generated code: a lower-case letter, then letters, digits and _. Default: the mechanism's.
     */
    public B kernelName(String name) {
        Objects.requireNonNull(name, "name");
        kernelName = Optional.of(name);
        return self();
    }

    /** The name that was chosen, or else the mechanism's. */
    final String kernelName() {
        return kernelName.orElseGet(() -> identifier(mechanism.name()));
    }

    /** A name of the command, as a name in generated code. */
    static String identifier(String name) {
        return name.replace('-', '_');
    }

    /** The tile that was chosen, or else the one that suits the other choices. */
    final List<Integer> tileExtents() {
        return tile.orElseGet(this::defaultTile);
    }

    /** The number of threads that was chosen, or else the number that suits the other choices. */
    final int threadCount() {
        return threads.orElseGet(this::defaultThreads);
    }

    /** Refuses a tile without elements, and the first value that its option does not have. */
    @SafeVarargs
    final void require(Option<? super B, ?>... options) {
        if (tileExtents().stream().anyMatch(extent -> extent < 1)) {
            throw new BadRequestException("a tile's extents are at least 1, got " + Shapes.text(tileExtents()));
        }
        for (Option<? super B, ?> option : options) {
            if (!option.admits(self())) {
                throw new BadRequestException(refusal(option));
            }
        }
    }

    private String refusal(Option<? super B, ?> option) {
        String got = ", got " + option.text(self());
        return switch (option.name()) {
            case TILE -> "a tile of " + mechanism.name() + " has " + option.range() + ", got " + tileExtents().size()
                    + (tileExtents().isEmpty() ? "" : ": " + Shapes.text(tileExtents()));
            case STAGES -> mechanism.name() + " takes " + option.range() + " stages" + got;
            case THREADS_NAME -> "a block has a multiple of " + Warp.LANES + " threads, at most " + MOST_THREADS + got;
            default -> mechanism.name() + ": " + option.name() + " is " + option.range() + got;
        };
    }

    /** Bytes of one tile, refused where a single stage would not fit. */
    final int tileBytes() {
        long bytes = type.bytes();
        for (int extent : tileExtents()) {
            bytes *= extent;
            if (bytes > SharedLayout.LARGEST) {
                throw new BadRequestException("a tile of " + Shapes.text(tileExtents()) + " " + type
                        + " takes more than the " + SharedLayout.LARGEST
                        + " bytes of shared memory that a block can have: choose a smaller tile");
            }
        }
        return (int) bytes;
    }

    /**
     * Refuses more stages than fit, given the fewest that will do, the bytes of one for each source, and of what else
     * is in shared memory.
     */
    final void requireFit(int leastStages, int stageBytes, int otherBytes) {
        long all = (long) stageBytes * step.inputs();
        long needed = all * stages + otherBytes;
        if (needed > SharedLayout.LARGEST) {
            int fitting = (int) ((SharedLayout.LARGEST - otherBytes) / all);
            throw new BadRequestException(counted(stages, "stage") + " of " + all + " bytes need " + needed
                    + " bytes of shared memory with what else is in it, a block has at most " + SharedLayout.LARGEST
                    + ": "
                    + (fitting < leastStages ? "choose a smaller tile" : "use at most " + counted(fitting, "stage")
                            + " of this tile"));
        }
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** {@code tensor-copy of f32, tile 64 x 32}. */
    @Override
    public String toString() {
        return mechanism.name() + " of " + type + ", tile " + Shapes.text(tileExtents());
    }
}
