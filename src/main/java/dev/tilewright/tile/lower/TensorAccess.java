package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.Window;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Moves elements between a tensor and what threads hold, neighbours together, those outside left out. */
final class TensorAccess {
    /** Gives a tile of rows' numbers as a layout wants it. */
    interface Rows {
        Held of(Body body, Tile numbers, Layout layout);
    }

    /** Elements: no dimension is as long. */
    private static final long FAR = 1L << 40;

    private final Body body;
    private final Indexes indexes;
    private final Rows rows;
    private final Set<Tensor> tensors;
    private final Vectors vectors;
    private final Map<Expr, Dim> numbers;

    /**
     * @param tensors to which every accessed tensor is added
     * @param numbers of places that the grid goes through, each with the dimension that it has them of
     */
    TensorAccess(Body body, Indexes indexes, Rows rows, Set<Tensor> tensors, Vectors vectors,
            Map<Expr, Dim> numbers) {
        this.numbers = numbers;
        this.vectors = vectors;
        this.tensors = tensors;
        this.body = body;
        this.indexes = indexes;
        this.rows = rows;
    }

    void load(TileNode.Load load, Held out) {
        List<Coordinate> coordinates = coordinates(load.axes(), load.tensor(), out.layout());
        Places places = new Places(body, out.layout());
        int width = vectors.width(load.tensor(), load.axes(), out.layout(), out.extents());
        Registers.each(body, out.layout().registerCount() / width, (b, group) -> {
            Expr r = group.times(width);
            GuardedOffset spot = spot(b, load.tensor(), coordinates, places, r, out.extents());
            if (spot.inside == null) {
                b.load(out.register(), r, width, spot.address(load.tensor()));
                return;
            }
            for (int i = 0; i < width; i++) {
                b.assign(out.register().at(r.plus(i)), load.outside());
            }
            b.when(spot.inside, in -> in.load(out.register(), r, width, spot.address(load.tensor())));
        });
    }

    /** What a thread has of a window's tiles, row by row. @param extents of a tile */
    void load(Window window, Register out, List<Integer> extents) {
        tensors.add(window.tensor());
        Tensor tensor = window.tensor();
        Span across = window.columns();
        Places places = new Places(body, window.layout());
        Dim height = tensor.dims().getFirst();
        Dim width = tensor.dims().getLast();
        Expr top = body.let("top", indexes.of(window.rows().start()).minus(Expr.of((long) window.up())));
        Expr first = body.let("first", indexes.of(across.start()).plus(places.at(extents.size() - 1, Expr.of(0))
                .toS64()));
        int each = Math.min(window.side(), vectors.widest(tensor, List.of(window.rows(), new Span(across.start(),
                across.length(), 1, false)), extents));
        // A thread's neighbours are inside or outside together, or each of them is loaded from the nearest place.
        boolean anything = window.free() && across.clamped() && (each == window.side() || each == 1)
                && Bounds.isNatural(across.start());
        Map<Integer, Expr> starts = new LinkedHashMap<>();
        for (int at = 0; at < window.side(); at += each) {
            Expr place = first.plus(Expr.of((long) at));
            starts.put(at, body.let("c", each == 1 ? clamped(across, width, place) : !anything ? place
                    : place.min(indexes.of(width.value()).minus(Expr.of((long) each)))));
        }
        IntStream.concat(IntStream.range(-window.left(), 0), IntStream.range(window.side(), window.side()
                + window.right())).forEach(at -> starts.put(at, body.let("c", clamped(across, width, first.plus(
                        Expr.of((long) at))))));
        body.purpose("rows with their halo").unrolled("line", window.lines(), (b, line) -> {
            Expr row = b.let("row", clamped(window.rows(), height, top.plus(line.toS64())));
            starts.forEach((at, place) -> {
                Expr register = line.times(window.pitch()).plus(window.left() + at);
                int count = at >= 0 && at < window.side() ? each : 1;
                Address.Global spot = spot(tensor, row, place);
                if (anything && window.rows().clamped()) {
                    b.load(out, register, count, spot);
                    return;
                }
                Consumer<Body> load = in -> in.load(out, register, count, spot);
                Expr there = isWithin(row, height).and(isWithin(place, width));
                if (count == 1) {
                    b.assign(out.at(register), window.outside());
                    b.when(there, load);
                } else {
                    b.when(there, load, not -> outside(not, window, out, register, count, row, place));
                }
            });
        });
    }

