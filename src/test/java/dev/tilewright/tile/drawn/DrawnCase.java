package dev.tilewright.tile.drawn;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A launch drawn at random: all its tensors lie in one memory, with poison before, between and behind them, and between
 * their rows, which must be there afterwards.
 */
public final class DrawnCase {
    private static final byte POISON = 0x5A;
    private static final int ALIGNMENT = 16;
    private static final int LEAST_MARGIN = 8;
    private static final int TARGET_ALIGNMENT = 256;

    private final DrawnKernel drawn;
    private final Draw draw;
    private final int blocks;
    private final Map<String, Long> extents;
    private final Map<String, ArrayShape> shapes = new LinkedHashMap<>();
    private final Map<String, Long> offsets = new LinkedHashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();
    private final byte[] image;

    DrawnCase(DrawnKernel drawn, Map<String, Long> extents, Draw draw) {
        this.drawn = drawn;
        this.extents = Map.copyOf(extents);
        this.blocks = draw.between(1, 5);
        long end = 0;
        for (Tensor tensor : drawn.kernel().tensors()) {
            ArrayShape shape = shape(tensor, draw);
            long offset = Math.ceilDiv(end, (long) ALIGNMENT) * ALIGNMENT
                    + (long) ALIGNMENT * draw.between(LEAST_MARGIN, 2 * LEAST_MARGIN);
            shapes.put(tensor.name(), shape);
            offsets.put(tensor.name(), offset);
            end = offset + shape.reach() * tensor.type().bytes();
        }
        image = new byte[Math.toIntExact(end + (long) ALIGNMENT * LEAST_MARGIN)];
        java.util.Arrays.fill(image, POISON);
        for (Tensor tensor : drawn.kernel().tensors()) {
            int bytes = tensor.type().bytes();
            long[] places = places(tensor);
            long[] words = drawn.recipe().words(tensor, shapes.get(tensor.name()).extents(), this.extents, draw);
            for (int i = 0; i < places.length; i++) {
                for (int b = 0; b < bytes; b++) {
                    image[(int) places[i] + b] = (byte) (words[i] >> 8 * b);
                }
            }
        }
        this.draw = draw;
        for (Parameter.Scalar scalar : drawn.kernel().scalars()) {
            scalars.put(scalar.name(), scalar.type() == ElementType.I32 ? (Number) draw.between(-9, 9)
                    : (Number) draw.number());
        }
    }

    /**
     * A launch like this one but for its rows: each is that of a number, or for -1 one that is drawn anew.
     *
     * @param dim the dimension of rows
     */
    DrawnCase withRows(String dim, int[] rows) {
        Map<String, Long> other = new HashMap<>(extents);
        other.put(dim, (long) rows.length);
        DrawnCase some = new DrawnCase(drawn, other, draw);
        some.scalars.putAll(scalars);
        for (Tensor tensor : drawn.kernel().tensors()) {
            int axis = tensor.dims().stream().map(Dim::name).toList().indexOf(dim);
            long[] to = some.places(tensor);
            long[] from = places(tensor);
            int inner = axis < 0 ? 1 : (int) (long) shapes.get(tensor.name()).extents()
                    .subList(axis + 1, tensor.dims().size()).stream().reduce(1L, Math::multiplyExact);
            int count = axis < 0 ? 0 : Math.toIntExact(extents.get(dim));
            for (int i = 0; i < to.length; i++) {
                int row = axis < 0 ? 0 : rows[i / inner % rows.length];
                int source = axis < 0 ? i : (i / inner / rows.length * count + row) * inner + i % inner;
                if (row >= 0) {
                    System.arraycopy(image, (int) from[source], some.image, (int) to[i], tensor.type().bytes());
                }
            }
        }
        return some;
    }

    private ArrayShape shape(Tensor tensor, Draw draw) {
        List<Long> shape = tensor.dims().stream().map(this::extent).toList();
        List<Long> strides = new ArrayList<>();
        long stride = 1;
        for (int i = shape.size() - 1; i >= 0; i--) {
            strides.addFirst(stride);
            stride *= shape.get(i);
            if (draw.once(4)) {
                stride += (drawn.unit() == ALIGNMENT ? 1L : 2L) * drawn.unit() * draw.between(1, 3);
            }
        }
        return new ArrayShape(shape, strides);
    }

    private long extent(Dim dim) {
        return dim.in(extents).orElseThrow();
    }

