package io.fleetgauge.runtime.trust;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Signs bytes as a process of this cluster, and verifies that bytes were signed by one. Derived
 * from the secrets of the cluster; a changed secret holds from the next call on. Safe for all
 * threads.
 */
public final class ClusterKey {
  /** Length of a signature. */
  public static final int SIGNATURE_BYTES = 32;

  /** Signs nothing and verifies nothing that is signed. */
  public static final ClusterKey NONE = new ClusterKey(List::of);

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] SALT = "fleetgauge cluster 1".getBytes(StandardCharsets.UTF_8);

  private final Supplier<List<String>> secrets;
  private volatile Derived derived = new Derived(List.of(), List.of());

  /** The purpose of a signature, which never verifies for another one. */
  public enum Purpose {
    /** A request between processes. */
    REQUEST,
    /** An entry that a member publishes in Hazelcast. */
    ENTRY,
    /** A message on the event bus. */
    MESSAGE,
    /** A connection between two members in Hazelcast. */
    CONNECTION,
    /** A message on a stream between two gateways. */
    STREAM;

    private byte[] label() {
      return name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
    }
  }

  /** The MACs of each secret, made ready to be copied and used. */
  private record Derived(List<String> secrets, List<Map<Purpose, Mac>> macs) {}

  private ClusterKey(Supplier<List<String>> secrets) {
    this.secrets = secrets;
  }

  /**
   * @param secrets the first one signs, all verify; empty when no secret is set
   */
  public static ClusterKey of(Supplier<List<String>> secrets) {
    return new ClusterKey(secrets);
  }

  /** Tells whether there is a secret. */
  public boolean isSet() {
    return !secrets.get().isEmpty();
  }

  /**
   * Signs parts in their order.
   *
   * @return {@link #SIGNATURE_BYTES} bytes; none when no secret is set
   */
  public byte[] sign(Purpose purpose, byte[]... parts) {
    List<Map<Purpose, Mac>> macs = macs();
    return macs.isEmpty() ? new byte[0] : mac(macs.getFirst().get(purpose), parts);
  }

  /**
   * Tells whether the same parts were signed for the same purpose with a secret of this cluster;
   * compared in constant time. When no secret is set, only what is not signed verifies.
   */
  public boolean verifies(byte[] signature, Purpose purpose, byte[]... parts) {
    List<Map<Purpose, Mac>> macs = macs();
    boolean verifies = macs.isEmpty() && signature.length == 0;
    for (Map<Purpose, Mac> of : macs) {
      verifies |= MessageDigest.isEqual(mac(of.get(purpose), parts), signature);
    }
    return verifies;
  }

  /**
   * Bytes with a signature behind them; as they are when no secret is set.
   *
   * @param place what else is signed: the place for which the bytes were made
   */
  public byte[] seal(Purpose purpose, byte[] bytes, byte[]... place) {
    byte[] signature = sign(purpose, with(place, bytes));
    byte[] sealed = Arrays.copyOf(bytes, bytes.length + signature.length);
    System.arraycopy(signature, 0, sealed, bytes.length, signature.length);
    return sealed;
  }

  /** What was sealed for the same place by a process of this cluster; empty if it was not. */
  public Optional<byte[]> open(Purpose purpose, byte[] sealed, byte[]... place) {
    int length = sealed.length - (isSet() ? SIGNATURE_BYTES : 0);
    if (length < 0) {
      return Optional.empty();
    }
    byte[] bytes = Arrays.copyOf(sealed, length);
    byte[] signature = Arrays.copyOfRange(sealed, length, sealed.length);
    return verifies(signature, purpose, with(place, bytes)) ? Optional.of(bytes) : Optional.empty();
  }

  private static byte[][] with(byte[][] place, byte[] bytes) {
    byte[][] parts = Arrays.copyOf(place, place.length + 1);
    parts[place.length] = bytes;
    return parts;
  }

  private List<Map<Purpose, Mac>> macs() {
    List<String> now = secrets.get();
    Derived last = derived;
    if (!last.secrets.equals(now)) {
      last = new Derived(List.copyOf(now), now.stream().map(ClusterKey::derive).toList());
      derived = last;
    }
    return last.macs;
  }

  private static Map<Purpose, Mac> derive(String secret) {
    Map<Purpose, Mac> macs = new EnumMap<>(Purpose.class);
    try {
      KDF hkdf = KDF.getInstance("HKDF-SHA256");
      for (Purpose purpose : Purpose.values()) {
        SecretKey key =
            hkdf.deriveKey(
                ALGORITHM,
                HKDFParameterSpec.ofExtract()
                    .addIKM(secret.getBytes(StandardCharsets.UTF_8))
                    .addSalt(SALT)
                    .thenExpand(purpose.label(), SIGNATURE_BYTES));
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(key);
        macs.put(purpose, mac);
      }
      return macs;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static byte[] mac(Mac ready, byte[]... parts) {
    try {
      Mac mac = (Mac) ready.clone();
      for (byte[] part : parts) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
        mac.update(part);
      }
      return mac.doFinal();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e); // every Java's can be cloned
    }
  }
}
