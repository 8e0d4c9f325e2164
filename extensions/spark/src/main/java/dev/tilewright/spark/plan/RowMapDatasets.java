package dev.tilewright.spark.plan;

import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.executor.RowTask;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/** Datasets with the columns that a kernel writes. */
public final class RowMapDatasets {
    private RowMapDatasets() { }

    /**
     * Sees to it that a column has what a tensor takes.
     *
     * @throws IllegalArgumentException if it does not, or is not there
     */
    public static int requireColumn(StructType schema, RowColumn column) {
        int ordinal = List.of(schema.fieldNames()).indexOf(column.column());
        if (ordinal < 0) {
            throw new IllegalArgumentException("there is no column '" + column.column() + "' for tensor '"
                    + column.tensor() + "', but " + List.of(schema.fieldNames()) + ": name the column that it is");
        }
        StructField field = schema.fields()[ordinal];
        if (!ColumnTypes.fits(field.dataType(), column.type(), column.isArray())) {
            String wanted = ColumnTypes.of(column.type(), column.isArray()).catalogString();
            throw new IllegalArgumentException("column '" + column.column() + "' is " + field.dataType().catalogString()
                    + ", and tensor '" + column.tensor() + "' takes " + wanted + ": select col(\"" + column.column()
                    + "\").cast(\"" + wanted + "\")");
        }
        return ordinal;
    }

    /** The dataset with the columns that the kernel writes behind its own. */
    public static Dataset<Row> map(org.apache.spark.sql.classic.Dataset<?> data, RowTask task) {
        List<RowColumn> written = task.columns().stream().filter(RowColumn::isWritten).toList();
        List<StructField> fields = new ArrayList<>(List.of(data.schema().fields()));
        boolean[] binary = new boolean[fields.size()];
        for (int i = 0; i < binary.length; i++) {
            binary[i] = fields.get(i).dataType().equals(DataTypes.BinaryType);
        }
        List<Attribute> attributes = new ArrayList<>();
        for (RowColumn column : written) {
            AttributeReference attribute = new AttributeReference(column.column(), ColumnTypes.of(column.type(),
                    column.isArray()), true, Metadata.empty(), NamedExpression$.MODULE$.newExprId(),
                    ScalaSeqs.of(List.of()));
            attributes.add(attribute);
            fields.add(new StructField(column.column(), attribute.dataType(), true, Metadata.empty()));
        }
        RowMapStrategy.addTo(data.sparkSession());
        return Dataset$.MODULE$.ofRows(data.sparkSession(), new RowMapPlan(data.logicalPlan(), task,
                new CatalystRows(DataTypes.createStructType(fields), written, binary), ScalaSeqs.of(attributes)));
    }
}
