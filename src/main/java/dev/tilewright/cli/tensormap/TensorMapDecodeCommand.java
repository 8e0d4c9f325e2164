package dev.tilewright.cli.tensormap;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.DecodedTensorMap;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tensormap decode}: the 128 bytes in, the description out. */
@Command(name = "decode",
        description = "Read the 128 bytes of tensor maps as lines of hex, print their descriptions, for people and, "
                + "after 'json', as 'encode' takes them. The first line that is not a tensor map ends the command.")
public final class TensorMapDecodeCommand extends JsonVerb {
    private final List<Row> document = new ArrayList<>();
    private boolean printed;

    @Mixin
    DescriptionInput lines;

    /** A map in the document. @param unknowns what its bytes do not say */
    private record Row(int line, MapFields description, List<String> unknowns) { }

    TensorMapDecodeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Target target = lines.target();
        if (!TensorMapEncoder.java().supports(target)) {
            throw new MissingRequirementException(
                    "how " + target + " lays out a tensor map is not known: only that of sm_90 can be decoded");
        }
        lines.forEach(terminal, (number, text) -> report(number, descriptor(text).decode()));
        if (json) {
            terminal.json(document);
        }
        return ExitCode.OK;
    }

    private static TensorMapDescriptor descriptor(String text) {
        try {
            return TensorMapDescriptor.ofHex(text.strip());
        } catch (NumberFormatException e) {
            throw new BadRequestException("a tensor map is 256 hexadecimal digits, got other characters among them", e);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(e.getMessage(), e);
        }
    }

    private void report(int line, DecodedTensorMap decoded) {
        MapFields description = MapFields.of(decoded.call());
        if (json) {
            document.add(new Row(line, description, decoded.unknowns()));
            return;
        }
        if (printed) {
            terminal.result("");
        }
        printed = true;
        terminal.text(decoded.describe());
        terminal.result("json             " + Json.line(description));
    }
}
