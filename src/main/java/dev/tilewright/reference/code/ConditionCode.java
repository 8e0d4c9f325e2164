package dev.tilewright.reference.code;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.reference.state.ThreadState;

/**
 * A condition made ready to run; the kinds with a name show what they are made of, as those of {@link IndexCode} do.
 */
@FunctionalInterface
public interface ConditionCode {
    boolean holds(ThreadState thread);

    /** Whether it and all its parts are of the kinds with a name. */
    default boolean isTransparent() {
        return false;
    }

    /** Both hold; the second is not asked where the first does not. */
    record And(ConditionCode first, ConditionCode second) implements ConditionCode {
        @Override
        public boolean holds(ThreadState thread) {
            return first.holds(thread) && second.holds(thread);
        }

        @Override
        public boolean isTransparent() {
            return first.isTransparent() && second.isTransparent();
        }
    }

    /** One holds; the second is not asked where the first does. */
    record Or(ConditionCode first, ConditionCode second) implements ConditionCode {
        @Override
        public boolean holds(ThreadState thread) {
            return first.holds(thread) || second.holds(thread);
        }

        @Override
        public boolean isTransparent() {
            return first.isTransparent() && second.isTransparent();
        }
    }

    record Not(ConditionCode condition) implements ConditionCode {
        @Override
        public boolean holds(ThreadState thread) {
            return !condition.holds(thread);
        }

        @Override
        public boolean isTransparent() {
            return condition.isTransparent();
        }
    }

    /** A question about two values; how it is asked is for those who extend it, each for one relation. */
    abstract class Compare implements ConditionCode {
        public final Expr.Relation relation;
        public final IndexCode left;
        public final IndexCode right;

        protected Compare(Expr.Relation relation, IndexCode left, IndexCode right) {
            this.relation = relation;
            this.left = left;
            this.right = right;
        }

        @Override
        public boolean isTransparent() {
            return left.isTransparent() && right.isTransparent();
        }
    }
}
