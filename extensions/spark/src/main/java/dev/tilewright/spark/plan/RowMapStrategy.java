package dev.tilewright.spark.plan;

import java.util.List;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;

/** Plans {@link RowMapPlan}s. A session gets it with its first one. */
final class RowMapStrategy extends SparkStrategy {
    private static final RowMapStrategy ONE = new RowMapStrategy();

    static void addTo(SparkSession session) {
        synchronized (ONE) {
            Seq<SparkStrategy> before = session.experimental().extraStrategies();
            if (!before.contains(ONE)) {
                session.experimental().extraStrategies_$eq(ScalaSeqs.joined(before, ScalaSeqs.of(List.of(ONE))));
            }
        }
    }

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        return ScalaSeqs.of(plan instanceof RowMapPlan map ? List.of(new RowMapExec(planLater(map.child()), map.task(),
                map.read(), map.written())) : List.of());
    }
}
