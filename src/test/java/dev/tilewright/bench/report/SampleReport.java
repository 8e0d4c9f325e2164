package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.List;

/** A report that has every kind of row; its figures are made up. */
final class SampleReport {
    private static final double RATED = 4814.08;
    private static final List<String> MECHANISMS = List.of("vector-copy", "cp-async-scale", "cp-async-pipeline",
            "bulk-copy",
            "tensor-copy", "tensor-copy-3d", "tensor-copy-5d", "tensor-rebind", "bulk-pipeline");
    private static final List<String> TILES = List.of("32x32", "64x32", "64x64", "128x64", "128x128", "256x128");

    private SampleReport() { }

    /** All that was asked for. */
    static Report complete() {
        List<Row> rows = new ArrayList<>();
        copies(rows);
        sweep(rows);
        products(rows);
        launches(rows);
        transfers(rows);
        others(rows);
        return report(true, rows);
    }

    /** The first rows of it. */
    static Report interrupted() {
        List<Row> all = complete().rows();
        return report(false, all.subList(0, 40));
    }

    /** A report of these rows. */
    static Report report(boolean complete, List<Row> rows) {
        Machine machine = new Machine("NVIDIA H200", "sm_90a", 132, 150_000_000_000L, RATED, 60 << 20, "580.95.05",
                "13.0",
                "13.0.88", new Clocks(1980, 3201, "", 34, 118), new Clocks(1755, 3201, "software power cap", 51, 642),
                "Intel(R) Xeon(R) Platinum 8480+", 16, "Linux 6.8.0", "OpenJDK 64-Bit Server VM 25+36-LTS",
                "0.1.0-SNAPSHOT", "3a54777");
        return new Report(Report.FORMAT, "2026-11-22T12:00:00Z", "bench all --sizes 1,16,64,1024,16384 --seed 7", 7,
                complete,
                machine, rows);
    }

    /** Samples around a median. */
    static Spread around(double median) {
        return Spread.of(median * 0.985, median * 0.995, median, median * 1.004, median * 1.02);
    }

    private static Row rate(String suite, String subject, String side, double figure, long size) {
        return Row.of(suite, subject, side, Unit.GIGABYTES_PER_SECOND, around(figure),
                side.equals("cuMemcpy") ? Verdict.NO_OUTPUT : Verdict.VERIFIED).moving(2 * size).with("size", size);
    }

    private static void copies(List<Row> rows) {
        for (long size = 1 << 20; size <= 1L << 34; size <<= 2) {
            double reached = 1 - Math.exp(-size / 6e7);
            for (int i = 0; i < MECHANISMS.size(); i++) {
                String subject = MECHANISMS.get(i);
                Row memcpy = rate("copy", subject, "cuMemcpy", (4190 + 3 * i) * reached, size);
                double ours = 4215 * reached * (1 - 0.018 * i);
                Double demanded = i == 8 ? null : Double.valueOf(i == 7 ? 0.95 : 0.97);
                Row best = rate("copy", subject, Row.OURS, ours, size)
                        .by(Schedule.parse("stages=4 tile=64x64")).by("blocks", 1056)
                        .beside(memcpy, demanded).beside("rating", RATED, null);
                Row theirs = rate("copy", subject, "C++", ours * (0.98 + 0.006 * i), size);
                rows.addAll(List.of(memcpy, best.beside(theirs, 0.99), theirs));
            }
        }
        rows.add(Row.of("copy", "multicast-copy", Row.OURS, Unit.GIGABYTES_PER_SECOND, around(2210), Verdict.WRONG)
                .with("size", 1L << 30).noting("17 of 268435456 words are wrong, the first at byte 4096"));
        rows.add(Row.notRun("copy", "bulk-pipeline", "PyTorch", Unit.GIGABYTES_PER_SECOND,
                "there is no python3 with torch on the PATH"));
    }

    private static void sweep(List<Row> rows) {
        for (String subject : List.of("tensor-copy", "cp-async-pipeline")) {
            for (String tiles : List.of("1 tile a block", "132 blocks")) {
                for (int tile = 0; tile < TILES.size(); tile++) {
                    for (int stages = 1; stages <= 8; stages *= 2) {
                        if (tile == 5 && stages == 8) {
                            continue;
                        }
                        double figure = 4180 - 190 * Math.abs(3 - tile) - 150 * Math.abs(4 - stages)
                                - (tiles.endsWith("a block") ? 60 : 0);
                        rows.add(rate("sweep", subject, Row.OURS, figure, 1L << 30)
                                .by(Schedule.parse("stages=" + stages + " tile=" + TILES.get(tile), tiles))
                                .beside("cuMemcpy", 4190, null).beside("rating", RATED, null));
                    }
                }
            }
        }
    }

