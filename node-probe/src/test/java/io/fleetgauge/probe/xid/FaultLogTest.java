package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FaultLogTest {
  private static final long MINUTE = 60_000;

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(FaultLog.class);
  private final FaultLog log = new FaultLog();

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  private List<String> said() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void tenErrorsAMinuteAreLogged() {
    for (int i = 0; i < 30; i++) {
      log.say(7 * MINUTE + i, "error " + i);
    }
    assertThat(said()).hasSize(10).startsWith("error 0").endsWith("error 9");
    log.say(8 * MINUTE - 1, "in the same minute");
    assertThat(said()).hasSize(10);
    for (int i = 0; i < 30; i++) {
      log.say(8 * MINUTE, "next " + i);
    }
    assertThat(said()).hasSize(20).endsWith("next 9");
  }

  /** A program that writes to the kernel's log must not write lines of its own into this one. */
  @Test
  void whatIsLoggedIsPrintableAndShort() {
    log.say(0, "a\nb\u001b[1mc\u00e9~ ");
    log.say(0, "x".repeat(301));
    assertThat(said()).containsExactly("a?b?[1mc?~ ", "x".repeat(300));
  }
}
