package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.io.Npy;
import dev.tilewright.layout.ElementType;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.audit.Audit;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code audit}: whether an output is what a kernel with a signature makes of inputs. */
@Command(name = "audit", description = "Recompute rows of an output on the CPU, from the inputs, and say which bytes "
        + "differ. The kernel is a tile kernel: a preset, or your own.", footer = {"",
            "'tilewright explain KERNEL --target T' prints the signature, for the target that computed the output. A "
                    + "row is all elements with the same index along the output's first dimension. Last line:"
                + " audited N rows agreed N disagreed K."})
public final class AuditCommand extends JsonVerb {
    /** The document. @param rows the rows that disagree */
    private record Report(String kernel, String signature, String output, int audited, long agreed, long disagreed,
            List<Found> rows) { }

    /** A row that disagrees. @param first offset in the output of the first byte that differs */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Found(long row, long bytes, long first, String what) { }

    private final PresetCatalog presets;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "a tile kernel that 'tilewright list' shows")
    String preset;

    @Mixin
    final UserTileKernel own = new UserTileKernel();

    @Option(names = "--type", paramLabel = "TYPE", description = "element type of a preset; default: the type that has "
            + "this signature")
    String type;

    @Option(names = "--signature", paramLabel = "S", required = true,
            description = "hash of the signature of the kernel that computed the output, 64 hexadecimal digits")
    String signature;

    @Option(names = "--inputs", paramLabel = "NAME=FILE", split = ",", required = true,
            description = "the arrays that the kernel read, .npy files, by the kernel's names; for an array that it "
                    + "updates, the contents before")
    List<Path> inputs;

    @Option(names = "--output", paramLabel = "NAME=FILE", required = true,
            description = "the kernel's output, an .npy file; NAME= may be left out if there is one output")
    Path output;

    @Option(names = "--rows", paramLabel = "LIST", split = ",",
            description = "the rows to recompute, such as 0,7,100-131; default all")
    List<String> rows = List.of();

    @Option(names = "--scalar", paramLabel = "NAME=NUMBER", description = "a scalar parameter; may be repeated")
    List<String> scalars = List.of();

    AuditCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
    }

    @Override
    public Integer call() {
        TileKernel tile = signed();
        Audit audit = Audit.of(tile, signature);
        String text = output.toString();
        Tensor written = audit.output(text.contains("=") ? text.substring(0, text.indexOf('=')) : "");
        TileInputs read = new TileInputs("--inputs", name(), tile, Map.of());
        try (Arena arena = Arena.ofShared()) {
            read.read(inputs, new NamedFiles(), arena);
            read.scalars(scalars);
            Npy found = read.output(written, TileInputs.file(output), arena);
            Map<String, Audit.Given> given = new HashMap<>();
            read.given().forEach((name, array) -> given.put(name, new Audit.Given(array.data(), array.shape())));
            List<Audit.Row> audited = Arguments.read(() -> audit.rows(given, read.scalars(), written,
                    new Audit.Given(found.data(), found.shape()), chosen()));
            report(audited, written, read.array(written).type(), found.shape());
            return audited.stream().allMatch(row -> row.difference().isEmpty()) ? ExitCode.OK : ExitCode.FOUND;
        }
    }

    /** The user's kernel, or the preset of the type that has the signature, where none is said. */
    private TileKernel signed() {
        if (own.isNamed() == (preset != null) || own.isNamed() && type != null) {
            throw new BadRequestException("audit takes a preset, with --type or without, or --program with "
                    + "--class-path: name one of them");
        }
        if (own.isNamed()) {
            return own.load(terminal);
        }
        TilePreset tile = TilePresets.find(preset).orElseThrow(() -> new BadRequestException("audit takes tile "
                + "kernels, and preset '" + PresetNames.require(presets, preset).name() + "' is none: 'tilewright "
                + "list' says which presets are"));
        return type != null ? tile.kernel(Arguments.valueType(type)) : tile.types().stream().map(tile::kernel)
                .filter(one -> Audit.hasSignature(one, signature)).findFirst().orElseGet(tile::kernel);
    }

    private String name() {
        return preset == null ? own.name() : "preset '" + preset + "'";
    }

    private void report(List<Audit.Row> audited, Tensor written, ElementType type, List<Long> shape) {
        List<String> lines = new ArrayList<>();
        List<Found> wrong = new ArrayList<>();
        for (Audit.Row row : audited) {
            row.difference().ifPresent(d -> {
                lines.add(Audit.line(row, type, shape));
                wrong.add(new Found(row.number(), d.bytes(), d.first(), d.describe(type, shape)));
            });
        }
        lines.add(Audit.summary(audited));
        print(new Report(preset == null ? own.name() : preset, signature, written.name(), audited.size(),
                audited.size() - (long) wrong.size(), wrong.size(), wrong), lines);
    }

    /** The rows that are asked for: none where all are. */
    private long[] chosen() {
        LongStream.Builder all = LongStream.builder();
        for (String part : rows) {
            if (!part.matches("\\d{1,15}(-\\d{1,15})?")) {
                throw new BadRequestException("--rows " + part + " is no row or range of rows, such as 7 or 100-131");
            }
            String[] ends = part.split("-");
            long first = Long.parseLong(ends[0]);
            long last = Long.parseLong(ends[ends.length - 1]);
            if (last < first || last - first > Integer.MAX_VALUE) {
                throw new BadRequestException("--rows " + part + " has no rows: give the first, and then the last");
            }
            LongStream.rangeClosed(first, last).forEach(all::add);
        }
        return all.build().distinct().toArray();
    }
}
