package dev.tilewright.tile;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A tensor that a kernel reads, writes or updates: rank 1 to 5, outermost dimension first. Its extents and its strides
 * are the launch's. An element outside is zero, or what {@link #outside} says.
 */
public final class Tensor {
    /** How a kernel uses a tensor. */
    public enum Role {
        /** The tensor is read. */
        IN,
        /** The tensor is written: what was in it is not looked at. What no tile covers stays. */
        OUT,
        /** The tensor is read and written, or updated. A tile reads what was in it before the launch. */
        IN_OUT
    }

    private static final int MOST_DIMENSIONS = 5;

    private final Trace trace;
    private final String name;
    private final ValueType type;
    private final List<Dim> dims;
    private final Role role;
    private final Value.Const outside;
    /** What the kernel declares, which nodes name: another than this where {@link #outside} says something. */
    private final Tensor declared;

    private Tensor(Trace trace, String name, ValueType type, List<Dim> dims, Role role, Value.Const outside,
            Tensor declared) {
        this.trace = trace;
        this.name = name;
        this.type = type;
        this.dims = dims;
        this.role = role;
        this.outside = outside;
        this.declared = declared == null ? this : declared;
    }

    static Tensor of(Trace trace, String name, ValueType type, List<Dim> dims, Role role) {
        if (type == ValueType.PRED || type == ValueType.TF32) {
            throw new IllegalArgumentException("tensor '" + name + "': there are no tensors of " + type + ": use "
                    + (type == ValueType.PRED ? "u8" : "f32, and convert its tiles"));
        }
        if (dims.isEmpty() || dims.size() > MOST_DIMENSIONS) {
            throw new IllegalArgumentException("tensor '" + name + "' must have rank 1 to " + MOST_DIMENSIONS + ", got "
                    + dims.size());
        }
        return new Tensor(trace, name, type, List.copyOf(dims), role, (Value.Const) Value.ofBits(type, 0),
                null);
    }

    /** The tensor's name, by which the launch gives it. */
    public String name() {
        return name;
    }

    /** The type of its elements. */
    public ValueType type() {
        return type;
    }

    /** The tensor's extents, outermost first. */
    public List<Dim> dims() {
        return dims;
    }

    /** How the kernel uses the tensor. */
    public Role role() {
        return role;
    }

    /** This tensor, in which an element outside is a number: rounded to the type of the elements. */
    public Tensor outside(double number) {
        return new Tensor(trace, name, type, dims, role, (Value.Const) Value.of(type, number), declared);
    }

    // ---- loads

    /** The elements at these places, one for each dimension; dimensions that are left out are taken whole. */
    public Tile tile(Span... spans) {
        NotNull.all("spans", (Object) spans);
        return load(List.of(spans));
    }

    /** The elements at a tile's place. */
    public Tile tile(Position at) {
        Objects.requireNonNull(at, "at");
        return load(at.spans());
    }

    /**
     * A whole row: all of the last dimension at a place of the others.
     *
     * @throws IllegalArgumentException if the position has a span of the last dimension, too, or lacks one of another
     */
    public Tile row(Position row) {
        requireRow(row);
        return load(row.spans());
    }

    /** Rows by their numbers: those of the first dimension; of the others the places said, or all. */
    public Tile gather(Tile rows, Span... others) {
        Objects.requireNonNull(rows, "rows");
        NotNull.all("others", (Object) others);
        List<Axis> axes = new ArrayList<>(List.of(rowsOf(rows)));
        axes.addAll(List.of(others));
        return load(axes);
    }

