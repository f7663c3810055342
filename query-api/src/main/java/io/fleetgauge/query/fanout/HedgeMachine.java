package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.QueryFailure;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Decides how some hosts are read that have the same owner: events in, effects out. The owner is
 * asked first. When it takes longer than most of its answers did, or fails, or leaves the cluster,
 * the hosts' replicas are asked too. Either the owner's answer is taken or the replicas' answers
 * are, never both, so that no host counts twice. Not for several threads.
 */
final class HedgeMachine {
  /** Interval at which the read checks that the owner is still in the cluster. */
  static final long WATCH_MILLIS = 250;

  private final URI owner;
  private final List<String> hosts;
  private final Supplier<Map<URI, List<String>>> replicas;
  private final long patienceMillis;
  private final boolean heavy;
  private final List<FragmentAnswer> fromReplicas = new ArrayList<>();
  private State state = State.OWNER_ONLY;
  private boolean ownerFailed;
  private int replicasLeft;

  private enum State {
    OWNER_ONLY,
    HEDGED,
    OVER
  }

  /** Inputs while hosts are read. */
  sealed interface Event {
    record Answered(URI gateway, FragmentAnswer answer) implements Event {}

    /** A gateway did not answer. */
    record Failed(URI gateway) implements Event {}

    /** A gateway refused what every gateway would refuse. */
    record Refused(URI gateway, QueryFailure failure) implements Event {}

    /** The owner has taken longer than most of its answers did. */
    record PatienceOver() implements Event {}

    /**
     * It is time to look for the owner.
     *
     * @param ownerIsThere true if it is in the cluster
     */
    record Watched(boolean ownerIsThere) implements Event {}

    record Cancelled() implements Event {}
  }

  /** Actions to carry out. */
  sealed interface Effect {
    record Ask(URI gateway, List<String> hosts) implements Effect {}

    /** {@link Event.PatienceOver} after some time. */
    record Wait(long millis) implements Effect {}

    /** {@link Event.Watched} after some time. */
    record Watch(long millis) implements Effect {}

    /**
     * The hosts are read as far as they can be; requests that are under way end.
     *
     * @param byReplicas true if the answers are those of replicas
     */
    record Finish(List<FragmentAnswer> answers, boolean byReplicas) implements Effect {}

    /** There is no answer; requests that are under way end. */
    record Fail(QueryFailure failure) implements Effect {}
  }

  /**
   * @param replicas where the hosts are read when the owner does not answer; asked for only then,
   *     and hosts without a replica are absent
   * @param patienceMillis time to wait for the owner before replicas are asked
   * @param heavy true if the read is so much work that a replica would take as long
   */
  HedgeMachine(
      URI owner,
      List<String> hosts,
      Supplier<Map<URI, List<String>>> replicas,
      long patienceMillis,
      boolean heavy) {
    this.owner = owner;
    this.hosts = hosts;
    this.replicas = replicas;
    this.patienceMillis = patienceMillis;
    this.heavy = heavy;
  }

  List<Effect> begin() {
    if (state == State.OVER) {
      return List.of();
    }
    return List.of(new Effect.Ask(owner, hosts), new Effect.Wait(patienceMillis));
  }

  List<Effect> on(Event event) {
    if (state == State.OVER) {
      return List.of();
    }
    return switch (event) {
      case Event.Answered answered -> answered(answered);
      case Event.Failed failed -> failed(failed.gateway);
      case Event.Refused refused ->
          refused.gateway.equals(owner) ? fail(refused.failure) : failed(refused.gateway);
      case Event.PatienceOver over -> patienceOver();
      case Event.Watched watched -> watched(watched.ownerIsThere);
      case Event.Cancelled cancelled ->
          fail(
              new QueryFailure(
                  QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
    };
  }

  private List<Effect> answered(Event.Answered answered) {
    if (answered.gateway.equals(owner)) {
      return finish(List.of(answered.answer), false);
    }
    replicasLeft--;
    fromReplicas.add(answered.answer);
    return settle();
  }

  private List<Effect> failed(URI gateway) {
    if (!gateway.equals(owner)) {
      replicasLeft--;
      return settle();
    }
    return ownerFailed();
  }

  private List<Effect> ownerFailed() {
    ownerFailed = true;
    List<Effect> effects = new ArrayList<>(hedge());
    effects.addAll(settle());
    return effects;
  }

  private List<Effect> patienceOver() {
    if (state == State.HEDGED) {
      return List.of();
    }
    // A replica would take as long for a heavy read.
    List<Effect> effects = heavy ? new ArrayList<>() : new ArrayList<>(hedge());
    effects.add(new Effect.Watch(WATCH_MILLIS));
    return effects;
  }

  private List<Effect> watched(boolean ownerIsThere) {
    if (ownerFailed) {
      return List.of();
    }
    return ownerIsThere ? List.of(new Effect.Watch(WATCH_MILLIS)) : ownerFailed();
  }

  private List<Effect> hedge() {
    if (state == State.HEDGED) {
      return List.of();
    }
    state = State.HEDGED;
    Map<URI, List<String>> readers = replicas.get();
    replicasLeft = readers.size();
    List<Effect> effects = new ArrayList<>();
    readers.forEach((gateway, read) -> effects.add(new Effect.Ask(gateway, read)));
    return effects;
  }

  /** Takes the replicas' answers when all have come, if they suffice or are all there will be. */
  private List<Effect> settle() {
    if (state != State.HEDGED || replicasLeft > 0) {
      return List.of();
    }
    return ownerFailed || coversAll() ? finish(List.copyOf(fromReplicas), true) : List.of();
  }

  private boolean coversAll() {
    Set<String> left = new HashSet<>(hosts);
    fromReplicas.forEach(answer -> left.removeAll(answer.covered()));
    return left.isEmpty();
  }

  private List<Effect> finish(List<FragmentAnswer> answers, boolean byReplicas) {
    state = State.OVER;
    return List.of(new Effect.Finish(answers, byReplicas));
  }

  private List<Effect> fail(QueryFailure failure) {
    state = State.OVER;
    return List.of(new Effect.Fail(failure));
  }
}
