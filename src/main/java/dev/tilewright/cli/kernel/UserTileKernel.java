package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.tile.TileKernel;
import java.nio.file.Path;
import java.util.List;

/** A tile kernel of the user's own, for verbs that take no other. */
public final class UserTileKernel {
    private UserTileKernel() { }

    /**
     * What a static member gives.
     *
     * @param classPath folders and jars
     * @param name {@code CLASS#MEMBER}
     * @throws BadRequestException if there is no such member, or it gives something else
     */
    public static TileKernel load(List<Path> classPath, String name, Terminal terminal) {
        if (UserProgram.load(classPath, name, terminal).given() instanceof TileKernel kernel) {
            return kernel;
        }
        throw new BadRequestException("--program " + name + " is to give a TileKernel here, and gives another kernel");
    }
}
