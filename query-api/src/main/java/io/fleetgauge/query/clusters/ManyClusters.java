package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ClusterGap;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.ShardTime;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Several clusters as one: the answers of all gateways, each with the name of its cluster, become
 * one answer as those of one cluster do. A cluster that does not answer in its time is named as
 * missing. Thread-safe.
 */
final class ManyClusters implements GatewayReads {
  private static final long HOSTS_MILLIS = 2_000;

  private final List<Member> members;
  private final Optional<GatewayReads> own;
  private final WorkerExecutor heavy;
  private final LongSupplier clock;
  private final HostChoice hosts;
  private final Epochs epochs = new Epochs();

  /**
   * One of the clusters.
   *
   * @param selecting how its series are seen
   * @param names of clusters that its series are stored with, once they are known
   */
  record Member(Place place, Selecting selecting, AtomicReference<Optional<Set<String>>> names) {
    String name() {
      return place.name();
    }
  }

  /**
   * What was read of one cluster.
   *
   * @param answer empty if it was not read, or did not answer
   * @param gap what it lacks, if anything
   */
  private record Part<A extends Result>(
      Member member, Optional<ClusterAnswer<A>> answer, Optional<ClusterGap> gap) {
    boolean isFailed() {
      return answer.isEmpty()
          && gap.map(each -> each.kind() == ClusterGap.Kind.CLUSTER).orElse(false);
    }
  }

  /**
   * Where the next look continues.
   *
   * @param choice of hosts, by which answers were read
   */
  private record Position(Map<String, Changes> looks, long choice) {}

  /**
   * @param own the gateways of the own cluster, if there is one; it is among the members too
   * @param heavy where answers to heavy queries become one
   * @param clock ms since the epoch
   */
  ManyClusters(
      List<Member> members, Optional<GatewayReads> own, WorkerExecutor heavy, LongSupplier clock) {
    this.heavy = heavy;
    this.clock = clock;
    this.members = List.copyOf(members);
    this.own = own;
    this.hosts = new HostChoice(members.stream().map(Member::name).toList());
  }

  // --- reads ---

