package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunDictionaryTest {
  private final RunDictionary dictionary = new RunDictionary();

  private static Frame adding(
      int knownSymbols, List<String> symbols, int knownSeries, int[]... series) {
    return new Frame.Dictionary(
        "n1", 0x1f, new Frame.Additions(knownSymbols, symbols, knownSeries, List.of(series)));
  }

  @Test
  void aNewDictionaryCoversOnlyFramesThatBeginAtZero() {
    assertThat(dictionary.size()).isZero();
    assertThat(dictionary.symbolCount()).isZero();
    assertThat(dictionary.covers(adding(0, List.of(), 0))).isTrue();
    assertThat(dictionary.covers(adding(1, List.of(), 0))).isFalse();
    assertThat(dictionary.covers(adding(0, List.of(), 1))).isFalse();
  }

  @Test
  void aFrameThatItDoesNotCoverCannotBeAdded() {
    assertThatThrownBy(() -> dictionary.add(adding(1, List.of("a"), 0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the frame needs a larger dictionary");
    assertThat(dictionary.symbolCount()).isZero();
  }

  @Test
  void labelSetsMayUseStringsOfTheSameFrameAndOfEarlierOnes() throws WireException {
    dictionary.add(adding(0, List.of("a", "1"), 0, new int[] {0, 1}));
    dictionary.add(adding(2, List.of("b", "2"), 1, new int[] {0, 3}, new int[] {2, 1, 0, 3}));
    assertThat(dictionary.size()).isEqualTo(3);
    assertThat(dictionary.symbolCount()).isEqualTo(4);
    assertThat(dictionary.series(0)).isEqualTo(Labels.of("a", "1"));
    assertThat(dictionary.series(1)).isEqualTo(Labels.of("a", "2"));
    assertThat(dictionary.series(2)).isEqualTo(Labels.of("a", "2", "b", "1"));
  }

  @Test
  void aFrameThatRepeatsPartOfItAddsOnlyTheRest() throws WireException {
    dictionary.add(adding(0, List.of("a", "1"), 0, new int[] {0, 1}));
    dictionary.add(adding(1, List.of("1", "2", "b"), 0, new int[] {0, 1}, new int[] {3, 2}));
    assertThat(dictionary.symbolCount()).isEqualTo(4);
    assertThat(dictionary.size()).isEqualTo(2);
    assertThat(dictionary.series(1)).isEqualTo(Labels.of("b", "2"));
  }

  @Test
  void aFrameOfAnEarlierTimeAddsNothing() throws WireException {
    Frame early = adding(0, List.of("a", "1"), 0, new int[] {0, 1});
    dictionary.add(early);
    dictionary.add(adding(2, List.of("b", "2"), 1, new int[] {2, 3}));
    dictionary.add(early);
    assertThat(dictionary.symbolCount()).isEqualTo(4);
    assertThat(dictionary.size()).isEqualTo(2);
  }

  @Test
  void aFrameThatContradictsItIsOfAnotherSenderAndNothingOfItIsTaken() throws WireException {
    dictionary.add(adding(0, List.of("a", "1", "b"), 0, new int[] {0, 1}));
    for (Frame other :
        List.of(
            adding(0, List.of("a", "2"), 0),
            adding(1, List.of("1", "c", "d"), 1, new int[] {0, 3}),
            adding(3, List.of("d"), 0, new int[] {2, 1}, new int[] {0, 3}))) {
      assertThatThrownBy(() -> dictionary.add(other))
          .isInstanceOf(WireException.class)
          .hasMessage(
              "two senders of host n1 have the run 1f: its dictionary is not the one that came"
                  + " before; restart the sender");
    }
    assertThat(dictionary.symbolCount()).isEqualTo(3);
    assertThat(dictionary.size()).isEqualTo(1);
  }

  @Test
  void aLabelSetThatIsNoneIsAnErrorAndNothingOfItsFrameIsTaken() throws WireException {
    dictionary.add(adding(0, List.of("a", "1", ""), 0));
    Frame twice = adding(3, List.of("b"), 0, new int[] {0, 1}, new int[] {0, 1, 0, 1});
    assertThatThrownBy(() -> dictionary.add(twice))
        .isInstanceOf(WireException.class)
        .hasMessage("a label set is not one: the label \"a\" occurs twice");
    Frame unnamed = adding(3, List.of("b"), 0, new int[] {2, 1});
    assertThatThrownBy(() -> dictionary.add(unnamed))
        .isInstanceOf(WireException.class)
        .hasMessage("a label set is not one: a label has an empty name");
    assertThat(dictionary.symbolCount()).isEqualTo(3);
    assertThat(dictionary.size()).isZero();
  }

  @Test
  void itHoldsAsManyStringsAsItsLimitAndNoMore() throws WireException {
    dictionary.add(adding(0, Collections.nCopies(RunDictionary.MAX_SYMBOLS, "x"), 0));
    assertThat(dictionary.symbolCount()).isEqualTo(RunDictionary.MAX_SYMBOLS);
    Frame one = adding(RunDictionary.MAX_SYMBOLS, List.of("y"), 0);
    assertThatThrownBy(() -> dictionary.add(one))
        .isInstanceOf(WireException.class)
        .hasMessage("the dictionary of run 1f grows above 262144 label sets or 1048576 strings");
    assertThat(dictionary.symbolCount()).isEqualTo(RunDictionary.MAX_SYMBOLS);
  }

  @Test
  void itHoldsAsManyLabelSetsAsItsLimitAndNoMore() throws WireException {
    int[] none = new int[0];
    dictionary.add(
        new Frame.Dictionary(
            "n1",
            1,
            new Frame.Additions(
                0, List.of(), 0, Collections.nCopies(RunDictionary.MAX_SERIES, none))));
    assertThat(dictionary.size()).isEqualTo(RunDictionary.MAX_SERIES);
    Frame one = adding(0, List.of(), RunDictionary.MAX_SERIES, none);
    assertThatThrownBy(() -> dictionary.add(one))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("grows above 262144 label sets");
  }

  @Test
  void itHoldsAsManyBytesAsOneFrameOfItMayHaveAndNoMore() throws WireException {
    String longest = "x".repeat(FrameDecoder.MAX_SYMBOL_LENGTH);
    dictionary.add(adding(0, Collections.nCopies(1_023, longest), 0));
    assertThat(dictionary.encode("n1", 1)).hasSizeLessThan(FrameDecoder.MAX_BODY_BYTES);
    long held = dictionary.heldBytes();
    assertThat(held).isGreaterThan(1_023L * FrameDecoder.MAX_SYMBOL_LENGTH);
    Frame one = adding(1_023, List.of(longest), 0);
    assertThatThrownBy(() -> dictionary.add(one))
        .isInstanceOf(WireException.class)
        .hasMessage("the dictionary of run 1f grows above 16776192 bytes");
    assertThat(dictionary.symbolCount()).isEqualTo(1_023);
    assertThat(dictionary.heldBytes()).isEqualTo(held);
    int[] many = new int[2 * FrameDecoder.MAX_LABELS];
    Arrays.setAll(many, i -> 900 + i % 100);
    Frame labelSets =
        adding(1_023, List.of(), 0, Collections.nCopies(20, many).toArray(int[][]::new));
    assertThatThrownBy(() -> dictionary.add(labelSets))
        .as("label sets count, too")
        .hasMessageContaining("bytes");
    assertThat(dictionary.size()).isZero();
  }

  @Test
  void whatEarlierFramesAddedCountsAgainstTheLimitOfBytes() throws WireException {
    long limit = 600;
    RunDictionary small = new RunDictionary(limit);
    int symbols = 0;
    int series = 0;
    int added = 0;
    boolean isFull = false;
    while (!isFull) {
      int number = symbols + 2;
      int[] labels = {symbols, symbols + 1};
      Frame next = adding(symbols, List.of("name" + number, "v" + number), series, labels, labels);
      added += bytes(next);
      if (added <= limit) {
        small.add(next);
        symbols += 2;
        series += 2;
      } else {
        assertThatThrownBy(() -> small.add(next))
            .isInstanceOf(WireException.class)
            .hasMessage("the dictionary of run 1f grows above 600 bytes");
        isFull = true;
      }
    }
    assertThat(symbols).isGreaterThan(20);
    assertThat(small.symbolCount()).isEqualTo(symbols);
    assertThat(small.size()).isEqualTo(series);
    small.add(adding(0, List.of("name2"), 0));
    assertThat(small.symbolCount()).as("a repetition needs no place").isEqualTo(symbols);
  }

  @Test
  void labelSetsAloneFillADictionaryFrameByFrame() throws WireException {
    RunDictionary small = new RunDictionary(100);
    int[] labels = {0, 1};
    small.add(adding(0, List.of("a", "1"), 0));
    int most = 0;
    int bytes = FrameFormat.bytes("a") + FrameFormat.bytes("1");
    for (; bytes + FrameFormat.bytes(labels) <= 100; bytes += FrameFormat.bytes(labels)) {
      small.add(adding(2, List.of(), most++, labels));
    }
    Frame one = adding(2, List.of(), most, labels);
    assertThatThrownBy(() -> small.add(one))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("grows above 100 bytes");
    assertThat(small.size()).isEqualTo(most);
  }

  private static int bytes(Frame frame) {
    return frame.additions().symbols().stream().mapToInt(FrameFormat::bytes).sum()
        + frame.additions().series().stream().mapToInt(FrameFormat::bytes).sum();
  }

  @Test
  void whatComesAgainTakesNoMemory() throws WireException {
    Frame frame = adding(0, List.of("a", "1"), 0, new int[] {0, 1});
    assertThat(dictionary.heldBytes()).isZero();
    dictionary.add(frame);
    long held = dictionary.heldBytes();
    assertThat(held).isPositive();
    dictionary.add(frame);
    assertThat(dictionary.heldBytes()).isEqualTo(held);
  }

  /** Any frames of a run, in any order and any number of times, once they are covered. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theOrderAndNumberOfCoveredFramesDoNotMatter(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Frame> frames = new ArrayList<>();
    RunDictionary inOrder = new RunDictionary();
    for (byte[] bytes : FrameTest.framesOf(seed, 20)) {
      frames.add(new FrameDecoder(bytes).next());
      inOrder.add(frames.getLast());
    }
    while (dictionary.size() < inOrder.size()) {
      Frame frame = frames.get(random.nextInt(frames.size() - 1));
      if (dictionary.covers(frame)) {
        dictionary.add(frame);
      }
    }
    for (int i = 0; i < inOrder.size(); i++) {
      assertThat(dictionary.series(i)).isEqualTo(inOrder.series(i));
    }
    assertThat(dictionary.symbolCount()).isEqualTo(inOrder.symbolCount());
  }

  @Test
  void encodedItIsTheDictionaryOfItsRun() throws WireException {
    for (byte[] bytes : FrameTest.framesOf(5, 10)) {
      dictionary.add(new FrameDecoder(bytes).next());
    }
    Frame read = new FrameDecoder(dictionary.encode("n1", 77)).next();
    assertThat(read).isInstanceOf(Frame.Dictionary.class);
    assertThat(read.host()).isEqualTo("n1");
    assertThat(read.run()).isEqualTo(77);
    assertThat(read.additions().symbols()).hasSize(dictionary.symbolCount());
    RunDictionary other = new RunDictionary();
    other.add(read);
    assertThat(other.encode("n1", 77)).isEqualTo(dictionary.encode("n1", 77));
  }
}
