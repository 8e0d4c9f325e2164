package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import dev.tilewright.ptx.Target;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A named, ready choice of builder and options, which a user may still change option by option.
 *
 * @param name what the command calls it
 * @param mechanism the hardware mechanism that moves the tiles
 * @param minimumTarget the least capable target it runs on
 * @param summary one line that says what it does
 * @param choices the options that it sets, as a user would write them
 */
public record Preset(String name, Mechanism mechanism, Target minimumTarget, String summary,
        Map<PresetOption, String> choices) {

    /** The four builders behind all presets. */
    public enum Mechanism {
        CP_ASYNC("cp.async", PresetOption.TILE, PresetOption.STAGES, PresetOption.THREADS, PresetOption.STEP,
                PresetOption.COPY_BYTES),
        BULK("cp.async.bulk", PresetOption.TILE, PresetOption.STAGES, PresetOption.THREADS, PresetOption.STEP,
                PresetOption.WAIT),
        TENSOR("cp.async.bulk.tensor", PresetOption.TILE, PresetOption.STAGES, PresetOption.THREADS, PresetOption.STEP,
                PresetOption.SWIZZLE, PresetOption.UNSWIZZLE, PresetOption.WAIT),
        TENSOR_REBIND("tensormap.replace", PresetOption.TILE, PresetOption.STAGES, PresetOption.THREADS,
                PresetOption.STEP, PresetOption.WAIT);

        private final String instruction;
        private final List<PresetOption> options;

        Mechanism(String instruction, PresetOption... options) {
            this.instruction = instruction;
            this.options = List.of(options);
        }

        /** What can be chosen. */
        public List<PresetOption> options() {
            return options;
        }

        /** The PTX instruction that moves the tiles. */
        @Override
        public String toString() {
            return instruction;
        }
    }

    public Preset {
        choices = Map.copyOf(choices);
    }

    /**
     * The preset's kernel for elements of this type.
     *
     * @param rank dimensions of the array it is for; it only decides the default tile
     * @param changes options that replace the preset's own
     * @throws BadRequestException if an option is not one of the preset's, or has a value that will not do
     */
    public TileKernel build(ElementType type, int rank, Map<PresetOption, String> changes) {
        Map<PresetOption, String> all = new EnumMap<>(PresetOption.class);
        all.putAll(choices);
        for (Map.Entry<PresetOption, String> change : changes.entrySet()) {
            if (!mechanism.options().contains(change.getKey())) {
                throw new BadRequestException("preset '" + name + "' has no option --" + change.getKey() + "; it has "
                        + mechanism.options().stream().map(o -> "--" + o).collect(Collectors.joining(", ")));
            }
            all.put(change.getKey(), change.getValue());
        }
        KernelBuilder<?> builder = switch (mechanism) {
            case CP_ASYNC -> cpAsync(type, all);
            case BULK -> bulk(type, all);
            case TENSOR -> tensor(type, rank, all);
            case TENSOR_REBIND -> rebind(type, all);
        };
        ifPresent(all, PresetOption.TILE, text -> builder.tile(extents(type, text)));
        ifPresent(all, PresetOption.STAGES, text -> builder.stages(number(PresetOption.STAGES, text)));
        ifPresent(all, PresetOption.THREADS, text -> builder.threads(number(PresetOption.THREADS, text)));
        ifPresent(all, PresetOption.STEP, text -> builder.step(choice(PresetOption.STEP, ElementStep.class, text)));
        return builder.build();
    }

    /** The kernel as the preset stands, for matrices. */
    public TileKernel build(ElementType type) {
        return build(type, 2, Map.of());
    }

    private static KernelBuilder<?> cpAsync(ElementType type, Map<PresetOption, String> all) {
        CpAsyncPipeline.Builder builder = CpAsyncPipeline.of(type);
        ifPresent(all, PresetOption.COPY_BYTES, text -> builder.copyBytes(number(PresetOption.COPY_BYTES, text)));
        return builder;
    }

    private static KernelBuilder<?> bulk(ElementType type, Map<PresetOption, String> all) {
        BulkCopy.Builder builder = BulkCopy.of(type);
        ifPresent(all, PresetOption.WAIT, text -> builder.completion(choice(PresetOption.WAIT, BarrierWait.class, text)));
        return builder;
    }

    private static KernelBuilder<?> tensor(ElementType type, int rank, Map<PresetOption, String> all) {
        TensorCopy.Builder builder = TensorCopy.of(type);
        ifPresent(all, PresetOption.SWIZZLE, text -> builder.swizzle(swizzle(text)));
        if (!all.containsKey(PresetOption.TILE)) {
            builder.tile(defaultTile(type, rank, swizzle(all.getOrDefault(PresetOption.SWIZZLE, "none"))));
        }
        ifPresent(all, PresetOption.UNSWIZZLE, text ->
                builder.unswizzle(choice(PresetOption.UNSWIZZLE, Unswizzle.class, text)));
        ifPresent(all, PresetOption.WAIT, text -> builder.completion(choice(PresetOption.WAIT, BarrierWait.class, text)));
        return builder;
    }

    private static KernelBuilder<?> rebind(ElementType type, Map<PresetOption, String> all) {
        TensorRebind.Builder builder = TensorRebind.of(type);
        ifPresent(all, PresetOption.WAIT, text -> builder.completion(choice(PresetOption.WAIT, BarrierWait.class, text)));
        return builder;
    }

    /** Rows as long as the swizzle allows, 64 of them; without a swizzle 128 bytes, or all 256 elements in one dimension. */
    private static List<Integer> defaultTile(ElementType type, int rank, Swizzle swizzle) {
        int row = swizzle == Swizzle.NONE ? rank < 2 ? 256 : 128 / type.bytes() : swizzle.span() / type.bytes();
        return rank < 2 ? List.of(row) : List.of(64, row);
    }

    private static void ifPresent(Map<PresetOption, String> all, PresetOption option, Consumer<String> use) {
        if (all.containsKey(option)) {
            use.accept(all.get(option));
        }
    }

    private static int number(PresetOption option, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new BadRequestException("--" + option + " takes a whole number, got '" + text + "'", e);
        }
    }

    private static Swizzle swizzle(String text) {
        try {
            return Swizzle.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("--swizzle: " + e.getMessage(), e);
        }
    }

    private static <E extends Enum<E>> E choice(PresetOption option, Class<E> type, String text) {
        for (E value : type.getEnumConstants()) {
            if (value.name().equalsIgnoreCase(text.trim())) {
                return value;
            }
        }
        throw new BadRequestException("--" + option + " is one of " + Arrays.stream(type.getEnumConstants())
                .map(v -> v.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")) + ", got '" + text + "'");
    }

    private static List<Integer> extents(ElementType type, String text) {
        try {
            return Arrays.stream(text.trim().toLowerCase(Locale.ROOT).split("[x,]", -1))
                    .map(part -> extent(type, part.trim())).toList();
        } catch (NumberFormatException e) {
            throw new BadRequestException("--tile takes extents such as 64x64, 64x128B (bytes) or 4096, got '" + text + "'", e);
        }
    }

    private static int extent(ElementType type, String text) {
        if (!text.endsWith("b")) {
            return Integer.parseInt(text);
        }
        int bytes = Integer.parseInt(text.substring(0, text.length() - 1));
        if (bytes % type.bytes() != 0) {
            throw new BadRequestException("--tile: " + bytes + " bytes are no whole number of " + type + " elements");
        }
        return bytes / type.bytes();
    }
}
