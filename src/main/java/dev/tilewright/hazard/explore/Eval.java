package dev.tilewright.hazard.explore;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;

/** What an expression is worth in a thread. Truth is 1, else 0. */
record Eval(World w, ThreadState t) {

    long of(Expr expr) {
        return switch (expr) {
            case Expr.Const(long value, IntType _) -> value;
            case Expr.Named(String _, Expr.Const value) -> value.value();
            case Expr.Var v -> variable(w.launched.code.variables.get(v));
            case Expr.ParamValue(var parameter) -> w.launched.numbers.get(parameter);
            case Expr.Builtin b -> builtin(b);
            case Expr.Binary(Expr.Op op, Expr left, Expr right, IntType _, Expr.Size _) ->
                    binary(op, of(left), of(right), expr.type());
            case Expr.Compare(Expr.Relation r, Expr left, Expr right, Expr.Size _) ->
                    Arithmetic.test(r, of(left), of(right)) ? 1 : 0;
            case Expr.And(Expr left, Expr right, Expr.Size _) -> of(left) != 0 && of(right) != 0 ? 1 : 0;
            case Expr.Or(Expr left, Expr right, Expr.Size _) -> of(left) != 0 || of(right) != 0 ? 1 : 0;
            case Expr.Not(Expr condition, Expr.Size _) -> of(condition) != 0 ? 0 : 1;
            case Expr.OfValue(Value value) -> new ValueEvaluator(w, t).defined(value);
            case Expr.Select(Expr condition, Expr yes, Expr no, IntType _, Expr.Size _) ->
                    of(condition) != 0 ? of(yes) : of(no);
            case Expr.Convert(Expr value, IntType type, Expr.Size _) ->
                    type == IntType.S32 ? (int) of(value) : of(value);
            default -> throw new Unsupported("an expression " + expr);
        };
    }

    /** What an instruction is given for an operand: a number, or the bits of a value. */
    long of(Operation.Instruction i, String operand) {
        return of(w.launched.input(i, operand));
    }

    long of(Input input) {
        return switch (input) {
            case Input.Number(Expr value) -> of(value);
            case Input.Word word -> of(word.number());
            default -> throw new Unsupported("an operand like " + input.title());
        };
    }

    /** Whether an operand is of bytes that were written. */
    boolean isDefined(Operation.Instruction i, String operand) {
        try {
            of(i, operand);
            return true;
        } catch (Ending.Undefined undefined) {
            return false;
        }
    }

    int toInt(Expr expr) {
        return (int) of(expr);
    }

    private long variable(int slot) {
        if (t.undefined.get(slot)) {
            throw new Ending.Undefined();
        }
        return t.variables[slot];
    }

    private long builtin(Expr.Builtin b) {
        return switch (b) {
            case THREAD -> thread().x();
            case THREAD_Y -> thread().y();
            case THREAD_Z -> thread().z();
            case THREAD_NUMBER -> t.number % w.launched.threadsPerBlock;
            case BLOCK -> w.launched.shape.place(w.block(t.number)).x();
            case BLOCK_Y -> w.launched.shape.place(w.block(t.number)).y();
            case BLOCK_Z -> w.launched.shape.place(w.block(t.number)).z();
            case GRID -> w.launched.shape.grid().x();
            case GRID_Y -> w.launched.shape.grid().y();
            case GRID_Z -> w.launched.shape.grid().z();
            case CLUSTER_RANK -> w.block(t.number) % w.launched.clusterBlocks;
            case CLUSTER_SIZE -> w.launched.clusterBlocks;
            default -> throw new Unsupported(b.toString());
        };
    }

    private Dim3 thread() {
        return w.launched.program.block().place(t.number % w.launched.threadsPerBlock);
    }

    private static long binary(Expr.Op op, long x, long y, IntType type) {
        long z = Arithmetic.wrapped(op, x, y);
        return type == IntType.S32 ? (int) z : z;
    }
}
