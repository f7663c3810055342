package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Any bytes: the decoder answers with a frame or with its own error, in bounded memory. */
class FrameFuzzTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void everyTruncationIsAnError() {
    for (byte[] frame : FrameTest.framesOf(3, 3)) {
      for (int length = 1; length < frame.length; length++) {
        byte[] cut = Arrays.copyOf(frame, length);
        assertThatThrownBy(() -> new FrameDecoder(cut).next()).isInstanceOf(WireException.class);
      }
    }
  }

  @Test
  void everyFlippedBitIsAnError() {
    for (byte[] frame : FrameTest.framesOf(4, 2)) {
      for (int bit = 0; bit < 8 * frame.length; bit++) {
        byte[] flipped = frame.clone();
        flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
        assertThatThrownBy(() -> new FrameDecoder(flipped).next())
            .as("bit %d", bit)
            .isInstanceOf(WireException.class);
      }
    }
  }

  /** Damage behind a right checksum, as a hostile sender would make it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void damageBehindARightChecksumIsAFrameOrAnErrorInBoundedMemory(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<byte[]> frames = FrameTest.framesOf(seed, 4);
    int failed = 0;
    for (int round = 0; round < 30_000; round++) {
      byte[] frame = frames.get(random.nextInt(frames.size())).clone();
      for (int hits = 1 + random.nextInt(4); hits > 0; hits--) {
        int at = FrameFormat.HEADER_BYTES + random.nextInt(frame.length - FrameFormat.HEADER_BYTES);
        frame[at] = (byte) (random.nextBoolean() ? random.nextInt() : 0xff);
      }
      byte[] damaged = withRightHeader(frame, random.nextInt(4) == 0 ? random : null);
      long before = THREADS.getCurrentThreadAllocatedBytes();
      try {
        Frame decoded = new FrameDecoder(damaged).next();
        RunDictionary dictionary = new RunDictionary();
        if (dictionary.covers(decoded)) {
          dictionary.add(decoded);
        }
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
        failed++;
      }
      long used = THREADS.getCurrentThreadAllocatedBytes() - before;
      if (round > 5_000) { // before, the machine still links the texts of the errors
        assertThat(used)
            .as("bytes taken for %d", damaged.length)
            .isLessThan(16_384 + 200L * damaged.length);
      }
    }
    assertThat(failed).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void noiseIsAnError(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] noise = new byte[1 + random.nextInt(200)];
      random.nextBytes(noise);
      assertThatThrownBy(() -> new FrameDecoder(noise).next()).isInstanceOf(WireException.class);
      byte[] body = new byte[FrameFormat.HEADER_BYTES + 1 + random.nextInt(200)];
      random.nextBytes(body);
      byte[] framed = withRightHeader(body, null);
      try {
        new FrameDecoder(framed).next();
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  private static byte[] withRightHeader(byte[] frame, SplittableRandom cut) {
    int length = frame.length - FrameFormat.HEADER_BYTES;
    if (cut != null) {
      length = cut.nextInt(length);
    }
    WireWriter out = new WireWriter(frame.length);
    out.u8(FrameFormat.MAGIC_0).u8(FrameFormat.MAGIC_1).u8(FrameFormat.VERSION);
    out.u8(frame[3] == FrameFormat.KIND_DICTIONARY ? frame[3] : FrameFormat.KIND_TICK);
    out.u32(length).u32(0).raw(frame, FrameFormat.HEADER_BYTES, length);
    out.setU32(FrameFormat.CHECK_AT, FrameFormat.check(out.array(), 0, length));
    return out.toBytes();
  }
}
