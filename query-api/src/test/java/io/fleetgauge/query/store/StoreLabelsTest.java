package io.fleetgauge.query.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Matcher.Kind;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoreLabelsTest {
  private static final Matcher CLUSTER = Matcher.equal("cluster", "a");
  private static final StoreLabels RENAMED =
      new StoreLabels("Hostname", "host", Set.of("replica"), List.of(CLUSTER));
  private static final StoreLabels SAME =
      new StoreLabels("Hostname", "Hostname", Set.of(), List.of());

  @Test
  void theLabelOfTheHostHasItsNameThereAndHere() {
    assertThat(RENAMED.sent(List.of(Matcher.of(Kind.REGEX, "Hostname", "n.*"))))
        .contains(List.of(Matcher.of(Kind.REGEX, "host", "n.*"), CLUSTER));
    assertThat(RENAMED.seen(Labels.of("__name__", "up", "host", "n1", "Hostname", "other")))
        .isEqualTo(Labels.of("__name__", "up", "Hostname", "n1"));
  }

  @Test
  void labelsThatOnlyTheStoreHasAreNotSeen() {
    assertThat(RENAMED.seen(Labels.of("__name__", "up", "replica", "1", "cluster", "a")))
        .isEqualTo(Labels.of("__name__", "up", "cluster", "a"));
    assertThat(RENAMED.there("replica")).isEmpty();
    assertThat(RENAMED.there("host")).isEmpty();
    assertThat(RENAMED.sent(List.of(Matcher.equal("replica", "1")))).isEmpty();
    assertThat(RENAMED.sent(List.of(Matcher.of(Kind.NOT_EQUAL, "replica", "1"))))
        .contains(List.of(CLUSTER));
  }

  @Test
  void whatCannotMatchTheMatchersOfTheStoreIsNotSent() {
    assertThat(RENAMED.sent(List.of(Matcher.equal("cluster", "b")))).isEmpty();
    assertThat(RENAMED.sent(List.of(Matcher.of(Kind.NOT_EQUAL, "cluster", "a")))).isEmpty();
    assertThat(RENAMED.sent(List.of(Matcher.of(Kind.REGEX, "cluster", "a|b")))).isPresent();
    StoreLabels some =
        new StoreLabels(
            "Hostname",
            "Hostname",
            Set.of(),
            List.of(Matcher.of(Kind.REGEX, "__name__", "slurm_.*")));
    assertThat(some.sent(List.of(Matcher.equal("__name__", "up")))).isEmpty();
    assertThat(some.sent(List.of(Matcher.equal("__name__", "slurm_jobs")))).isPresent();
  }

  @Test
  void labelsOfTheSameNamesStayAsTheyAre() {
    Labels up = Labels.of("__name__", "up", "Hostname", "n1");
    assertThat(SAME.areSame()).isTrue();
    assertThat(SAME.seen(up)).isSameAs(up);
    assertThat(RENAMED.areSame()).isFalse();
  }
}
