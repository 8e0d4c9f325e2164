package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.CudaEnum;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code swizzle}: where the elements of a box lie in shared memory. The arithmetic is {@link Swizzle}'s; what a box
 * may be is what tensor maps allow.
 */
@Command(name = "swizzle", description = {"Where each element of a box lies in shared memory, row by row, if the box "
        + "begins where the swizzle's pattern does.",
    "Each number is the column of the element that lies there, and . is a gap that copies leave as it is."})
final class SwizzleCommand extends Verb {
    private static final int CHUNK = 16;
    private static final int CELL_WIDTH = 28;
    private static final int CELL_HEIGHT = 18;

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
            description = "text, svg or html, default ${DEFAULT-VALUE}")
    Format format;

    /** What is printed. */
    enum Format { TEXT, SVG, HTML }

    SwizzleCommand(Terminal terminal) {
        super(terminal);
    }

    /**
     * One row of shared memory.
     *
     * @param columns for each place the column of the element that lies there; empty for a gap
     */
    private record Row(List<OptionalInt> columns) {
        String text(int width) {
            return columns.stream().map(c -> String.format("%" + width + "s", c.isPresent() ? c.getAsInt() : "."))
                    .collect(Collectors.joining(" "));
        }
    }

    @Override
    public Integer call() {
        Swizzle swizzle = swizzle();
        TensorDataType elements = TensorDataType.of(Arguments.type(type));
        TiledTensorMap map = map(elements, swizzle);
        int rowBytes = map.rowBytes();
        List<Row> rows = IntStream.range(0, map.boxRows()).mapToObj(r -> row(swizzle, r, rowBytes, elements.bytes()))
                .toList();
        switch (format) {
            case TEXT -> {
                int width = Integer.toString(map.box().getFirst() - 1).length();
                rows.forEach(row -> terminal.result(row.text(width)));
            }
            case SVG -> terminal.text(svg(rows, elements.bytes()));
            case HTML -> terminal.text("<!doctype html>\n<meta charset=\"utf-8\">\n<title>" + title(swizzle, elements)
                    + "</title>\n<h1>" + title(swizzle, elements) + "</h1>\n" + svg(rows, elements.bytes()));
        }
        return ExitCode.OK;
    }

    private Swizzle swizzle() {
        OptionalLong value = mode.matches("[0-9]{1,9}") ? OptionalLong.of(Long.parseLong(mode))
                : CudaEnum.SWIZZLE.value(mode);
        return Arrays.stream(Swizzle.values()).filter(s -> value.isPresent() && s.cudaValue() == value.getAsLong())
                .findFirst().orElseThrow(() -> new BadRequestException("--mode must be " + CudaEnum.SWIZZLE.choices()
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

    private static Row row(Swizzle swizzle, int number, int rowBytes, int elementBytes) {
        int pitch = swizzle.rowPitch(rowBytes);
        long start = (long) number * pitch;
        return new Row(IntStream.range(0, pitch / elementBytes).mapToObj(place -> {
            int at = (int) (swizzle.apply(start + (long) place * elementBytes) - start);
            return at < rowBytes ? OptionalInt.of(at / elementBytes) : OptionalInt.empty();
        }).toList());
    }

    private String title(Swizzle swizzle, TensorDataType elements) {
        return "A box of " + box + " " + elements.elementType() + ", swizzle " + swizzle;
    }

    /** A picture: a cell for each element, in the colour of the 16 bytes that it belongs to. */
    private static String svg(List<Row> rows, int elementBytes) {
        int perChunk = CHUNK / elementBytes;
        int width = rows.getFirst().columns.size() * CELL_WIDTH;
        StringBuilder svg = new StringBuilder(String.format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                + "height=\"%d\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n", width,
                rows.size() * CELL_HEIGHT));
        for (int r = 0; r < rows.size(); r++) {
            for (int place = 0; place < rows.get(r).columns.size(); place++) {
                OptionalInt column = rows.get(r).columns.get(place);
                String colour = column.isEmpty() ? "white" : "hsl(" + column.getAsInt() / perChunk * 45 % 360
                        + ",70%,80%)";
                int x = place * CELL_WIDTH;
                int y = r * CELL_HEIGHT;
                svg.append("<rect x=\"").append(x).append("\" y=\"").append(y).append("\" width=\"").append(CELL_WIDTH)
                        .append("\" height=\"").append(CELL_HEIGHT).append("\" stroke=\"grey\" fill=\"").append(colour)
                        .append("\"/><text x=\"").append(x + CELL_WIDTH / 2).append("\" y=\"").append(y + 13)
                        .append("\">").append(column.isPresent() ? column.getAsInt() : ".").append("</text>\n");
            }
        }
        return svg.append("</svg>\n").toString();
    }
}
