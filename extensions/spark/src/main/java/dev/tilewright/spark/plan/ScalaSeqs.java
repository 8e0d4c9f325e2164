package dev.tilewright.spark.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Scala's sequences, as Spark's plans have them. */
final class ScalaSeqs {
    private ScalaSeqs() { }

    static <T> Seq<T> of(List<? extends T> list) {
        return CollectionConverters.<T>asScala(new ArrayList<>(list)).toSeq();
    }

    static <T> Seq<T> joined(Seq<T> first, Seq<T> second) {
        List<T> all = new ArrayList<>(CollectionConverters.asJava(first));
        all.addAll(CollectionConverters.asJava(second));
        return of(all);
    }

    static AttributeSet set(Seq<Attribute> attributes) {
        return AttributeSet$.MODULE$.apply(ScalaSeqs.<Expression>of(CollectionConverters.asJava(attributes)));
    }
}
