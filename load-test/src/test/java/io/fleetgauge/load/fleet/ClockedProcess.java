package io.fleetgauge.load.fleet;

import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.log.Logs;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/** A gateway or a query API in a JVM of its own, whose time is in a file that a test turns. */
final class ClockedProcess {
  private ClockedProcess() {}

  /**
   * @param arguments {@code gateway} or {@code query}, its configuration, and the file of the time
   */
  public static void main(String[] arguments) throws Exception {
    Logs.toConsole(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO));
    String source = arguments[1];
    String yaml = Files.readString(Path.of(source));
    LongSupplier clock = clock(Path.of(arguments[2]));
    switch (arguments[0]) {
      case "gateway" -> GatewayProcess.start(GatewayConfig.read(source, yaml), clock);
      case "query" -> QueryProcess.start(QueryConfig.read(source, yaml), clock);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static LongSupplier clock(Path file) throws Exception {
    MappedByteBuffer time = map(file, FileChannel.MapMode.READ_ONLY, StandardOpenOption.READ);
    return () -> time.getLong(0);
  }

  /** The eight bytes of a file of the time, ms since the epoch. */
  static MappedByteBuffer map(Path file, FileChannel.MapMode mode, StandardOpenOption... options)
      throws Exception {
    try (FileChannel channel = FileChannel.open(file, options)) {
      return channel.map(mode, 0, Long.BYTES);
    }
  }
}
