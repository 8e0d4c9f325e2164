package dev.tilewright.tile.lower;

import dev.tilewright.Counted;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Decision.Pass;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Coalescing;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Vectors;
import dev.tilewright.tile.lower.ring.ProductRing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Says what was chosen of a kernel's program, pass by pass, and why. */
final class Decisions {
    private final TileKernel kernel;
    private final MatrixArithmetic whose;
    private final ProductPattern.Match match;
    private final Map<Tile, Elementwise> held;
    private final Set<Tensor> direct;
    private final Vectors vectors;
    private final Optional<ProductProgram> product;
    private final Ahead brought;
    private final Optional<RowAhead> ahead;
    private final TileOrder order;
    private final List<Decision> all = new ArrayList<>();

    /**
     * What threads that do the same bring ahead.
     *
     * @param row the next tile's
     * @param ring factors of products of a loop
     * @param whyNot why there is no ring
     */
    record Ahead(Optional<RowAhead> row, Optional<ProductRing> ring, String whyNot) {
        static final Ahead NONE = new Ahead(Optional.empty(), Optional.empty(), "");
    }

    private Decisions(TileKernel kernel, MatrixArithmetic whose, ProductPattern.Match match,
            Map<Tile, Elementwise> held, Set<Tensor> direct, Vectors vectors,
            Optional<ProductProgram> product, Ahead brought) {
        this.product = product;
        this.brought = brought;
        this.ahead = brought.row;
        this.kernel = kernel;
        this.whose = whose;
        this.match = match;
        this.held = held;
        this.direct = direct;
        this.vectors = vectors;
        this.order = new TileOrder(kernel);
    }

    /**
     * @param whose products of matrices
     * @param match the product whose factors are copied, or why there is none
     * @param held tiles in registers, and tiles that are computed where they are used
     * @param direct tensors that threads read and write themselves
     * @param vectors how many neighbours an access takes
     * @param product the program with parts for its warps, if it is one
     * @param ahead what is brought ahead by threads that do the same
     */
    static List<Decision> of(TileKernel kernel, MatrixArithmetic whose, ProductPattern.Match match,
            Map<Tile, Elementwise> held, Set<Tensor> direct, Vectors vectors,
            Optional<ProductProgram> product, Ahead ahead) {
        Decisions decisions = new Decisions(kernel, whose, match, held, direct, vectors, product, ahead);
        kernel.grid().body().tiles().forEach(decisions::tile);
        decisions.stores(kernel.grid().body());
        decisions.whole();
        return decisions.all;
    }

    private void add(Pass pass, String subject, String choice, String reason) {
        all.add(new Decision(pass, subject, choice, reason));
    }

    private void tile(Tile tile) {
        if (held.containsKey(tile) && !(tile.node() instanceof TileNode.Result)) {
            Layout layout = held.get(tile).layout();
            if (held.get(tile).later()) {
                add(Pass.LAYOUT, tile.toString(), "not kept in registers", "each element is computed where it is used");
                return;
            }
            all.add(new Decision(Pass.LAYOUT, tile.toString(), Counted.of(layout.registerCount(), "element")
                    + " in each of " + (1 << layout.threads().size()) + " threads" + (layout.blocks().isEmpty() ? ""
                    : " of " + (1 << layout.blocks().size()) + " blocks") + ", " + layout, layoutReason(tile),
                    Optional.of(
                    new Decision.Places(layout.bits(), layout.registers(), layout.threads()))));
        }
        if (tile.node() instanceof TileNode.Load load) {
            String subject = tile.label() + ", load of " + load.tensor().name();
            boolean copied = match.pattern().filter(p -> p.operands().stream().anyMatch(operand ->
                    operand.load().equals(load))).isPresent();
            if (copied) {
                add(Pass.MECHANISM, subject, "the copy engine loads boxes into shared memory, through a tensor map",
                        match.reason());
                add(Pass.BOUNDS, subject, "the copy engine fills in elements outside the tensor", "");
            } else if (brought.ring.filter(ring -> ring.pattern().brings(load)).isPresent()) {
                add(Pass.MECHANISM, subject, "cp.async of " + brought.ring.get().pattern().copied(load) + " bytes a "
                        + "thread into shared memory", "ldmatrix reads them there as mma.sync takes them; no copy "
                        + "engine: " + match.reason());
                add(Pass.BOUNDS, subject, "copies fill in elements outside the tensor", "");
            } else if (ahead.filter(row -> row.tile() == tile).isPresent()) {
                add(Pass.MECHANISM, subject, "the copy engine loads rows into " + ahead.get().bytes() + " bytes of "
                        + "each block's shared memory", "rows are whole, and begin at multiples of 16 bytes");
                bounds(subject, load.tensor(), load.axes());
            } else {
                add(Pass.MECHANISM, subject, "each thread loads its own elements into registers"
                        + neighbours(load.tensor(),
                        load.axes(), tile), match.pattern()
                        .map(_ -> "the tile is not a factor of the product").orElseGet(() -> whyInRegisters()));
                bounds(subject, load.tensor(), load.axes());
            }
        }
    }

