package dev.tilewright.spark.executor;

/** A mapping that is ready on a device: its kernel loaded, its weights there. */
interface Resident {

    Mapping mapping();

    /** How many bytes of the device its weights take. */
    long bytes();

    void free();
}
