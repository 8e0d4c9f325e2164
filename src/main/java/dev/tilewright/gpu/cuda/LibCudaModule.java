package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link ModuleApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaModule extends ModuleApi {

    interface ModuleLoadData {
        MethodHandle HANDLE = LibCuda.find("cuModuleLoadData", "2.0", ADDRESS, ADDRESS);
    }

    @Override
    default int cuModuleLoadData(MemorySegment module, MemorySegment image) {
        try {
            return (int) ModuleLoadData.HANDLE.invokeExact(module, image);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface ModuleUnload {
        MethodHandle HANDLE = LibCuda.find("cuModuleUnload", "2.0", JAVA_LONG);
    }

    @Override
    default int cuModuleUnload(long module) {
        return LibCuda.call(ModuleUnload.HANDLE, module);
    }

    interface ModuleGetFunction {
        MethodHandle HANDLE = LibCuda.find("cuModuleGetFunction", "2.0", ADDRESS, JAVA_LONG, ADDRESS);
    }

    @Override
    default int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name) {
        try {
            return (int) ModuleGetFunction.HANDLE.invokeExact(function, module, name);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface FuncGetParamInfo {
        MethodHandle HANDLE = LibCuda.find("cuFuncGetParamInfo", "12.4", JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
    }

    @Override
    default int cuFuncGetParamInfo(long function, long index, MemorySegment offset, MemorySegment size) {
        try {
            return (int) FuncGetParamInfo.HANDLE.invokeExact(function, index, offset, size);
        } catch (MissingRequirementException e) {
            return DriverApi.NOT_SUPPORTED;
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface FuncGetAttribute {
        MethodHandle HANDLE = LibCuda.find("cuFuncGetAttribute", "2.2", ADDRESS, JAVA_INT, JAVA_LONG);
    }

    @Override
    default int cuFuncGetAttribute(MemorySegment value, int attribute, long function) {
        try {
            return (int) FuncGetAttribute.HANDLE.invokeExact(value, attribute, function);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface FuncSetAttribute {
        MethodHandle HANDLE = LibCuda.find("cuFuncSetAttribute", "9.0", JAVA_LONG, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuFuncSetAttribute(long function, int attribute, int value) {
        try {
            return (int) FuncSetAttribute.HANDLE.invokeExact(function, attribute, value);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface OccupancyMaxActiveBlocksPerMultiprocessor {
        MethodHandle HANDLE = LibCuda.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", "6.5",
                ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG);
    }

    @Override
    default int cuOccupancyMaxActiveBlocksPerMultiprocessor(MemorySegment blocks, long function, int threads,
            long sharedBytes) {
        try {
            return (int) OccupancyMaxActiveBlocksPerMultiprocessor.HANDLE.invokeExact(blocks, function, threads,
                    sharedBytes);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface OccupancyMaxActiveClusters {
        MethodHandle HANDLE = LibCuda.find("cuOccupancyMaxActiveClusters", "11.8", ADDRESS, JAVA_LONG, ADDRESS);
    }

    @Override
    default int cuOccupancyMaxActiveClusters(MemorySegment clusters, long function, MemorySegment config) {
        try {
            return (int) OccupancyMaxActiveClusters.HANDLE.invokeExact(clusters, function, config);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface LaunchKernelEx {
        MethodHandle HANDLE = LibCuda.find("cuLaunchKernelEx", "11.8", ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
    }

    @Override
    default int cuLaunchKernelEx(MemorySegment config, long function, MemorySegment parameters, long extra) {
        try {
            return (int) LaunchKernelEx.HANDLE.invokeExact(config, function, parameters, extra);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface TensorMapEncodeTiled {
        MethodHandle HANDLE = LibCuda.find("cuTensorMapEncodeTiled", "12.0", ADDRESS, JAVA_INT,
                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuTensorMapEncodeTiled(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment box, MemorySegment elementStrides,
            int interleave, int swizzle, int l2Promotion, int oobFill) {
        try {
            return (int) TensorMapEncodeTiled.HANDLE.invokeExact(map, dataType, rank, globalAddress, dims, strides,
                    box, elementStrides, interleave, swizzle, l2Promotion, oobFill);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface TensorMapEncodeIm2col {
        MethodHandle HANDLE = LibCuda.find("cuTensorMapEncodeIm2col", "12.0", ADDRESS, JAVA_INT,
                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT,
                JAVA_INT, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuTensorMapEncodeIm2col(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels,
            int pixels, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int oobFill) {
        try {
            return (int) TensorMapEncodeIm2col.HANDLE.invokeExact(map, dataType, rank, globalAddress, dims, strides,
                    lower, upper, channels, pixels, elementStrides, interleave, swizzle, l2Promotion, oobFill);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}
