package dev.tilewright.verify.worker;

/** A case as a worker is told it: {@code number TAB line}. */
record NumberedLine(long number, String line) {

    static NumberedLine parse(String text) {
        int tab = text.indexOf('\t');
        return new NumberedLine(Long.parseLong(text.substring(0, tab)), text.substring(tab + 1));
    }

    @Override
    public String toString() {
        return number + "\t" + line;
    }
}
