package dev.tilewright.program.value;

import dev.tilewright.NotNull;

/**
 * A change of a value's type. Integers among each other wrap, or saturate where asked for. A float to an integer is
 * rounded and always saturates; a NaN gives 0. To a float it is rounded; a float that is too large becomes an infinity,
 * or where saturation is asked for the largest finite number.
 *
 * @param saturate as said above; conversions to e4m3 and e5m2 always saturate
 */
public record Conversion(ValueType from, ValueType to, Rounding rounding, boolean saturate) {
    public Conversion {
        NotNull.all("from, to, rounding", from, to, rounding);
    }
}
