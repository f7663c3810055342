package io.fleetgauge.load.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used, as the system counts it.
 *
 * @param cpuSeconds of all its threads, in user and system mode
 * @param residentBytes memory that it holds now
 */
public record ProcessCost(double cpuSeconds, long residentBytes) {
  private static final double TICKS_A_SECOND = 100; // what Linux shows to programs, everywhere

  public static ProcessCost of(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    // The name may have spaces; it ends with the last parenthesis.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    double cpu = (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_A_SECOND;
    long resident =
        Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
            .sum();
    return new ProcessCost(cpu, resident);
  }
}
