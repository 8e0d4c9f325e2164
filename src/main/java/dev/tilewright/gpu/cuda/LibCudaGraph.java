package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link GraphApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaGraph extends GraphApi {

    final class GraphInstantiate {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphInstantiateWithFlags", "11.4", ADDRESS,
                JAVA_LONG, JAVA_LONG);

        private GraphInstantiate() { }
    }

    @Override
    default int cuGraphInstantiate(MemorySegment executable, long graph, long flags) {
        try {
            return (int) GraphInstantiate.HANDLE.invokeExact(executable, graph, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GraphLaunch {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphLaunch", "10.0", JAVA_LONG, JAVA_LONG);

        private GraphLaunch() { }
    }

    @Override
    default int cuGraphLaunch(long executable, long stream) {
        try {
            return (int) GraphLaunch.HANDLE.invokeExact(executable, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GraphExecDestroy {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphExecDestroy", "10.0", JAVA_LONG);

        private GraphExecDestroy() { }
    }

    @Override
    default int cuGraphExecDestroy(long executable) {
        try {
            return (int) GraphExecDestroy.HANDLE.invokeExact(executable);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GraphDestroy {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphDestroy", "10.0", JAVA_LONG);

        private GraphDestroy() { }
    }

    @Override
    default int cuGraphDestroy(long graph) {
        try {
            return (int) GraphDestroy.HANDLE.invokeExact(graph);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GraphGetNodes {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphGetNodes", "10.0", JAVA_LONG, ADDRESS,
                ADDRESS);

        private GraphGetNodes() { }
    }

    @Override
    default int cuGraphGetNodes(long graph, MemorySegment nodes, MemorySegment count) {
        try {
            return (int) GraphGetNodes.HANDLE.invokeExact(graph, nodes, count);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GraphExecKernelNodeSetParams {
        private static final MethodHandle HANDLE = LibCuda.find("cuGraphExecKernelNodeSetParams_v2", "12.0",
                JAVA_LONG, JAVA_LONG, ADDRESS);

        private GraphExecKernelNodeSetParams() { }
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
