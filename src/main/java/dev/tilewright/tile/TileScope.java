package dev.tilewright.tile;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The scope in which a kernel is written: its dimensions, tensors and scalars, its tiles and its loops. */
public final class TileScope {
    private final String kernel;
    private final Trace trace;
    private final Map<String, Dim> dims = new LinkedHashMap<>();
    /** Where each dimension was declared. */
    private final Map<String, String> lines = new HashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();
    private final Map<String, Parameter.Scalar> scalars = new LinkedHashMap<>();
    private Grid grid;
    private MatrixArithmetic arithmetic;

    TileScope(String kernel) {
        this.kernel = kernel;
        this.trace = new Trace(kernel, dims, scalars);
    }

    void trace(Consumer<TileScope> body) {
        trace.traced(() -> body.accept(this));
    }

    // ---- what a launch gives

    /** A dimension: an extent by name, which the launch's tensors give: at least one has it as an extent. */
    public Dim dim(String name) {
        Objects.requireNonNull(name, "name");
        requireNew(name);
        Dim dim = Dim.named(name);
        dims.put(name, dim);
        lines.put(name, UserLine.here());
        return dim;
    }

    /** A tensor that is read. */
    public Tensor in(String name, ValueType type, Dim... extents) {
        NotNull.all("name, type, extents", name, type, extents);
        return tensor(name, type, Tensor.Role.IN, extents);
    }

    /** A tensor that is written. */
    public Tensor out(String name, ValueType type, Dim... extents) {
        NotNull.all("name, type, extents", name, type, extents);
        return tensor(name, type, Tensor.Role.OUT, extents);
    }

    /** A tensor that is read and written, or updated. */
    public Tensor inOut(String name, ValueType type, Dim... extents) {
        NotNull.all("name, type, extents", name, type, extents);
        return tensor(name, type, Tensor.Role.IN_OUT, extents);
    }

    private Tensor tensor(String name, ValueType type, Tensor.Role role, Dim... extents) {
        requireNew(name);
        for (Dim dim : extents) {
            if (!trace.rules().isOwn(dim)) {
                throw new IllegalArgumentException("extent '" + dim + "' of tensor '" + name + "' is no dimension of "
                        + "this kernel: make it with dim(\"…\")");
            }
        }
        Tensor tensor = Tensor.of(trace, name, type, List.of(extents), role);
        tensors.put(name, tensor);
        return tensor;
    }

    /**
     * A number that the launch gives: its value, for use within functions of elements.
     *
     * @throws IllegalArgumentException if there are no such numbers in memory, as of predicates and tf32
     */
    public Value scalar(String name, ValueType type) {
        NotNull.all("name, type", name, type);
        requireNew(name);
        Parameter.Scalar scalar = new Parameter.Scalar(name, type.element().orElseThrow(() ->
                new IllegalArgumentException("scalar '" + name + "': a launch gives no scalars of " + type + ": use "
                        + (type == ValueType.PRED ? "i32, and compare it with 0" : "f32, and convert it"))));
        scalars.put(name, scalar);
        return scalar.value();
    }

    private void requireNew(String name) {
        Identifiers.require(name);
        if (dims.containsKey(name) || tensors.containsKey(name) || scalars.containsKey(name)) {
            throw new IllegalArgumentException("kernel '" + kernel + "' has a '" + name + "' already: "
                    + "dimensions, tensors and scalars have names of their own");
        }
        if (grid != null) {
            throw new IllegalStateException("'" + name + "' must be declared before the tiles are gone through");
        }
    }

    /**
     * Sets the arithmetic of the kernel's matrix products. Where nothing is said they are those of the target that it
     * is made for.
     */
    public void arithmetic(MatrixArithmetic whose) {
        arithmetic = Objects.requireNonNull(whose, "whose");
    }

    // ---- the tiles of a launch

    /** Does something for every tile of a tensor's first dimension; see {@link #forEachTile(List, Consumer)}. */
    public void forEachTile(Tensor tensor, int columns, Consumer<Position> body) {
        NotNull.all("tensor, body", tensor, body);
        forEachTile(steps(tensor, columns), body);
    }

    /** Does something for every tile of a tensor of rank 2. */
    public void forEachTile(Tensor tensor, int rows, int columns, Consumer<Position> body) {
        NotNull.all("tensor, body", tensor, body);
        forEachTile(steps(tensor, rows, columns), body);
    }

    /** Does something for every tile of a tensor of rank 3; see {@link #forEachTile(List, Consumer)}. */
    public void forEachTile(Tensor tensor, int slices, int rows, int columns, Consumer<Position> body) {
        NotNull.all("tensor, body", tensor, body);
        forEachTile(steps(tensor, slices, rows, columns), body);
    }

