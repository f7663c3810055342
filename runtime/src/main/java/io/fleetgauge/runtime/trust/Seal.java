package io.fleetgauge.runtime.trust;

import io.fleetgauge.runtime.trust.ClusterKey.Derived;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;

/**
 * Signs and verifies for one purpose with the secrets of the cluster, as the package draws it; the
 * only class that does. It keeps its MACs, so it is not for several threads.
 */
public final class Seal {
  private static final byte[] NOTHING = {};

  private final ClusterKey key;
  private final Purpose purpose;
  private final byte[] length = new byte[Integer.BYTES];
  private final byte[] expected = new byte[ClusterKey.SIGNATURE_BYTES];
  private Derived from = Derived.NOTHING;
  private List<Mac> macs = List.of();

  public Seal(ClusterKey key, Purpose purpose) {
    this.key = key;
    this.purpose = purpose;
  }

  /**
   * Signs parts in their order.
   *
   * @return {@link ClusterKey#SIGNATURE_BYTES} bytes; none when no secret is set
   */
  public byte[] sign(byte[]... parts) {
    List<Mac> now = macs();
    return now.isEmpty() ? NOTHING : updated(now.getFirst(), parts).doFinal();
  }

  /**
   * Tells whether the same parts were signed for the same purpose with a secret of this cluster;
   * compared in constant time. When no secret is set, only what is not signed verifies.
   */
  public boolean verifies(byte[] signature, byte[]... parts) {
    List<Mac> now = macs();
    boolean verifies = now.isEmpty() && signature.length == 0;
    for (Mac mac : now) {
      try {
        updated(mac, parts).doFinal(expected, 0);
      } catch (ShortBufferException e) {
        throw new IllegalStateException(e); // it has the length of a signature
      }
      verifies |= MessageDigest.isEqual(expected, signature);
    }
    return verifies;
  }

  /**
   * Bytes with a signature behind them; as they are when no secret is set.
   *
   * @param place what else is signed: the place for which the bytes were made
   */
  public byte[] seal(byte[] bytes, String... place) {
    byte[] signature = sign(parts(place, bytes));
    byte[] sealed = Arrays.copyOf(bytes, bytes.length + signature.length);
    System.arraycopy(signature, 0, sealed, bytes.length, signature.length);
    return sealed;
  }

  /** Returns the content that a process of this cluster sealed for the same place; else empty. */
  public Optional<byte[]> open(byte[] sealed, String... place) {
    int end = sealed.length - (macs().isEmpty() ? 0 : ClusterKey.SIGNATURE_BYTES);
    if (end < 0) {
      return Optional.empty();
    }
    byte[] bytes = Arrays.copyOf(sealed, end);
    byte[] signature = Arrays.copyOfRange(sealed, end, sealed.length);
    return verifies(signature, parts(place, bytes)) ? Optional.of(bytes) : Optional.empty();
  }

  private static byte[][] parts(String[] place, byte[] bytes) {
    byte[][] parts = new byte[place.length + 1][];
    for (int i = 0; i < place.length; i++) {
      parts[i] = place[i].getBytes(StandardCharsets.UTF_8);
    }
    parts[place.length] = bytes;
    return parts;
  }

  /** The MACs of this purpose, one of each secret; others when a secret has changed. */
  private List<Mac> macs() {
    Derived now = key.derived();
    if (now != from) {
      macs = now.macs(purpose);
      from = now;
    }
    return macs;
  }

  private Mac updated(Mac mac, byte[]... parts) {
    for (byte[] part : parts) {
      length[0] = (byte) (part.length >>> 24);
      length[1] = (byte) (part.length >>> 16);
      length[2] = (byte) (part.length >>> 8);
      length[3] = (byte) part.length;
      mac.update(length);
      mac.update(part);
    }
    return mac;
  }
}
