package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * This gateway's role among the holders of one host: owner, replica, or neither. Follows the newest
 * table and hands what comes to the role. Only the host's lane thread uses it.
 */
final class HostRoles {
  /** When a sender comes again whose host changes its owner, or whose body was not kept, ms. */
  static final long RETRY_MILLIS = 250;

  /** Interval at which a host that the table lacks is made known, ms. */
  private static final long REGISTER_AGAIN_MILLIS = 1_000;

  private final String host;
  private final HostSession session;
  private final HostEnvironment environment;
  private final BodyJournal journal;
  private final HostTimer timer;
  private final FormerHolderRole formerHolder;
  private ClusterView followed = ClusterView.EMPTY;
  private Optional<Holders> holders = Optional.empty();

  /** The way in which the host came into the last table that had it. */
  private Admission admission = Admission.UNKNOWN;

  private long registerAt;

  /** True if samples have come since the start, beside those that were kept before it. */
  private boolean hasTaken;

  /** Null while this gateway is not the owner. */
  private OwnerRole owner;

  /** Null while this gateway is no replica. */
  private ReplicaRole replica;

  HostRoles(
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
    this.formerHolder = new FormerHolderRole(host, environment);
  }

  /** Takes the role that the newest table gives to this gateway. */
  private void follow() {
    ClusterView view = environment.cluster().view().get();
    if (view == followed) {
      return;
    }
    followed = view;
    Optional<Holders> before = holders;
    holders = view.table().holders(host);
    holders.ifPresent(each -> admission = each.admission());
    if (!before.map(Holders::since).equals(holders.map(Holders::since))) {
      formerHolder.ownerChanged();
    }
    String self = environment.cluster().self();
    boolean isOwner = holders.map(each -> each.owner().equals(self)).orElse(false);
    if (!isOwner) {
      endOwner();
    }
    if (isOwner) {
      own(holders.get(), before);
    } else if (holders.flatMap(each -> each.copyOn(self)).isPresent()) {
      if (replica == null) {
        replica = new ReplicaRole(host, session, environment, journal, timer);
      }
      if (holders.get().behind().isEmpty()
          && holders.flatMap(each -> each.copyOn(self)).get().synced()) {
        // The ticks that this gateway lacked while it owned the host have come since.
        session.lane().missing().closeGaps();
      }
    } else {
      endReplica();
    }
  }

  private void own(Holders now, Optional<Holders> before) {
    // Ticks that waited for history wait no longer: either it comes, or it is known to be missing.
    endReplica();
    if (owner == null) {
      owner = new OwnerRole(host, session, environment, journal, timer);
    }
    owner.follow(followed, now, before);
  }

  private void endOwner() {
    if (owner != null) {
      owner.close();
      owner = null;
    }
  }

  private void endReplica() {
    if (replica != null) {
      replica.end();
      replica = null;
    }
  }

  /** Returns true if nothing of the host is taken in now, because it is to leave the table. */
  boolean refuses() {
    follow();
    return owner != null && owner.refuses();
  }

  /** The answer to a body that was acknowledged before, too late for its sender. */
  Optional<IntakeAnswer> lateAnswer(byte[] body) {
    follow();
    return owner == null ? Optional.empty() : owner.lateAnswer(body);
  }

  /** Sees to it that what the session just took is kept, and then answers. */
  void take(HostSession.TakeResult taken, HostIntake.Acknowledger answer) {
    hasTaken = true;
    follow();
    if (owner != null) {
      owner.take(taken, answer);
    } else if (environment.cluster().isReplicated()) {
      answer.accept(moved(host, environment));
    } else {
      journal.write(
          taken, false, kept -> answer.accept(kept ? taken.answer() : notKept(environment)));
    }
  }

  /** The answer to a body that the journal does not take. */
  static IntakeAnswer notKept(HostEnvironment environment) {
    environment.counts().diskTrouble.increment();
    return new IntakeAnswer.SlowDown(RETRY_MILLIS);
  }

  /** The answer to a body of a host that this gateway does not own any more. */
  static IntakeAnswer moved(String host, HostEnvironment environment) {
    ClusterAccess cluster = environment.cluster();
    ClusterView view = cluster.view().get();
    Optional<URI> address = view.ownerAddress(host);
    return address.isEmpty() || view.table().owner(host).filter(cluster.self()::equals).isPresent()
        ? new IntakeAnswer.SlowDown(RETRY_MILLIS)
        : new IntakeAnswer.Moved(address.get(), view.table().epoch());
  }

  /** All that was kept before the start is back. */
  void recovered() {
    if (owner != null) {
      owner.recovered();
    }
  }

