package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;

/** What is said of two accesses to the same bytes that nothing orders. */
public final class RaceFindings {
    private final ProgramNames names;
    private OrderFindings order;
    private GroupFindings groups;
    private HandOverFindings handOvers;

    public RaceFindings(ProgramNames names) {
        this.names = names;
    }

    /** Where threads can meet, which is known before the first race. */
    public void meetBy(MeetingPlaces places) {
        order = new OrderFindings(names, places);
        groups = new GroupFindings(names, places);
        handOvers = new HandOverFindings(names, places);
    }

    /** By fences, scopes, values and meetings. */
    public OrderFindings order() {
        return order;
    }

    /** By waits for groups. */
    public GroupFindings groups() {
        return groups;
    }

    /** By mbarriers. */
    public HandOverFindings handOvers() {
        return handOvers;
    }

    /** What came before, in words; of one thread and step it is an earlier turn. */
    private String before(Race race) {
        Access before = names.access(race.before());
        boolean sameStep = race.before().thread() == race.now().thread() && race.before().step() == race.now().step();
        return sameStep ? "the same step of that thread, in an earlier turn, " + before.kind() : before.toString();
    }

    public Draft of(RaceVerdict verdict) {
        Race race = verdict.race();
        int step = verdict.step();
        return new Draft(verdict.code(), names.location(step), verdict.block()).on(names.place(race.bytes()))
                .by(names.access(race.now())).against(names.access(race.before()))
                .says((step == race.now().step() ? "" : names.at(step, verdict.block())) + names.access(race.now())
                        + " " + names.place(race.bytes()) + ", and " + before(race) + " them")
                .wants(verdict.wanted()).fixedBy(verdict.fix()).unlessNeverWaitedFor(verdict.undecided())
                .because(verdict.cause());
    }
}
