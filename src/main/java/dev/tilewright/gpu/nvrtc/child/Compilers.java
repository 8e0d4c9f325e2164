package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.InProcess;
import dev.tilewright.io.host.HostEnvironment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens a libnvrtc where the settings say: property {@code tilewright.nvrtc.process} or variable
 * TILEWRIGHT_NVRTC_PROCESS is {@code child}, a process of its own that a crash of NVRTC does not outlive, or
 * {@code in-process}. Without a setting it is a child where one can be started. What a child may take is limited
 * ({@link CompilerLimits}); a compilation in this process cannot be ended.
 */
public final class Compilers {

    private static final String CHILD = "child";
    private static final String IN_PROCESS = "in-process";

    private Compilers() { }

    /**
     * @param beforeLoading what must have been done when the library is loaded; may throw
     * @throws BadRequestException if the setting is neither
     * @throws MissingRequirementException if the library cannot be loaded, or no process can be started
     */
    public static Compiler open(HostEnvironment environment, Path file, Runnable beforeLoading) {
        Optional<HostEnvironment.Setting> setting =
                environment.setting("tilewright.nvrtc.process", "TILEWRIGHT_NVRTC_PROCESS");
        String where = setting.map(HostEnvironment.Setting::value).orElse("");
        if (!where.isEmpty() && !where.equals(CHILD) && !where.equals(IN_PROCESS)) {
            throw new BadRequestException(setting.get().name() + " is '" + where + "': choose " + CHILD + " or "
                    + IN_PROCESS);
        }
        if (!where.equals(IN_PROCESS)) {
            Optional<Compiler> pool = CompilerPool.of(file, CompilerLimits.of(environment), beforeLoading);
            if (pool.isPresent()) {
                return pool.get();
            }
            if (where.equals(CHILD)) {
                throw new MissingRequirementException("this application's Java has no bin/java that could be started to"
                        + " compile in: set " + setting.get().name() + " to " + IN_PROCESS + ", or unset it");
            }
        }
        beforeLoading.run();
        return InProcess.open(file);
    }
}
