package dev.tilewright.tile.lower.layout;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tensor maps that a program takes: one for each shape of box in which the copy engine moves a tensor. */
public final class ProgramMaps {
    /**
     * @param elements what the copy engine takes them for
     * @param convolution whose pixels copies bring; nothing where they bring boxes of the tensor
     * @param box extents, outermost first; of a convolution's pixels and channels
     */
    public record Mapped(Tensor tensor, TensorDataType elements, Optional<Convolution> convolution, List<Integer> box,
            Swizzle swizzle, Parameter.TensorMap parameter) {

        /** @param shape of the tensor, whose last stride is 1 @param buffer its number */
        public Argument.Tensor argument(ArrayShape shape, int buffer) {
            return new Argument.Tensor(convolution.<TensorMap>map(c -> Im2col.map(c, elements, shape, box, swizzle))
                    .orElseGet(() -> tiled(shape)), buffer);
        }

        private TensorMap tiled(ArrayShape shape) {
            return TiledTensorMap.outermostFirst(elements).shape(longs(shape.extents()))
                    .stridesInElements(longs(shape.strides())).box(box.stream().mapToLong(b -> b).toArray())
                    .swizzle(swizzle).build(Target.SM_90);
        }

        private static long[] longs(List<Long> list) {
            return list.stream().mapToLong(e -> e).toArray();
        }
    }

    private final List<Mapped> maps = new ArrayList<>();

    /** The map of a tensor by these boxes, which the program takes as a parameter from now on; bits are moved. */
    public Parameter.TensorMap of(Tensor tensor, List<Integer> box, Swizzle swizzle) {
        return of(tensor, bits(tensor.type()), box, swizzle);
    }

    /** The map of a tensor whose elements the copy engine takes for some, by boxes of these extents. */
    public Parameter.TensorMap of(Tensor tensor, TensorDataType elements, List<Integer> box, Swizzle swizzle) {
        return of(tensor, elements, Optional.empty(), box, swizzle);
    }

    /** The map of a tensor, or of what copies bring of it for a convolution, if there is one. */
    public Parameter.TensorMap of(Tensor tensor, TensorDataType elements, Optional<Convolution> convolution,
            List<Integer> box, Swizzle swizzle) {
        for (Mapped map : maps) {
            if (map.tensor() == tensor && map.elements() == elements && map.convolution().equals(convolution)
                    && map.box().equals(box) && map.swizzle() == swizzle) {
                return map.parameter();
            }
        }
        long others = maps.stream().filter(m -> m.tensor() == tensor).count();
        Parameter.TensorMap parameter = new Parameter.TensorMap(tensor.name() + "_map" + (others == 0 ? ""
                : Long.toString(others + 1)), tensor.dims().size());
        maps.add(new Mapped(tensor, elements, convolution, box, swizzle, parameter));
        return parameter;
    }

    /** All maps, in the order in which they were first asked for. */
    public List<Mapped> all() {
        return List.copyOf(maps);
    }

    /** Elements whose bits the copy engine moves. */
    public static TensorDataType bits(ValueType type) {
        return switch (type.bytes()) {
            case 1 -> TensorDataType.UINT8;
            case 2 -> TensorDataType.UINT16;
            case 4 -> TensorDataType.UINT32;
            default -> TensorDataType.UINT64;
        };
    }
}