    private static List<Steps> steps(Tensor tensor, int... extents) {
        if (extents.length > tensor.dims().size()) {
            throw new IllegalArgumentException("tensor '" + tensor.name() + "' " + Tensor.shown(tensor.dims()) + " has "
                    + Counted.of(tensor.dims().size(), "dimension") + ", and tiles of " + extents.length
                    + " extents are asked for: give an extent for each of its first dimensions");
        }
        return IntStream.range(0, extents.length).mapToObj(i -> new Steps(tensor.dims().get(i), extents[i])).toList();
    }

    /** Does something for every row of a tensor: for every place of all its dimensions but the last. */
    public void forEachRow(Tensor tensor, Consumer<Position> body) {
        NotNull.all("tensor, body", tensor, body);
        forEachTile(tensor.dims().subList(0, tensor.dims().size() - 1).stream().map(dim -> new Steps(dim, 1)).toList(),
                body);
    }

    /**
     * Does something for every combination of steps, one of each dimension. They are independent of each other: their
     * order is not said, but for what is scattered. A step of 1 gives one place, whose dimension tiles do not have.
     */
    public void forEachTile(List<Steps> steps, Consumer<Position> body) {
        NotNull.all("steps, body", steps, body);
        if (grid != null) {
            throw new IllegalStateException("kernel '" + kernel + "' goes through tiles already: what comes after "
                    + "all of them is another kernel");
        }
        steps.forEach(step -> trace.rules().requireOwn(step.dim()));
        requireGiven();
        List<Expr.Var> numbers = steps.stream().map(step -> trace.variable("tile_", step.dim())).toList();
        Region region = new Region(null);
        grid = new Grid(List.copyOf(steps), numbers, region, UserLine.here());
        trace.tiles(grid, () -> body.accept(new Position(IntStream.range(0, steps.size()).mapToObj(i -> steps.get(i)
                .span(numbers.get(i))).toList())));
        Trace.prune(region);
    }

    /** @throws LineException if there is a dimension that no launch gives */
    private void requireGiven() {
        dims.values().stream().filter(dim -> tensors.values().stream().noneMatch(t -> t.dims().contains(dim)))
                .findFirst().ifPresent(dim -> {
                    throw new LineException("no tensor has dimension '" + dim + "', so that no launch gives it: "
                            + "declare a tensor along it, or use a number", lines.get(dim.name()));
                });
    }

    // ---- loops and conditions

    /** A dimension in steps of some elements. */
    public Steps steps(Dim dim, int length) {
        Objects.requireNonNull(dim, "dim");
        return new Steps(dim, length);
    }

    /**
     * A loop that carries a tile from step to step.
     *
     * @param initial what the first gets
     * @return what the last leaves
     */
    public Tile fold(Tile initial, Steps steps, BiFunction<Tile, Span, Tile> body) {
        NotNull.all("initial, steps, body", initial, steps, body);
        return loop(List.of(initial), steps, 1, (tiles, span) -> List.of(handedOn(body.apply(tiles.getFirst(), span))))
                .getFirst();
    }

    /**
     * A loop that carries a record of tiles from step to step.
     *
     * @param initial a record whose components are all tiles; one of a module of the application's is public, or its
     *     package is open to {@code dev.tilewright}
     */
    public <R extends Record> R fold(R initial, Steps steps, BiFunction<R, Span, R> body) {
        NotNull.all("initial, steps, body", initial, steps, body);
        Carrier<R> carrier = Carrier.of(initial);
        return carrier.pack(loop(carrier.unpack(initial), steps, 1,
                (tiles, span) -> carrier.unpack(handedOn(body.apply(carrier.pack(tiles),
                        span)))));
    }

    /**
     * A loop whose steps are split in parts, the first with as many steps as any: each part starts with {@code
     * initial}, and what they leave is added in ascending order. The number of parts decides bits, so it is said here.
     */
    public Tile foldInParts(int parts, Tile initial, Steps steps, BiFunction<Tile, Span, Tile> body) {
        NotNull.all("initial, steps, body", initial, steps, body);
        if (parts < 1) {
            throw new IllegalArgumentException("a loop is split in at least 1 part, got " + parts);
        }
        Reduction.SUM.require(initial.type());
        return loop(List.of(initial), steps, parts,
                (tiles, span) -> List.of(handedOn(body.apply(tiles.getFirst(), span))))
                .getFirst();
    }

    private static <T> T handedOn(T carried) {
        return Objects.requireNonNull(carried, "a loop's body hands on what the loop carries, got null: return it");
    }

    /** A loop that carries nothing. */
    public void loop(Steps steps, Consumer<Span> body) {
        NotNull.all("steps, body", steps, body);
        loop(List.of(), steps, 1, (_, span) -> {
            body.accept(span);
            return List.of();
        });
    }

