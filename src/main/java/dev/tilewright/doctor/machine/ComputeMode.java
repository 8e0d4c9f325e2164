package dev.tilewright.doctor.machine;

import java.util.Locale;

/** Who may use a GPU (CUcomputemode of cuda.h; nvmlComputeMode_t has the same numbers). */
public enum ComputeMode {
    /** Any number of processes. */
    DEFAULT,
    /** One thread of one process; old drivers only. */
    EXCLUSIVE_THREAD,
    /** No process. */
    PROHIBITED,
    /** One process. */
    EXCLUSIVE_PROCESS,
    /** The driver does not say. */
    UNKNOWN;

    /** The mode of a number of cuda.h or nvml.h. */
    static ComputeMode of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN;
    }

    /** As nvidia-smi writes it: {@code Exclusive_Process}. */
    @Override
    public String toString() {
        String words = name().toLowerCase(Locale.ROOT);
        return switch (this) {
            case EXCLUSIVE_THREAD -> "Exclusive_Thread";
            case EXCLUSIVE_PROCESS -> "Exclusive_Process";
            case DEFAULT, PROHIBITED, UNKNOWN -> Character.toUpperCase(words.charAt(0)) + words.substring(1);
        };
    }
}
