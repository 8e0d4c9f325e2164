package dev.tilewright.cli.tensormap;

import dev.tilewright.cli.option.CommonOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** {@code tensormap}: tensor maps with no GPU. What it does is in its own verbs. */
@Command(name = "tensormap", description = "Check, encode and decode tensor maps (CUtensorMap), with no GPU.",
        subcommands = {TensorMapCheckCommand.class, TensorMapEncodeCommand.class, TensorMapDecodeCommand.class})
public final class TensorMapCommand implements Runnable {
    static final String DESCRIPTIONS =
            "A description is a JSON object on a line of its own, lists innermost dimension first:%n%n  "
            + "{\"mode\":\"tile\",\"dtype\":\"float32\",\"dim\":[4096,1024],\"box\":[32,64],\"swizzle\":\"128B\"}%n  "
            + "{\"mode\":\"im2col\",\"dtype\":6,\"dim\":[64,56,56,8],\"lower\":[-1,-1],\"upper\":[1,1],\"channels\":64,"
            + "\"pixels\":128}%n%n"
            + "Further fields: address (0), stride in bytes (dense), elementStride (1 each), interleave, swizzle, l2 "
            + "and oob"
            + " (none each), rank; im2col-wide takes one lower and one upper and wideMode (w). Enums are integers or "
            + "names"
            + " of cuda.h, in any case. Rows of kind encode in recordings are descriptions too. The first line that "
            + "is no description ends the command.";

    @Mixin
    CommonOptions common;

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec),
                "say what to do with tensor maps: " + String.join(", ", spec.subcommands().keySet()));
    }
}