    private static void products(List<Row> rows) {
        for (int n : new int[] {1024, 4096, 8192}) {
            double operations = 2.0 * n * n * n;
            long bytes = 2L * 3 * n * n;
            Row blas = Row.of("compute", "bf16 product", "cuBLAS", Unit.TERAFLOPS, around(720 - 4e5 / n),
                    Verdict.VERIFIED)
                    .with("n", n).moving(bytes).computing(operations);
            rows.add(Row.of("compute", "bf16 product", Row.OURS, Unit.TERAFLOPS, around(590 - 3e5 / n),
                    Verdict.VERIFIED)
                    .with("n", n).moving(bytes).computing(operations).beside(blas, 0.9));
            rows.add(blas);
        }
        rows.add(rate("compute", "scale", Row.OURS, 4170, 1L << 30).computing(1 << 28));
        rows.add(rate("compute", "softmax", Row.OURS, 3890, 1L << 30).computing(5.0 * (1 << 28)));
        rows.add(rate("compute", "softmax", "PyTorch", 3310, 1L << 30).computing(5.0 * (1 << 28)));
    }

    private static void launches(List<Row> rows) {
        for (int threads : new int[] {1, 8}) {
            Row baseline = launch("cuLaunchKernel", "C++", 1.93 * threads / 1.5, threads);
            rows.add(baseline);
            rows.add(launch("JCuda", "JCuda", 2.74 * threads / 1.5, threads));
            rows.add(launch("java.lang.foreign", Row.OURS, 2.13 * threads / 1.5, threads).beside(baseline, 1.15));
            rows.add(launch("prepared", Row.OURS, 2.02 * threads / 1.5, threads).beside(baseline, 1.10));
            rows.add(launch("graph of 64", Row.OURS, 0.87 * threads / 1.5, threads));
        }
    }

    private static Row launch(String subject, String side, double micros, int threads) {
        return Row.of("launch", subject, side, Unit.MICROSECONDS, around(micros), Verdict.NO_OUTPUT).with("threads",
                threads);
    }

    private static void transfers(List<Row> rows) {
        for (long size = 1 << 12; size <= 1L << 30; size <<= 3) {
            double reached = 1 - Math.exp(-size / 3e6);
            rows.add(rate("transfer", "pinned, to the device", Row.OURS, 55.3 * reached, size));
            rows.add(rate("transfer", "pinned, to the host", Row.OURS, 54.1 * reached, size));
            rows.add(rate("transfer", "pageable, to the device", Row.OURS, 41 * reached, size));
            rows.add(rate("transfer", "pageable, to the device", "cuMemcpy", 12.5 * reached, size));
        }
    }

    private static void others(List<Row> rows) {
        for (int i = 0; i < 24; i++) {
            rows.add(Row.of("emit", "a-preset-with-a-rather-long-name-" + i, Row.OURS, Unit.MICROSECONDS,
                    around(180 + 31 * i),
                    Verdict.NO_OUTPUT).by("source", 9000 + 700 * i));
        }
        rows.add(Row.of("start", "driver", Row.OURS, Unit.MILLISECONDS, around(212), Verdict.NO_OUTPUT));
        rows.add(Row.of("start", "NVRTC, cold", Row.OURS, Unit.MILLISECONDS, around(640), Verdict.NO_OUTPUT));
        rows.add(Row.of("start", "kernel from the cache", Row.OURS, Unit.MILLISECONDS, around(3.1), Verdict.NO_OUTPUT));
        rows.add(Row.of("encode", "2-D map", Row.OURS, Unit.PER_SECOND, around(2.4e6), Verdict.VERIFIED));
        rows.add(Row.of("check", "tensor-copy-32b", Row.OURS, Unit.MEGABYTES_PER_SECOND, around(13.2), Verdict.VERIFIED)
                .beside("floor", 13.2, 20.0));
        rows.add(Row.notRun("multicast", "multicast", Row.OURS, Unit.GIGABYTES_PER_SECOND,
                "needs sm_90, and this GPU is sm_80: <run> it on a Hopper GPU & later"));
    }
}
