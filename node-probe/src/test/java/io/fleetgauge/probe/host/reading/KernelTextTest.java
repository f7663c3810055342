package io.fleetgauge.probe.host.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
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
    "-0, -0.0",
    "9, 9",
    "007, 7",
    "-0.5, -0.5",
    "9007199254740993.5, 9007199254740993.5",
    "0.1234567890123456, 0.1234567890123456",
    "99999999999999999999, 99999999999999999999",
    "-12, -12",
    "0.03, 0.03",
    "123456789012345678, 123456789012345678",
    "18446744073709551615, 18446744073709551615",
    "477.370000000000001, 477.37",
    "1795490579.9741735, 1795490579.9741735"
  })
  void aNumberIsTheDoubleNearestToIt(String word, Double value) throws IOException {
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
      text.nextWord();
      lines += text.nextNumber() == 1 ? 1 : 0;
    }
    assertThat(lines).isEqualTo(10_000);
    assertThat(faults.count()).isZero();
  }

  @Test
  void aFileAboveTheLimitIsCutAndCounted() throws IOException {
    load("word 1\n".repeat(KernelText.MAX_BYTES / 7 + 10));
    int lines = 0;
    while (text.nextLine()) {
      lines++;
    }
    assertThat(lines).isEqualTo(KernelText.MAX_BYTES / 7);
    assertThat(faults.count()).as("too long, and cut within a line").isEqualTo(2);
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
  void thereAreManyMoreWordsThanAreRememberedAndEachIsRead() throws IOException {
    List<String> words = IntStream.range(0, 5_000).mapToObj(i -> "w" + i).toList();
    for (int i = 0; i < 2; i++) {
      load(String.join(" ", words) + "\n");
      text.nextLine();
      for (String each : words) {
        assertThat(text.nextWord()).isTrue();
        assertThat(text.word()).isEqualTo(each);
      }
    }
  }

  /** A piece of a number is another number. */
  @Test
  void aPieceOfALineAtTheEndIsLeftOutAndCountedOnce() throws IOException {
    load("a 1\nb 23");
    assertThat(text.nextLine()).isTrue();
    assertThat(text.nextLine()).isFalse();
    assertThat(text.nextLine()).isFalse();
    assertThat(faults.count()).isEqualTo(1);
    assertThat(faults.last()).isEqualTo(folder.resolve("file") + " ends within a line");
    load("");
    assertThat(text.nextLine()).isFalse();
    assertThat(faults.count()).as("nothing is no piece").isEqualTo(1);
  }

  @Test
  void theLastLineOfSomeFilesMayComeWithoutItsEnd() throws IOException {
    load("a\nb c");
    assertThat(text.nextLineOrLast()).isTrue();
    assertThat(text.line()).isEqualTo("a");
    assertThat(text.nextLineOrLast()).isTrue();
    assertThat(text.line()).isEqualTo("b c");
    assertThat(text.nextLineOrLast()).isFalse();
    text.rewind();
    assertThat(text.nextLineOrLast()).isTrue();
    assertThat(text.line()).isEqualTo("a");
    assertThat(faults.count()).isZero();
  }

  @Test
  void theEndOfAFileThatWasCutIsNoLine() throws IOException {
    load("1".repeat(KernelText.MAX_BYTES + 1));
    assertThat(text.nextLineOrLast()).isFalse();
    assertThat(faults.last()).contains(" has more than 8388608 bytes");
  }

  @Test
  void aFileWithoutTheNamesOfItsColumnsIsDamaged() throws IOException {
    load("sl local\nrem st\n1 2\n");
    assertThat(text.skipHeader("sl", 2)).isTrue();
    assertThat(text.nextLine()).isTrue();
    assertThat(text.line()).isEqualTo("1 2");
    assertThat(faults.count()).isZero();
    load("slx local\n1 2\n");
    assertThat(text.skipHeader("sl", 1)).isFalse();
    load("\n1 2\n");
    assertThat(text.skipHeader("sl", 1)).isFalse();
    load("sl local\n");
    assertThat(text.skipHeader("sl", 2)).as("one line of two").isFalse();
    assertThat(faults.count()).isEqualTo(3);
    assertThat(faults.last()).endsWith(" does not begin with \"sl\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on line", " on line ", "on line\n", "on line \t\r\n\0", "on line\n\n"})
  void aFileOfOneLineIsReadWithAndWithoutItsEnd(String content) throws IOException {
    load(content);
    assertThat(text.onlyLine()).isTrue();
    assertThat(text.rest()).isEqualTo("on line");
    assertThat(text.nextLine()).as("it was the only one").isFalse();
    load("\n \0");
    assertThat(text.onlyLine()).isFalse();
    assertThat(text.rest()).isEmpty();
    assertThat(faults.count()).isZero();
  }

  @Test
  void aWordEndsAtABlankOrBehindACharacter() throws IOException {
    load("eth0:123 4 a:b\n");
    text.nextLine();
    assertThat(text.nextWord(':')).isTrue();
    assertThat(text.word()).isEqualTo("eth0:");
    assertThat(text.wordEnd()).isEqualTo(':');
    assertThat(text.wordsLeft()).isEqualTo(3);
    assertThat(text.nextWord(':')).isTrue();
    assertThat(text.word()).isEqualTo("123");
    assertThat(text.wordEnd()).isEqualTo('3');
    assertThat(text.skip(2)).isTrue();
    assertThat(text.word()).isEqualTo("a:b");
    assertThat(text.wordsLeft()).isZero();
    assertThat(text.skip(1)).isFalse();
    text.toLineStart();
    assertThat(text.wordEnd()).as("no word yet").isEqualTo(' ');
    assertThat(text.skip(4)).as("there are three").isFalse();
    text.toLineStart();
    assertThat(text.nextWord()).isTrue();
    assertThat(text.word()).isEqualTo("eth0:123");
  }

  /** The name of a process may have parentheses and blanks. */
  @Test
  void whatStandsBeforeTheLastOfACharacterIsPassedOver() throws IOException {
    load("7 (a) b) S 3\n8 S\n)\n");
    text.nextLine();
    assertThat(text.skipBehindLast(')')).isTrue();
    assertThat(text.nextWord()).isTrue();
    assertThat(text.word()).isEqualTo("S");
    assertThat(text.skipBehindLast(')')).as("that was before").isFalse();
    assertThat(text.nextNumber()).isEqualTo(3);
    text.nextLine();
    assertThat(text.skipBehindLast(')')).isFalse();
    assertThat(text.nextNumber()).as("it stays where it is").isEqualTo(8);
    text.nextLine();
    assertThat(text.skipBehindLast(')')).isTrue();
    assertThat(text.nextWord()).isFalse();
  }

  @Test
  void wordsAndLinesAreKnownByWhatTheyBeginWith() throws IOException {
    load("cpu12 7\ncp\n");
    text.nextLine();
    assertThat(text.lineStartsWith("cpu")).isTrue();
    assertThat(text.lineStartsWith("cpv")).isFalse();
    assertThat(text.lineStartsWith("cpu12 7")).isTrue();
    assertThat(text.lineStartsWith("cpu12 7 ")).isFalse();
    text.nextWord();
    assertThat(text.wordStartsWith("cpu")).isTrue();
    assertThat(text.wordStartsWith("cpu12")).isTrue();
    assertThat(text.wordStartsWith("cpu12 7")).isFalse();
    assertThat(text.wordIs("cpu12")).isTrue();
    assertThat(text.wordIs("cpu1")).isFalse();
    assertThat(text.word(3, 0)).isEqualTo("12");
    assertThat(text.number(3, 0)).isEqualTo(12);
    assertThat(text.hex(3, 1)).isEqualTo(1);
    text.nextLine();
    assertThat(text.lineStartsWith("cpu")).isFalse();
    text.nextWord();
    assertThat(text.word(3, 0)).isEmpty();
    assertThat(text.number(3, 0)).isNaN();
    assertThat(text.hex(3, 0)).isNaN();
    assertThat(faults.count()).isEqualTo(2);
    assertThat(faults.last()).endsWith("file, line \"cp\"");
  }

  @Test
  void theRestOfALineIsWithoutTheBlanksAroundIt() throws IOException {
    load("model name\t:  A  B \t\r\nx\n");
    text.nextLine();
    text.skip(3);
    assertThat(text.rest()).isEqualTo("A  B");
    text.nextLine();
    text.nextWord();
    assertThat(text.rest()).isEmpty();
    text.damaged();
    assertThat(faults.last()).isEqualTo("cannot read " + folder.resolve("file") + ", line \"x\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0x", "x", "g", "0xg", "11111111111111111", "0x11111111111111111", "é"})
  void aWordThatIsNoHexadecimalNumberIsCounted(String word) throws IOException {
    load(word + "\n");
    text.nextLine();
    assertThat(text.nextHex()).isNaN();
    assertThat(faults.count()).isEqualTo(1);
    assertThat(text.nextHex()).as("no word").isNaN();
    assertThat(faults.count()).isEqualTo(1);
  }

  @Test
  void wordsOfOtherBytesThanAsciiAreText() throws IOException {
    load("straße straße\n");
    text.nextLine();
    text.nextWord();
    assertThat(text.word()).isEqualTo("straße");
    text.nextWord();
    assertThat(text.word()).isEqualTo("straße");
    Files.write(folder.resolve("file"), new byte[] {'a', (byte) 0xff, '\n'});
    text.load(folder.resolve("file").toString());
    text.nextLine();
    text.nextWord();
    assertThat(text.word()).isEqualTo("a\ufffd");
  }

  @Test
  void aFileThatIsNotThereIsMissing() {
    assertThatThrownBy(() -> text.load(folder.resolve("none").toString()))
        .isInstanceOf(MissingSource.class);
  }

  private void load(String content) throws IOException {
    Path file = folder.resolve("file");
    Files.write(file, content.getBytes(StandardCharsets.UTF_8));
    text.load(file.toString());
  }
}
