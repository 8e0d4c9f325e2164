package dev.tilewright.tensormap.rules;

/** How bad it is to break a rule. */
public enum Severity {
    /** The driver refuses the call, or no instruction of the target can use the result. */
    ERROR,
    /** The driver accepts the call, and it is probably not what was meant. */
    WARNING
}
