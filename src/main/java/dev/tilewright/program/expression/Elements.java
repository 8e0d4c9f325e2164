package dev.tilewright.program.expression;

import dev.tilewright.program.value.ValueType;

/**
 * Memory that holds elements of one type, one after the other: a pointer that knows its element type, or an array in
 * shared memory. Indices are in elements, whatever their size.
 */
public sealed interface Elements permits Parameter.Pointer, SharedArray {

    /**
     * The type of each element.
     *
     * @throws IllegalArgumentException if it is not known
     */
    ValueType elementType();

    /**
     * The address of an element.
     *
     * @param index 32 or 64 bits
     */
    Address at(Expr index);

    /**
     * The address of an element.
     *
     * @param index from 0
     */
    Address at(int index);
}
