package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * A tile whose elements a thread has or computes one by one, where they are used.
 *
 * @param layout which elements are a thread's
 * @param later whether they are computed where they are used
 * @param code computes one
 * @param quick does it by fewer operations
 * @param parts computes one part after the other of the same registers
 */
public record Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code,
        Optional<Quicker> quick, Optional<Parts> parts) {
    /** Conditions that are known at the same time. */
    private static final int CHAINS = 4;

    /** Steps that compute an element. */
    public interface Code {
        /** @param register its number in the layout */
        Value at(Body body, Expr register);
    }

    /**
     * @param condition of the elements of which {@code code} has the same bits
     * @param ofAll what says by fewer operations whether all elements of a thread meet it
     * @param moderate whether these are between 2^-60 and 2^60
     */
    public record Quicker(Code condition, Optional<Code> ofAll, Code code, boolean moderate) { }

    /** Steps that compute an element of what is in the registers of another. */
    public interface CodeOfParts {
        /** @param register its number in the layout @param own that of the element of the first part at its place */
        Value at(Body body, Expr register, Expr own);
    }

    /**
     * Computes the elements of a thread in parts, each of the registers that the first one reads.
     *
     * @param of tiles that elements are computed of
     */
    public record Parts(List<Held> of, CodeOfParts code) {
        /**
         * Of which registers a part reads others than the part before, and how far behind they are.
         *
         * @param tile that is computed so
         * @param part elements of each, a power of two
         * @param count how many parts there are, another one
         * @return nothing where parts read registers each in its own way
         */
        public Optional<Map<Register, Integer>> strides(Elementwise tile, int part, int count) {
            int first = Layout.bitsOf(part);
            Map<Register, Integer> strides = new LinkedHashMap<>();
            for (Held held : of) {
                List<Integer> images = held.images(tile.layout, tile.extents).orElseThrow();
                int within = images.subList(0, first).stream().reduce(0, (a, b) -> a | b);
                int stride = count == 1 ? 0 : images.get(first);
                for (int bit = 0; bit < Layout.bitsOf(count); bit++) {
                    if (images.get(first + bit) != stride << bit || (within & stride << bit) != 0) {
                        return Optional.empty();
                    }
                }
                if (stride != 0) {
                    strides.put(held.register(), stride);
                }
            }
            return Optional.of(strides);
        }
    }

    public Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code,
            Optional<Quicker> quick) {
        this(type, layout, extents, later, code, quick, Optional.empty());
    }

    public Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code) {
        this(type, layout, extents, later, code, Optional.empty());
    }

    /** Of a tile in registers. */
    public static Elementwise of(Held held) {
        return new Elementwise(held.type(), held.layout(), held.extents(), false, (_, r) -> held.register().at(r));
    }

    /**
     * Does something with the tile: where all elements of a thread allow it with one that is quicker.
     *
     * @return what says whether they do; nothing where none is quicker
     */
    public Optional<Value> use(Body body, BiConsumer<Body, Elementwise> code) {
        if (quick.isEmpty()) {
            code.accept(body, this);
            return Optional.empty();
        }
        Value all = body.let("all", quick.get().ofAll().map(of -> of.at(body, Expr.of(0))).orElseGet(() ->
                each(body, quick.get().condition())));
        body.when(all.toIndex(), b -> code.accept(b, new Elementwise(type, layout, extents, later,
                quick.get().code())), b -> code.accept(b, new Elementwise(type, layout, extents, later, this.code)));
        return Optional.of(all);
    }

    /** Whether all elements of a thread meet a condition. */
    private Value each(Body body, Code condition) {
        // Each is known some cycles after the one before.
        int chains = Math.min(CHAINS, layout.registerCount());
        List<Register> each = IntStream.range(0, chains).mapToObj(_ -> body.variable("quick",
                Value.of(Expr.of(0).isEqualTo(0)))).toList();
        Registers.each(body, layout.registerCount() / chains, (b, group) -> {
            for (int i = 0; i < chains; i++) {
                b.assign(each.get(i), each.get(i).get().and(condition.at(b, group.times(chains).plus(i))));
            }
        });
        return each.stream().map(Register::get).reduce(Value::and).orElseThrow();
    }

    /** Whether a thread's registers hold nothing beyond the tile. */
    public boolean isWhole() {
        return IntStream.range(0, extents.size()).allMatch(i -> extents.get(i) == 1 << layout.bits().get(i));
    }

    /** Whether another one is of the same elements of each thread. */
    public boolean isHeldAs(Elementwise other) {
        return !other.later && layout.equals(other.layout) && extents.equals(other.extents);
    }

    public Value at(Body body, Expr register) {
        return code.at(body, register);
    }
}
