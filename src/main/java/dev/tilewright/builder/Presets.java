package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset.Mechanism;
import dev.tilewright.ptx.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Every preset, in the order in which they are listed. */
public final class Presets {

    /** All presets. Names are unique. */
    public static final List<Preset> ALL = List.of(
            cpAsync("cp-async-pipeline", "copies an array of any shape as one long row", Map.of()),
            cpAsync("cp-async-pipeline-2d", "copies a matrix in tiles of 64 x 64",
                    Map.of(PresetOption.TILE, "64x64", PresetOption.STAGES, "3")),
            cpAsync("cp-async-scale", "multiplies every element by a scalar", Map.of(PresetOption.STEP, "scale")),
            bulk("bulk-copy", "copies an array of any shape as one long row", Map.of()),
            bulk("bulk-copy-token", "the same, each thread waiting with a token of its own",
                    Map.of(PresetOption.WAIT, "token")),
            bulk("bulk-add", "adds a scalar to every element, in shared memory", Map.of(PresetOption.STEP, "add")),
            tensor("tensor-copy", "copies a matrix in boxes, rows a multiple of 16 bytes", Map.of()),
            tensor("tensor-copy-1d", "copies an array of one dimension in boxes of 256",
                    Map.of(PresetOption.TILE, "256")),
            tensor("tensor-copy-3d", "copies an array of three dimensions in boxes",
                    Map.of(PresetOption.TILE, "4x8x64B")),
            tensor("tensor-copy-4d", "copies an array of four dimensions in boxes",
                    Map.of(PresetOption.TILE, "2x4x8x64B")),
            tensor("tensor-copy-5d", "copies an array of five dimensions in boxes",
                    Map.of(PresetOption.TILE, "2x2x4x4x64B")),
            tensor("tensor-copy-32b", "copies a matrix through tiles with the 32-byte swizzle",
                    Map.of(PresetOption.SWIZZLE, "32B", PresetOption.UNSWIZZLE, "step")),
            tensor("tensor-copy-64b", "copies a matrix through tiles with the 64-byte swizzle",
                    Map.of(PresetOption.SWIZZLE, "64B", PresetOption.UNSWIZZLE, "step")),
            tensor("tensor-copy-128b", "copies a matrix through tiles with the 128-byte swizzle",
                    Map.of(PresetOption.SWIZZLE, "128B", PresetOption.UNSWIZZLE, "step")),
            tensor("tensor-scale", "multiplies every element of a matrix by a scalar, in swizzled tiles",
                    Map.of(PresetOption.SWIZZLE, "128B", PresetOption.STEP, "scale")),
            new Preset("tensor-rebind", Mechanism.TENSOR_REBIND, Target.SM_90A,
                    "copies a matrix in slabs of rows, through tensor maps that each block makes for its own", Map.of()));

    private Presets() {
    }

    /** The preset of this name. @throws BadRequestException for another name; the message suggests the nearest */
    public static Preset named(String name) {
        return ALL.stream().filter(p -> p.name().equals(name)).findFirst().orElseThrow(() -> {
            LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
            String nearest = ALL.stream().map(Preset::name)
                    .min(Comparator.comparing(known -> distance.apply(name, known))).orElseThrow();
            boolean near = distance.apply(name, nearest) <= Math.max(3, name.length() / 2);
            return new BadRequestException("there is no preset '" + name + "': "
                    + (near ? "did you mean '" + nearest + "'?" : "see 'tilewright list'"));
        });
    }

    private static Preset cpAsync(String name, String summary, Map<PresetOption, String> choices) {
        return new Preset(name, Mechanism.CP_ASYNC, Target.SM_80, summary, choices);
    }

    private static Preset bulk(String name, String summary, Map<PresetOption, String> choices) {
        return new Preset(name, Mechanism.BULK, Target.SM_90, summary, choices);
    }

    private static Preset tensor(String name, String summary, Map<PresetOption, String> choices) {
        return new Preset(name, Mechanism.TENSOR, Target.SM_90, summary, choices);
    }
}
