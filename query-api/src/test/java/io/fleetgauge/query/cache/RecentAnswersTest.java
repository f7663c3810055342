package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class RecentAnswersTest {
  private final Versions versions = new Versions();
  private final RecentAnswers<String, String> recent =
      new RecentAnswers<>(versions, 1_000, (key, answer) -> key.length() + answer.length());

  private ReadTime now(long after, long to) {
    return new ReadTime(after, to, versions.stamp());
  }

  @Test
  void anAnswerIsFoundWhileWhatItReadIsUnchanged() {
    recent.keep("a", "answer", now(0, 5_000));
    assertThat(recent.has("a")).isTrue();
    assertThat(recent.find("a")).contains("answer");
    versions.changed(List.of(1L)); // behind what was read
    assertThat(recent.find("a")).contains("answer");
    assertThat(recent.hits()).isEqualTo(2);
    versions.changed(List.of(0L));
    assertThat(recent.find("a")).isEmpty();
    assertThat(recent.has("a")).as("it is forgotten").isFalse();
    assertThat(recent.hits()).isEqualTo(2);
  }

  @Test
  void anAnswerThatWasNeverKeptIsNotFound() {
    assertThat(recent.has("b")).isFalse();
    assertThat(recent.find("b")).isEmpty();
  }

  @Test
  void itsMemoryIsCountedByTheSizeOfItsKeysAndAnswers() {
    recent.keep("a", "12345", now(0, 1));
    recent.keep("long", "123", now(0, 1));
    Awaitility.await().until(() -> recent.bytes() == 13); // the cache counts in the background
  }
}
