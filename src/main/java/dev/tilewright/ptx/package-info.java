/**
 * The PTX instruction catalogue: one record for each instruction, whose components are its qualifiers; opcode,
 * operands, the PTX version and target that it needs, and its effects on memory follow from them.
 */
package dev.tilewright.ptx;
