package dev.tilewright.gpu.cuda;

import dev.tilewright.MissingRequirementException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;
import jcuda.Pointer;

/**
 * The numbers inside JCuda's handles (CUfunction, CUstream, CUdeviceptr ...), which JCuda keeps private, for code that
 * calls the driver without it. Loads nothing native. Read from JCuda 12.6.0: the handle is
 * {@code NativePointerObject.nativePointer}, and a pointer adds {@code Pointer.byteOffset}.
 */
public final class JCudaHandles {

    private JCudaHandles() { }

    /** Fields of other classes; found when the first handle is asked for. */
    private static final class Fields {
        private static final VarHandle NATIVE_POINTER;
        private static final VarHandle BYTE_OFFSET;
        private static final String WHY_NOT;

        static {
            VarHandle pointer = null;
            VarHandle offset = null;
            String whyNot = "";
            try {
                pointer = field(NativePointerObject.class, "nativePointer");
                offset = field(Pointer.class, "byteOffset");
            } catch (ReflectiveOperationException e) {
                whyNot = "JCuda's handles cannot be read (" + e
                        + "): use JCuda 12.6.0, and if it is a named module add --add-opens for its package jcuda";
            }
            NATIVE_POINTER = pointer;
            BYTE_OFFSET = offset;
            WHY_NOT = whyNot;
        }

        private static VarHandle field(Class<?> owner, String name) throws ReflectiveOperationException {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                    .findVarHandle(owner, name, long.class);
        }

        static void require() {
            if (!WHY_NOT.isEmpty()) {
                throw new MissingRequirementException(WHY_NOT);
            }
        }
    }

    /**
     * The native value of a handle: what C code has in its CUfunction, CUstream, CUdeviceptr ... A pointer's byte
     * offset is added; {@code null} is 0, as JCuda takes it.
     *
     * @throws MissingRequirementException if this JCuda is built otherwise, with what to do
     */
    public static long of(NativePointerObject handle) {
        Fields.require();
        if (handle == null) {
            return 0;
        }
        long value = (long) Fields.NATIVE_POINTER.get(handle);
        return handle instanceof Pointer pointer ? value + (long) Fields.BYTE_OFFSET.get(pointer) : value;
    }

    /**
     * Gives an empty JCuda handle a value: {@code wrap(new CUstream(), stream)}.
     *
     * @return the handle
     * @throws MissingRequirementException if this JCuda is built otherwise, with what to do
     */
    public static <H extends NativePointerObject> H wrap(H empty, long value) {
        Fields.require();
        Fields.NATIVE_POINTER.set((NativePointerObject) empty, value);
        return empty;
    }
}
