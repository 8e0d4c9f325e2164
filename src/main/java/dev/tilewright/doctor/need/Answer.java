package dev.tilewright.doctor.need;

/**
 * Whether a machine has what was needed.
 *
 * @param need as it was asked for, such as {@code sm_90}
 * @param met whether it has
 * @param why if not, why; else empty
 */
public record Answer(String need, boolean met, String why) {
    static Answer of(String need, String lack) {
        return new Answer(need, lack.isEmpty(), lack);
    }
}
