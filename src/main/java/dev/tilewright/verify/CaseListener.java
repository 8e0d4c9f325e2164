package dev.tilewright.verify;

/** Is told how a case goes, by the thread that runs it. */
public interface CaseListener {

    /** It uses the device from now on. @param number the case's, among those that run together */
    void onDevice(int number);

    /** It has ended. @param error what it threw; null where it threw nothing, or was skipped */
    void ended(int number, CheckSummary.Entry entry, Exception error);
}
