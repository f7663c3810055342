package io.fleetgauge.sample;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets the tests of all modules wait long for what must come, as it comes late on a busy machine,
 * and not at all for what is there. The parent pom puts it onto their class paths.
 */
public final class LongWaits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(10));
    Awaitility.setDefaultPollDelay(Duration.ZERO);
  }
}
