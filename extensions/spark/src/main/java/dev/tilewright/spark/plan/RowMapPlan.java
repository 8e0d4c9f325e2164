package dev.tilewright.spark.plan;

import java.util.List;
import dev.tilewright.spark.executor.RowTask;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A kernel over the rows of a plan, in Spark's logical plans: what the child gives, and the columns that it writes. */
public final class RowMapPlan extends LogicalPlan {
    private static final long serialVersionUID = 1;
    private static final int PARTS = 4;

    private final transient LogicalPlan child;
    private final transient RowTask task;
    private final transient Seq<Attribute> read;
    private final transient Seq<Attribute> written;

    /** Spark makes copies by this. */
    public RowMapPlan(LogicalPlan child, RowTask task, Seq<Attribute> read, Seq<Attribute> written) {
        this.child = child;
        this.task = task;
        this.read = read;
        this.written = written;
    }

    LogicalPlan child() {
        return child;
    }

    RowTask task() {
        return task;
    }

    /** The columns of the child that the kernel reads, in the order of the task. */
    Seq<Attribute> read() {
        return read;
    }

    Seq<Attribute> written() {
        return written;
    }

    @Override
    public Seq<LogicalPlan> children() {
        return ScalaSeqs.of(List.of(child));
    }

    @Override
    public Seq<Attribute> output() {
        return ScalaSeqs.joined(child.output(), written);
    }

    @Override
    public AttributeSet producedAttributes() {
        return ScalaSeqs.set(written);
    }

    /** Spark drops the other columns, which are passed on, if nothing asks for them. */
    @Override
    public AttributeSet references() {
        return ScalaSeqs.set(read);
    }

    @Override
    public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> children) {
        return new RowMapPlan(children.head(), task, read, written);
    }

    @Override
    public int productArity() {
        return PARTS;
    }

    @Override
    public Object productElement(int n) {
        return switch (n) {
            case 0 -> child;
            case 1 -> task;
            case 2 -> read;
            default -> written;
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof RowMapPlan;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowMapPlan plan && plan.task.id().equals(task.id()) && plan.child.equals(child)
                && plan.written.equals(written);
    }

    @Override
    public int hashCode() {
        return task.id().hashCode();
    }
}
