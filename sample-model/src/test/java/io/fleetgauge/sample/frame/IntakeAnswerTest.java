package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IntakeAnswerTest {
  private static final List<IntakeAnswer> ANSWERS =
      List.of(
          new IntakeAnswer.Kept(-1, 7),
          new IntakeAnswer.Kept(1, 9, 12, 3, "the limit of 5 series is reached"),
          new IntakeAnswer.Kept(1, 9, 12, 0, ""),
          new IntakeAnswer.Moved(URI.create("http://g1:9500"), 3),
          new IntakeAnswer.SlowDown(250),
          new IntakeAnswer.NeedsDictionary(255),
          new IntakeAnswer.NeedsDictionary(Long.MIN_VALUE),
          new IntakeAnswer.Refused("the frame at byte 0 is damaged"),
          new IntakeAnswer.Refused(""),
          new IntakeAnswer.OverLimit(60_000, "tenant red has 2 hosts"),
          new IntakeAnswer.OverLimit(0, ""));

  @Test
  void anAnswerIsOneLineThatReadsBack() throws WireException {
    for (IntakeAnswer answer : ANSWERS) {
      assertThat(answer.toString()).doesNotContain("\n");
      assertThat(IntakeAnswer.parse(answer + "\n")).isEqualTo(answer);
    }
  }

  @Test
  void theLinesAreTheOnesThatAreDrawn() {
    assertThat(ANSWERS)
        .extracting(Object::toString)
        .containsExactly(
            "kept ffffffffffffffff 7",
            "kept 1 9 but 12 3 the limit of 5 series is reached",
            "kept 1 9 but 12 0 ",
            "moved http://g1:9500 3",
            "slow-down 250",
            "dictionary ff",
            "dictionary 8000000000000000",
            "refused the frame at byte 0 is damaged",
            "refused ",
            "over-limit 60000 tenant red has 2 hosts",
            "over-limit 0 ");
  }

  @Test
  void eachAnswerHasTheStatusThatIsDrawn() {
    assertThat(ANSWERS)
        .extracting(IntakeAnswer::httpStatus)
        .containsExactly(200, 200, 200, 421, 503, 409, 409, 400, 400, 429, 429);
  }

  @Test
  void aReasonOfSeveralLinesBecomesOne() throws WireException {
    IntakeAnswer kept = new IntakeAnswer.Kept(1, 2, 3, 4, "first\nsecond");
    assertThat(IntakeAnswer.parse(kept.toString()))
        .isEqualTo(new IntakeAnswer.Kept(1, 2, 3, 4, "first second"));
    assertThat(IntakeAnswer.parse(new IntakeAnswer.Refused("first\nsecond").toString()))
        .isEqualTo(new IntakeAnswer.Refused("first second"));
  }

  @Test
  void aReasonIsNotShownWhenNothingIsRefused() {
    assertThat(new IntakeAnswer.Kept(1, 2, 0, 0, "none")).hasToString("kept 1 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "kept",
        "kept x 1",
        "kept 1 y",
        "kept 1 2 but",
        "kept 1 2 but 3",
        "kept 1 2 but x 3 reason",
        "kept 1 2 but 3 x reason",
        "kept 10000000000000000 1",
        "moved : 1",
        "moved http://g1:9500",
        "moved http://g1:9500 x",
        "<html>",
        "slow-down",
        "slow-down 1s",
        "dictionary",
        "dictionary xyz",
        "Kept 1 2"
      })
  void anythingElseIsAnErrorThatShowsIt(String line) {
    assertThatThrownBy(() -> IntakeAnswer.parse(line))
        .isInstanceOf(WireException.class)
        .hasMessage("not a response of a gateway: " + line);
  }

  @Test
  void aLongLineIsShortenedInTheError() {
    assertThatThrownBy(() -> IntakeAnswer.parse("x".repeat(100)))
        .hasMessage("not a response of a gateway: " + "x".repeat(100));
    assertThatThrownBy(() -> IntakeAnswer.parse("x".repeat(101)))
        .hasMessage("not a response of a gateway: " + "x".repeat(100) + "...");
  }

  @Test
  void aDamagedLineIsAnAnswerOrAWireException() {
    SplittableRandom random = new SplittableRandom(1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder line =
          new StringBuilder(ANSWERS.get(random.nextInt(ANSWERS.size())).toString());
      for (int hits = random.nextInt(3); hits > 0; hits--) {
        line.setCharAt(random.nextInt(line.length()), (char) random.nextInt(' ', 127));
      }
      line.setLength(random.nextInt(line.length() + 1));
      try {
        assertThat(IntakeAnswer.parse(line.toString())).isNotNull();
      } catch (WireException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }
}
