package dev.tilewright.recording;

/** Which version of Tilewright this is. */
public final class ToolVersion {
    /** As in the project's POM, where a snapshot has the name of the release that it becomes. */
    public static final String TEXT = "0.2.0";

    private ToolVersion() { }
}
