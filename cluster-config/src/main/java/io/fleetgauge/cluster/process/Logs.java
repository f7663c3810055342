package io.fleetgauge.cluster.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.fleetgauge.cluster.config.LogSettings;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** Where log lines go and what they look like. The only class that knows Logback. */
public final class Logs {
  private Logs() {}

  /** To standard output. */
  public static void toConsole(LogSettings settings) {
    use(settings, new ConsoleAppender<>());
  }

  /** To a file, for a process that uses its terminal otherwise. */
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
    appender.setContext(context);
    appender.setEncoder(encoder(settings, context));
    appender.start();
    root.setLevel(Level.toLevel(settings.level().name()));
    // Their INFO is news for their own developers.
    for (String chatty : new String[] {"com.hazelcast", "io.netty", "io.vertx"}) {
      context.getLogger(chatty).setLevel(Level.WARN);
    }
    // It asks for JVM flags that we set, or says that no lite member may be a master.
    context.getLogger("com.hazelcast.system.logo").setLevel(Level.OFF);
    Appender<ILoggingEvent> target = appender;
    root.addAppender(target);
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