  @Override
  public <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<A>, T> merge) {
    return parts(question, Optional.empty(), options, true)
        .compose(
            parts ->
                soon(
                    options.load(),
                    () -> new Gathered<>(merge.apply(answers(parts)), coverage(parts))));
  }

  @Override
  public <T> Future<Gathered<WithChanges<T>>> parts(
      PartsQuestion question,
      Predicate<String> meant,
      Optional<Changes> since,
      ReadOptions options,
      Function<List<PartsQuestion.Answer>, T> merge) {
    return parts(question, since, options, true)
        .compose(
            parts ->
                soon(
                    options.load(),
                    () ->
                        new Gathered<>(
                            new WithChanges<>(
                                merge.apply(answers(parts)),
                                since.flatMap(last -> changes(parts, position(last)))),
                            coverage(parts))));
  }

  /** Light work takes less time than another thread takes to wake up. */
  private <T> Future<T> soon(Load load, Callable<T> work) {
    if (load.isHeavy()) {
      return heavy.executeBlocking(work, false);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private static <A extends Result> List<A> answers(List<Part<A>> parts) {
    return parts.stream()
        .flatMap(part -> part.answer.stream())
        .flatMap(answer -> answer.answers().stream())
        .toList();
  }

  /**
   * Asks every cluster of which series are meant. When one has another table than it had when its
   * hosts were listed, these may be hosts of another one too: then they are listed, and read again
   * if they are.
   */
  private <A extends Result> Future<List<Part<A>>> parts(
      Question<A> question, Optional<Changes> since, ReadOptions options, boolean isFirst) {
    HostChoice.Choice choice = hosts.choice();
    List<Future<Part<A>>> asked = new ArrayList<>();
    for (Member member : members) {
      asked.add(part(member, question, choice, since, options));
    }
    return Future.all(asked)
        .compose(
            all -> {
              List<Part<A>> parts = asked.stream().map(Future::result).toList();
              Optional<QueryFailure> nobody = nobody(parts);
              if (nobody.isPresent()) {
                return Future.failedFuture(nobody.get());
              }
              if (!isFirst) {
                return Future.succeededFuture(parts);
              }
              return listed(parts)
                  .compose(
                      none ->
                          hosts.choice().number() == choice.number()
                              ? Future.succeededFuture(parts)
                              : parts(question, since, options, false));
            });
  }

  private <A extends Result> Future<Part<A>> part(
      Member member,
      Question<A> question,
      HostChoice.Choice choice,
      Optional<Changes> since,
      ReadOptions options) {
    List<Asked<A>> asked;
    try {
      asked = new Questions(member.selecting).of(question);
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
    if (asked.isEmpty()) {
      return Future.succeededFuture(new Part<>(member, Optional.empty(), Optional.empty()));
    }
    Optional<String> refusal = member.place.refusal(options.load().tenant());
    if (refusal.isPresent()) {
      return Future.succeededFuture(
          new Part<>(
              member,
              Optional.empty(),
              Optional.of(new ClusterGap(member.name(), ClusterGap.Kind.NOT_SEEN, refusal.get()))));
    }
    Optional<Changes> last =
        since.flatMap(each -> Optional.ofNullable(position(each).looks.get(member.name())));
    List<Future<ClusterAnswer<A>>> all = new ArrayList<>();
    for (Asked<A> each : asked) {
      all.add(
          member
              .place
              .read(
                  each.question(), without(member, choice, options.load().tenant()), last, options)
              .compose(answer -> soon(options.load(), () -> seen(each, answer))));
    }
    return Future.all(all)
        .map(
            none -> {
              ClusterAnswer<A> answer =
                  all.stream().map(Future::result).reduce(ClusterAnswer::and).orElseThrow();
              return new Part<>(member, Optional.of(answer), gap(member, answer.coverage()));
            })
        .recover(failure -> missing(member, failure));
  }

  /**
   * The hosts that are not read in a cluster. A host that is read in a cluster of which the tenant
   * sees nothing is read in the first other one that has it.
   */
  private Set<String> without(Member member, HostChoice.Choice choice, String tenant) {
    Set<String> all = choice.without(member.name());
    Set<String> refused = new TreeSet<>();
    for (Member each : members) {
      if (each.place.refusal(tenant).isPresent()) {
        refused.add(each.name());
      }
    }
    if (all.isEmpty() || refused.isEmpty()) {
      return all;
    }
    return all.stream()
        .filter(
            host ->
                !refused.contains(choice.winners().get(host))
                    || !member
                        .name()
                        .equals(
                            members.stream()
                                .map(Member::name)
                                .filter(name -> !refused.contains(name))
                                .filter(name -> choice.without(name).contains(host))
                                .findFirst()
                                .orElse("")))
        .collect(Collectors.toSet());
  }

  private static <A extends Result> ClusterAnswer<A> seen(Asked<A> asked, ClusterAnswer<A> answer)
      throws QueryFailure {
    List<A> seen = new ArrayList<>();
    for (A each : answer.answers()) {
      seen.add(asked.seen().of(each));
    }
    return new ClusterAnswer<>(ofCluster(seen), answer.coverage(), answer.changes());
  }

  /**
   * The gateways of a cluster have to agree about the labels from which they derive the host of a
   * series. Those of other clusters may have others.
   */
  @SuppressWarnings("unchecked") // answers of the same kind
  private static <A extends Result> List<A> ofCluster(List<A> answers) {
    List<PartsQuestion.Results> parts = new ArrayList<>();
    for (A each : answers) {
      if (!(each instanceof PartsQuestion.Results results)) {
        return answers;
      }
      parts.add(results);
    }
    if (parts.stream().map(PartsQuestion.Results::hostLabels).distinct().count() != 1) {
      return answers;
    }
    return (List<A>)
        parts.stream()
            .map(
                each ->
                    new PartsQuestion.Results(
                        each.read(),
                        each.parts(),
                        each.notes(),
                        each.rollupCells(),
                        List.of(),
                        each.changes()))
            .toList();
  }

  private static Optional<ClusterGap> gap(Member member, Coverage coverage) {
    return coverage.missing().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ClusterGap(
                member.name(),
                ClusterGap.Kind.HOSTS,
                coverage.missing().size() + " of " + coverage.hosts() + " hosts are missing"));
  }

  /** What every cluster would refuse alike fails the read; otherwise the cluster is missing. */
  private static <A extends Result> Future<Part<A>> missing(Member member, Throwable failure) {
    if (failure instanceof QueryFailure known) {
      switch (known.kind()) {
        case BAD_DATA, TOO_LARGE, EXECUTION, CANCELED, INTERNAL -> {
          return Future.failedFuture(failure);
        }
        case SLOW_BODY, NOT_FOUND, FORBIDDEN, TIMEOUT, UNAVAILABLE, LIMITED -> {}
      }
    }
    return Future.succeededFuture(
        new Part<>(
            member,
            Optional.empty(),
            Optional.of(
                new ClusterGap(
                    member.name(),
                    ClusterGap.Kind.CLUSTER,
                    String.valueOf(failure.getMessage())))));
  }

  /** The failure of a read that no cluster answers. */
  private static <A extends Result> Optional<QueryFailure> nobody(List<Part<A>> parts) {
    List<Part<A>> failed = parts.stream().filter(Part::isFailed).toList();
    if (failed.isEmpty() || parts.stream().anyMatch(part -> part.answer.isPresent())) {
      return Optional.empty();
    }
    return Optional.of(
        new QueryFailure(
            QueryFailure.Kind.UNAVAILABLE,
            String.join(
                "; ",
                failed.stream()
                    .flatMap(part -> part.gap.stream())
                    .map(gap -> "cluster " + gap.cluster() + ": " + gap.reason())
                    .toList())));
  }

  private Coverage coverage(List<? extends Part<?>> parts) {
    int expected = 0;
    boolean hedged = false;
    String split = "";
    TreeSet<String> missing = new TreeSet<>();
    List<ShardTime> times = new ArrayList<>();
    List<ClusterGap> gaps = new ArrayList<>();
    Map<String, Long> read = new HashMap<>();
    for (Part<?> part : parts) {
      String cluster = part.member.name();
      read.put(cluster, part.member.place.epoch());
      part.gap.ifPresent(gaps::add);
      if (part.answer.isPresent()) {
        Coverage of = part.answer.get().coverage();
        expected += of.hosts();
        missing.addAll(of.missing());
        times.addAll(of.times());
        hedged |= of.hedged();
        if (split.isEmpty() && !of.split().isEmpty()) {
          split = "cluster " + cluster + ": " + of.split();
        }
        read.put(cluster, of.epoch());
      } else {
        List<String> known = hosts.hosts(cluster);
        expected += part.gap.isPresent() && !part.isFailed() ? 0 : known.size();
        if (part.isFailed()) {
          missing.addAll(known);
        }
      }
    }
    return new Coverage(
        expected,
        List.copyOf(missing),
        epochs.of(read, hosts.choice().number()),
        times,
        hedged,
        split,
        ClusterGap.together(gaps, List.of()));
  }

  // --- hosts that several clusters have ---

  /** Lists the hosts of clusters that have another table than when they were listed. */
  private Future<Void> listed(List<? extends Part<?>> parts) {
    List<Future<Void>> all = new ArrayList<>();
    for (Part<?> part : parts) {
      boolean isOther =
          part.answer
              .map(answer -> answer.coverage().epoch() != hosts.epoch(part.member.name()))
              .orElse(false);
      if (isOther) {
        all.add(list(part.member));
      }
    }
    return all.isEmpty() ? Future.succeededFuture() : Future.join(all).otherwiseEmpty().mapEmpty();
  }

  /** Lists the hosts of all clusters, also of those that seem gone. Never fails. */
  Future<Void> list() {
    return Future.join(members.stream().map(this::list).toList()).otherwiseEmpty().mapEmpty();
  }

  private Future<Void> list(Member member) {
    Future<ClusterAnswer<HostsQuestion.Answer>> found =
        member.place instanceof RemoteCluster remote
            ? remote.own(new HostsQuestion(List.of()))
            : member.place.read(new HostsQuestion(List.of()), Set.of(), Optional.empty(), own());
    return Future.all(found, names(member))
        .onSuccess(
            both ->
                hosts.heard(
                    member.name(),
                    found.result().coverage().epoch(),
                    found.result().answers().stream()
                        .flatMap(each -> each.hosts().stream())
                        .toList(),
                    found.result().coverage().missing(),
                    clock.getAsLong()))
        .mapEmpty();
  }

  /** Notes which names of clusters series are stored with. */
  private Future<Void> names(Member member) {
    LabelValuesQuestion question =
        new LabelValuesQuestion(
            ClustersSettings.LABEL,
            new SeriesSearch(SeriesFilter.EARLIEST, SeriesFilter.LATEST, 0, List.of()));
    Future<ClusterAnswer<Strings>> found =
        member.place instanceof RemoteCluster remote
            ? remote.own(question)
            : member.place.read(question, Set.of(), Optional.empty(), own());
    return found
        .onSuccess(
            answer -> {
              Set<String> all = new TreeSet<>();
              answer.answers().forEach(each -> all.addAll(each.strings()));
              member.names.set(Optional.of(all));
            })
        .mapEmpty();
  }

  private static ReadOptions own() {
    return new ReadOptions(Load.OWN, HOSTS_MILLIS, new Cancellation());
  }

  // --- changes ---

  private static Position position(Changes of) {
    return (Position) of.position();
  }

  /** Changes at the clusters that were read, if all of them said so. */
  private Optional<Changes> changes(List<? extends Part<?>> parts, Position last) {
    Map<String, Changes> looks = new TreeMap<>();
    for (Part<?> part : parts) {
      if (part.answer.isPresent()) {
        Optional<Changes> changes = part.answer.get().changes();
        if (changes.isEmpty()) {
          return Optional.empty();
        }
        looks.put(part.member.name(), changes.get());
      } else if (part.isFailed()) {
        return Optional.empty();
      }
    }
    return Optional.of(report(looks, last, false));
  }

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    Position before =
        last.map(ManyClusters::position).orElse(new Position(Map.of(), Long.MIN_VALUE));
    List<Future<Changes>> asked = new ArrayList<>();
    for (Member member : members) {
      asked.add(member.place.changes(Optional.ofNullable(before.looks.get(member.name()))));
    }
    return Future.join(asked)
        .transform(
            done -> {
              Map<String, Changes> looks = new TreeMap<>();
              for (int i = 0; i < asked.size(); i++) {
                if (asked.get(i).succeeded()) {
                  looks.put(members.get(i).name(), asked.get(i).result());
                }
              }
              return Future.succeededFuture(report(looks, before, true));
            });
  }

  /**
   * One report.
   *
   * @param looks at the clusters that told
   * @param isOfAll whether all clusters were asked, so that of those that did not tell anything may
   *     have changed
   */
  private Changes report(Map<String, Changes> looks, Position last, boolean isOfAll) {
    long choice = hosts.choice().number();
    boolean all = choice != last.choice || isOfAll && looks.size() < members.size();
    long watermark = Long.MAX_VALUE;
    List<Long> buckets = new ArrayList<>();
    Map<String, Long> read = new HashMap<>();
    Map<String, Changes> next = new TreeMap<>();
    for (Member member : members) {
      Changes of = looks.get(member.name());
      read.put(member.name(), of == null ? member.place.epoch() : of.epoch());
      if (of != null) {
        all |= of.all();
        buckets.addAll(of.buckets());
        next.put(member.name(), of);
      } else if (!isOfAll && last.looks.containsKey(member.name())) {
        of = last.looks.get(member.name());
        next.put(member.name(), of);
      }
      // Of a cluster that does not tell now, what it told last still holds.
      if (of == null && !isGone(member)) {
        of = last.looks.get(member.name());
      }
      if (of != null && of.watermark() != Long.MIN_VALUE) {
        watermark = Math.min(watermark, of.watermark());
      }
    }
    return new Changes(
        epochs.of(read, choice),
        watermark == Long.MAX_VALUE ? Long.MIN_VALUE : watermark,
        all,
        buckets,
        new Position(next, choice));
  }

  private static boolean isGone(Member member) {
    return member.place instanceof RemoteCluster remote && !remote.health().gone().isEmpty();
  }

  // --- what costs no request ---

  @Override
  public int hostCount() {
    return members.stream()
        .mapToInt(
            member ->
                member.place instanceof OwnCluster of
                    ? of.gateways().hostCount()
                    : hosts.hosts(member.name()).size())
        .sum();
  }

  @Override
  public long epoch() {
    Map<String, Long> now = new HashMap<>();
    members.forEach(member -> now.put(member.name(), member.place.epoch()));
    return epochs.of(now, hosts.choice().number());
  }

  @Override
  public ClusterState cluster() {
    return own.map(GatewayReads::cluster)
        .orElseGet(() -> new ClusterState(epoch(), false, List.of()));
  }

  /** The other clusters. */
  Stream<RemoteCluster> others() {
    return members.stream()
        .filter(member -> member.place instanceof RemoteCluster)
        .map(member -> (RemoteCluster) member.place);
  }
}
