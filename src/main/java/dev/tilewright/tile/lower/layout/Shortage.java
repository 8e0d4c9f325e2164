package dev.tilewright.tile.lower.layout;

import dev.tilewright.BadRequestException;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import java.util.Optional;
import org.apache.commons.lang3.exception.ExceptionUtils;

/** What a block lacks of registers and shared memory: another program, or smaller tiles, may do with less. */
public final class Shortage {
    private Shortage() { }

    /** What another program may do without; anything else is thrown on. */
    public static IllegalArgumentException require(IllegalArgumentException e) {
        if (!is(e)) {
            throw e;
        }
        return e;
    }

    /** Whether a program was refused since a block lacks registers or shared memory: smaller tiles may do. */
    public static boolean is(IllegalArgumentException e) {
        return ExceptionUtils.indexOfType(e, OutOfRegistersException.class) >= 0
                || ExceptionUtils.indexOfType(e, OutOfStagesException.class) >= 0;
    }

    /** What another program may do without. @param refusal why the schedule wants no other, if it does not */
    public static IllegalArgumentException require(IllegalArgumentException e, Optional<String> refusal) {
        require(e);
        refusal.ifPresent(why -> {
            throw new BadRequestException(why, e);
        });
        return e;
    }

    /** What a block lacks, without the names and steps of its program. */
    public static String text(IllegalArgumentException e) {
        OutOfRegistersException registers = ExceptionUtils.throwableOfType(e, OutOfRegistersException.class);
        return registers == null || registers.words() == 0 ? e.getMessage() : "the tiles that are needed at once take "
                + registers.words() + " registers of 32 bits of each thread, which has " + Register.MOST
                + ": use smaller tiles, or go along them in a loop";
    }
}
