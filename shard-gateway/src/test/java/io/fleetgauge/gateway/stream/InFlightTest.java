package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class InFlightTest {
  private final InFlight inFlight = new InFlight(100, 3, 5_000);
  private final List<String> outcomes = new ArrayList<>();

  private OptionalLong begin(String name, long bytes, long now) {
    return inFlight.begin(bytes, now, outcome -> outcomes.add(name));
  }

  private void end(long number) {
    inFlight.end(number).ifPresent(outcome -> outcome.accept(new Outcome.Crowded()));
  }

  @Test
  void everyQuestionHasANumberOfItsOwn() {
    assertThat(begin("a", 1, 0)).hasValue(1);
    assertThat(begin("b", 1, 0)).hasValue(2);
    end(1);
    assertThat(begin("c", 1, 0)).hasValue(3);
  }

  @Test
  void answersComeInAnyOrder() {
    begin("a", 1, 0);
    begin("b", 1, 0);
    end(2);
    end(1);
    assertThat(outcomes).containsExactly("b", "a");
  }

  @Test
  void aSecondAnswerAndAnAnswerToNothingReachNobody() {
    begin("a", 1, 0);
    end(1);
    end(1);
    end(7);
    assertThat(outcomes).containsExactly("a");
  }

  @Test
  void bytesAreLimitedUntilAnswersMakeRoom() {
    begin("a", 60, 0);
    assertThat(begin("b", 41, 0)).isEmpty();
    assertThat(begin("c", 40, 0)).hasValue(2);
    assertThat(inFlight.bytes()).isEqualTo(100);
    end(1);
    assertThat(inFlight.bytes()).isEqualTo(40);
    assertThat(begin("b", 41, 0)).hasValue(3);
  }

  @Test
  void aQuestionThatIsLargerThanTheLimitGoesAlone() {
    assertThat(begin("a", 1_000, 0)).hasValue(1);
    assertThat(begin("b", 1, 0)).isEmpty();
    end(1);
    begin("c", 1, 0);
    assertThat(begin("d", 1_000, 0)).isEmpty();
  }

  @Test
  void questionsAreLimitedHoweverSmallTheyAre() {
    begin("a", 0, 0);
    begin("b", 0, 0);
    begin("c", 0, 0);
    assertThat(begin("d", 0, 0)).isEmpty();
  }

  @Test
  void aQuestionWithoutAnAnswerInTimeHasEnded() {
    begin("a", 10, 1_000);
    begin("b", 10, 2_000);
    begin("c", 10, 6_000);
    assertThat(inFlight.deadline()).hasValue(6_000);
    assertThat(inFlight.endLate(5_999).outcomes()).isEmpty();
    InFlight.Late late = inFlight.endLate(7_000);
    assertThat(late.outcomes()).hasSize(2);
    assertThat(late.firstAt()).isEqualTo(1_000);
    assertThat(inFlight.waits(1)).isFalse();
    assertThat(inFlight.waits(3)).isTrue();
    assertThat(inFlight.deadline()).hasValue(11_000);
    assertThat(inFlight.bytes()).isEqualTo(10);
  }

  @Test
  void theEndOfAStreamEndsAllQuestionsInTheirOrder() {
    begin("a", 10, 0);
    begin("b", 10, 0);
    inFlight.endAll().forEach(outcome -> outcome.accept(new Outcome.Failed("gone")));
    assertThat(outcomes).containsExactly("a", "b");
    assertThat(inFlight.bytes()).isZero();
    assertThat(inFlight.deadline()).isEmpty();
    assertThat(begin("c", 1, 0)).as("numbers go on").hasValue(3);
  }
}
