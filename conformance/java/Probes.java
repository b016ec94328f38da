package conformance.oracle;

/** Which of the methods that ClassChanges has marked were entered. One for each class loader of a client. */
public final class Probes {
    /** By the number of the probe; more than there are methods in any client. */
    public static final boolean[] RAN = new boolean[1 << 20];

    private Probes() {
    }

    public static void ran(int probe) {
        RAN[probe] = true;
    }
}
