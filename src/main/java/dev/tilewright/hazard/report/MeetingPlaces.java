package dev.tilewright.hazard.report;

/** Where the threads of two steps can meet, and by what. */
public interface MeetingPlaces {

    /** What to put between the steps of two accesses, as in "put ... between the two". */
    String between(Race race);

    /** What of the innermost list of steps that has two steps has the first of them; 0 where none has both. */
    int place(int first, int other);

    /** Whether two steps are in one loop. */
    boolean shareLoop(int a, int b);
}