    private List<Tile> loop(List<Tile> initial, Steps steps, int parts,
            BiFunction<List<Tile>, Span, List<Tile>> body) {
        Objects.requireNonNull(steps, "steps");
        initial.forEach(trace::requireVisible);
        trace.rules().requireIndex(steps.dim().value());
        Expr.Var turn = trace.variable("step_", steps.dim());
        Region region = trace.inner();
        List<Tile> carried = IntStream.range(0, initial.size())
                .mapToObj(i -> trace.carried(initial.get(i), "carried " + i, region)).toList();
        List<Tile> next = trace.turns(region, turn, () -> {
            List<Tile> tiles = body.apply(carried, steps.span(turn));
            List<Tile> whole = new ArrayList<>();
            for (int i = 0; i < carried.size(); i++) {
                Tile was = carried.get(i);
                Tile is = Objects.requireNonNull(tiles.get(i), "a loop's body carries on null");
                if (is.type() != was.type()) {
                    throw new IllegalArgumentException("a loop carries " + was + ", and its body hands on " + is
                            + ": convert it, with to(" + was.type().name() + ")");
                }
                if (!Shapes.fits(is.shape(), was.shape())) {
                    throw new IllegalArgumentException("a loop carries " + was + ", and its body hands on " + is
                            + ": begin with a tile of that shape");
                }
                whole.add(trace.broadcast(is, was.shape()));
            }
            return List.copyOf(whole);
        });
        TileNode.Loop loop = new TileNode.Loop(turn, steps.count(), initial, carried, region, next, parts);
        trace.add(loop);
        return IntStream.range(0, initial.size()).mapToObj(i -> trace.add(initial.get(i).type(),
                initial.get(i).shape(), new TileNode.Result(loop, i))).toList();
    }

    /** Something that happens only where a condition on numbers of tiles, steps and dimensions holds. */
    public void when(Expr condition, Runnable then) {
        NotNull.all("condition, then", condition, then);
        trace.rules().requireCondition(condition);
        Region region = trace.inner();
        trace.conditional(region, then);
        trace.add(new Region.When(condition, region));
    }

    // ---- tiles that come from nothing

    /** Zeros. */
    public Tile zeros(ValueType type, long... extents) {
        NotNull.all("type, extents", type, extents);
        return full(Value.ofBits(type, 0), extents);
    }

    /** A number at every place, rounded to the type. */
    public Tile full(ValueType type, double number, long... extents) {
        NotNull.all("type, extents", type, extents);
        return full(Value.of(type, number), extents);
    }

    /** A value at every place: a constant, a scalar, or of index expressions. Without extents a single value. */
    public Tile full(Value value, long... extents) {
        NotNull.all("value, extents", value, extents);
        return full(value, java.util.Arrays.stream(extents).mapToObj(Dim::of).toList());
    }

    /** A value at every place of a shape. */
    public Tile full(Value value, List<Dim> shape) {
        NotNull.all("value, shape", value, shape);
        return trace.full(value, List.copyOf(shape));
    }

    /** The places of a span, as i64. */
    public Tile iota(Span span) {
        Objects.requireNonNull(span, "span");
        return trace.add(ValueType.I64, List.of(span.length()), new TileNode.Iota(span.placed()));
    }

    // ---- the result

    List<Dim> dims() {
        return List.copyOf(dims.values());
    }

    List<Tensor> tensors() {
        return List.copyOf(tensors.values());
    }

    List<Parameter.Scalar> scalars() {
        return List.copyOf(scalars.values());
    }

    Optional<MatrixArithmetic> arithmetic() {
        return Optional.ofNullable(arithmetic);
    }

    int variables() {
        return trace.variables();
    }

    Grid grid() {
        if (grid == null) {
            throw new IllegalArgumentException("kernel '" + kernel + "' goes through no tiles: use forEachTile or "
                    + "forEachRow");
        }
        if (grid.body().items().isEmpty()) {
            throw new IllegalArgumentException("kernel '" + kernel + "' stores nothing, so that it has no results: "
                    + "store its tiles, such as y.store(at, tile)");
        }
        tensors.values().stream().filter(t -> t.role() == Tensor.Role.OUT && grid.body().stores().noneMatch(store ->
                store.tensor().name().equals(t.name()))).findFirst().ifPresent(t -> {
                    throw new IllegalArgumentException("kernel '" + kernel + "' stores nothing in '" + t.name()
                            + "', which it declares with out: store tiles in it, or leave it out");
                });
        return grid;
    }

    /** {@code kernel 'softmax', being traced}. */
    @Override
    public String toString() {
        return "kernel '" + kernel + "', being traced";
    }
}