    /** Neighbours all of which are outside: what they stand for. */
    private void outside(Body body, Window window, Register out, Expr register, int count, Expr row, Expr place) {
        Tensor tensor = window.tensor();
        body.assign(out.at(register), window.outside());
        if (window.columns().clamped()) {
            Expr nearest = body.let("nearest", clamped(window.columns(), tensor.dims().getLast(), place));
            body.when(isWithin(row, tensor.dims().getFirst()).and(isWithin(nearest, tensor.dims().getLast())), in ->
                    in.load(out, register, 1, spot(tensor, row, nearest)));
        }
        body.unrolled("other", count - 1, (b, other) -> b.assign(out.at(register.plus(other).plus(1)),
                out.at(register)));
    }

    private Expr isWithin(Expr place, Dim dim) {
        return Bounds.within(place, indexes.of(dim.value()));
    }

    private static Address.Global spot(Tensor tensor, Expr row, Expr column) {
        return new Address.Global(Lowered.pointer(tensor), row.times(Lowered.stride(tensor, 0).value()).plus(column)
                .times(tensor.type().bytes()));
    }

    /** One element. @param register its number in the layout */
    void loadElement(TileNode.Load load, Register out, Layout layout, List<Integer> extents, Expr register) {
        List<Coordinate> coordinates = coordinates(load.axes(), load.tensor(), layout);
        GuardedOffset spot = spot(body, load.tensor(), coordinates, new Places(body, layout), register, extents);
        if (spot.inside == null) {
            body.load(out, spot.address(load.tensor()));
            return;
        }
        body.assign(out.at(0), load.outside());
        body.when(spot.inside, in -> in.load(out, spot.address(load.tensor())));
    }

    /** @param early whether elements, which have parts in common, are computed before it is asked where they go */
    void store(Region.Store store, Elementwise from, boolean early) {
        List<Coordinate> coordinates = coordinates(store.axes(), store.tensor(), from.layout());
        Places places = new Places(body, from.layout());
        Expr first = Exchange.firstOfAll(from.layout());
        int width = store.update().isSet() ? vectors.width(store.tensor(), store.axes(), from.layout(),
                from.extents()) : 1;
        Registers.each(body, from.layout().registerCount() / width, (b, group) -> {
            Expr r = group.times(width);
            GuardedOffset spot = spot(b, store.tensor(), coordinates, places, r, from.extents());
            Expr mine = first == null ? spot.inside : spot.inside == null ? first : first.and(spot.inside);
            List<Value> values = !early ? List.of() : IntStream.range(0, width).mapToObj(i -> named(b, from.at(b,
                    r.plus(i)))).toList();
            Consumer<Body> stores = in -> {
                if (store.update().isSet()) {
                    in.store(spot.address(store.tensor()), early ? values : IntStream.range(0, width).mapToObj(i ->
                            from.at(in, r.plus(i))).toList());
                } else {
                    in.atomic(AtomicOp.valueOf(store.update().name()), spot.address(store.tensor()), from.at(in, r));
                }
            };
            if (mine == null) {
                stores.accept(b);
            } else {
                b.when(mine, stores);
            }
        });
    }

    /** A named element; of a rounded f32 that itself, since several are rounded together where they are stored. */
    private static Value named(Body body, Value element) {
        return element instanceof Value.Convert convert && convert.conversion().from() == ValueType.F32
                && convert.type().bits() == Byte.SIZE && convert.type().isInteger()
                ? new Value.Convert(body.let("element", convert.value()), convert.conversion())
                : body.let("element", element);
    }

    /** A place along one dimension of a tensor for each register. */
    private interface Place {
        Expr at(Places places, Expr register);
    }

    /** @param inside whether all places of the tile are places of the tensor */
    private record Coordinate(Place place, boolean inside) { }

    /** Whether a span has no place outside of a dimension: the whole of it, or the one that the grid is at. */
    static boolean isInside(Axis axis, Dim dim, Map<Expr, Dim> numbers) {
        return axis instanceof Span span && (span.single() ? dim.equals(numbers.get(span.start()))
                : span.length().equals(dim) && span.step() == 1 && !span.clamped()
                && span.start().constant().orElse(-1) == 0);
    }

    record GuardedOffset(Expr offset, Expr inside) {
        Address.Global address(Tensor tensor) {
            return new Address.Global(Lowered.pointer(tensor), offset.times(tensor.type().bytes()));
        }
    }

