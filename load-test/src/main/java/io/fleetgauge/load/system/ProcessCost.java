package io.fleetgauge.load.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The cost of a process, as the system counts it.
 *
 * @param cpuSeconds of all its threads, in user and system mode
 * @param residentBytes memory that it holds now
 */
public record ProcessCost(double cpuSeconds, long residentBytes) {
  private static final double TICKS_A_SECOND = 100; // what Linux shows to programs, everywhere
  private static final List<String> COMPILERS = List.of("C1 CompilerThre", "C2 CompilerThre");

  public static ProcessCost of(long pid) throws IOException {
    double cpu = cpuSeconds(Path.of("/proc/" + pid));
    long resident =
        Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
            .sum();
    return new ProcessCost(cpu, resident);
  }

  /**
   * CPU seconds of the threads in which a JVM compiles. A compiler thread that has ended is not
   * counted; on two cores none ends.
   */
  public static double compilationSeconds(long pid) throws IOException {
    double seconds = 0;
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        String name = Files.readString(thread.resolve("comm"));
        if (COMPILERS.stream().anyMatch(name::startsWith)) {
          seconds += cpuSeconds(thread);
        }
      }
    }
    return seconds;
  }

  /** CPU seconds of a process or a thread, by its folder in /proc. */
  private static double cpuSeconds(Path folder) throws IOException {
    String stat = Files.readString(folder.resolve("stat"));
    // The name may have spaces; it ends with the last parenthesis.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_A_SECOND;
  }
}
