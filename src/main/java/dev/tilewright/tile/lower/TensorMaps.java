package dev.tilewright.tile.lower;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tile.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The tensor maps that a program takes: one for each shape of box in which the copy engine moves a tensor. */
final class TensorMaps {
    /** @param elements what the copy engine takes them for @param box extents, outermost first */
    record Mapped(Tensor tensor, TensorDataType elements, List<Integer> box, Swizzle swizzle,
            Parameter.TensorMap parameter) {

        /** @param shape of the tensor, whose last stride is 1 @param buffer its number */
        Argument.Tensor argument(ArrayShape shape, int buffer) {
            return new Argument.Tensor(TiledTensorMap.outermostFirst(elements).shape(longs(shape.extents()))
                    .stridesInElements(longs(shape.strides())).box(box.stream().mapToLong(b -> b).toArray())
                    .swizzle(swizzle).build(Target.SM_90), buffer);
        }

        private static long[] longs(List<Long> list) {
            return list.stream().mapToLong(e -> e).toArray();
        }
    }

    private final List<Mapped> maps = new ArrayList<>();

    /** The map of a tensor by these boxes, which the program takes as a parameter from now on; bits are moved. */
    Parameter.TensorMap of(Tensor tensor, List<Integer> box, Swizzle swizzle) {
        return of(tensor, bits(tensor.type()), box, swizzle);
    }

    /** The map of a tensor whose elements the copy engine takes for some, by boxes of these extents. */
    Parameter.TensorMap of(Tensor tensor, TensorDataType elements, List<Integer> box, Swizzle swizzle) {
        for (Mapped map : maps) {
            if (map.tensor() == tensor && map.elements() == elements && map.box().equals(box)
                    && map.swizzle() == swizzle) {
                return map.parameter();
            }
        }
        long others = maps.stream().filter(m -> m.tensor() == tensor).count();
        Parameter.TensorMap parameter = new Parameter.TensorMap(tensor.name() + "_map" + (others == 0 ? ""
                : Long.toString(others + 1)), tensor.dims().size());
        maps.add(new Mapped(tensor, elements, box, swizzle, parameter));
        return parameter;
    }

    List<Mapped> all() {
        return List.copyOf(maps);
    }

    /** Elements whose bits the copy engine moves. */
    static TensorDataType bits(ValueType type) {
        return switch (type.bytes()) {
            case 1 -> TensorDataType.UINT8;
            case 2 -> TensorDataType.UINT16;
            case 4 -> TensorDataType.UINT32;
            default -> TensorDataType.UINT64;
        };
    }
}
