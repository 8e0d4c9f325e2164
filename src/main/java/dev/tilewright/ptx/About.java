package dev.tilewright.ptx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The description of an instruction record in listings and messages. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface About {
    /** The section of the PTX ISA. */
    String section();

    /** What the instruction does, in one line. */
    String summary();

    /** What it is for in the order of things; each record says it, so that none is {@code OTHER} by oversight. */
    StepRole role();

    /** What a compiler may move past it. */
    Reordering reordering() default Reordering.NONE;
}
