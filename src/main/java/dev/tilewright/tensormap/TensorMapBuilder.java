package dev.tilewright.tensormap;

import dev.tilewright.layout.Saturating;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * The common part of the builders of all kinds of maps. Lists are taken in the order that the builder was started with
 * ({@code outermostFirst} or {@code innermostFirst}); any integers are taken, and reported together when the
 * description is validated or built.
 *
 * @param <M> the description that is built
 * @param <C> the driver call it is for
 * @param <B> the builder itself
 */
public abstract sealed class TensorMapBuilder<
        M extends TensorMap, C extends EncodeCall, B extends TensorMapBuilder<M, C, B>>
        permits TiledTensorMapBuilder, Im2colTensorMapBuilder, Im2colWideTensorMapBuilder {

    final TensorDataType type;
    final DimensionOrder order;
    List<Long> dims = List.of();
    private List<Long> strides;
    private long strideUnit;
    private List<Long> elementStrides;
    Interleave interleave = Interleave.NONE;
    Swizzle swizzle = Swizzle.NONE;
    L2Promotion l2Promotion = L2Promotion.NONE;
    OobFill fill = OobFill.ZERO;

    TensorMapBuilder(TensorDataType type, DimensionOrder order) {
        this.type = Objects.requireNonNull(type, "type");
        this.order = order;
    }

    abstract B self();

    /** What the call describes. */
    abstract M described(C call);

    /** Elements along each dimension. */
    public B shape(long... extents) {
        Objects.requireNonNull(extents, "extents");
        dims = order.toInnermostFirst(extents);
        return self();
    }

    /**
     * Bytes between neighbours along each dimension, as NumPy's {@code strides}. The innermost one may be left out; it
     * can only be one element. Without this call the tensor is dense.
     */
    public B stridesInBytes(long... bytes) {
        Objects.requireNonNull(bytes, "bytes");
        strides = order.toInnermostFirst(bytes);
        strideUnit = 1;
        return self();
    }

    /**
     * Elements between neighbours along each dimension, as PyTorch's {@code stride()}; else as {@link #stridesInBytes}.
     */
    public B stridesInElements(long... elements) {
        Objects.requireNonNull(elements, "elements");
        strides = order.toInnermostFirst(elements);
        strideUnit = type.bytes();
        return self();
    }

    /** Step between the elements that are taken, along each dimension; 1 everywhere without this call. */
    public B elementStrides(long... steps) {
        Objects.requireNonNull(steps, "steps");
        elementStrides = order.toInnermostFirst(steps);
        return self();
    }

    /** How rows are scrambled in shared memory; none without this call. */
    public B swizzle(Swizzle value) {
        swizzle = Objects.requireNonNull(value, "swizzle");
        return self();
    }

    /** Channel interleaving of the tensor in memory; none without this call. */
    public B interleave(Interleave value) {
        interleave = Objects.requireNonNull(value, "interleave");
        return self();
    }

    /** How much the L2 cache fetches; no promotion without this call. */
    public B l2Promotion(L2Promotion value) {
        l2Promotion = Objects.requireNonNull(value, "l2Promotion");
        return self();
    }

    /** Sets the values of out-of-bounds elements; zeros without this call. */
    public B fill(OobFill value) {
        fill = Objects.requireNonNull(value, "fill");
        return self();
    }

    /** The arguments of the driver call for a tensor at {@code address}, not checked yet. */
    public abstract C at(long address);

    /** Every rule that the description breaks on a target, whatever its address will be. */
    public Validation validate(Target target) {
        Objects.requireNonNull(target, "target");
        return Validation.of(at(TensorMap.SOME_ADDRESS), target);
    }

    /**
     * The description.
     *
     * @throws TensorMapException with every rule that it breaks on {@code target}
     */
    public M build(Target target) {
        Objects.requireNonNull(target, "target");
        C call = at(TensorMap.SOME_ADDRESS);
        Validation.of(call, target).orThrow();
        return described(call);
    }

    /** Byte strides of dimensions 1 and up. */
    final List<Long> byteStrides() {
        if (strides == null) {
            return Lists.denseStrides(dims, interleave == Interleave.NONE ? type.bytes()
                    : 16L << interleave.ordinal() - 1);
        }
        List<Long> bytes = new ArrayList<>();
        for (long stride : strides) {
            bytes.add(Saturating.multiply(stride, strideUnit));
        }
        if (!dims.isEmpty() && bytes.size() == dims.size() && bytes.getFirst() == type.bytes()) {
            bytes.removeFirst();
        }
        return Collections.unmodifiableList(bytes);
    }

    final List<Long> allElementStrides() {
        return elementStrides != null ? elementStrides : Collections.nCopies(dims.size(), 1L);
    }

    /** {@code builder of a tensor map of F32}. */
    @Override
    public String toString() {
        return "builder of a tensor map of " + type;
    }
}
