package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.tile.TileKernel;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** A tile kernel of the user's own, for verbs that take no other kernel of a user. */
public final class UserTileKernel {
    @Option(names = "--class-path", paramLabel = "PATH", split = ":",
            description = "where the classes of --program are: folders and jars, separated by colons")
    List<Path> classPath;

    @Option(names = "--program", paramLabel = "CLASS#MEMBER",
            description = "your own tile kernel: a static field or a static method without parameters that returns a "
                    + "TileKernel, such as my.Kernels#softmax")
    String program;

    /** Whether one is named. @throws BadRequestException if only one of the two options is there */
    public boolean isNamed() {
        return UserProgram.isNamed(program, classPath);
    }

    /** {@code CLASS#MEMBER}; null for none. */
    public String name() {
        return program;
    }

    /**
     * What the static member gives.
     *
     * @throws BadRequestException if there is no such member, or it gives something else
     */
    public TileKernel load(Terminal terminal) {
        if (UserProgram.load(classPath, program, terminal).given() instanceof TileKernel kernel) {
            return kernel;
        }
        throw new BadRequestException("--program " + program + " is to give a TileKernel here, and gives another "
                + "kernel");
    }
}
