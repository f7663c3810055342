package io.fleetgauge.gateway.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogTest {
  private static final String[] VALUES = {"", "a", "b", "ab", "1"};

  /** The bitmaps beside a look at every series. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsFoundIsWhatMatches(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Catalog catalog = Catalog.of(Set.of("job"), List.of());
    List<StoredSeries> all = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      Labels labels =
          Labels.of(
              Labels.NAME,
              "m" + i % 7,
              "x",
              VALUES[random.nextInt(5)],
              "y",
              VALUES[random.nextInt(5)],
              "i",
              "" + i);
      StoredSeries series = new StoredSeries(labels, null, 0, ColumnList.empty());
      all.add(series);
      catalog = catalog.with(series);
      if (i % 50 == 0) {
        for (int question = 0; question < 20; question++) {
          List<Matcher> matchers = matchers(random);
          List<StoredSeries> found = new ArrayList<>();
          catalog.find(matchers, found::add);
          List<StoredSeries> expected =
              all.stream()
                  .filter(each -> matchers.stream().allMatch(m -> m.matches(each.identity)))
                  .toList();
          assertThat(found).as(matchers.toString()).isEqualTo(expected);
        }
      }
    }
    assertThat(catalog.size()).isEqualTo(700);
  }

  private static List<Matcher> matchers(SplittableRandom random) {
    List<Matcher> matchers = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      String name = new String[] {"x", "y", "i", Labels.NAME, "nosuch"}[random.nextInt(5)];
      Matcher.Kind kind = Matcher.Kind.values()[random.nextInt(4)];
      boolean metric = name.equals(Labels.NAME);
      String value = metric ? "m" + random.nextInt(8) : VALUES[random.nextInt(5)];
      String regex = new String[] {"a|b", ".*", ".+", "", "a.*", "m[0-3]", "b?"}[random.nextInt(7)];
      boolean exact = kind == Matcher.Kind.EQUAL || kind == Matcher.Kind.NOT_EQUAL;
      matchers.add(Matcher.of(kind, name, exact ? value : regex));
    }
    return matchers;
  }
}