    /** Where the elements of a tensor are, in bytes, row by row. */
    private long[] places(Tensor tensor) {
        ArrayShape shape = shapes.get(tensor.name());
        long[] places = new long[Math.toIntExact(shape.extents().stream().reduce(1L, Math::multiplyExact))];
        for (int i = 0; i < places.length; i++) {
            long rest = i;
            long place = 0;
            for (int d = shape.extents().size() - 1; d >= 0; d--) {
                place += rest % shape.extents().get(d) * shape.strides().get(d);
                rest /= shape.extents().get(d);
            }
            places[i] = offsets.get(tensor.name()) + place * tensor.type().bytes();
        }
        return places;
    }

    public DrawnKernel drawn() {
        return drawn;
    }

    /** Of the launch's dimensions, by name. */
    public Map<String, Long> extents() {
        return extents;
    }

    /** Of each tensor, by name. */
    public Map<String, ArrayShape> shapes() {
        return shapes;
    }

    /** By name. */
    public Map<String, Number> scalars() {
        return scalars;
    }

    /** All tensors with what is around them, as before the launch. */
    public MemorySegment memory() {
        MemorySegment memory = Arena.ofAuto().allocate(image.length, TARGET_ALIGNMENT);
        return memory.copyFrom(MemorySegment.ofArray(image));
    }

    /** Gives a launch the tensors that lie in a memory, and the scalars. */
    public <S extends ArrayLaunch<S>> S give(S launch, MemorySegment memory) {
        drawn.kernel().tensors().forEach(tensor -> launch.set(tensor.name(), memory.asSlice(offsets.get(tensor.name()),
                bytes(tensor)), shapes.get(tensor.name())));
        scalars.forEach(launch::scalar);
        return launch;
    }

    private long bytes(Tensor tensor) {
        return shapes.get(tensor.name()).reach() * tensor.type().bytes();
    }

    /** What the executor leaves on so many cores. */
    public MemorySegment executed(int cores) {
        MemorySegment memory = memory();
        CpuLaunch launch = give(drawn.kernel().onCpu().cores(cores), memory);
        launch.run();
        return memory;
    }

    /** The launch, on a few blocks where a block takes several tiles; its memory is one buffer. */
    public Launch launch(TileKernel kernel, Target target) {
        Scalars values = Scalars.NONE;
        for (Map.Entry<String, Number> scalar : scalars.entrySet()) {
            values = values.and(scalar.getKey(), scalar.getValue());
        }
        Launch launch = kernel.launch(shapes, values, target, blocks);
        List<Tensor> tensors = kernel.tensors();
        return new Launch(launch.program(), launch.grid(), launch.cluster(), launch.arguments().stream()
                .map(argument -> switch (argument) {
                    case Argument.Buffer buffer -> {
                        Tensor tensor = tensors.get(buffer.buffer());
                        yield new Argument.Buffer(0, offsets.get(tensor.name()), bytes(tensor));
                    }
                    case Argument.Tensor tensor -> new Argument.Tensor(tensor.map(), 0,
                            offsets.get(tensors.get(tensor.buffer()).name()));
                    default -> argument;
                }).toList());
    }

    /** The words of each tensor in a memory, row-major. */
    public Map<String, long[]> words(MemorySegment memory) {
        Map<String, long[]> words = new LinkedHashMap<>();
        for (Tensor tensor : drawn.kernel().tensors()) {
            long[] places = places(tensor);
            int bytes = tensor.type().bytes();
            for (int i = 0; i < places.length; i++) {
                long word = 0;
                for (int b = 0; b < bytes; b++) {
                    word |= (memory.get(ValueLayout.JAVA_BYTE, places[i] + b) & 0xFFL) << 8 * b;
                }
                places[i] = tensor.type().word(word);
            }
            words.put(tensor.name(), places);
        }
        return words;
    }

    /** Where a memory is not as another; empty where all bytes are equal, also those around tensors. */
    public String difference(MemorySegment got, MemorySegment wanted) {
        long at = got.mismatch(wanted);
        if (at < 0) {
            return "";
        }
        long wrong = 0;
        for (long i = at; i < got.byteSize(); i++) {
            wrong += got.get(ValueLayout.JAVA_BYTE, i) == wanted.get(ValueLayout.JAVA_BYTE, i) ? 0 : 1;
        }
        String before = "what is before all tensors";
        for (Tensor tensor : drawn.kernel().tensors()) {
            long offset = offsets.get(tensor.name());
            if (at >= offset) {
                before = "byte " + (at - offset) + " of '" + tensor.name() + "', which has " + bytes(tensor)
                        + (at >= offset + bytes(tensor) ? ", so behind it" : "");
            }
        }
        return before + " is the first of " + wrong + " wrong bytes, in a launch of " + this;
    }

    /** Extents and shapes. */
    @Override
    public String toString() {
        return extents + ", " + shapes + ", " + scalars;
    }
}
