package dev.tilewright.spark.plan;

import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.executor.RowTask;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.types.Metadata;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Datasets with the columns that a kernel writes. */
public final class RowMapDatasets {
    private RowMapDatasets() { }

    /** The columns of a dataset. */
    public static ColumnLookup columns(org.apache.spark.sql.classic.Dataset<?> data) {
        return new ColumnLookup(data.schema(), data.sparkSession().sessionState().conf().caseSensitiveAnalysis());
    }

    /**
     * The dataset with the columns that the kernel writes behind its own. They are aliases, which Spark renews where it
     * joins the dataset with itself.
     */
    public static Dataset<Row> map(org.apache.spark.sql.classic.Dataset<?> data, RowTask task) {
        LogicalPlan plan = data.logicalPlan();
        List<Attribute> all = CollectionConverters.asJava(plan.output());
        List<Attribute> read = new ArrayList<>();
        List<Attribute> written = new ArrayList<>();
        List<NamedExpression> output = new ArrayList<>(all);
        for (RowColumn column : task.columns()) {
            if (column.isWritten()) {
                AttributeReference attribute = new AttributeReference(column.column(), ColumnTypes.of(column.type(),
                        column.isArray()), true, Metadata.empty(), NamedExpression$.MODULE$.newExprId(),
                        ScalaSeqs.of(List.of()));
                written.add(attribute);
                output.add(new Alias(attribute, column.column(), NamedExpression$.MODULE$.newExprId(),
                        ScalaSeqs.of(List.of()), Option.empty(), ScalaSeqs.of(List.of())));
            } else {
                read.add(all.get(column.ordinal()));
            }
        }
        RowMapStrategy.addTo(data.sparkSession());
        return Dataset$.MODULE$.ofRows(data.sparkSession(), new Project(ScalaSeqs.of(output), new RowMapPlan(plan, task,
                ScalaSeqs.of(read), ScalaSeqs.of(written))));
    }
}