  /** Ticks were acknowledged to a sender that are not here. */
  void missing(HostSession.Missing missing) {
    if (owner != null) {
      owner.missing(missing);
    }
  }

  /** Samples of another gateway were taken in that were not here before. */
  void merged() {
    hasTaken = true;
    if (owner != null) {
      owner.merged();
    }
  }

  /** Returns true if this gateway owns the host and is not behind another one. */
  boolean ownsWhole() {
    follow();
    return owner != null
        ? owner.isWhole()
        : !environment.cluster().isReplicated() && replica == null && holders.isEmpty();
  }

  /** Samples of a backup were taken in: replicas fetch them. */
  void restored() {
    follow();
    hasTaken = true;
    if (owner != null) {
      owner.restored();
    }
  }

  /** Another gateway has something of this host. */
  void offered(String from, Consumer<Boolean> answer) {
    follow();
    if (owner == null || !environment.isRecovered()) {
      answer.accept(false);
    } else {
      owner.offered(from, answer);
    }
  }

  /** Bodies have come from the host's owner. */
  void arrived(Peers.Copy from, Consumer<Peers.CopyAnswer> answer) {
    follow();
    boolean isOfOwner =
        replica != null && holders.map(each -> each.owner().equals(from.owner())).orElse(false);
    boolean isNewer = from.epoch() > followed.table().epoch();
    if (!isOfOwner) {
      answer.accept(Peers.CopyAnswer.of(isNewer ? ReplicaReply.LATER : ReplicaReply.STRANGER));
    } else if (!environment.isRecovered()
        || session.waitingBytes() > HostIntake.MAX_WAITING_BYTES) {
      answer.accept(Peers.CopyAnswer.of(ReplicaReply.LATER));
    } else {
      hasTaken |= from.count() > 0;
      replica.arrived(from, holders.get().since(), answer);
      replica.pullIfDue(followed);
    }
  }

  /**
   * Does what is due.
   *
   * @return whether nothing of the host is needed here any more
   */
  boolean timePassed() {
    follow();
    session.trimDictionaries(environment.clock());
    boolean isHere = session.holdsAnything() || environment.hasUsage(host);
    if (isRemoved() && environment.isRecovered() && isHere) {
      return true;
    }
    if (owner != null) {
      owner.timePassed();
    } else if (replica != null) {
      replica.pullIfDue(followed);
    } else if (environment.isRecovered() && hasUnexpired()) {
      return offerLeftovers();
    }
    return false;
  }

  /**
   * Returns true if samples or usage here have not expired; what has is removed soon, and of no use
   * to others.
   */
  private boolean hasUnexpired() {
    return session.hasSince(environment.clock() - environment.retentionMillis())
        || environment.isKeptForUsage(host);
  }

  /** Offers what is here to the owner, or sees to it that the host has one. */
  private boolean offerLeftovers() {
    if (holders.isPresent()) {
      return formerHolder.timePassed(followed, holders.get());
    }
    long now = environment.steadyMillis();
    if (now >= registerAt) {
      // The table has lost the host, or it has left too early.
      registerAt = now + REGISTER_AGAIN_MILLIS;
      environment.cluster().register().accept(host, admission);
    }
    return false;
  }

  /**
   * Returns true if an operator removes the host, or has removed it while this gateway was away.
   */
  boolean isRemoved() {
    return holders.map(Holders::stay).filter(Holders.Stay.REMOVED::equals).isPresent()
        || wasRemoved();
  }

  /**
   * Returns true if all that is here was kept before the start and is older than the removal of the
   * host, and this gateway is not to hold the host.
   */
  private boolean wasRemoved() {
    OptionalLong removed = followed.table().removedAt(host);
    return removed.isPresent()
        && !hasTaken
        && !isHeld()
        && !session.isWaiting()
        && session.lane().newest() <= removed.getAsLong();
  }

  /** Returns true if this gateway is to hold the host. */
  boolean isHeld() {
    return replica != null || owner != null;
  }

  /**
   * Returns true if a replica takes bodies more slowly than they come, so that senders have to
   * wait.
   */
  boolean isFull() {
    return owner != null && owner.isFull();
  }

  /** Returns true if what was taken before waits long for the journal or a replica. */
  boolean isLate() {
    return owner != null && owner.isLate();
  }

  /**
   * When this gateway's copy was last found equal to the owner's, ms since the epoch; 0 never;
   * empty when it is to have none.
   */
  OptionalLong copyEqualAt() {
    return replica == null ? OptionalLong.empty() : OptionalLong.of(replica.equalAt());
  }

  /** Answers the senders that still wait: they have to come again. */
  void close() {
    endOwner();
    session.close();
  }
}
