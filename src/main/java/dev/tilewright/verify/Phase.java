package dev.tilewright.verify;

/** What the checking of a case consists of, in order: where its time goes. */
enum Phase {
    /** The kernel and the launch are built. */
    BUILD,
    /** The kernel is emitted, compiled and loaded: once for cases that share it. */
    COMPILE,
    /** The data are drawn, and the result is computed directly. */
    EXPECT,
    /** The reference runs the launch. */
    REFERENCE,
    /** Waiting for a device that another thread uses. */
    WAIT,
    /** Upload, launch and download. */
    DEVICE,
    /** Everything is compared. */
    COMPARE
}
