/**
 * The tensor map ({@code CUtensorMap}, 128 bytes) in pure Java: described, explained, encoded, decoded.
 *
 * <p>There are two forms of one thing. A {@link dev.tilewright.tensormap.TensorMap} is a description in Java's types,
 * without an address. An {@link dev.tilewright.tensormap.call.EncodeCall} is the arguments of one driver call, any
 * integers at all: what {@link dev.tilewright.tensormap.rules.TensorMapRules} looks at, so that every mistake can be
 * reported and not only the first. Lists run from the innermost (contiguous) dimension outwards, as in cuda.h; the
 * builders also take them the other way round, by name.
 */
package dev.tilewright.tensormap;
