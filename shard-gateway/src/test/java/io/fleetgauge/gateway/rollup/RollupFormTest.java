package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollupFormTest {
  private static RollupPage page(SplittableRandom random) {
    int steps = 1 + random.nextInt(300);
    List<RollupPage.Group> groups = new ArrayList<>();
    for (int i = 0; i < random.nextInt(5); i++) {
      boolean same = random.nextInt(3) == 0;
      boolean single = same || random.nextBoolean();
      int[] count = new int[steps];
      double[] sum = new double[steps];
      double[] min = new double[steps];
      double[] max = new double[steps];
      for (int step = 0; step < steps; step++) {
        count[step] = same ? 1 : random.nextInt(single ? 2 : 5);
        min[step] = count[step] == 0 ? 0 : random.nextInt(1_000) / 8.0;
        max[step] = single ? min[step] : min[step] + random.nextInt(100);
        sum[step] = single ? min[step] : min[step] + max[step];
      }
      double[] carry = random.nextBoolean() ? null : random.doubles(steps).toArray();
      double[] rest = carry == null ? null : random.doubles(steps).toArray();
      groups.add(new RollupPage.Group(Labels.of("g", "" + i), count, sum, carry, rest, min, max));
    }
    return new RollupPage(random.nextInt(1_000) * 15_000L, steps, List.of("gpu", "UUID"), groups);
  }

  private static void assertSame(RollupPage found, RollupPage expected) {
    assertThat(found.first()).isEqualTo(expected.first());
    assertThat(found.steps()).isEqualTo(expected.steps());
    assertThat(found.others()).isEqualTo(expected.others());
    assertThat(found.groups()).hasSameSizeAs(expected.groups());
    for (int i = 0; i < found.groups().size(); i++) {
      RollupPage.Group a = found.groups().get(i);
      RollupPage.Group b = expected.groups().get(i);
      assertThat(a.labels()).isEqualTo(b.labels());
      assertThat(a.count()).isEqualTo(b.count());
      assertThat(a.sum()).isEqualTo(b.sum());
      assertThat(a.carry()).isEqualTo(b.carry());
      assertThat(a.rest()).isEqualTo(b.rest());
      assertThat(a.min()).isEqualTo(b.min());
      assertThat(a.max()).isEqualTo(b.max());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsDecodedIsWhatWasEncoded(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20; i++) {
      RollupPage page = page(random);
      byte[] bytes = RollupForm.encode(page);
      assertSame(RollupForm.decode(bytes), page);
      assertThat(RollupForm.encode(RollupForm.decode(bytes))).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bytesThatAreCutOffAreRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes;
    do {
      bytes = RollupForm.encode(page(random));
    } while (bytes.length < 100 || bytes.length > 3_000);
    for (int length = 0; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> RollupForm.decode(part)).isInstanceOf(WireException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> RollupForm.decode(longer)).isInstanceOf(WireException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedBytesAreRefusedOrAPageAndNothingElse(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes = RollupForm.encode(page(random));
    for (int i = 0; i < 500; i++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
      try {
        assertThat(RollupForm.decode(damaged).steps()).isNotNegative();
      } catch (WireException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }

  /** Slices and joins, compared with the page itself. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void twoPartsOfAPageJoinToThePage(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 30; i++) {
      RollupPage page = page(random);
      if (page.steps() < 2 || page.groups().isEmpty()) {
        continue;
      }
      int cut = 1 + random.nextInt(page.steps() - 1);
      RollupPage front = page.slice(0, cut, 15_000);
      RollupPage back = page.slice(cut, page.steps(), 15_000);
      assertThat(front.end(15_000)).isEqualTo(back.first());
      RollupPage joined = front.join(back);
      assertThat(joined.first()).isEqualTo(page.first());
      assertThat(joined.steps()).isEqualTo(page.steps());
      assertThat(joined.end(15_000)).isEqualTo(page.end(15_000));
      for (RollupPage.Group group : page.groups()) {
        if (Arrays.stream(group.count()).noneMatch(count -> count > 0)) {
          continue;
        }
        RollupPage.Group same =
            joined.groups().stream()
                .filter(each -> each.labels().equals(group.labels()))
                .findFirst()
                .orElseThrow();
        assertThat(same.count()).isEqualTo(group.count());
        for (int step = 0; step < page.steps(); step++) {
          if (group.count()[step] > 0) {
            assertThat(same.sum()[step]).isEqualTo(group.sum()[step]);
            assertThat(same.min()[step]).isEqualTo(group.min()[step]);
            assertThat(same.max()[step]).isEqualTo(group.max()[step]);
          }
        }
      }
      assertThat(page.bytes()).isPositive();
    }
  }

  @Test
  void aSliceLeavesGroupsWithoutValuesOut() {
    RollupPage.Group early =
        new RollupPage.Group(
            Labels.of("g", "early"),
            new int[] {1, 0},
            new double[] {1, 0},
            null,
            null,
            new double[] {1, 0},
            new double[] {1, 0});
    RollupPage page = new RollupPage(0, 2, List.of(), List.of(early));
    assertThat(page.slice(0, 1, 15_000).groups()).hasSize(1);
    assertThat(page.slice(1, 2, 15_000).groups()).isEmpty();
    assertThat(page.slice(1, 2, 15_000).first()).isEqualTo(15_000);
  }
}
