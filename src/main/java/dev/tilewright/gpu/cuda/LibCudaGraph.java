package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link GraphApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaGraph extends GraphApi {

    interface GraphInstantiate {
        MethodHandle HANDLE = LibCuda.find("cuGraphInstantiateWithFlags", "11.4", ADDRESS, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuGraphInstantiate(MemorySegment executable, long graph, long flags) {
        return LibCuda.call(GraphInstantiate.HANDLE, executable, graph, flags);
    }

    interface GraphLaunch {
        MethodHandle HANDLE = LibCuda.find("cuGraphLaunch", "10.0", JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuGraphLaunch(long executable, long stream) {
        return LibCuda.call(GraphLaunch.HANDLE, executable, stream);
    }

    interface GraphExecDestroy {
        MethodHandle HANDLE = LibCuda.find("cuGraphExecDestroy", "10.0", JAVA_LONG);
    }

    @Override
    default int cuGraphExecDestroy(long executable) {
        return LibCuda.call(GraphExecDestroy.HANDLE, executable);
    }

    interface GraphDestroy {
        MethodHandle HANDLE = LibCuda.find("cuGraphDestroy", "10.0", JAVA_LONG);
    }

    @Override
    default int cuGraphDestroy(long graph) {
        return LibCuda.call(GraphDestroy.HANDLE, graph);
    }

    interface GraphGetNodes {
        MethodHandle HANDLE = LibCuda.find("cuGraphGetNodes", "10.0", JAVA_LONG, ADDRESS, ADDRESS);
    }

    @Override
    default int cuGraphGetNodes(long graph, MemorySegment nodes, MemorySegment count) {
        try {
            return (int) GraphGetNodes.HANDLE.invokeExact(graph, nodes, count);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface GraphExecKernelNodeSetParams {
        MethodHandle HANDLE = LibCuda.find("cuGraphExecKernelNodeSetParams_v2", "12.0", JAVA_LONG, JAVA_LONG, ADDRESS);
    }

    @Override
    default int cuGraphExecKernelNodeSetParams(long executable, long node, MemorySegment parameters) {
        try {
            return (int) GraphExecKernelNodeSetParams.HANDLE.invokeExact(executable, node, parameters);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}
