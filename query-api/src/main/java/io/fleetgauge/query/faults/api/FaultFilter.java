package io.fleetgauge.query.faults.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Which episodes are wanted.
 *
 * @param host also as that of a suspect; empty for all
 * @param gpu a UUID, or an index on the host; empty for all
 * @param kinds none for all
 * @param severities none for all
 * @param state empty for all
 * @param from episodes that were over before are left out, ms since the epoch
 * @param to episodes that began later are left out, ms since the epoch
 * @param limit most episodes of an answer
 * @param after the last episode of the answer before
 */
record FaultFilter(
    String host,
    String gpu,
    String job,
    String tenant,
    Set<FaultKind> kinds,
    Set<Severity> severities,
    Optional<State> state,
    long from,
    long to,
    int limit,
    Optional<Place> after) {
  private static final long DAY = 86_400_000;
  private static final int MOST = 1_000;
  private static final int FEW = 100;

  enum State {
    OPEN,
    OVER
  }

  /** A place in the order of answers: the newest first. */
  record Place(long since, String id) {
    static final Comparator<Place> ORDER =
        Comparator.comparingLong((Place each) -> -each.since).thenComparing(Place::id);

    static Place of(Episode episode) {
      return new Place(episode.since(), episode.id());
    }

    String text() {
      return since + "_" + id;
    }

    static Optional<Place> parse(String text) {
      int end = text.indexOf('_');
      return end > 0 && text.substring(0, end).matches("\\d{1,15}")
          ? Optional.of(new Place(Long.parseLong(text.substring(0, end)), text.substring(end + 1)))
          : Optional.empty();
    }
  }

  /**
   * @param now ms since the epoch
   */
  static FaultFilter of(Parameters in, long now) throws QueryFailure {
    String host = in.text("host");
    String gpu = in.text("gpu");
    if (index(gpu).isPresent() && host.isEmpty()) {
      throw Parameters.invalid(
          "gpu", gpu + " is an index, which needs the parameter host too; a UUID does not");
    }
    long to = Math.min(now, in.time("to", now));
    long from = in.time("from", to - DAY);
    if (from > to) {
      throw Parameters.invalid(
          "from",
          Instant.ofEpochMilli(from) + " is after to, which is " + Instant.ofEpochMilli(to));
    }
    String cursor = in.text("cursor");
    Optional<Place> after = Place.parse(cursor);
    if (!cursor.isEmpty() && after.isEmpty()) {
      throw Parameters.invalid(
          "cursor", "\"" + cursor + "\" is none; take it from the field next of an answer");
    }
    return new FaultFilter(
        host,
        gpu,
        in.text("job"),
        in.text("tenant"),
        kinds(in.texts("kind")),
        severities(in.texts("severity")),
        state(in.text("state")),
        from,
        to,
        limit(in, FEW, MOST),
        after);
  }

  /** The parameter {@code limit}, from 1 on. */
  static int limit(Parameters in, int otherwise, int most) throws QueryFailure {
    int limit = in.text("limit").isEmpty() ? otherwise : in.limit();
    if (limit < 1 || limit > most) {
      throw Parameters.invalid("limit", limit + " must be from 1 to " + most);
    }
    return limit;
  }

  private static List<String> words(List<String> texts) {
    List<String> words = new ArrayList<>();
    for (String text : texts) {
      for (String word : text.split(",")) {
        if (!word.isBlank()) {
          words.add(word.strip());
        }
      }
    }
    return words;
  }

  private static Set<FaultKind> kinds(List<String> texts) throws QueryFailure {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    for (String word : words(texts)) {
      kinds.add(
          FaultKind.find(word)
              .orElseThrow(
                  () ->
                      Parameters.invalid(
                          "kind",
                          "\"" + word + "\" is no kind of fault; docs/faults.md has them")));
    }
    return kinds;
  }

  private static Set<Severity> severities(List<String> texts) throws QueryFailure {
    Set<Severity> severities = EnumSet.noneOf(Severity.class);
    for (String word : words(texts)) {
      severities.add(
          Severity.find(word)
              .orElseThrow(
                  () ->
                      Parameters.invalid(
                          "severity", "\"" + word + "\" may be info, warning or critical")));
    }
    return severities;
  }

  private static Optional<State> state(String text) throws QueryFailure {
    return switch (text) {
      case "", "all" -> Optional.empty();
      case "open" -> Optional.of(State.OPEN);
      case "over" -> Optional.of(State.OVER);
      default -> throw Parameters.invalid("state", "\"" + text + "\" may be open, over or all");
    };
  }

  private static OptionalInt index(String gpu) {
    return gpu.matches("\\d{1,3}") ? OptionalInt.of(Integer.parseInt(gpu)) : OptionalInt.empty();
  }

  /** Returns true if an episode is wanted, be it on this page or another one. */
  boolean matches(StoredEpisode stored) {
    Episode of = stored.episode();
    Labels labels = stored.labels();
    boolean isOpen = of.isOpen();
    return (kinds.isEmpty() || kinds.contains(of.kind()))
        && (severities.isEmpty() || severities.contains(of.severity()))
        && state.map(wanted -> isOpen == (wanted == State.OPEN)).orElse(true)
        && of.since() <= to
        && (isOpen || of.over().getAsLong() >= from)
        && (job.isEmpty()
            || job.equals(of.subject().job())
            || job.equals(labels.value("job"))
            || job.equals(labels.value("hpc_job")))
        && (tenant.isEmpty() || tenant.equals(labels.value("tenant")))
        && isThere(of, labels);
  }

  private boolean isThere(Episode of, Labels labels) {
    if (host.isEmpty() && gpu.isEmpty()) {
      return true;
    }
    boolean isIndex = index(gpu).isPresent();
    boolean isItself =
        (host.isEmpty() || host.equals(of.subject().host()))
            && (gpu.isEmpty() || gpu.equals(isIndex ? labels.value("gpu") : of.subject().uuid()));
    boolean isSuspect =
        !isIndex
            && of.suspects().stream()
                .anyMatch(
                    each ->
                        (host.isEmpty() || host.equals(each.host()))
                            && (gpu.isEmpty() || gpu.equals(each.uuid())));
    return isItself || isSuspect;
  }

  /** Returns true if an episode comes after the answer before. */
  boolean isNext(Episode of) {
    return after.map(place -> Place.ORDER.compare(place, Place.of(of)) < 0).orElse(true);
  }
}
