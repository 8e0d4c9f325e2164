package llama;

import dev.tilewright.layout.FloatBits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Weights from the safetensors files of a folder. What is not bf16 is rounded to it. */
final class FileWeights implements Weights {
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort HALF =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Path folder;
    private final Map<String, SafeTensors.Tensor> tensors = new HashMap<>();

    /** @param arena that the files stay mapped as long as */
    FileWeights(Path folder, Arena arena) throws IOException {
        this.folder = folder;
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".safetensors") && !Files.isDirectory(file)).sorted()
                    .toList();
        }
        if (files.isEmpty()) {
            throw new IllegalArgumentException("there is no safetensors file in " + folder);
        }
        for (Path file : files) {
            SafeTensors.map(file, arena).tensors().forEach((name, tensor) -> {
                if (tensors.put(name, tensor) != null) {
                    throw new IllegalArgumentException(file + " has tensor " + name
                            + ", which another file of its folder has too");
                }
            });
        }
    }

    @Override
    public MemorySegment bf16(String name, long... shape) {
        SafeTensors.Tensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new IllegalArgumentException("there is no tensor " + name + " in " + folder);
        }
        if (!tensor.shape().equals(Arrays.stream(shape).boxed().toList())) {
            throw new IllegalArgumentException("tensor " + name + " has shape " + tensor.shape() + ", and the "
                    + "configuration asks for " + Arrays.toString(shape));
        }
        MemorySegment from = tensor.elements();
        if (tensor.type() == SafeTensors.Type.BF16) {
            return from;
        }
        long count = Weights.count(shape);
        MemorySegment to = Arena.ofAuto().allocate(2 * count, 16);
        for (long i = 0; i < count; i++) {
            float element = tensor.type() == SafeTensors.Type.F32 ? Float.intBitsToFloat(from.get(WORD, 4 * i))
                    : FloatBits.f16(from.get(HALF, 2 * i) & 0xFFFF);
            to.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) FloatBits.toBf16(element));
        }
        return to;
    }
}
