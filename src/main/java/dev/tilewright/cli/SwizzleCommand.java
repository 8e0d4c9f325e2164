package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.CudaEnum;
import dev.tilewright.cli.option.OutputFile;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.explain.picture.SwizzlePicture;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code swizzle}: where the elements of a box lie in shared memory. The arithmetic is {@link Swizzle}'s; what a box
 * may be is what tensor maps allow.
 */
@Command(name = "swizzle", description = {"Where each element of a box lies in shared memory, row by row, for a box "
        + "that starts at the start of the swizzle's pattern.",
    "Each number is the column of the element at that place; a dot is a gap that copies do not change."})
final class SwizzleCommand extends Verb {
    private static final int CHUNK = 16;

    @Option(names = "--mode", paramLabel = "SWIZZLE", required = true, description = "none, 32B, 64B, 128B, "
            + "128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B, 128B_ATOM_64B, or the integer of cuda.h")
    String mode;

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "f32",
            description = "element type, default ${DEFAULT-VALUE}")
    String type;

    @Option(names = "--box", paramLabel = "EXTENTS", required = true,
            description = "extents of the box in elements, outermost first: 16x32")
    String box;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "text",
            description = "text, svg or html (pictures with the bank conflicts of a row, a column and a matrix of 8"
                    + " rows of 16 bytes), default ${DEFAULT-VALUE}")
    Format format;

    @Mixin
    final OutputFile output = new OutputFile();

    /** What is printed. */
    enum Format { TEXT, SVG, HTML }

    SwizzleCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Swizzle swizzle = swizzle();
        TensorDataType elements = TensorDataType.of(Arguments.type(type));
        TiledTensorMap map = map(elements, swizzle);
        SwizzlePicture picture = new SwizzlePicture(map);
        String title = title(swizzle, elements);
        switch (format) {
            case TEXT -> output.lines(terminal, picture.lines());
            case SVG -> output.text(terminal, picture.drawing(title).toString());
            case HTML -> output.text(terminal, new PicturePage(title, List.of(new PicturePage.Words(List.of(
                    "Each cell is 16 bytes of shared memory, with the columns of the elements that lie there. Its"
                            + " colour is that of 16 bytes of a row. Above them are the banks of the first row.")),
                    new PicturePage.Drawing("", picture.drawing(title)),
                    new PicturePage.Listing("As text", picture.lines()))).toString());
        }
        return ExitCode.OK;
    }

    private Swizzle swizzle() {
        OptionalLong value = mode.matches("[0-9]{1,9}") ? OptionalLong.of(Long.parseLong(mode))
                : CudaEnum.SWIZZLE.value(mode);
        return Arrays.stream(Swizzle.values()).filter(s -> value.isPresent() && s.cudaValue() == value.getAsLong())
                .findFirst().orElseThrow(() -> new BadRequestException("--mode must be one of " + Arrays.stream(Swizzle
                        .values()).map(s -> s + " (" + s.cudaValue() + ")").collect(Collectors.joining(", "))
                        + ", got '" + mode + "'"));
    }

    /** A tensor that such boxes are loaded from: no rule that it breaks is about anything else. */
    private TiledTensorMap map(TensorDataType elements, Swizzle swizzle) {
        if (!box.matches("[0-9]{1,9}(x[0-9]{1,9}){0,4}")) {
            throw new BadRequestException("--box must be 1 to 5 extents, outermost first, such as 16x32, got '" + box
                    + "'");
        }
        List<Integer> extents = Arrays.stream(box.split("x")).map(Integer::valueOf).toList().reversed();
        List<Long> dims = new ArrayList<>(extents.stream().map(e -> Math.max(1L, e)).toList());
        dims.set(0, (dims.getFirst() + CHUNK - 1) / CHUNK * CHUNK);
        TiledTensorMap map = TiledTensorMap.denseInnermostFirst(elements, dims, extents, swizzle);
        Target target = swizzle.usesLargeAtoms() ? Target.SM_100 : Target.SM_90;
        new Validation(target, Validation.of(map.at(0), target).errors(), List.of()).orThrow();
        return map;
    }

    private String title(Swizzle swizzle, TensorDataType elements) {
        return "A box of " + box + " " + elements.elementType() + ", swizzle " + swizzle;
    }
}
