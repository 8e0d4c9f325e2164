package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --class-path} and {@code --program}: a kernel of the user's own in a preset's place. */
final class UserProgramOptions {
    @Option(names = "--class-path", paramLabel = "PATH", split = ":",
            description = "where the classes of --program are: folders and jars, with colons between")
    List<Path> classPath;

    @Option(names = "--program", paramLabel = "CLASS#MEMBER",
            description = "a kernel of your own: a static field, or a static method without parameters, that gives a"
                    + " TileKernel, a TileProgram or a Launch, such as my.Kernels#softmax")
    String program;

    /**
     * Whether there is one, and no preset beside it.
     *
     * @param preset what stands on the command line; null for none
     * @param type of a preset's elements; null for none
     * @param presets options of a preset that stand there
     * @throws BadRequestException if neither or both are there, or what belongs to the other
     */
    boolean isGiven(String preset, String type, PresetOptions presets) {
        if (program == null) {
            if (classPath != null) {
                throw new BadRequestException("--class-path says where --program is, and there is no --program");
            }
            return false;
        }
        if (preset != null) {
            throw new BadRequestException("name a preset or give --program, not both: got '" + preset + "' and --program "
                    + program);
        }
        if (type != null || !presets.values().isEmpty()) {
            throw new BadRequestException("--" + (type != null ? "type" : presets.values().keySet().iterator().next())
                    + " is an option of presets, and --program names a kernel that is built already: build it so");
        }
        if (classPath == null) {
            throw new BadRequestException("--program " + program + " needs --class-path PATH, the folder or jar of its class");
        }
        return true;
    }

    /** What the member gives. @throws BadRequestException and {@link UserCodeException} as {@link UserProgram#load} does */
    UserProgram load(Terminal terminal) {
        return UserProgram.load(classPath, program, terminal);
    }

    /**
     * A kernel that moves one array of elements of this type, and leaves them of the type.
     *
     * @throws BadRequestException if the member gives another
     */
    TileKernel kernelFor(ElementType type, Terminal terminal) {
        if (!(load(terminal).given() instanceof TileKernel kernel)) {
            throw new BadRequestException("run moves an array through a TileKernel, and --program " + program
                    + " gives something else, whose buffers have no shape: launch that with Gpu.open() or Gpu.emulated()");
        }
        if (kernel.step().inputs() != 1 || kernel.scalars().size() > 1 || kernel.resultType() != kernel.type()) {
            throw new BadRequestException("run moves one array, with one scalar at most, into one of the same type, and"
                    + " --program " + program + " takes " + kernel.step().inputs() + " of " + kernel.type() + " and "
                    + kernel.scalars().size() + " scalars and gives " + kernel.resultType());
        }
        if (kernel.type() != type) {
            throw new BadRequestException("--program " + program + " takes arrays of " + kernel.type()
                    + ", and --input is one of " + type);
        }
        return kernel;
    }
}
