package dev.tilewright.ptx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The numbers that an {@code int} of an instruction record is listed with. Where the number is a free immediate (a
 * count of groups), one stands for all.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OneOf {
    /** The numbers. */
    int[] value();
}
