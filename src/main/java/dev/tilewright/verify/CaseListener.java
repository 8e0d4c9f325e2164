package dev.tilewright.verify;

/** Is told how a case goes, by the thread that runs it. */
public interface CaseListener {

    /** The case has begun. @param number of the case among the ones that run together */
    void begun(int number);

    /** It uses the device from now on. */
    void onDevice(int number);

    /** It has ended. @param error what it threw; null where it threw nothing, or was skipped */
    void ended(int number, CheckSummary.Entry entry, Exception error);
}
