package io.fleetgauge.probe.uplink;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.uplink.UplinkMachine.Effect;
import io.fleetgauge.probe.uplink.UplinkMachine.Event;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
  private static final long DISK = 64L << 20;
  private static final UplinkSettings SETTINGS =
      new UplinkSettings(Duration.ofSeconds(10), 8 << 20, Duration.ofHours(1), DISK);

  @TempDir private Path folder;
  private final Map<Long, RunDictionary> known = new HashMap<>();

  @Test
  void whatMemoryHasNoPlaceForComesBackFromTheDiskInOrder() throws Exception {
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      UplinkMachine uplink = machine(spool, SETTINGS);
      Optional<Effect> effect = cutOff(uplink, 1, 300);
      assertThat(uplink.counts().queuedFrames()).isEqualTo(300);
      assertThat(drain(uplink, spool, effect)).isEqualTo(times(1, 300));
      assertThat(uplink.counts().kept()).isEqualTo(uplink.counts().read());
      assertThat(uplink.counts().dropped()).isZero();
    }
  }

  @Test
  void whatWasNotAcknowledgedIsSentByTheNextLife() throws Exception {
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      cutOff(machine(spool, SETTINGS), 1, 50);
    }
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      UplinkMachine uplink = machine(spool, SETTINGS);
      assertThat(uplink.counts().queuedFrames()).isEqualTo(50);
      Optional<Effect> effect = uplink.on(read(51));
      assertThat(drain(uplink, spool, effect)).isEqualTo(times(1, 51));
      assertThat(uplink.counts().kept()).isEqualTo(uplink.counts().read()).isEqualTo(51);
    }
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      assertThat(machine(spool, SETTINGS).counts().queuedFrames())
          .as("only the last segment may be sent twice")
          .isLessThanOrEqualTo(1);
    }
  }

  @Test
  void whatIsTooOldOrTooMuchIsDroppedOldestFirstAndCounted() throws Exception {
    UplinkSettings little =
        new UplinkSettings(Duration.ofSeconds(5), 8 << 20, Duration.ofSeconds(40), DISK);
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      UplinkMachine uplink = machine(spool, little);
      Optional<Effect> effect = cutOff(uplink, 1, 100);
      assertThat(uplink.counts().dropped()).isEqualTo(59);
      assertThat(uplink.counts().queued() + uplink.counts().dropped()).isEqualTo(100);
      assertThat(drain(uplink, spool, effect)).isEqualTo(times(60, 100));
    }
  }

  /** What has left memory is there, however far behind the disk is. */
  @Test
  void whatIsLaidDownIsReadFromItsSegmentAtOnce() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 7);
    Labels labels = Labels.of(Labels.NAME, "m", "Hostname", "n1");
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      for (int i = 1; i <= 300; i++) {
        byte[] frame = run.encode(new Tick.Builder().add(labels, i).at(i));
        long segment = spool.segment();
        assertThat(spool.append(segment, frame)).isTrue();
        assertThat(spool.read(segment).get(7L)).as("after tick %d", i).hasSize(i);
      }
    }
  }

  private static UplinkMachine machine(Spool spool, UplinkSettings settings) {
    SplittableRandom random = new SplittableRandom(System.nanoTime());
    return new UplinkMachine(
        "n1",
        settings,
        Optional.of(spool),
        spool.found(),
        List.of(URI.create("http://g1:1")),
        random,
        () -> random.nextLong() | 1);
  }

  private static Event read(int second) {
    Labels labels = Labels.of(Labels.NAME, "m", "Hostname", "n1");
    return new Event.Read(new Tick.Builder().add(labels, second).at(second * 1_000L));
  }

  /** Ticks that are read while no gateway answers; ends with a pause. */
  private static Optional<Effect> cutOff(UplinkMachine uplink, int from, int to) {
    Optional<Effect> effect = Optional.empty();
    for (int i = from; i <= to; i++) {
      Optional<Effect> next = uplink.on(read(i));
      effect = next.isPresent() ? next : effect;
      if (effect.isPresent() && effect.get() instanceof Effect.Post) {
        effect = uplink.on(new Event.Failed("cut off"));
      }
    }
    return effect;
  }

  /** Lets all be acknowledged; the times of the ticks as a gateway that knows nothing gets them. */
  private List<Long> drain(UplinkMachine uplink, Spool spool, Optional<Effect> first)
      throws Exception {
    List<Long> times = new ArrayList<>();
    Optional<Effect> effect = first;
    while (effect.isPresent()) {
      effect =
          switch (effect.get()) {
            case Effect.Wait pause -> uplink.on(new Event.WaitOver());
            case Effect.Load load ->
                uplink.on(new Event.Loaded(load.segment(), spool.read(load.segment())));
            case Effect.Post post -> uplink.on(new Event.Answered(take(post, times)));
          };
    }
    return times;
  }

  private IntakeAnswer take(Effect.Post post, List<Long> times) throws Exception {
    FrameDecoder decoder = new FrameDecoder(post.body());
    IntakeAnswer answer = null;
    while (decoder.hasNext()) {
      Frame frame = decoder.next();
      RunDictionary run = known.computeIfAbsent(frame.run(), none -> new RunDictionary());
      if (!run.covers(frame)) {
        return new IntakeAnswer.NeedsDictionary(frame.run());
      }
      run.add(frame);
      if (frame instanceof Frame.Tick tick) {
        times.add(tick.time());
        answer = new IntakeAnswer.Kept(tick.run(), tick.sequence());
      }
    }
    return answer;
  }

  private static List<Long> times(int from, int to) {
    List<Long> times = new ArrayList<>();
    for (int i = from; i <= to; i++) {
      times.add(i * 1_000L);
    }
    return times;
  }
}
