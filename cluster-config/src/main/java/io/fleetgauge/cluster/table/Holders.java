package io.fleetgauge.cluster.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The gateways that hold one host. Immutable.
 *
 * @param owner takes the host's samples in and answers for it
 * @param since the epoch from which on it has been the owner without a break
 * @param behind gateways that may have acknowledged what the owner has not: owners before it that
 *     went before it had all of theirs, and itself when it has noticed that something is missing
 * @param copies gateways that have or are getting what the owner has, in the order in which they
 *     began to
 * @param next the one of {@code copies} that is to be the owner as soon as it is whole; empty when
 *     the host is not on the move
 * @param stay says whether the host stays in the table
 * @param admission to the table
 */
public record Holders(
    String owner,
    long since,
    Set<String> behind,
    List<Copy> copies,
    Optional<String> next,
    Stay stay,
    Admission admission) {

  /** Says whether a host stays in the table; see {@link Departures}. Its numbers are persisted. */
  public enum Stay {
    /** It stays. */
    KEPT,
    /** It leaves when its owner, which takes nothing in from now on, has no sample of it. */
    EXPIRING,
    /** An operator removes it: every gateway removes its samples, and takes nothing in. */
    REMOVED
  }

  /**
   * Admission of a host to the table.
   *
   * @param tenant the tenant whose token sent its first samples; empty when that is not known
   * @param at time, ms since the epoch, by the clock of the gateway that they came to; 0 when not
   *     known
   */
  public record Admission(String tenant, long at) {
    public static final Admission UNKNOWN = new Admission("", 0);
  }

  /**
   * A gateway that has a copy.
   *
   * @param since the epoch from which on it has been a copy without a break
   * @param synced true if it has all that the owner has, as the owner said last
   */
  public record Copy(String gateway, long since, boolean synced) {
    /** Names it, and this time of its being a copy: what was said of another time is void. */
    public String key() {
      return gateway + "@" + since;
    }
  }

  /** Holders of a host that stays, and of which nothing is known but them. */
  public Holders(
      String owner, long since, Set<String> behind, List<Copy> copies, Optional<String> next) {
    this(owner, since, behind, copies, next, Stay.KEPT, Admission.UNKNOWN);
  }

  /** The gateway that a copy's key names. */
  public static String gatewayOf(String key) {
    return key.substring(0, key.lastIndexOf('@'));
  }

  public Holders {
    Objects.requireNonNull(owner);
    Objects.requireNonNull(stay);
    Objects.requireNonNull(admission);
    behind = Set.copyOf(behind);
    copies = List.copyOf(copies);
  }

  /** Returns true if the owner has all that was acknowledged, as far as is known. */
  public boolean whole() {
    return behind.isEmpty();
  }

  /**
   * Returns true if these are the same holders as other ones, and no copy is called behind that was
   * not.
   */
  boolean onlyCallsMoreSyncedThan(Holders other) {
    List<Copy> assumed = new ArrayList<>();
    for (int i = 0; i < copies.size(); i++) {
      boolean wasSynced = i < other.copies.size() && other.copies.get(i).synced();
      Copy copy = copies.get(i);
      assumed.add(new Copy(copy.gateway(), copy.since(), copy.synced() && wasSynced));
    }
    return new Holders(owner, since, behind, assumed, next, stay, admission).equals(other);
  }

  /** Returns true if the gateway is among them. */
  public boolean has(String gateway) {
    return owner.equals(gateway) || copyOn(gateway).isPresent();
  }

  /** The copy on a gateway, if there is one. */
  public Optional<Copy> copyOn(String gateway) {
    return copies.stream().filter(copy -> copy.gateway().equals(gateway)).findFirst();
  }
}
