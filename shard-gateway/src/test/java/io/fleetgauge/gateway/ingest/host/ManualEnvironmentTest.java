package io.fleetgauge.gateway.ingest.host;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;

/** The environment of the other tests obeys the laws of the real one. */
class ManualEnvironmentTest extends HostEnvironmentContract {
  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);

  @BeforeEach
  void start() {
    environment.isRecovered = false;
  }

  @Override
  protected HostEnvironment environment() {
    return environment;
  }

  @Override
  protected void recover() {
    environment.isRecovered = true;
  }

  @Override
  protected void failDisk() {
    environment.isDiskFailing = true;
  }

  @Override
  protected boolean isWholeCopy(String host, long since) {
    return environment.wholeCopies.getOrDefault(host, -1L) == since;
  }

  @Override
  protected <T> T answer(Consumer<Consumer<T>> start) {
    List<T> answers = new ArrayList<>();
    start.accept(answers::add);
    environment.runLane();
    while (!environment.journal.isEmpty()) {
      environment.journalWrites(true);
    }
    return answers.getFirst();
  }
}
