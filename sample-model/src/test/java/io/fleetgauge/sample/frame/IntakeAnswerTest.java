package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IntakeAnswerTest {
  @Test
  void anAnswerIsOneLineThatReadsBack() throws WireException {
    for (IntakeAnswer answer :
        List.of(
            new IntakeAnswer.Kept(-1, 7),
            new IntakeAnswer.Moved(URI.create("http://g1:9500"), 3),
            new IntakeAnswer.SlowDown(250),
            new IntakeAnswer.NeedsDictionary(255),
            new IntakeAnswer.Refused("the frame at byte 0 is damaged"))) {
      assertThat(IntakeAnswer.parse(answer + "\n")).isEqualTo(answer);
    }
    assertThat(new IntakeAnswer.Kept(-1, 7)).hasToString("kept ffffffffffffffff 7");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "kept", "kept x 1", "kept 1 y", "moved : 1", "<html>", "slow-down 1s"})
  void anythingElseIsAnError(String line) {
    assertThatThrownBy(() -> IntakeAnswer.parse(line)).isInstanceOf(WireException.class);
  }
}
