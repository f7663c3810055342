package io.fleetgauge.runtime.trust;

import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Decides whether requests come from processes of this cluster, are meant for this one, and are
 * new. Safe for all threads.
 */
public final class RequestVerifier {
  private final ClusterKey key;
  private final Duration skew;
  private final LongSupplier clock;
  private final ReplayWindows seen;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Map<RejectionReason, LongAdder> rejected = new EnumMap<>(RejectionReason.class);

  /** The proof of a request. */
  public sealed interface Verdict {
    /**
     * It comes from a process of this cluster.
     *
     * @param time when it was signed, ms since the epoch
     * @param body the SHA-256 that its body has to have
     */
    record Proven(long time, byte[] body) implements Verdict {}

    /**
     * It is rejected.
     *
     * @param text for the sender, ASCII without quotation marks
     */
    record Rejected(RejectionReason reason, String text) implements Verdict {}
  }

  /**
   * @param skew how much the sender's clock may differ from this one's
   * @param clock ms since the epoch
   */
  public RequestVerifier(ClusterKey key, Duration skew, LongSupplier clock) {
    this(key, skew, clock, ReplayWindows.MAX_SENDERS);
  }

  RequestVerifier(ClusterKey key, Duration skew, LongSupplier clock, int maxSenders) {
    this.key = key;
    this.skew = skew;
    this.clock = clock;
    this.seen = new ReplayWindows(maxSenders, ReplayWindows.MAX_WORDS, skew.toMillis());
    for (RejectionReason reason : RejectionReason.values()) {
      rejected.put(reason, new LongAdder());
    }
  }

  /** Adds a host name or address under which others reach this process. */
  public void isReachedAs(String host) {
    names.add(host);
  }

  /**
   * @param signature the value of {@link RequestSigner#HEADER}; empty when there is none
   * @param localAddress the address that the connection was accepted on
   * @param localPort the port that the connection was accepted on
   * @param since requests that were signed before this time are rejected, ms since the epoch
   */
  public Verdict verify(
      Optional<String> signature,
      RequestHead head,
      String localAddress,
      int localPort,
      long since) {
    if (signature.isEmpty()) {
      return reject(
          RejectionReason.UNSIGNED,
          "the request is not signed: every process of the cluster needs cluster.secretFile");
    }
    Optional<RequestSignature> read = RequestSignature.parse(signature.get());
    if (read.isEmpty()) {
      return reject(
          RejectionReason.FORM,
          "the signature has the form of another version: update all processes of the cluster");
    }
    RequestSignature of = read.get();
    if (!new Seal(key, Purpose.REQUEST).verifies(of.signature(), head.parts(of.words()))) {
      return reject(
          RejectionReason.SIGNATURE,
          "the signature does not verify: cluster.secretFile must hold the same secret for all"
              + " processes of the cluster");
    }
    Set<String> here = names(localAddress, localPort);
    if (!here.contains(of.receiver())) {
      return reject(
          RejectionReason.RECEIVER,
          "the request was signed for "
              + of.receiver()
              + ", which is not an address of this process: use one of "
              + here);
    }
    long now = clock.getAsLong();
    if (of.time() < now - skew.toMillis() || of.time() > now + skew.toMillis()) {
      return reject(
          RejectionReason.CLOCK,
          "the request was signed at "
              + Instant.ofEpochMilli(of.time())
              + " by the sender's clock, and it is "
              + Instant.ofEpochMilli(now)
              + " by the receiver's; they may differ by "
              + skew.toSeconds()
              + " s (trust.clockSkew): synchronize the clocks");
    }
    if (of.time() < since) {
      return reject(
          RejectionReason.REPEATED,
          "the request was signed before this process started: send it again");
    }
    Optional<RejectionReason> old;
    synchronized (seen) {
      old = seen.add(of.sender(), of.number(), of.time(), now);
    }
    if (old.isPresent()) {
      return reject(
          old.get(),
          old.get() == RejectionReason.REPEATED
              ? "the request was received before, or thousands of newer ones were"
              : "requests of "
                  + ReplayWindows.MAX_SENDERS
                  + " processes arrived in the last minutes, and no more are remembered");
    }
    return new Verdict.Proven(of.time(), of.body());
  }

  /**
   * Tells whether a body is the one that was signed.
   *
   * @param digest the SHA-256 of the body that arrived
   * @return why the request is rejected; empty when it is not
   */
  public Optional<Verdict.Rejected> checkBody(Verdict.Proven proven, byte[] digest) {
    return MessageDigest.isEqual(proven.body(), digest)
        ? Optional.empty()
        : Optional.of(
            reject(RejectionReason.BODY, "the body differs from the one that was signed"));
  }

  private Set<String> names(String localAddress, int localPort) {
    Set<String> all = new TreeSet<>();
    all.add(RequestSigner.receiver(localAddress, localPort));
    if (InetAddress.ofLiteral(localAddress).isLoopbackAddress()) {
      all.add(RequestSigner.receiver("localhost", localPort));
    }
    for (String name : names) {
      all.add(RequestSigner.receiver(name, localPort));
    }
    return all;
  }

  private Verdict.Rejected reject(RejectionReason reason, String text) {
    rejected.get(reason).increment();
    return new Verdict.Rejected(reason, text);
  }

  /** The number of requests that were rejected, by reason. */
  public Map<String, Long> rejected() {
    Map<String, Long> counts = new TreeMap<>();
    rejected.forEach((reason, count) -> counts.put(reason.label(), count.sum()));
    return counts;
  }

  /** The number of senders that are remembered. */
  public int senders() {
    synchronized (seen) {
      return seen.senders();
    }
  }
}
