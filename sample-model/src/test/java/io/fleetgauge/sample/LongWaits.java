package io.fleetgauge.sample;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets the tests of all modules wait long for what must come: on a busy machine it comes late. The
 * parent pom puts it onto their class paths.
 */
public final class LongWaits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
  }
}
