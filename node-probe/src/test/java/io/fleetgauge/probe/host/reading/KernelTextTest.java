package io.fleetgauge.probe.host.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelTextTest {
  @TempDir Path folder;
  private final Faults faults = new Faults();
  private final KernelText text = new KernelText(new Names(), faults);

  @Test
  void linesAndWordsAreReadForward() throws IOException {
    load("a: 1  2\t3\n\nlast\n");
    assertThat(text.nextLine()).isTrue();
    assertThat(text.nextWord()).isTrue();
    assertThat(text.word()).isEqualTo("a:");
    assertThat(text.word(0, 1)).isEqualTo("a");
    assertThat(text.wordsLeft()).isEqualTo(3);
    assertThat(text.nextNumber()).isEqualTo(1);
    assertThat(text.skip(1)).isTrue();
    assertThat(text.rest()).isEqualTo("3");
    assertThat(text.nextNumber()).isEqualTo(3);
    assertThat(text.nextNumber()).isNaN();
    assertThat(text.nextLine()).isTrue();
    assertThat(text.nextWord()).isFalse();
    assertThat(text.nextLine()).isTrue();
    assertThat(text.line()).isEqualTo("last");
    assertThat(text.nextLine()).isFalse();
    assertThat(faults.count()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "007, 7",
    "-12, -12",
    "0.03, 0.03",
    "123456789012345678, 123456789012345678",
    "18446744073709551615, 18446744073709551615",
    "477.370000000000001, 477.37",
    "1795490579.9741735, 1795490579.9741735"
  })
  void aNumberIsTheDoubleNearestToIt(String word, double value) throws IOException {
    load(word + "\n");
    text.nextLine();
    assertThat(text.nextNumber()).isEqualTo(value);
    assertThat(faults.count()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "1x",
        "-",
        ".",
        ".5",
        "5.",
        "1.2.3",
        "1e5",
        "+1",
        "NaN",
        "0x10",
        "١",
        "123456789012345678901"
      })
  void aWordThatIsNoNumberIsCounted(String word) throws IOException {
    load(word + "\n");
    text.nextLine();
    assertThat(text.nextNumber()).isNaN();
    assertThat(faults.count()).isEqualTo(1);
  }

  @Test
  void randomNumbersAreReadAsJavaReadsThem() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2_000; i++) {
      int digits = random.nextInt(1, 20);
      StringBuilder word = new StringBuilder();
      for (int j = 0; j < digits; j++) {
        word.append((char) ('0' + random.nextInt(10)));
      }
      if (random.nextBoolean()) {
        word.insert(random.nextInt(1, word.length() + 1), '.');
      }
      if (word.charAt(word.length() - 1) == '.') {
        word.append('0');
      }
      load(word + "\n");
      text.nextLine();
      assertThat(text.nextNumber()).as(word.toString()).isEqualTo(Double.parseDouble(word + ""));
    }
  }

  @ParameterizedTest
  @CsvSource({"0000588a, 22666", "0x1003, 4099", "ffffffffffffffff, 18446744073709551615"})
  void aHexadecimalNumberMayHaveItsPrefix(String word, double value) throws IOException {
    load(word + "\n");
    text.nextLine();
    assertThat(text.nextHex()).isEqualTo(value);
  }

  @Test
  void aFileThatIsLargerThanTheBufferIsReadWhole() throws IOException {
    load("word 1\n".repeat(10_000));
    int lines = 0;
    while (text.nextLine()) {
      lines++;
    }
    assertThat(lines).isEqualTo(10_000);
  }

  @Test
  void aFileAboveTheLimitIsCutAndCounted() throws IOException {
    load("word 1\n".repeat(KernelText.MAX_BYTES / 7 + 10));
    while (text.nextLine()) {
      assertThat(text.nextWord()).isTrue();
    }
    assertThat(faults.count()).isPositive();
  }

  @Test
  void aWordMetBeforeIsTheSameString() throws IOException {
    load("eth0 eth0\n");
    text.nextLine();
    text.nextWord();
    String first = text.word();
    text.nextWord();
    assertThat(text.word()).isSameAs(first);
  }

  @Test
  void aFileThatIsNotThereIsMissing() {
    assertThatThrownBy(() -> text.load(folder.resolve("none").toString()))
        .isInstanceOf(Missing.class);
  }

  private void load(String content) throws IOException {
    Path file = folder.resolve("file");
    Files.write(file, content.getBytes(StandardCharsets.UTF_8));
    text.load(file.toString());
  }
}
