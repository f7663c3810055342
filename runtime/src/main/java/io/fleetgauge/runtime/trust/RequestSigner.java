package io.fleetgauge.runtime.trust;

import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Proves requests to other processes of the cluster. Safe for all threads. */
public final class RequestSigner {
  /** The header that proves a request. */
  public static final String HEADER = RequestHead.SIGNATURE;

  /** Proves nothing. */
  public static final RequestSigner NONE = new RequestSigner(ClusterKey.NONE, () -> 0);

  private final ClusterKey key;
  private final LongSupplier clock;
  private final long sender;
  private final AtomicLong number = new AtomicLong();

  /**
   * @param clock ms since the epoch
   */
  public RequestSigner(ClusterKey key, LongSupplier clock) {
    this(key, clock, new SecureRandom().nextLong());
  }

  RequestSigner(ClusterKey key, LongSupplier clock, long sender) {
    this.key = key;
    this.clock = clock;
    this.sender = sender;
  }

  /** Tells whether requests are signed. */
  public boolean isSet() {
    return key.isSet();
  }

  /** The name of a receiver: host and port as the sender connects to them. */
  public static String receiver(String host, int port) {
    if (host.indexOf(':') < 0) {
      return host.toLowerCase(Locale.ROOT) + ":" + port;
    }
    String literal = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    String withoutZone = literal.split("%", 2)[0];
    // An IPv4 address that is written as an IPv6 one is the IPv4 address.
    String address = InetAddress.ofLiteral(withoutZone).getHostAddress();
    return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + port;
  }

  /**
   * Signs a request that is about to be sent; each attempt is signed anew.
   *
   * @param receiver as {@link #receiver} names it
   * @param bodyDigest the SHA-256 of the body
   * @return the header's value; empty when no secret is set
   */
  public Optional<String> sign(String receiver, RequestHead head, byte[] bodyDigest) {
    if (!key.isSet()) {
      return Optional.empty();
    }
    String words =
        RequestSignature.words(
            receiver, clock.getAsLong(), sender, number.getAndIncrement(), bodyDigest);
    byte[] signature = new Seal(key, Purpose.REQUEST).sign(head.parts(words));
    return Optional.of(RequestSignature.text(words, signature));
  }
}