    /**
     * The input elements that one filter element meets (im2col). The first dimension is the images', then come the
     * spatial ones.
     *
     * @param pixels numbers of the convolution's outputs, those of all images following each other
     * @param filter the element's place in the filter, a number for each spatial dimension
     * @param channels places in the last dimension
     */
    public Tile patches(Convolution convolution, Span pixels, List<Expr> filter, Span channels) {
        NotNull.all("convolution, pixels, filter, channels", convolution, pixels, filter, channels);
        if (filter.size() != convolution.filter().size() || dims.size() != filter.size() + 2) {
            throw new IllegalArgumentException("a convolution of " + convolution.filter().size() + " spatial dimensions"
                    + " takes images, these dimensions and channels, and as many places in the filter; tensor '" + name
                    + "' has rank " + dims.size() + ", and " + filter.size() + " places are given");
        }
        if (pixels.clamped()) {
            throw new IllegalArgumentException("patches of tensor '" + name + "' need the elements outside of it, not "
                    + "the nearest ones: leave out nearest()");
        }
        for (int i = 0; i < filter.size(); i++) {
            long place = filter.get(i).constant().orElse(0);
            if (place < 0 || place >= convolution.filter().get(i)) {
                throw new IllegalArgumentException("place " + place + " is outside of a filter of "
                        + convolution.filter().get(i) + " along spatial dimension " + i);
            }
        }
        return load(List.of(new Axis.Patches(convolution, pixels.placed(), filter.stream().map(Expr::toS64).toList()),
                channels));
    }

    private Axis.Rows rowsOf(Tile rows) {
        Objects.requireNonNull(rows, "rows");
        if (rows.shape().size() != 1 || rows.type() != ValueType.I32 && rows.type() != ValueType.I64) {
            throw new IllegalArgumentException("the rows of tensor '" + name + "' are named by a tile of rank 1 of i32 "
                    + "or i64, got " + rows + ": " + (rows.shape().size() == 1 ? "convert it, with to(I32)"
                    : "reshape it"));
        }
        return new Axis.Rows(rows);
    }

    private Tile load(List<? extends Axis> axes) {
        trace.requireOpen(name);
        if (role == Role.OUT) {
            throw new IllegalArgumentException("tensor '" + name + "' is only written: declare it with inOut to load "
                    + "from it");
        }
        List<Axis> whole = whole(axes);
        TileNode.Load load = new TileNode.Load(declared, whole, outside);
        if (this != declared) {
            trace.saysOutside(load);
        }
        return trace.add(type, shape(whole), load);
    }

    // ---- stores

    /** Stores a tile at its place. */
    public void store(Position at, Tile tile) {
        NotNull.all("at, tile", at, tile);
        store(Update.SET, at.spans(), tile);
    }

    /** Stores a tile at a place for each dimension; dimensions that are left out are taken whole. */
    public void store(Tile tile, Span... spans) {
        Objects.requireNonNull(tile, "tile");
        NotNull.all("spans", (Object) spans);
        store(Update.SET, List.of(spans), tile);
    }

    /**
     * Stores a whole row.
     *
     * @throws IllegalArgumentException if the position is not {@linkplain #row a row's}
     */
    public void storeRow(Position row, Tile tile) {
        NotNull.all("row, tile", row, tile);
        requireRow(row);
        store(row, tile);
    }

    /**
     * Updates elements of the tensor in no fixed order; integers only.
     *
     * @throws IllegalArgumentException if the result depended on the order
     */
    public void update(Update update, Tile tile, Span... spans) {
        NotNull.all("update, tile", update, tile);
        NotNull.all("spans", (Object) spans);
        update.requireAnyOrder(type);
        requireRead(update);
        store(update, List.of(spans), tile);
    }

    /**
     * Scatters rows: row {@code i} of the tile goes to row {@code rows[i]} of the tensor. Where several go to one, they
     * do so in ascending order of tiles' numbers, and within a tile of {@code i}: of {@link Update#SET} the last stays,
     * and sums of floats have an order. {@link Update#SET_APART} says that there are none. A number outside of the
     * tensor names no row, and neither does one that is computed, element by element, from an element outside of its
     * own tensor, such as beyond the end of an index, unless {@link #outside} says what that element is.
     */
    public void scatter(Update update, Tile rows, Tile tile, Span... others) {
        NotNull.all("update, rows, tile", update, rows, tile);
        NotNull.all("others", (Object) others);
        trace.requireOpen(name);
        requireRead(update);
        List<Axis> axes = new ArrayList<>(List.of(rowsOf(trace.rowNumbers(rowsOf(rows).numbers()))));
        axes.addAll(List.of(others));
        store(update, axes, tile);
    }

