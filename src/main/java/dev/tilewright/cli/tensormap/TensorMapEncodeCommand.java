package dev.tilewright.cli.tensormap;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tensormap encode}: descriptions in, the 128 bytes out. */
@Command(name = "encode", description = "Read descriptions, print the 128 bytes of each as a line of hex. An invalid"
        + " description gives an empty line, and its violations on standard error. This command encodes in Java only, "
        + "for sm_90: " + TensorMapEncodeCommand.ELSEWHERE + ".",
        footer = {"", TensorMapCommand.DESCRIPTIONS})
public final class TensorMapEncodeCommand extends Verb {
    public static final String ELSEWHERE = "on other GPUs, applications get the driver's encoder through Gpu (see"
            + " -Dtilewright.encoder and class EncoderChoice)";

    private boolean refused;

    @Mixin
    DescriptionInput lines;

    public TensorMapEncodeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Target target = lines.target();
        TensorMapEncoder encoder = TensorMapEncoder.java();
        lines.forEach(terminal, (number, text) -> {
            EncodeCall call = MapDescription.read(text);
            try {
                terminal.result(encoder.encode(call, target).hex());
            } catch (TensorMapException e) {
                refused = true;
                terminal.result("");
                terminal.note(lines.place(number) + ": " + e.validation().report());
            } catch (MissingRequirementException e) {
                throw new MissingRequirementException("how " + target
                        + " lays out a tensor map is not known, and this command"
                        + " encodes in Java only, for sm_90: " + ELSEWHERE, e);
            }
        });
        return refused ? ExitCode.FOUND : ExitCode.OK;
    }
}
