package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.replication.ReplicaSide;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.net.URI;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what {@link ReplicaSide} decides. Only the host's lane thread uses it. */
final class ReplicaRole {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaRole.class);

  /** Interval at which a whole copy is compared with the owner's. */
  private static final long COMPARE_MILLIS = 30_000;

  private final String host;
  private final HostSession session;
  private final HostEnvironment environment;
  private final BodyJournal journal;
  private final HostTimer timer;
  private final ReplicaSide side = new ReplicaSide(COMPARE_MILLIS);
  private long equalAt;

  /** The epoch from which on the owner of this session has owned the host. */
  private OptionalLong ownerSince = OptionalLong.empty();

  /** Bodies of this session before this number are in the journal, which keeps their order. */
  private long writtenSession;

  private long writtenBefore;

  /** Bodies that the journal has not written yet. */
  private int writes;

  private boolean isEnded;

  ReplicaRole(
      String host,
      HostSession session,
      HostEnvironment environment,
      BodyJournal journal,
      HostTimer timer) {
    this.host = host;
    this.session = session;
    this.environment = environment;
    this.journal = journal;
    this.timer = timer;
  }

  /** When it was last found equal to the owner's, ms since the epoch; 0 never. */
  long equalAt() {
    return equalAt;
  }

  /**
   * Bodies have come from the owner.
   *
   * @param since the epoch from which on it has owned the host
   */
  void arrived(Peers.Copy from, long since, Consumer<Peers.CopyAnswer> answer) {
    long before = side.session();
    ReplicaSide.Arrival arrival =
        side.arrived(
            from.owner(), from.session(), from.number(), from.count(), environment.steadyMillis());
    if (from.epoch() >= since) {
      ownerSince = OptionalLong.of(since);
    }
    tellWhole();
    if (side.session() != before || !side.isWhole()) {
      if (side.session() != before) {
        // Ticks of an earlier session wait no longer: only what is older than the first tick that
        // waits is compared with the owner's, and between the sessions there may be a gap.
        session.recovered(environment.latestTime());
        session.await();
      }
    }
    switch (arrival) {
      case BROKEN -> answer.accept(Peers.CopyAnswer.of(ReplicaReply.BROKEN));
      case REPEATED ->
          answer.accept(Peers.CopyAnswer.of(isWritten(from) ? reply() : ReplicaReply.LATER));
      case TAKE -> {
        if (from.count() == 0) {
          answer.accept(Peers.CopyAnswer.of(reply()));
        } else {
          take(from, answer);
        }
      }
    }
  }

  private void tellWhole() {
    environment.copyIsWhole(host, side.isWhole() && !isEnded ? ownerSince : OptionalLong.empty());
  }

  /**
   * Returns true if bodies that had come before are in the journal: until then they are not kept.
   */
  private boolean isWritten(Peers.Copy from) {
    return from.session() == writtenSession && from.number() + from.count() <= writtenBefore;
  }

  private ReplicaReply reply() {
    // A body that is not in the journal yet would be lost with this process.
    return side.isWhole() && !isEnded && writes == 0 ? ReplicaReply.WHOLE : ReplicaReply.KEPT;
  }

  private void take(Peers.Copy from, Consumer<Peers.CopyAnswer> answer) {
    HostSession.TakeResult taken = session.copy(from.frames(), environment.clock());
    switch (taken.answer()) {
      case IntakeAnswer.NeedsDictionary wanted ->
          answer.accept(Peers.CopyAnswer.wants(wanted.run()));
      case IntakeAnswer.Kept kept -> {
        side.taken(from.number(), from.count());
        writes++;
        journal.write(
            taken,
            false,
            written ->
                environment.onLane(
                    () -> {
                      writes--;
                      if (written) {
                        written(from);
                      } else {
                        broke();
                      }
                      answer.accept(Peers.CopyAnswer.of(written ? reply() : ReplicaReply.FAILED));
                    }));
      }
      case IntakeAnswer.Moved _,
          IntakeAnswer.Refused _,
          IntakeAnswer.OverLimit _,
          IntakeAnswer.SlowDown _ ->
          refuse(taken.answer(), answer);
    }
  }

  private void written(Peers.Copy from) {
    if (from.session() != writtenSession) {
      writtenSession = from.session();
      writtenBefore = 0;
    }
    writtenBefore = Math.max(writtenBefore, from.number() + from.count());
  }

  /**
   * Refuses a body that the owner took and that is not understood here: the owner's memory and this
   * one's differ.
   */
  private void refuse(IntakeAnswer why, Consumer<Peers.CopyAnswer> answer) {
    LOG.warn("frames of host {} from its owner are not accepted: {}", host, why);
    broke();
    answer.accept(Peers.CopyAnswer.of(ReplicaReply.BROKEN));
  }

  private void broke() {
    if (!isEnded) {
      side.broke();
      tellWhole();
    }
  }

  /** This gateway is no replica any more, or owns the host: what waited waits no longer. */
  void end() {
    isEnded = true;
    tellWhole();
    session.recovered(environment.latestTime());
  }

  void pullIfDue(ClusterView view) {
    if (!environment.isRecovered()) {
      return;
    }
    if (!side.beginPull(environment.steadyMillis())) {
      timer.dueBy(side.pullAt());
      return;
    }
    long ofSession = side.session();
    URI address = view.gateways().get(side.owner());
    Consumer<Peers.PullResult> ended =
        pulled -> environment.onLane(() -> pulled(ofSession, address, pulled));
    if (address == null) {
      ended.accept(Peers.PullResult.FAILED);
    } else {
      environment.cluster().peers().pull(address, host, ended);
    }
  }

  private void pulled(long ofSession, URI address, Peers.PullResult pulled) {
    pulled.count(environment.counts());
    if (isEnded) {
      return;
    }
    if (pulled.done() && ofSession == side.session()) {
      boolean isAll = session.before() == Long.MAX_VALUE;
      session.recovered(environment.latestTime());
      if (!isAll) {
        // Only what is older than the first tick that waited was compared.
        side.pullAgain(ofSession, environment.steadyMillis());
        timer.dueBy(side.pullAt());
        return;
      }
      session.fetched(pulled.progress());
      // Before the copy is called whole: it may become the owner.
      session.lane().missing().foundLost(pulled::restores);
    }
    if (side.pulled(ofSession, pulled.done(), environment.steadyMillis())) {
      tellWhole();
    }
    timer.dueBy(side.pullAt());
    if (pulled.equal()) {
      equalAt = environment.clock();
    } else if (pulled.done()) {
      // Here is something that the owner does not have.
      environment
          .cluster()
          .peers()
          .offer(address, host, environment.cluster().self(), merged -> {});
    }
  }
}
