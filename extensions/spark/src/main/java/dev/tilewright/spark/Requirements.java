package dev.tilewright.spark;

/** What a process needs to run this. */
public final class Requirements {
    /** The release of Spark that plans are made with. */
    static final String SPARK = "4.2.";
    private static final Runtime.Version JAVA = Runtime.Version.parse("25.0.3");

    private Requirements() { }

    /** @throws IllegalStateException if something is not there; the message has the remedy */
    public static void require() {
        require(org.apache.spark.package$.MODULE$.SPARK_VERSION(), Runtime.version(),
                Object.class.getModule().isOpen("java.nio", Requirements.class.getModule()));
    }

    static void require(String spark, Runtime.Version java, boolean isNioOpen) {
        if (!spark.startsWith(SPARK)) {
            throw new IllegalStateException("this is for Spark " + SPARK + "x, and here is " + spark
                    + ": take the tilewright-spark that was built for it");
        }
        if (java.compareToIgnoreOptional(JAVA) < 0) {
            throw new IllegalStateException("Java " + java + " can damage arrays that native code holds (JDK-8377811): "
                    + "use " + JAVA + " or later, on the driver and on executors");
        }
        if (!isNioOpen) {
            throw new IllegalStateException("this process was started without "
                    + "--add-opens=java.base/java.nio=ALL-UNNAMED and the other flags that Spark needs on Java 25: "
                    + "docs/spark.md has them for spark.driver.extraJavaOptions and spark.executor.extraJavaOptions");
        }
    }
}
