package llama;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The numbers of a model, by the names that Hugging Face's Llama models have. */
interface Weights {

    /**
     * A tensor's elements, in bf16, row by row.
     *
     * @param shape that it must have, outermost first
     * @throws IllegalArgumentException if there is no such tensor, or it has another shape
     */
    MemorySegment bf16(String name, long... shape);

    /** A tensor of a layer: {@code model.layers.3.self_attn.q_proj.weight}. */
    static String of(int layer, String part) {
        return "model.layers." + layer + "." + part + ".weight";
    }

    /** How many elements a shape has. */
    static long count(long... shape) {
        return Arrays.stream(shape).reduce(1, Math::multiplyExact);
    }
}