    private GuardedOffset spot(Body b, Tensor tensor, List<Coordinate> coordinates, Places places, Expr r,
            List<Integer> extents) {
        Expr inside = places.inside(extents, r);
        Expr offset = Expr.of(0L);
        for (int i = 0; i < coordinates.size(); i++) {
            Expr at = b.let("c", coordinates.get(i).place.at(places, r));
            if (!coordinates.get(i).inside) {
                inside = Bounds.within(inside, at, indexes.of(tensor.dims().get(i).value()));
            }
            offset = offset.plus(i == coordinates.size() - 1 ? at : at.times(Lowered.stride(tensor, i).value()));
        }
        return new GuardedOffset(offset, inside);
    }

    private List<Coordinate> coordinates(List<Axis> axes, Tensor tensor, Layout layout) {
        tensors.add(tensor);
        List<Coordinate> coordinates = new ArrayList<>();
        int own = 0;
        for (Axis axis : axes) {
            int tileAxis = axis.single() ? -1 : own++;
            switch (axis) {
                case Span span -> {
                    Expr start = body.let("start", indexes.of(span.start()));
                    Dim dim = tensor.dims().get(coordinates.size());
                    coordinates.add(new Coordinate((places, r) -> clamped(span, dim, tileAxis < 0 ? start
                            : start.plus(places.at(tileAxis, r).toS64().times(span.step()))), isInside(span, dim,
                                    numbers)));
                }
                case Axis.Rows(Tile numbers) -> {
                    Held held = rows.of(body, numbers, along(layout, tileAxis));
                    coordinates.add(new Coordinate((_, r) -> held.register().at(Linear.of(r, images(layout,
                            held.layout(), tileAxis))).toIndex().toS64(), false));
                }
                case Axis.Patches patches -> coordinates.addAll(patches(patches, tensor, tileAxis));
            }
        }
        return coordinates;
    }

    /** A place, or the nearest within. */
    private Expr clamped(Span span, Dim dim, Expr place) {
        return span.clamped() ? place.max(Expr.of(0L)).min(indexes.of(dim.value()).minus(Expr.of(1L))) : place;
    }

    /** What a layout holds of a tile of rank 1 along one of its axes. */
    private static Layout along(Layout layout, int axis) {
        List<List<Integer>> registers = layout.registers().stream().map(b -> List.of(b.get(axis)))
                .filter(b -> b.getFirst() != 0).toList();
        return new Layout(List.of(layout.bits().get(axis)), registers,
                layout.threads().stream().map(b -> List.of(b.get(axis))).toList());
    }

    private static List<Integer> images(Layout layout, Layout along, int axis) {
        return layout.registers().stream().map(b -> b.get(axis) == 0 ? 0
                : 1 << along.registers().indexOf(List.of(b.get(axis)))).toList();
    }

    /** Outputs' numbers taken apart into an image and places, and what the filter's element meets there. */
    private List<Coordinate> patches(Axis.Patches patches, Tensor tensor, int tileAxis) {
        Convolution c = patches.convolution();
        int rank = c.filter().size();
        Expr start = body.let("pixel", indexes.of(patches.pixels().start()));
        List<Expr> outputs = new ArrayList<>();
        List<Expr> offsets = new ArrayList<>();
        for (int d = 0; d < rank; d++) {
            Expr room = indexes.of(tensor.dims().get(d + 1).value()).plus(Expr.of(2L * c.padding().get(d)
                    - (long) c.dilation().get(d) * (c.filter().get(d) - 1) - 1));
            // None where the filter does not fit: nothing is divided by zero then, and all places are far outside.
            outputs.add(body.let("outputs", room.dividedBy(Expr.of((long) c.stride().get(d))).plus(1).max(1)));
            offsets.add(body.let("offset", indexes.of(patches.filter().get(d)).times(c.dilation().get(d))
                    .minus(c.padding().get(d)).plus(room.min(Expr.of(0L)).times(Expr.of(FAR)))));
        }
        List<Coordinate> coordinates = new ArrayList<>();
        for (int d = -1; d < rank; d++) {
            int dimension = d;
            coordinates.add(new Coordinate((places, r) -> {
                Expr pixel = start.plus(places.at(tileAxis, r).toS64().times(patches.pixels().step()));
                for (int i = rank - 1; i > dimension; i--) {
                    pixel = pixel.dividedBy(outputs.get(i));
                }
                return dimension < 0 ? pixel : pixel.modulo(outputs.get(dimension))
                        .times(c.stride().get(dimension)).plus(offsets.get(dimension));
            }, false));
        }
        return coordinates;
    }
}
