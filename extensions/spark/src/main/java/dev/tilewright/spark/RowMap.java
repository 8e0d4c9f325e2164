package dev.tilewright.spark;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.spark.batch.ArrayRows;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.RowTensors;
import dev.tilewright.spark.compile.DriverKernels;
import dev.tilewright.spark.executor.RowTask;
import dev.tilewright.spark.executor.RowTasks;
import dev.tilewright.spark.executor.Settings;
import dev.tilewright.spark.executor.Weight;
import dev.tilewright.spark.plan.ColumnBatches;
import dev.tilewright.spark.plan.ColumnLookup;
import dev.tilewright.spark.plan.RowMapDatasets;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A kernel that is to go over rows, and what it needs besides them. Each row has one place of the first dimension of
 * the tensors that have rows; what tensors have beside it is an array in a column, or one number where it is nothing.
 * Rows may have arrays of different lengths where the kernel does not fix them. The result of a row is that of a launch
 * with it alone: it depends neither on partitions nor on batches, executors, retries, or the device.
 *
 * {@snippet :
 * TilewrightSpark.kernel(() -> PROJECTION).column("x", "features").weight("w", weights, 64, 16).map(dataset);
 * }
 *
 * <p>It is filled by one thread, and can be used any number of times.
 */
public final class RowMap {
    private final KernelSource source;
    private final TileKernel kernel;
    private final RowTensors tensors;
    private final Map<String, String> columns = new HashMap<>();
    private final Map<String, Weight> weights = new LinkedHashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();
    private final Map<String, Long> said = new HashMap<>();
    private Nulls nulls = Nulls.REFUSE;

    RowMap(KernelSource source) {
        Requirements.require();
        this.source = Objects.requireNonNull(source, "kernel");
        requireTravels(source);
        this.kernel = Objects.requireNonNull(source.get(), "kernel");
        this.tensors = RowTensors.of(kernel);
    }

