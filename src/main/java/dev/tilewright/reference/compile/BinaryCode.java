package dev.tilewright.reference.compile;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.IndexFault;
import dev.tilewright.reference.state.ThreadState;

/**
 * The operators of index expressions, one small piece of code for each. They mean what {@link Arithmetic#apply} says;
 * the common ones are written out for speed, the rest call it.
 */
final class BinaryCode {

    private BinaryCode() { }

    static IndexCode of(Op op, IntType type, IndexCode left, IndexCode right) {
        if (left instanceof IndexCode.Constant(long a) && right instanceof IndexCode.Constant(long b)) {
            try {
                return new IndexCode.Constant(Arithmetic.apply(op, type, a, b));
            } catch (ArithmeticException e) {
                // Only a thread that gets here makes the mistake.
                return t -> {
                    throw IndexFault.of(op, type, a, b);
                };
            }
        }
        if (type == IntType.S32) {
            return right instanceof IndexCode.Constant c ? narrow(op, left, c) : narrow(op, left, right);
        }
        return wide(op, left, right);
    }

    /** What compares two values. */
    static ConditionCode compare(Expr.Relation relation, IndexCode left, IndexCode right) {
        return switch (relation) {
            case EQ -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) == right.value(t);
                }
            };
            case NE -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) != right.value(t);
                }
            };
            case LT -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) < right.value(t);
                }
            };
            case LE -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) <= right.value(t);
                }
            };
            case GT -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) > right.value(t);
                }
            };
            case GE -> new ConditionCode.Compare(relation, left, right) {
                @Override
                public boolean holds(ThreadState t) {
                    return left.value(t) >= right.value(t);
                }
            };
        };
    }

    /** 32-bit operands and result, held in a long: the exact result of +, - and * always fits that. */
    private static IndexCode narrow(Op op, IndexCode left, IndexCode right) {
        return switch (op) {
            case ADD -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long b = right.value(t);
                    long r = a + b;
                    return (int) r == r ? r : fail(op, IntType.S32, a, b);
                }
            };
            case SUB -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long b = right.value(t);
                    long r = a - b;
                    return (int) r == r ? r : fail(op, IntType.S32, a, b);
                }
            };
            case MUL -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long b = right.value(t);
                    long r = a * b;
                    return (int) r == r ? r : fail(op, IntType.S32, a, b);
                }
            };
            case MIN -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    return Math.min(left.value(t), right.value(t));
                }
            };
            case MAX -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    return Math.max(left.value(t), right.value(t));
                }
            };
            default -> general(op, IntType.S32, left, right);
        };
    }

    /** As above with a constant on the right: one call less, and divisions the compiler can take apart. */
    private static IndexCode narrow(Op op, IndexCode left, IndexCode.Constant right) {
        long b = right.value();
        return switch (op) {
            case ADD -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long r = a + b;
                    return (int) r == r ? r : fail(op, IntType.S32, a, b);
                }
            };
            case MUL -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long r = a * b;
                    return (int) r == r ? r : fail(op, IntType.S32, a, b);
                }
            };
            case DIV, REM -> b > 0 ? divided(op, left, right) : general(op, IntType.S32, left, right);
            case AND -> new IndexCode.Binary(op, IntType.S32, left, right) {
                @Override
                public long value(ThreadState t) {
                    return left.value(t) & b;
                }
            };
            default -> narrow(op, left, (IndexCode) right);
        };
    }

    /** By a constant greater than zero. */
    private static IndexCode divided(Op op, IndexCode left, IndexCode.Constant right) {
        long b = right.value();
        return op == Op.DIV ? new IndexCode.Binary(op, IntType.S32, left, right) {
            @Override
            public long value(ThreadState t) {
                return (int) left.value(t) / (int) b;
            }
        } : new IndexCode.Binary(op, IntType.S32, left, right) {
            @Override
            public long value(ThreadState t) {
                return (int) left.value(t) % (int) b;
            }
        };
    }

    private static IndexCode wide(Op op, IndexCode left, IndexCode right) {
        return switch (op) {
            case ADD -> new IndexCode.Binary(op, IntType.S64, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long b = right.value(t);
                    long r = a + b;
                    return ((a ^ r) & (b ^ r)) >= 0 ? r : fail(op, IntType.S64, a, b);
                }
            };
            case MUL -> new IndexCode.Binary(op, IntType.S64, left, right) {
                @Override
                public long value(ThreadState t) {
                    long a = left.value(t);
                    long b = right.value(t);
                    long r = a * b;
                    return Math.multiplyHigh(a, b) == r >> 63 ? r : fail(op, IntType.S64, a, b);
                }
            };
            case MIN -> new IndexCode.Binary(op, IntType.S64, left, right) {
                @Override
                public long value(ThreadState t) {
                    return Math.min(left.value(t), right.value(t));
                }
            };
            case MAX -> new IndexCode.Binary(op, IntType.S64, left, right) {
                @Override
                public long value(ThreadState t) {
                    return Math.max(left.value(t), right.value(t));
                }
            };
            default -> general(op, IntType.S64, left, right);
        };
    }

    private static IndexCode general(Op op, IntType type, IndexCode left, IndexCode right) {
        return new IndexCode.Binary(op, type, left, right) {
            @Override
            public long value(ThreadState t) {
                long a = left.value(t);
                long b = right.value(t);
                try {
                    return Arithmetic.apply(op, type, a, b);
                } catch (ArithmeticException e) {
                    return fail(op, type, a, b);
                }
            }
        };
    }

    private static long fail(Op op, IntType type, long a, long b) {
        throw IndexFault.of(op, type, a, b);
    }
}
