package io.fleetgauge.query.faults.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.http.ParametersOf;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultFilterTest {
  private static final long NOW = 1_795_300_000_000L;
  private static final long MINUTE = 60_000;

  private static FaultFilter filter(String query) throws QueryFailure {
    return FaultFilter.of(ParametersOf.url(query), NOW);
  }

  private static StoredEpisode episode(
      FaultKind kind, Subject subject, long since, OptionalLong over, List<Suspect> suspects) {
    Episode episode =
        new Episode(
            "id-" + since,
            kind,
            kind.severity(),
            subject,
            "",
            false,
            since,
            since,
            since,
            over,
            "",
            1,
            "",
            List.of(),
            suspects,
            "",
            List.of(),
            false);
    Labels labels = subject.labels().with("Hostname", "n1");
    return new StoredEpisode(episode, labels, since, since);
  }

  /** A lost GPU since 10 min. */
  private static final StoredEpisode LOST =
      episode(
          FaultKind.GPU_LOST,
          new Subject("n1", "GPU-3", "", "", Labels.of("gpu", "3", "job", "j", "tenant", "a")),
          NOW - 10 * MINUTE,
          OptionalLong.empty(),
          List.of());

  /** A hang of a job that lasted from 30 to 20 min ago, of which n2's GPU-9 is suspected. */
  private static final StoredEpisode HUNG =
      episode(
          FaultKind.HANG,
          new Subject("", "", "", "k", Labels.of("job", "k", "tenant", "b")),
          NOW - 30 * MINUTE,
          OptionalLong.of(NOW - 20 * MINUTE),
          List.of(new Suspect("n2", "GPU-9", 4, "it is behind")));

  @ParameterizedTest
  @CsvSource({
    "'', true, true",
    "host=n1, true, false",
    "host=n2, false, true",
    "host=n3, false, false",
    "gpu=GPU-3, true, false",
    "gpu=GPU-9, false, true",
    "gpu=GPU-4, false, false",
    "host=n1&gpu=3, true, false",
    "host=n1&gpu=2, false, false",
    "host=n2&gpu=3, false, false",
    "host=n2&gpu=GPU-9, false, true",
    "host=n1&gpu=GPU-9, false, false",
    "job=j, true, false",
    "job=k, false, true",
    "tenant=a, true, false",
    "tenant=b, false, true",
    "kind=gpu_lost, true, false",
    "kind=hang, false, true",
    "'kind=hang,gpu_lost', true, true",
    "'kind=hang&kind= gpu_lost ,', true, true",
    "kind=xid, false, false",
    "severity=critical, true, true",
    "severity=info, false, false",
    "'severity=info,critical', true, true",
    "state=open, true, false",
    "state=over, false, true",
    "state=all, true, true",
    "from=1795299100, true, false",
    "from=1795298500, true, true",
    "to=1795298500, false, true",
    "to=1795298100, false, false"
  })
  void eachParameterSelectsEpisodes(String query, boolean lost, boolean hung) throws Exception {
    FaultFilter filter = filter(query);
    assertThat(filter.matches(LOST)).isEqualTo(lost);
    assertThat(filter.matches(HUNG)).isEqualTo(hung);
  }

  @Test
  void aJobOfSlurmIsFoundByItsName() throws Exception {
    StoredEpisode slurm =
        episode(
            FaultKind.GPU_LOST,
            new Subject("n1", "GPU-3", "", "", Labels.of("hpc_job", "4711")),
            NOW,
            OptionalLong.empty(),
            List.of());
    assertThat(filter("job=4711").matches(slurm)).isTrue();
  }

  @Test
  void episodesOfADayAreAnsweredUnlessATimeIsGiven() throws Exception {
    FaultFilter filter = filter("");
    assertThat(filter.from()).isEqualTo(NOW - 24 * 60 * MINUTE);
    assertThat(filter.to()).isEqualTo(NOW);
    assertThat(filter.limit()).isEqualTo(100);
    assertThat(filter("to=9795300000").to()).as("there is nothing after now").isEqualTo(NOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu=3 | gpu | 3 | the parameter host",
        "kind=gpu_los | kind | gpu_los | docs/faults.md",
        "kind=hang,nonsense | kind | nonsense | docs/faults.md",
        "severity=fatal | severity | fatal | info, warning or critical",
        "state=closed | state | closed | open, over or all",
        "from=yesterday | from | yesterday | timestamp",
        "to=tomorrow | to | tomorrow | timestamp",
        "from=1795299100&to=1795298500 | from | 2026-11-21T | is after to",
        "limit=0 | limit | 0 | from 1 to 1000",
        "limit=1001 | limit | 1001 | from 1 to 1000",
        "limit=few | limit | few | limit",
        "cursor=12 | cursor | 12 | the field next",
        "cursor=x_id | cursor | x_id | the field next",
      })
  void anInvalidValueIsNamedWithItsParameterAndWhatIsAllowed(
      String query, String parameter, String value, String allowed) {
    assertThatThrownBy(() -> filter(query))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("\"" + parameter + "\"")
        .hasMessageContaining(value)
        .hasMessageContaining(allowed);
  }

  @Test
  void whatFollowsAnAnswerIsOlderOrHasTheNextIdentity() throws Exception {
    String cursor = FaultFilter.Place.of(LOST.episode()).text();
    assertThat(filter("cursor=" + cursor).isNext(HUNG.episode())).isTrue();
    assertThat(filter("cursor=" + cursor).isNext(LOST.episode())).isFalse();
    String last = FaultFilter.Place.of(HUNG.episode()).text();
    assertThat(filter("cursor=" + last).isNext(LOST.episode())).isFalse();
  }

  @Test
  void severitiesAreThoseThatEpisodesHave() throws Exception {
    for (Severity each : Severity.values()) {
      assertThat(filter("severity=" + each.text()).severities()).containsExactly(each);
    }
    for (FaultKind each : FaultKind.values()) {
      assertThat(filter("kind=" + each.text()).kinds()).containsExactly(each);
    }
  }
}
