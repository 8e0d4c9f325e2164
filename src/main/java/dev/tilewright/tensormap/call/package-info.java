/**
 * The arguments of the driver's {@code cuTensorMapEncode*} calls as cuda.h has them: integers, any at all. What they
 * mean is said by the descriptions of {@code dev.tilewright.tensormap}, what is wrong with them by its rules.
 */
package dev.tilewright.tensormap.call;
