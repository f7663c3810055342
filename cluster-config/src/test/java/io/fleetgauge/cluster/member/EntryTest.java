package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.member.Entry.Found;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EntryTest {
  private static final String MAP = "fleetgauge.hosts";
  private static final Entry ENTRY = new Entry("s", 7, "body".getBytes(StandardCharsets.UTF_8));
  private static final String BYTES = "01" + "0173" + "07" + "626f6479";

  // Computed with Python's hmac and hashlib from the drawings.
  private static final String SIGNATURE =
      "84da0e738471c0525133003bd7ce5d93f2094de1965e5c1c36367a3df0a5b209";

  private final Seal seal = seal("0123456789abcdef");
  private final Seal open = new Seal(ClusterKey.NONE, Purpose.ENTRY);

  private static Seal seal(String... secrets) {
    return new Seal(ClusterKey.of(() -> List.of(secrets)), Purpose.ENTRY);
  }

  private static byte[] sealed(Seal by) {
    return ENTRY.sealed(by, "c", MAP, "h");
  }

  private static Found opened(Seal by, byte[] sealed) {
    return Entry.open(sealed, by, "c", MAP, "h");
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void anEntryHasTheBytesThatAreDrawn() {
    assertThat(hex(sealed(seal))).isEqualTo(BYTES + SIGNATURE);
    assertThat(hex(sealed(open))).isEqualTo(BYTES);
  }

  @Test
  void anEntryIsOpenedWhereItWasMadeForAndNowhereElse() {
    byte[] sealed = sealed(seal);
    assertThat(opened(seal, sealed))
        .usingRecursiveComparison()
        .isEqualTo(new Found.Proven(sealed, ENTRY));
    assertThat(Entry.open(sealed, seal, "c", MAP, "h2")).isInstanceOf(Found.Other.class);
    assertThat(Entry.open(sealed, seal, "c", "fleetgauge.active", "h"))
        .isInstanceOf(Found.Other.class);
    assertThat(Entry.open(sealed, seal, "other", MAP, "h")).isInstanceOf(Found.Other.class);
  }

  @Test
  void anEntryOfAnotherSecretOrOfNoneIsRefused() {
    byte[] sealed = sealed(seal);
    assertThat(opened(seal("fedcba9876543210"), sealed)).isInstanceOf(Found.Other.class);
    assertThat(opened(seal, sealed(open))).isInstanceOf(Found.Other.class);
    assertThat(opened(seal("fedcba9876543210", "0123456789abcdef"), sealed))
        .as("the secret before")
        .isInstanceOf(Found.Proven.class);
  }

  @Test
  void aNewerVersionIsNamed() {
    byte[] sealed = sealed(open);
    sealed[0] = 2;
    assertThat(opened(open, sealed)).isEqualTo(new Found.Newer(2));
  }

  @Test
  void noBytesMakeItThrow() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = Arrays.copyOf(sealed(open), random.nextInt(12));
      if (bytes.length > 0) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      assertThat(opened(open, bytes)).isNotNull();
      assertThat(opened(seal, bytes)).isInstanceOf(Found.Other.class);
    }
    assertThat(opened(seal, seal.seal(new byte[0], "c", MAP, "h"))).isInstanceOf(Found.Other.class);
  }
}
