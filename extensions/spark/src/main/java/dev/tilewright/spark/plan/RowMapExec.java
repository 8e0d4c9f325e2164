package dev.tilewright.spark.plan;

import java.util.List;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.executor.RowTask;
import dev.tilewright.spark.executor.RowTasks;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** A kernel over rows, in Spark's physical plans. Rows stay in their partitions and in their order. */
public final class RowMapExec extends SparkPlan {
    private static final long serialVersionUID = 1;
    private static final int PARTS = 4;

    private final SparkPlan child;
    private final RowTask task;
    private final Seq<Attribute> read;
    private final Seq<Attribute> written;

    /** Spark makes copies by this. */
    public RowMapExec(SparkPlan child, RowTask task, Seq<Attribute> read, Seq<Attribute> written) {
        this.child = child;
        this.task = task;
        this.read = read;
        this.written = written;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        return mapped(child.execute(), placed(), CatalystRows.of(output(), task.columns()));
    }

    /** Where the child has columns with one number of a row each, nothing is made rows of. */
    @Override
    public boolean supportsColumnar() {
        return child.supportsColumnar() && task.columns().stream().noneMatch(RowColumn::isArray);
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        return mapped(child.executeColumnar(), placed());
    }

    /** The task with the places of columns in what the child gives: Spark drops columns that nothing needs. */
    private RowTask placed() {
        List<ExprId> there = CollectionConverters.asJava(child.output()).stream().map(Attribute::exprId).toList();
        return task.reading(CollectionConverters.asJava(read).stream().map(column -> there.indexOf(column.exprId()))
                .toList());
    }

    private static RDD<ColumnarBatch> mapped(RDD<ColumnarBatch> batches, RowTask task) {
        FlatMapFunction<Iterator<ColumnarBatch>, ColumnarBatch> each = part -> new ColumnBatches(task, part);
        return batches.toJavaRDD().mapPartitions(each, true).rdd();
    }

    private static RDD<InternalRow> mapped(RDD<InternalRow> rows, RowTask task, CatalystRows format) {
        FlatMapFunction<Iterator<InternalRow>, InternalRow> each = part -> RowTasks.run(task, part, format);
        return rows.toJavaRDD().mapPartitions(each, true).rdd();
    }

    @Override
    public Seq<SparkPlan> children() {
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

    @Override
    public AttributeSet references() {
        return ScalaSeqs.set(read);
    }

    @Override
    public Partitioning outputPartitioning() {
        return child.outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child.outputOrdering();
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return new RowMapExec(children.head(), task, read, written);
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
        return other instanceof RowMapExec;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowMapExec exec && exec.task.id().equals(task.id()) && exec.child.equals(child)
                && exec.written.equals(written);
    }

    @Override
    public int hashCode() {
        return task.id().hashCode();
    }
}
