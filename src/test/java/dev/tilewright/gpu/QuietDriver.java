package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.lang.foreign.MemorySegment;

/**
 * An emulated driver that can be told to start nothing any more, and then allocates nothing: what is allocated is the
 * runtime's own.
 */
final class QuietDriver extends EmulatedCuda {
    private boolean quiet;
    private long context;

    QuietDriver(DeviceModel model) {
        super(ExecutionOrder.EAGER, model);
    }

    void quiet(boolean now) {
        quiet = now;
    }

    @Override
    public int cuCtxGetCurrent(MemorySegment current) {
        if (quiet) {
            current.set(JAVA_LONG, 0, context);
            return SUCCESS;
        }
        int result = super.cuCtxGetCurrent(current);
        context = current.get(JAVA_LONG, 0);
        return result;
    }

    @Override
    public int cuLaunchKernelEx(MemorySegment config, long function, MemorySegment parameters, long extra) {
        return quiet ? SUCCESS : super.cuLaunchKernelEx(config, function, parameters, extra);
    }

    @Override
    public int cuGraphLaunch(long executable, long stream) {
        return quiet ? SUCCESS : super.cuGraphLaunch(executable, stream);
    }

    @Override
    public int cuGraphExecKernelNodeSetParams(long executable, long node, MemorySegment parameters) {
        return quiet ? SUCCESS : super.cuGraphExecKernelNodeSetParams(executable, node, parameters);
    }
}
