package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Random numbers by their places in a sequence: the counter-based generator Philox4x32 with 10 rounds (Salmon et al.,
 * Parallel random numbers: as easy as 1, 2, 3, 2011). A counter of four words and a key of two give four words; where
 * numbers are used in what order does not matter.
 *
 * <p>A round makes of the counter {@code (c0, c1, c2, c3)} and the key {@code (k0, k1)} the counter {@code (high(M1 c2)
 * ^ c1 ^ k0, low(M1 c2), high(M0 c0) ^ c3 ^ k1, low(M0 c0))} with {@code M0 = 0xD2511F53, M1 = 0xCD9E8D57}; between
 * rounds {@code 0x9E3779B9} is added to k0 and {@code 0xBB67AE85} to k1.
 */
public final class Philox {
    private static final int ROUNDS = 10;
    private static final int M0 = 0xD2511F53;
    private static final int M1 = 0xCD9E8D57;
    private static final int W0 = 0x9E3779B9;
    private static final int W1 = 0xBB67AE85;
    private static final ValueFunction FIRST = first();

    private Philox() { }

    /**
     * The first of the four words, u32.
     *
     * @param counter four words of u32
     * @param key two words of u32
     */
    public static Value first(List<Value> counter, List<Value> key) {
        NotNull.all("counter, key", counter, key);
        return FIRST.of(Stream.concat(counter.stream(), key.stream()).toArray(Value[]::new));
    }

    private static ValueFunction first() {
        List<Register> parameters = new ArrayList<>();
        for (String name : List.of("c0", "c1", "c2", "c3", "k0", "k1")) {
            parameters.add(new Register(name, ValueType.U32, 1, parameters.size()));
        }
        List<ValueFunction.Let> lets = new ArrayList<>();
        List<Value> c = new ArrayList<>(parameters.stream().map(Register::get).toList());
        for (int round = 0; round < ROUNDS; round++) {
            Value k0 = c.get(4).plus(Value.u32(W0 * round));
            Value k1 = c.get(5).plus(Value.u32(W1 * round));
            Value m0 = Value.u32(M0);
            Value m1 = Value.u32(M1);
            List<Value> next = List.of(c.get(2).timesHigh(m1).xor(c.get(1)).xor(k0), c.get(2).times(m1),
                    c.get(0).timesHigh(m0).xor(c.get(3)).xor(k1), c.get(0).times(m0));
            for (int i = 0; i < next.size(); i++) {
                Register word = new Register("word", ValueType.U32, 1, parameters.size() + lets.size());
                lets.add(new ValueFunction.Let(word, next.get(i)));
                c.set(i, word.get());
            }
        }
        return new ValueFunction("philox", "The first word of Philox4x32-10.", parameters, lets, c.getFirst());
    }
}
