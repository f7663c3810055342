package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageMergeTest {
  private static final UnaryOperator<Labels> SAME = UnaryOperator.identity();

  private static RollupPage.Group group(Labels labels, double... values) {
    int[] count = new int[values.length];
    double[] row = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      count[i] = Double.isNaN(values[i]) ? 0 : 1;
      row[i] = count[i] == 0 ? 0 : values[i];
    }
    return new RollupPage.Group(labels, count, row, null, null, row, row);
  }

  private static RollupPage page(long first, RollupPage.Group... groups) {
    return new RollupPage(first, groups[0].count().length, List.of("gpu"), List.of(groups));
  }

  @Test
  void groupsWithTheSameLabelsAreMerged() {
    PageMerge merge = new PageMerge(0, 3, List.of("rack"), SAME);
    merge.add(page(0, group(Labels.of("rack", "r1", "tenant", "a"), 1, 2, 3)), 0, 3, 0);
    merge.add(
        page(
            0,
            group(Labels.of("rack", "r1", "tenant", "b"), 10, Double.NaN, 30),
            group(Labels.of("rack", "r2", "tenant", "b"), 5, 5, 5)),
        0,
        3,
        0);
    RollupPage merged = merge.page().orElseThrow();
    assertThat(merged.first()).isZero();
    assertThat(merged.steps()).isEqualTo(3);
    assertThat(merged.others()).containsExactly("gpu");
    assertThat(merged.groups()).hasSize(2);
    RollupPage.Group r1 = merged.groups().getFirst();
    assertThat(r1.labels()).isEqualTo(Labels.of("rack", "r1"));
    assertThat(r1.count()).containsExactly(2, 1, 2);
    assertThat(r1.sum()).containsExactly(11, 2, 33);
    assertThat(r1.min()).containsExactly(1, 2, 3);
    assertThat(r1.max()).containsExactly(10, 2, 30);
    assertThat(r1.carry()).isNull();
  }

  @Test
  void partsOfPagesGoToTheirSteps() {
    PageMerge merge = new PageMerge(0, 4, List.of(), SAME);
    RollupPage page = page(0, group(Labels.of("rack", "r1"), 1, 2, 3, 4, 5));
    merge.add(page, 1, 2, 2);
    RollupPage merged = merge.page().orElseThrow();
    assertThat(merged.groups().getFirst().count()).containsExactly(0, 0, 1, 1);
    assertThat(merged.groups().getFirst().sum()).containsExactly(0, 0, 2, 3);
  }

  @Test
  void aPageWithoutGroupsIsEmpty() {
    RollupPage merged = new PageMerge(30_000, 2, List.of("rack"), SAME).page().orElseThrow();
    assertThat(merged.groups()).isEmpty();
    assertThat(merged.first()).isEqualTo(30_000);
  }

  /** Any order of pages gives the same bits: sums are exact. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theOrderOfPagesMakesNoDifference(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int steps = 20;
    List<RollupPage> pages = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      double[] values = new double[steps];
      for (int step = 0; step < steps; step++) {
        values[step] =
            random.nextInt(6) == 0
                ? Double.NaN
                : random.nextInt(-1_000_000, 1_000_000) / 1_000.0 * Math.pow(10, random.nextInt(9));
      }
      pages.add(page(0, group(Labels.of("rack", "r" + i % 2), values)));
    }
    RollupPage ascending = merge(pages);
    RollupPage descending = merge(pages.reversed());
    for (int g = 0; g < 2; g++) {
      RollupPage.Group a = ascending.groups().get(g);
      RollupPage.Group b = descending.groups().get(g);
      assertThat(a.count()).isEqualTo(b.count());
      assertThat(a.min()).isEqualTo(b.min());
      assertThat(a.max()).isEqualTo(b.max());
      for (int i = 0; i < steps; i++) {
        assertThat(rounded(a, i)).isEqualTo(rounded(b, i));
      }
    }
  }

  private static double rounded(RollupPage.Group group, int step) {
    return Sums.rounded(
        group.sum()[step],
        group.carry() == null ? 0 : group.carry()[step],
        group.rest() == null ? 0 : group.rest()[step]);
  }

  private static RollupPage merge(List<RollupPage> pages) {
    PageMerge merge = new PageMerge(0, 20, List.of("rack"), SAME);
    pages.forEach(page -> merge.add(page, 0, 20, 0));
    return merge.page().orElseThrow();
  }
}
