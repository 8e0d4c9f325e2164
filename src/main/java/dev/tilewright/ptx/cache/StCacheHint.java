package dev.tilewright.ptx.cache;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import java.util.List;
import java.util.Objects;

/**
 * {@code st (with a cache policy)}: an ordinary store of words to global memory, with advice for L2. Stores without
 * advice are no instruction of their own: a program's stores are.
 *
 * @param words how many words of 32 bits
 */
public record StCacheHint(Words words) implements CacheInstruction {
    private static final String SECTION = "st";

    /** How many words one store has. */
    public enum Words implements Qualifier {
        ONE(""), V2(".v2"), V4(".v4");

        private final String text;

        Words(String text) {
            this.text = text;
        }

        @Override
        public String text() {
            return text;
        }

        /** 1, 2 or 4. */
        public int count() {
            return 1 << ordinal();
        }
    }

    public StCacheHint {
        Objects.requireNonNull(words, "words");
    }

    /** One that stores so many bytes: 4, 8 or 16. */
    public static StCacheHint of(int bytes) {
        for (Words words : Words.values()) {
            if (Integer.BYTES * words.count() == bytes) {
                return new StCacheHint(words);
            }
        }
        throw new IllegalArgumentException("a store with a cache policy has 4, 8 or 16 bytes, got " + bytes);
    }

    @Override
    public Form form() {
        List<Operand> values = Operands.several("value", words.count(), Operand.Kind.U32);
        FormBuilder form = FormBuilder.form("st.global").with(Ptx.CACHE_HINT).with(words).with(".b32")
                .operand(Operands.destination(Space.GLOBAL, "dst"));
        return (words == Words.ONE ? form.operand(values.getFirst()) : form.vector(values)).operand(Ptx.POLICY)
                .needs(Gates.CACHE_HINTS, EffectsBuilder.of(Completion.AT_ONCE,
                        writes("dst", Proxy.GENERIC, bytes(Integer.BYTES * words.count()))));
    }

    @Override
    public String functionName() {
        return "store_" + Integer.BYTES * words.count() + "_hint";
    }

    @Override
    public String summary() {
        return "stores words to global memory, with advice on what becomes of their lines in L2";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
