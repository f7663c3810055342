package io.fleetgauge.runtime.trust;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * The secrets of the cluster, and the keys that are derived from them for each purpose. Safe for
 * all threads.
 */
public final class ClusterKey {
  /** Length of a signature. */
  public static final int SIGNATURE_BYTES = 32;

  /** Signs nothing and verifies nothing that is signed. */
  public static final ClusterKey NONE = new ClusterKey(List::of);

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] SALT = "fleetgauge cluster 1".getBytes(StandardCharsets.UTF_8);

  private final Supplier<List<String>> secrets;
  private volatile Derived derived = Derived.NOTHING;

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
  record Derived(List<String> secrets, List<Map<Purpose, Mac>> macs) {
    static final Derived NOTHING = new Derived(List.of(), List.of());

    List<Mac> macs(Purpose purpose) {
      return macs.stream().map(of -> copy(of.get(purpose))).toList();
    }

    private static Mac copy(Mac ready) {
      try {
        return (Mac) ready.clone();
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException(e); // every Java's can be cloned
      }
    }
  }

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

  /** The keys of the present secrets; the same object while these do not change. */
  Derived derived() {
    List<String> now = secrets.get();
    Derived last = derived;
    if (!last.secrets.equals(now)) {
      last = new Derived(List.copyOf(now), now.stream().map(ClusterKey::derive).toList());
      derived = last;
    }
    return last;
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
}