    private static void requireTravels(KernelSource source) {
        try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
            out.writeObject(source);
        } catch (IOException e) {
            throw new IllegalArgumentException("the kernel's lambda holds what cannot travel to executors, "
                    + e.getMessage() + ": keep the kernel in a static field, and let the lambda name that", e);
        }
    }

    /** Names the column of a tensor that rows have places of; else it is the one with the tensor's name. */
    public RowMap column(String tensor, String column) {
        require(tensors.cut(), tensor, "no tensor along rows");
        columns.put(tensor, Objects.requireNonNull(column, "column"));
        return this;
    }

    /** Names the columns of the first tensors that rows have places of, in the order in which they were declared. */
    public RowMap columns(String... names) {
        if (names.length > tensors.cut().size()) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' takes and gives "
                    + tensors.cut().stream().map(Tensor::name).toList() + " along rows, got " + names.length
                    + " columns");
        }
        for (int i = 0; i < names.length; i++) {
            column(tensors.cut().get(i).name(), names[i]);
        }
        return this;
    }

    /**
     * Gives a tensor that is the same for all rows; it is broadcast.
     *
     * @param array row-major; of {@code float} for f32, of the integers with the same bits where Java lacks the type
     * @param shape its extents, outermost first
     */
    public RowMap weight(String tensor, Object array, long... shape) {
        Tensor of = require(tensors.whole(), tensor, "no tensor that is the same for all rows");
        Class<?> wanted = ArrayRows.classOf(types().get(tensor));
        if (array.getClass() != wanted) {
            throw new IllegalArgumentException("tensor '" + tensor + "' is " + of.dims() + " of " + of.type()
                    + ", row-major in a " + wanted.getTypeName() + ", got " + array.getClass().getTypeName());
        }
        Weight weight = Weight.of(array, shape);
        long bytes = types().get(tensor).bytes();
        for (long extent : shape) {
            bytes = Math.multiplyExact(bytes, extent);
        }
        if (of.dims().size() != shape.length || bytes != weight.bytes().length) {
            throw new IllegalArgumentException("tensor '" + tensor + "' is " + of.dims() + " of " + of.type() + ", got "
                    + weight.bytes().length + " bytes as " + Arrays.toString(shape));
        }
        for (int i = 0; i < shape.length; i++) {
            Dim dim = of.dims().get(i);
            OptionalLong known = dim.in(said);
            if (known.isPresent() && known.getAsLong() != shape[i]) {
                throw new IllegalArgumentException("tensor '" + tensor + "' has " + shape[i] + " along '" + dim
                        + "', and it is " + known.getAsLong() + " elsewhere");
            }
        }
        for (int i = 0; i < shape.length; i++) {
            said.putIfAbsent(of.dims().get(i).name(), shape[i]);
        }
        weights.put(tensor, weight);
        return this;
    }

    /** Gives a scalar. */
    public RowMap scalar(String name, Number number) {
        Objects.requireNonNull(number, "number");
        Parameter.Scalar scalar = kernel.scalars().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow(
                () -> new IllegalArgumentException("kernel '" + kernel.name() + "' has no scalar '" + name + "'"));
        // Refuses what is none of its type.
        Scalars.of(name, number).bits(List.of(scalar));
        scalars.put(name, number);
        return this;
    }

    /** Fixes an extent: of an array that is only written, or where all arrays that are read must have it. */
    public RowMap extent(String dim, long extent) {
        if (kernel.dims().stream().noneMatch(d -> d.name().equals(dim)) || dim.equals(tensors.rows().name())) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' has no extent '" + dim
                    + "' beside rows");
        }
        if (extent < 1 || said.getOrDefault(dim, extent) != extent) {
            throw new IllegalArgumentException("extent '" + dim + "' cannot be " + extent + ": "
                    + (extent < 1 ? "give at least 1" : "it is " + said.get(dim) + " elsewhere"));
        }
        said.put(dim, extent);
        return this;
    }

    /** Says what becomes of rows with nulls; {@link Nulls#REFUSE} where nothing is said. */
    public RowMap nulls(Nulls what) {
        nulls = Objects.requireNonNull(what, "nulls");
        return this;
    }

    /**
     * The dataset with a column behind its own for each tensor that the kernel writes. Nothing is computed before it is
     * asked for.
     *
     * @throws IllegalArgumentException if a column is not there or of another type, or something is not said; the
     *     message says what
     * @throws IllegalStateException if Spark or Java are of another version, or flags are missing
     */
    public Dataset<Row> map(Dataset<?> data) {
        Objects.requireNonNull(data, "data");
        if (!(data instanceof org.apache.spark.sql.classic.Dataset<?> own)) {
            throw new IllegalArgumentException("a dataset of Spark Connect is planned elsewhere: use a session of "
                    + "Spark's own (spark.api.mode=classic)");
        }
        List<RowColumn> all = columns(RowMapDatasets.columns(own));
        JavaSparkContext context = JavaSparkContext.fromSparkContext(own.sparkSession().sparkContext());
        // What the session says counts more than what the application said when it began.
        SparkConf conf = context.getConf();
        own.sparkSession().conf().getAllAsJava().forEach((key, value) -> {
            if (key.startsWith(Settings.PREFIX)) {
                conf.set(key, value);
            }
        });
        return RowMapDatasets.map(own, task(context, conf, all, false));
    }

    /**
     * What the kernel makes of each array, in the same partitions and order; null of null where {@link Nulls#KEEP} is
     * said. A kernel that reads or writes one number of a row has arrays of one element.
     *
     * @param read the class of what is read, such as {@code float[].class}
     * @param written the class of what is written
     * @throws IllegalArgumentException if the kernel takes or gives something else; the message says what
     */
    public <A, B> JavaRDD<B> map(JavaRDD<A> data, Class<A> read, Class<B> written) {
        List<RowColumn> all = tensors.cut().stream().map(tensor -> column(tensor, 0)).toList();
        List<RowColumn> from = all.stream().filter(column -> !column.isWritten()).toList();
        List<RowColumn> to = all.stream().filter(RowColumn::isWritten).toList();
        if (from.size() != 1 || to.size() != 1) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' reads " + from.size() + " arrays of a "
                    + "row and writes " + to.size() + ", and an RDD of arrays has one of each: use a dataset");
        }
        requireClass(from.getFirst(), read);
        requireClass(to.getFirst(), written);
        RowTask task = task(data, all);
        ArrayRows<A, B> format = new ArrayRows<>(to.getFirst().type());
        return mapped(data, task, format);
    }

    /** Of no object: what travels with tasks is the arguments alone. */
    private static <A, B> JavaRDD<B> mapped(JavaRDD<A> data, RowTask task, ArrayRows<A, B> format) {
        return data.mapPartitions(rows -> RowTasks.run(task, rows, format), true);
    }

    /**
     * Batches with a column behind their own for each tensor that the kernel writes: of sources that have columns, in
     * Arrow's memory, off the heap, or pinned. The device reads them where they lie, and results lie where it left
     * them. A batch is valid until the next one of its partition.
     *
     * @param schema of the batches
     * @throws IllegalArgumentException as for a dataset, and if a row has an array of a tensor, and not one number
     */
    public JavaRDD<ColumnarBatch> mapBatches(JavaRDD<ColumnarBatch> data, StructType schema) {
        List<RowColumn> all = columns(new ColumnLookup(schema, true));
        all.stream().filter(RowColumn::isArray).findFirst().ifPresent(column -> {
            throw new IllegalArgumentException("tensor '" + column.tensor() + "' has an array of each row, and columns "
                    + "of batches have one number: use a dataset");
        });
        return batches(data, task(data, all));
    }

    private static JavaRDD<ColumnarBatch> batches(JavaRDD<ColumnarBatch> data, RowTask task) {
        return data.mapPartitions(part -> new ColumnBatches(task, part), true);
    }

    private List<RowColumn> columns(ColumnLookup there) {
        List<RowColumn> all = new ArrayList<>();
        int written = 0;
        for (Tensor tensor : tensors.cut()) {
            RowColumn column = column(tensor, written);
            if (column.isWritten()) {
                there.requireFree(column, kernel.name());
                all.stream().filter(one -> one.isWritten() && there.same(one.column(), column.column())).findFirst()
                        .ifPresent(one -> {
                            throw new IllegalArgumentException("tensors '" + one.tensor() + "' and '" + column.tensor()
                                    + "' would both be written to column '" + column.column() + "': name another");
                        });
                written++;
                all.add(column);
            } else {
                all.add(column.at(there.require(column)));
            }
        }
        return all;
    }

    private static void requireClass(RowColumn column, Class<?> given) {
        Class<?> wanted = ArrayRows.classOf(column.type());
        if (given != wanted) {
            throw new IllegalArgumentException("tensor '" + column.tensor() + "' is of " + column.type() + ", which is "
                    + wanted.getTypeName() + " in Java, got " + given.getTypeName() + ": map the RDD to that first");
        }
    }

    private RowColumn column(Tensor tensor, int ordinal) {
        return new RowColumn(tensor.name(), columns.getOrDefault(tensor.name(), tensor.name()),
                types().get(tensor.name()), tensor.role() == Tensor.Role.OUT, RowTensors.isArray(tensor), ordinal);
    }

    private Map<String, ElementType> types() {
        return tensors.types();
    }

    private static boolean isAssignedGpu(JavaRDD<?> data) {
        ResourceProfile profile = data.rdd().getResourceProfile();
        return profile != null && profile.taskResourcesJMap().containsKey("gpu");
    }

    private RowTask task(JavaRDD<?> data, List<RowColumn> all) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(data.context());
        return task(context, context.getConf(), all, isAssignedGpu(data));
    }

    private RowTask task(JavaSparkContext context, SparkConf conf, List<RowColumn> all, boolean isAssignedGpu) {
        tensors.whole().stream().filter(t -> !weights.containsKey(t.name())).findFirst().ifPresent(t -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' takes '" + t.name() + "', " + t.dims()
                    + " of " + t.type() + ", the same for all rows: say weight(\"" + t.name() + "\", …)");
        });
        kernel.scalars().stream().filter(s -> !scalars.containsKey(s.name())).findFirst().ifPresent(s -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' takes a number '" + s.name()
                    + "': say scalar(\"" + s.name() + "\", …)");
        });
        new RowShapes(tensors, said).require();
        Settings settings = Settings.of(conf, context.isLocal(), isAssignedGpu);
        return new RowTask(UUID.randomUUID().toString(), source,
                kernel.signature(Target.parse(settings.target())).bits(), List.copyOf(all),
                context.broadcast(new Weight.All(new LinkedHashMap<>(weights))), new LinkedHashMap<>(scalars),
                new HashMap<>(said), nulls, settings,
                settings.device() == Settings.Choice.CPU ? null : DriverKernels.of(context.sc()));
    }

    private static Tensor require(List<Tensor> among, String name, String what) {
        return among.stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow(() ->
                new IllegalArgumentException("there is " + what + " named '" + name + "', but "
                        + among.stream().map(Tensor::name).toList()));
    }
}