    private void requireRow(Position row) {
        Objects.requireNonNull(row, "row");
        if (row.spans().size() != dims.size() - 1) {
            throw new IllegalArgumentException("a row of tensor '" + name + "' " + shown(dims) + " is at a place of "
                    + "all dimensions but the last, and the position has " + Counted.of(row.spans().size(), "span")
                    + ": take a position of forEachRow, or use tile(…) and store(…)");
        }
    }

    private void requireRead(Update update) {
        if (!update.isSet() && role != Role.IN_OUT) {
            throw new IllegalArgumentException("tensor '" + name + "' is " + (role == Role.IN ? "only read" : "only "
                    + "written") + ": declare it with inOut to update what is in it");
        }
        update.op().ifPresent(op -> new Value.Binary(op, outside, outside));
    }

    private void store(Update update, List<? extends Axis> axes, Tile tile) {
        Objects.requireNonNull(tile, "tile");
        trace.requireOpen(name);
        if (role == Role.IN) {
            throw new IllegalArgumentException("tensor '" + name + "' is only read: declare it with out to store into "
                    + "it");
        }
        if (tile.type() != type) {
            throw new IllegalArgumentException("tensor '" + name + "' has elements of type " + type + ", the tile is of"
                    + " " + tile.type() + ": convert it, with to(" + type.name() + ")");
        }
        if (axes.stream().anyMatch(axis -> axis instanceof Span span && span.clamped())) {
            throw new IllegalArgumentException("tensor '" + name + "' is stored to with nearest(), and elements stored "
                    + "outside of a tensor are dropped: leave out nearest()");
        }
        List<Axis> whole = whole(axes);
        List<Dim> shape = shape(whole);
        trace.add(new Region.Store(declared, whole, trace.broadcast(tile, shape, " of tensor '" + name + "'"), update,
                UserLine.here()));
    }

    /** The axes, with all of each dimension that they leave out. */
    private List<Axis> whole(List<? extends Axis> axes) {
        List<Axis> all = new ArrayList<>(axes);
        int covered = axes.stream().mapToInt(Axis::covers).sum();
        if (covered > dims.size()) {
            throw new IllegalArgumentException("tensor '" + name + "' " + shown(dims) + " has "
                    + Counted.of(dims.size(), "dimension") + ", and places are given for " + covered
                    + ": give one span for each");
        }
        requireOwnPlaces(axes);
        dims.subList(covered, dims.size()).forEach(dim -> all.add(Span.all(dim)));
        return all.stream().map(axis -> axis instanceof Span span ? span.placed() : axis).toList();
    }

    /** Places that are counted along another dimension are other elements than those that are meant. */
    private void requireOwnPlaces(List<? extends Axis> axes) {
        int covered = 0;
        for (Axis axis : axes) {
            Dim dim = dims.get(covered);
            if (axis instanceof Span span && span.dimension().isPresent() && !span.dimension().get().mayBe(dim)) {
                Dim other = span.dimension().get();
                trace.rules().requireOwn(other);
                throw new IllegalArgumentException("dimension " + covered + " of tensor '" + name + "' " + shown(dims)
                        + " is '" + dim + "', and the places given for it are counted along '" + other
                        + "': give places of '" + dim + "', in the order of the tensor's dimensions; or, if places "
                        + "of '" + other + "' are meant, say so with along(…) of '" + dim + "'");
            }
            covered += axis.covers();
        }
    }

    private static List<Dim> shape(List<Axis> axes) {
        return axes.stream().filter(axis -> !axis.single()).map(Axis::length).toList();
    }

    static String shown(List<Dim> shape) {
        return shape.stream().map(Dim::toString).collect(Collectors.joining(" x ", "[", "]"));
    }

    /** {@code in a: bf16 [m x k]}. */
    @Override
    public String toString() {
        return role.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ') + " " + name + ": " + type + " "
                + shown(dims);
    }
}
