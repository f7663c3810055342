package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.LaneColumns;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A series whose owner was a, then b from 100 on, then a again from 200 on; b was ended at 205. */
class OwnerViewsTest {
  private static final Labels A = Labels.of("job", "a");
  private static final Labels B = Labels.of("job", "b");

  private final LaneColumns columns = new LaneColumns(1_000_000);
  private final SampleReader reader = new SampleReader();
  private StoredSeries series;

  @BeforeEach
  void fill() {
    Timeline first = Timeline.first(A);
    Timeline second = new Timeline(100, B, Timeline.NOT_ENDED, first);
    Timeline third = new Timeline(200, A, 205, second);
    series = new StoredSeries(Labels.of("m", "1"), third, 0, columns.list());
    for (long time = 0; time <= 300; time += 10) {
      series.append(columns, time, time, null);
    }
  }

  private OwnerViews of(long from, long to, String... selector) throws Exception {
    List<Matcher> matchers = selector.length == 0 ? List.of() : Parser.parseSelector(selector[0]);
    return OwnerViews.of(series, matchers, from, to);
  }

  private List<Series> read(OwnerViews views) {
    List<Series> found = new ArrayList<>();
    for (OwnerViews.View view : views.all()) {
      Series read = view.read(series, reader);
      if (read != null) {
        found.add(read);
      }
    }
    return found;
  }

  @Test
  void eachOwnerHasTheSamplesOfItsIntervals() throws Exception {
    List<Series> found = read(of(0, 300));
    assertThat(found)
        .extracting(Series::labels)
        .containsExactlyInAnyOrder(
            Labels.of("m", "1", "job", "a"), Labels.of("m", "1", "job", "b"));
    for (Series each : found) {
      if (each.labels().value("job").equals("b")) {
        assertThat(each.times())
            .containsExactly(100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 205);
        assertThat(Staleness.isMarker(each.values()[10])).isTrue();
      } else {
        assertThat(each.size()).isEqualTo(10 + 11);
        assertThat(each.times()[9]).isEqualTo(90);
        assertThat(each.times()[10]).isEqualTo(200);
      }
    }
  }

  @Test
  void theTimeIsClosedOnBothSides() throws Exception {
    assertThat(read(of(100, 100)))
        .singleElement()
        .satisfies(
            only -> {
              assertThat(only.labels().value("job")).isEqualTo("b");
              assertThat(only.times()).containsExactly(100);
            });
    assertThat(read(of(90, 100))).hasSize(2);
    assertThat(read(of(91, 99))).isEmpty();
    assertThat(read(of(101, 109))).isEmpty();
  }

  @Test
  void aMarkerIsSeenInItsTimeOnly() throws Exception {
    assertThat(read(of(205, 205)))
        .singleElement()
        .satisfies(only -> assertThat(only.times()).containsExactly(205));
    assertThat(read(of(206, 209))).isEmpty();
    assertThat(read(of(201, 204))).isEmpty();
    assertThat(of(201, 209).labels(series, reader))
        .containsExactly(Labels.of("m", "1", "job", "b"));
  }

  @Test
  void matchersChooseOwners() throws Exception {
    assertThat(read(of(0, 300, "{job=\"b\"}")))
        .singleElement()
        .satisfies(only -> assertThat(only.labels().value("job")).isEqualTo("b"));
    assertThat(of(0, 300, "{job=\"c\"}").all()).isEmpty();
    assertThat(of(0, 99, "{job=\"b\"}").all()).isEmpty();
    assertThat(of(0, 300, "{m=\"1\",job!=\"b\"}").all()).hasSize(1);
  }

  @Test
  void noTimeHasNoViews() throws Exception {
    assertThat(of(10, 9).all()).isEmpty();
  }

  @Test
  void labelsAreThoseOfOwnersWithASample() throws Exception {
    assertThat(of(0, 300).labels(series, reader)).hasSize(2);
    assertThat(of(0, 99).labels(series, reader)).containsExactly(Labels.of("m", "1", "job", "a"));
    assertThat(of(301, 400).labels(series, reader)).isEmpty();
  }

  @Test
  void aSeriesWithoutOwnersIsOneView() {
    StoredSeries plain = new StoredSeries(Labels.of("m", "2"), null, 1, columns.list());
    plain.append(columns, 400, 1, null);
    OwnerViews views = OwnerViews.of(plain, List.of(), 0, 1_000);
    assertThat(views.all()).hasSize(1);
    assertThat(views.all().getFirst().labels()).isEqualTo(Labels.of("m", "2"));
    assertThat(views.all().getFirst().read(plain, reader).times()).containsExactly(400);
    assertThat(OwnerViews.of(plain, List.of(), 0, 399).labels(plain, reader)).isEmpty();
  }
}
