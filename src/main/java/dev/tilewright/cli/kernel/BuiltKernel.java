package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** A kernel whose program is built without data: a preset for elements of {@code --type}, or the user's own. */
class BuiltKernel extends KernelChoice {
    static final String USUAL_TARGET = "sm_90a";
    private static final int RANK = 2;

    @Option(names = "--type", paramLabel = "TYPE", description = "element type of a preset; default f32, or the "
            + "preset's first type")
    String type;

    BuiltKernel(Terminal terminal, PresetCatalog presets) {
        super(terminal, presets);
    }

    @Override
    Optional<String> optionOfPresets() {
        return type == null ? super.optionOfPresets() : Optional.of("type");
    }

    /** Of a preset's elements. */
    ElementType type() {
        return Arguments.presetType(type);
    }

    /** Which type a preset has here where none is asked for; nothing where that is no question. */
    Optional<String> usualType() {
        return tilePreset().map(TilePreset::types).filter(types -> type == null && types.size() > 1).map(types ->
                "elements of " + types.getFirst() + "; with --type: " + String.join(", ", types.stream().skip(1)
                        .map(ValueType::toString).toList()));
    }

    /** The tile kernel, of the type that is asked for. */
    Optional<TileKernel> tile() {
        return tile(Optional.ofNullable(type).map(Arguments::valueType));
    }

    /**
     * What the tile kernel is on a target, {@value #USUAL_TARGET} if none is named; empty of other kernels. A preset
     * has extents of its own where none are asked for.
     */
    Optional<LoweredKernel> lowered(String target) {
        return tile().map(kernel -> Arguments.read(() -> {
            Map<String, Long> all = new HashMap<>(tilePreset().map(TilePreset::extents).orElse(Map.of()));
            all.putAll(extents(kernel));
            return kernel.lowered(Arguments.target(target == null ? USUAL_TARGET : target), all);
        }));
    }

    TileProgram program() {
        return isOwn() ? own().program() : preset().build(type(), RANK, schedule()).program();
    }

    /** The target that a text names. @throws BadRequestException if it lacks an instruction of the program */
    Target target(String text, TileProgram program) {
        Target target = Arguments.target(text);
        if (!program.gate().admits(target)) {
            throw new BadRequestException(title() + " needs " + program.minimumTarget() + " or later, got --target "
                    + target);
        }
        return target;
    }
}
