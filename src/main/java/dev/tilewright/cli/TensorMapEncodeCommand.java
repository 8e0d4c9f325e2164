package dev.tilewright.cli;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tensormap encode}: descriptions in, the 128 bytes out. */
@Command(name = "encode", description = "Descriptions in, the 128 bytes of each as hex out, a line each. An invalid"
        + " description gives an empty line, and its violations on standard error. This command encodes in Java only, "
        + "for"
        + " sm_90: " + TensorMapEncodeCommand.ELSEWHERE + ".",
        footer = {"", TensorMapCommand.DESCRIPTIONS})
final class TensorMapEncodeCommand implements Callable<Integer> {
    static final String ELSEWHERE = "on other GPUs, applications get the driver's encoder through CudaDriver (see"
            + " -Dtilewright.encoder and class EncoderChoice)";

    private final Terminal terminal;
    private boolean refused;

    @Mixin
    CommonOptions common;

    @Mixin
    DescriptionInput lines;

    TensorMapEncodeCommand(Terminal terminal) {
        this.terminal = terminal;
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
