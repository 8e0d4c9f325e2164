package dev.tilewright.verify;

/** Is told how a case goes, by the thread that runs it. */
public interface CaseListener {

    /** It has begun. @param number the case's, among those that run together */
    void begun(int number);

    /** It uses the device from now on. */
    void onDevice(int number);

    /** It has ended. @param error what it threw; null where it threw nothing, or was skipped */
    void ended(int number, CheckSummary.Entry entry, Exception error);
}
