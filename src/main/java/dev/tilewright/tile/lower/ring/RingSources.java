package dev.tilewright.tile.lower.ring;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.tile.Tensor;

/** Where a program has the tensors that copies read. */
public interface RingSources {

    /** The program's own expression for one of the kernel's. */
    Expr of(Expr place);

    /** Says which turn of the loop it is. @param number 64 bits */
    void turn(Expr number);

    /** The tensor's first element. */
    Parameter.Pointer pointer(Tensor tensor);

    /** Elements from one place of a dimension to the next. */
    Expr stride(Tensor tensor, int dimension);
}