    /** Why threads load elements into registers. */
    private String whyInRegisters() {
        if (brought.ring.isPresent()) {
            return "it is no factor of the loop's products";
        }
        return kernel.grid().body().tiles().noneMatch(tile -> tile.node() instanceof TileNode.Product)
                ? "the thread that loads an element uses it: shared memory would be a detour" : whyNoCopies();
    }

    /** Why nothing is copied into shared memory. */
    private String whyNoCopies() {
        return brought.whyNot.isEmpty() || brought.whyNot.equals(match.reason()) ? match.reason()
                : "no copy engine: " + match.reason() + "; no cp.async: " + brought.whyNot;
    }

    private void bounds(String subject, Tensor tensor, List<Axis> axes) {
        boolean inside = product.isEmpty() && IntStream.range(0, axes.size()).allMatch(i -> TensorAccess.isInside(
                axes.get(i), tensor.dims().get(i), GridSteps.numbers(kernel.grid())));
        if (inside) {
            add(Pass.BOUNDS, subject, "no checks: all elements are inside the tensor", "each axis of the tile is "
                    + "a whole dimension, or one index that the grid gives");
        } else {
            add(Pass.BOUNDS, subject, "each element is checked before it is accessed", "extents are known at the "
                    + "launch");
        }
    }

    /** {@code , 4 at a time}. */
    private String neighbours(Tensor tensor, List<Axis> axes, Tile tile) {
        Elementwise as = held.get(tile);
        int width = as == null ? 1 : vectors.width(tensor, axes, as.layout(), as.extents());
        return width == 1 ? "" : ", " + width + " at a time";
    }

    private String layoutReason(Tile tile) {
        return switch (tile.node()) {
            case TileNode.Product(Tile _, Tile a, Tile _) -> match.pattern().filter(ProductPattern::isFused).isPresent()
                    ? "16 x 8 sums in each thread, so that few reads feed many multiply-adds"
                    : match.pattern().filter(pattern -> !pattern.byThreads()).isPresent()
                    || Multiplier.byWarpgroups(a.type(), whose)
                    ? "the layout in which wgmma leaves its sums"
                    : a.type() == ValueType.F32 ? "the layout of the sums that it is added to"
                    : "the layout in which mma.sync takes its sums";
            case TileNode.Transpose(Tile of, List<Integer> _) -> "the layout of " + of.label() + ": no element moves";
            case TileNode.Map _ -> "the layout of its operands";
            case TileNode.Reduce(Tile of, int _, var _) -> "follows from the layout of " + of.label();
            default -> "";
        };
    }

