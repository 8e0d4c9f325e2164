package dev.tilewright;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * How many samples of a property an ordinary run tries, where each takes long: other ones each time. A thorough run
 * tries as many as {@code @Property} says ({@link Thorough}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@AddLifecycleHook(OrdinaryTries.Hook.class)
public @interface OrdinaryTries {
    /** Fewer than {@code @Property} says. */
    int value();

    /** Sets the number before the property runs. */
    final class Hook implements AroundPropertyHook {
        @Override
        public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property) {
            int ordinary = context.targetMethod().getAnnotation(OrdinaryTries.class).value();
            int thorough = context.attributes().tries().orElseThrow();
            if (ordinary >= thorough) {
                throw new IllegalStateException(ordinary + " tries are no fewer than " + thorough);
            }
            context.attributes().setTries(Thorough.of(ordinary, thorough));
            return property.execute();
        }
    }
}
