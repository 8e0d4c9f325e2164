package dev.tilewright.hazard.order;

/**
 * What is known of other clusters: a clock for each of which anything is, by the cluster's number. Never changes.
 *
 * <p>Where a grid's blocks meet, each learns of all others, and all know nearly the same afterwards. So this is a tree
 * of which many of them share most nodes: two are put together where their nodes differ, and what is derived from a
 * node is derived once.
 */
final class OtherClusters {
    private static final int BITS = 5;
    private static final int WIDTH = 1 << BITS;
    private static final int FLAGS = 8;

    static final OtherClusters NONE = new OtherClusters(0, new Object[WIDTH]);

    /** Levels of nodes below this one. */
    private final int height;
    /** By the number's digit that belongs to the height: clocks of height 0, else nodes; null for nothing. */
    private final Object[] children;
    // The last two that were put together with this, and what that gave.
    private OtherClusters lastOther;
    private OtherClusters lastJoined;
    private OtherClusters olderOther;
    private OtherClusters olderJoined;
    /** By what it is derived by; null for none yet. */
    private OtherClusters[] derived;
    /** Answers that are known, and above them what they are. */
    private int asked;

    private OtherClusters(int height, Object[] children) {
        this.height = height;
        this.children = children;
    }

    /** What is known of one cluster alone. */
    static OtherClusters of(int cluster, Clock clock) {
        OtherClusters node = null;
        int height = 0;
        do {
            Object[] children = new Object[WIDTH];
            children[digit(cluster, height)] = node == null ? clock : node;
            node = new OtherClusters(height, children);
            height++;
        } while (height * BITS < Integer.SIZE && cluster >>> height * BITS != 0);
        return node;
    }

    private static int digit(int cluster, int height) {
        return cluster >>> height * BITS & WIDTH - 1;
    }

    private boolean holds(int cluster) {
        int bits = (height + 1) * BITS;
        return bits >= Integer.SIZE || cluster >>> bits == 0;
    }

    /** What is known of a cluster; null for nothing. */
    Clock get(int cluster) {
        if (!holds(cluster)) {
            return null;
        }
        OtherClusters node = this;
        while (node.height > 0) {
            node = (OtherClusters) node.children[digit(cluster, node.height)];
            if (node == null) {
                return null;
            }
        }
        return (Clock) node.children[digit(cluster, 0)];
    }

    /** These clusters without what is known of one. */
    OtherClusters without(int cluster) {
        if (get(cluster) == null) {
            return this;
        }
        OtherClusters result = remove(cluster);
        return result == null ? NONE : result;
    }

    private OtherClusters remove(int cluster) {
        Object[] result = children.clone();
        int digit = digit(cluster, height);
        result[digit] = height == 0 ? null : ((OtherClusters) result[digit]).remove(cluster);
        for (Object child : result) {
            if (child != null) {
                return new OtherClusters(height, result);
            }
        }
        return null;
    }

    /** Both together; one of the two where it holds all of the other. */
    OtherClusters join(OtherClusters other) {
        if (other == this || other == NONE) {
            return this;
        }
        if (this == NONE) {
            return other;
        }
        return height < other.height ? raised(other.height).joinNode(other) : joinNode(other.raised(height));
    }

    private OtherClusters raised(int to) {
        OtherClusters node = this;
        while (node.height < to) {
            Object[] above = new Object[WIDTH];
            above[0] = node;
            node = new OtherClusters(node.height + 1, above);
        }
        return node;
    }

    private OtherClusters joinNode(OtherClusters other) {
        if (lastOther == other) {
            return lastJoined;
        }
        OtherClusters both = olderOther == other ? olderJoined : joined(other);
        olderOther = lastOther;
        olderJoined = lastJoined;
        lastOther = other;
        lastJoined = both;
        return both;
    }

    private OtherClusters joined(OtherClusters other) {
        Object[] result = null;
        boolean asOther = true;
        for (int i = 0; i < WIDTH; i++) {
            Object a = children[i];
            Object b = other.children[i];
            Object both = a == b || b == null ? a : a == null ? b
                    : height == 0 ? ((Clock) a).join((Clock) b) : ((OtherClusters) a).joinNode((OtherClusters) b);
            asOther &= both == b;
            if (both != a && result == null) {
                result = children.clone();
            }
            if (result != null) {
                result[i] = both;
            }
        }
        return result == null ? this : asOther ? other : new OtherClusters(height, result);
    }

    /** The clocks that are derived from these. */
    OtherClusters derive(Clock.Derivation by) {
        if (this == NONE) {
            return NONE;
        }
        if (derived == null) {
            derived = new OtherClusters[Clock.Derivation.COUNT];
        }
        OtherClusters known = derived[by.ordinal()];
        if (known == null) {
            known = derived(by);
            derived[by.ordinal()] = known;
        }
        return known;
    }

    private OtherClusters derived(Clock.Derivation by) {
        Object[] result = new Object[WIDTH];
        boolean same = true;
        for (int i = 0; i < WIDTH; i++) {
            if (children[i] != null) {
                result[i] = height == 0 ? ((Clock) children[i]).derive(by) : ((OtherClusters) children[i]).derive(by);
                same &= result[i] == children[i];
            }
        }
        return same ? this : new OtherClusters(height, result);
    }

    /** Whether fences have released anything of any. */
    boolean anyHasReleased(int level) {
        return answer(level, level);
    }

    /** Whether anything of any waits for a fence. */
    boolean anyHasPending(int level) {
        return answer(ThreadClock.LEVELS + level, level);
    }

    /** Whether fences have released the same of all for a level and the next. */
    boolean allHaveReleasedAlike(int level) {
        return answer(2 * ThreadClock.LEVELS + level, level);
    }

    private boolean answer(int question, int level) {
        int flag = 1 << question;
        if ((asked & flag) == 0) {
            asked |= flag | (find(question, level) ? flag << FLAGS : 0);
        }
        return (asked & flag << FLAGS) != 0;
    }

    private boolean find(int question, int level) {
        boolean all = question >= 2 * ThreadClock.LEVELS;
        for (Object child : children) {
            if (child != null && all != (height > 0 ? ((OtherClusters) child).answer(question, level)
                    : all ? ((Clock) child).hasReleasedAlike(level)
                    : question < ThreadClock.LEVELS ? ((Clock) child).hasReleased(level)
                    : ((Clock) child).hasPending(level))) {
                return !all;
            }
        }
        return all;
    }
}
