package io.fleetgauge.runtime.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.FilterReply;
import io.fleetgauge.runtime.config.LogSettings;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Configures where log lines go and their format. The only class that uses Logback. */
public final class Logs {
  // Names instead of classes: a probe runs without Hazelcast.
  static final String PARTITION_REPAIR =
      "com.hazelcast.internal.partition.impl.MigrationManagerImpl";
  static final String ACCEPTOR = "com.hazelcast.internal.server.tcp.TcpServerAcceptor";
  static final String CONNECTION = "com.hazelcast.internal.server.tcp.TcpServerConnection";
  static final String OPERATION =
      "com.hazelcast.spi.impl.operationservice.impl.operations.PartitionIteratingOperation";
  static final String INVOCATION = "com.hazelcast.spi.impl.operationservice.impl.Invocation";
  static final String CLUSTER_MANAGER = "io.vertx.spi.cluster.hazelcast.HazelcastClusterManager";

  private Logs() {}

  /** Logs to standard output. */
  public static void toConsole(LogSettings settings) {
    use(settings, new ConsoleAppender<>());
  }

  /** Writes logs to the standard error, for commands whose output is read by programs. */
  public static void toErrors(LogSettings settings) {
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setTarget("System.err");
    use(settings, console);
  }

  /** Logs to a file, for a process that draws on its terminal. */
  public static void toFile(LogSettings settings, Path file) {
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setFile(file.toString());
    appender.setAppend(false);
    use(settings, appender);
  }

  private static void use(LogSettings settings, OutputStreamAppender<ILoggingEvent> appender) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    context.resetTurboFilterList();
    context.addTurboFilter(new Limit(new LogLimits(settings.linesPerMinute())));
    appender.setContext(context);
    appender.setEncoder(encoder(settings, context));
    appender.start();
    root.setLevel(Level.toLevel(settings.level().name()));
    // At INFO these libraries log their own inner steps.
    for (String library : List.of("com.hazelcast", "io.netty", "io.vertx")) {
      context.getLogger(library).setLevel(Level.WARN);
    }
    // It asks for JVM flags that the launcher sets, and warns that a lite member cannot be master.
    context.getLogger("com.hazelcast.system.logo").setLevel(Level.OFF);
    // When the last gateway leaves, a query API keeps running alone. Hazelcast then warns once for
    // each of its partitions (several hundred) that the partition is lost, and Vert.x's cluster
    // manager logs an ERROR because no member is left that holds data. Both repeat what
    // the process itself logs: that no gateway is a member of the cluster.
    context.getLogger(PARTITION_REPAIR).setLevel(Level.ERROR);
    // A connection that is refused is logged once, by its origin; here it would be with each
    // attempt, and with a stack trace.
    context.getLogger(ACCEPTOR).setLevel(Level.ERROR);
    // The connections of a process that stops are closed. Whether it left or is missing is logged
    // by what follows the members.
    context.getLogger(CONNECTION).setLevel(Level.ERROR);
    // An operation of a member that is just joining, or has just left, fails, with a stack trace.
    // Who asked for it is given the same failure, and tries again or logs it.
    context.getLogger(OPERATION).setLevel(Level.OFF);
    // So does one that is under way when a process stops; if it ends twice, that is logged too.
    context.getLogger(INVOCATION).setLevel(Level.ERROR);
    context.getLogger(CLUSTER_MANAGER).setLevel(Level.OFF);
    Appender<ILoggingEvent> target = appender;
    root.addAppender(target);
  }

  /** Leaves lines out of which there are too many, before anything is made of them. */
  private static final class Limit extends TurboFilter {
    private final org.slf4j.Logger own = LoggerFactory.getLogger(Logs.class);
    private final LogLimits limits;

    Limit(LogLimits limits) {
      this.limits = limits;
    }

    @Override
    public FilterReply decide(
        Marker marker, Logger logger, Level level, String format, Object[] values, Throwable e) {
      // Without a text, only the level is asked for.
      if (format == null || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
        return FilterReply.NEUTRAL;
      }
      boolean isWritten = limits.take(logger.getName(), format, System.nanoTime());
      for (LogLimits.LeftOut left : limits.over()) {
        own.warn(
            "{} more lines of {} within a minute were left out, see log.linesPerMinute: {}",
            left.lines(),
            left.logger(),
            left.text());
      }
      return isWritten ? FilterReply.NEUTRAL : FilterReply.DENY;
    }
  }

  private static Encoder<ILoggingEvent> encoder(LogSettings settings, LoggerContext context) {
    return switch (settings.format()) {
      case TEXT -> {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX, UTC} %-5level %logger{0} - %msg%n%ex{6}");
        encoder.start();
        yield encoder;
      }
      case JSON -> {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithFormattedMessage(true);
        encoder.setWithMessage(false);
        encoder.start();
        yield encoder;
      }
    };
  }
}
