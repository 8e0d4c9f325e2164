/** The operations that a program is compiled to. Each resolves its addresses and reports its accesses there. */
package dev.tilewright.reference.op;