    private void stores(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile _ -> { }
                case Region.Store store -> store(store);
                case Region.When when -> stores(when.then());
                case TileNode.Loop loop -> stores(loop.body());
            }
        }
    }

    private void store(Region.Store store) {
        String subject = "store of " + store.tile().label() + " into " + store.tensor().name();
        if (order.isOrdered(store)) {
            add(Pass.EPILOGUE, subject, "through shared memory, one thread per column, rows in ascending order",
                    "rows may update the same element, and the order shows in its bits");
        } else if (!store.update().isSet()) {
            add(Pass.EPILOGUE, subject, "atomic updates, element by element",
                    "integer updates give the same bits in any order");
        } else if (product.isPresent() && product.get().byRows().contains(store.tensor())) {
            add(Pass.EPILOGUE, subject, "through shared memory, one warp per row, neighbouring elements together",
                    Operand.whyNotChunks(store.tensor(), store.axes()).orElse("rows of '" + store.tensor().name()
                    + "' do not begin at multiples of 16 bytes, which copies need"));
        } else if (!direct.contains(store.tensor())) {
            Optional<ProductProgram> byOneCode = product.filter(ProductProgram::storesByOneCode);
            add(Pass.EPILOGUE, subject, "through shared memory, by the copy engine, while the next tile is computed"
                    + byOneCode.map(_ -> "; the code of one box serves all").orElse(""), byOneCode.map(program ->
                    "about " + program.epilogue().operations() + " operations an element: the instructions of all "
                    + "elements would not stay in their caches").orElse(""));
            add(Pass.BOUNDS, subject, "the copy engine writes nothing outside the tensor", "");
            return;
        } else if (coalescing(store).filter(Coalescing::exchanged).isPresent()) {
            Coalescing coalescing = coalescing(store).get();
            add(Pass.EPILOGUE, subject, "exchanged through shared memory, then each thread stores its own elements, "
                    + vectors.width(store.tensor(), store.axes(), coalescing.layout(), held.get(store.tile()).extents())
                    + " at a time", String.format(Locale.ROOT, "a warp moves %.1f bytes for each byte stored, without "
                    + "the exchange %.1f", coalescing.after(), coalescing.before()));
        } else {
            add(Pass.EPILOGUE, subject, "each thread stores its own elements" + neighbours(store.tensor(), store.axes(),
                    store.tile()), match.pattern()
                    .map(_ -> product.flatMap(p -> p.whyNotBoxes(store)).orElse("the elements are not boxes, which the "
                    + "copy engine stores"))
                    .orElse("no copy engine: " + match.reason()));
        }
        bounds(subject, store.tensor(), store.axes());
    }

    private Optional<Coalescing> coalescing(Region.Store store) {
        Elementwise as = held.get(store.tile());
        return as == null || match.pattern().isPresent() || as.layout().isShared() ? Optional.empty()
                : Coalescing.of(store, as.layout(), as.extents(), vectors);
    }

    private void whole() {
        String subject = "kernel " + kernel.name();
        if (match.pattern().isPresent()) {
            ProductPattern pattern = match.pattern().get();
            add(Pass.PIPELINE, subject, product.orElseThrow().stages() + " stages, filled by 1 warp; "
                    + pattern.groups() + (pattern.groups() == 1 ? " group" : " groups") + " of 4 warps multiply",
                    "as many stages as fit in shared memory");
            add(Pass.GRID, subject, "each block takes one tile after another, in bands of rows", "blocks that run "
                    + "together find the same rows in L2, and stores overlap the next tile's loads");
            if (!pattern.cluster().isAlone()) {
                add(Pass.GRID, subject, pattern.cluster().blocks() + " blocks of a cluster take tiles "
                        + (pattern.cluster().rows() > 1 ? "one below another" : "side by side"), "the factor that "
                        + "they share is read from L2 once: each block loads a part of it for all");
            }
            return;
        }
        if (brought.ring.isPresent()) {
            ProductRing ring = brought.ring.get();
            add(Pass.PIPELINE, subject, ring.stages() + " stages of " + ring.pattern().bytes() + " bytes; all threads "
                    + "copy " + Counted.of(ring.stages() - 1, "turn") + " ahead, and multiply by mma.sync",
                    "no copy engine: " + match.reason());
        } else if (ahead.isPresent()) {
            add(Pass.PIPELINE, subject, "the next tile's " + ahead.get().tile().label() + " is loaded while one tile "
                    + "is computed", "memory stays busy");
        } else {
            add(Pass.PIPELINE, subject, "none, each block waits for its loads", whyNoCopies());
        }
        List<String> serial = order.serial().stream().map(i -> kernel.grid().steps().get(i).dim().toString()).toList();
        int blocks = held.values().stream().mapToInt(as -> 1 << as.layout().blocks().size()).max().orElse(1);
        if (blocks > 1) {
            add(Pass.GRID, subject, "a cluster of " + blocks + " blocks takes " + (ahead.isPresent()
                    ? "one tile after another" : "a tile"), "the registers of one block cannot hold a tile");
        } else if (serial.isEmpty()) {
            add(Pass.GRID, subject, "each block takes one tile", "tiles do not depend on each other");
        } else {
            add(Pass.GRID, subject, "one block goes through " + String.join(", ", serial) + " in ascending order",
                    "tiles scatter into the same rows");
        }
    }
}
