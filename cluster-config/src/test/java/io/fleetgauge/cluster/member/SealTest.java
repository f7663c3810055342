package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.member.Seal.Entry;
import io.fleetgauge.cluster.member.Seal.Opened;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SealTest {
  private static final String MAP = "fleetgauge.hosts";
  private static final Entry ENTRY = new Entry("s", 7, "body".getBytes(StandardCharsets.UTF_8));
  private static final String BYTES = "01" + "0173" + "07" + "626f6479";

  // Computed with Python's hmac and hashlib from the drawings.
  private static final String SIGNATURE =
      "84da0e738471c0525133003bd7ce5d93f2094de1965e5c1c36367a3df0a5b209";

  private final Seal seal = new Seal(key("0123456789abcdef"), "c");

  private static ClusterKey key(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void anEntryHasTheBytesThatAreDrawn() {
    assertThat(hex(seal.seal(MAP, "h", ENTRY))).isEqualTo(BYTES + SIGNATURE);
    assertThat(hex(new Seal(ClusterKey.NONE, "c").seal(MAP, "h", ENTRY))).isEqualTo(BYTES);
  }

  @Test
  void anEntryIsOpenedWhereItWasMadeForAndNowhereElse() {
    byte[] sealed = seal.seal(MAP, "h", ENTRY);
    assertThat(seal.open(MAP, "h", sealed))
        .isInstanceOfSatisfying(
            Opened.Sealed.class,
            opened -> {
              assertThat(opened.entry().session()).isEqualTo("s");
              assertThat(opened.entry().sequence()).isEqualTo(7);
              assertThat(opened.entry().body()).isEqualTo(ENTRY.body());
            });
    assertThat(seal.open(MAP, "h2", sealed)).isInstanceOf(Opened.Refused.class);
    assertThat(seal.open("fleetgauge.active", "h", sealed)).isInstanceOf(Opened.Refused.class);
    Seal elsewhere = new Seal(key("0123456789abcdef"), "other");
    assertThat(elsewhere.open(MAP, "h", sealed)).isInstanceOf(Opened.Refused.class);
  }

  @Test
  void anEntryOfAnotherSecretOrOfNoneIsRefused() {
    byte[] sealed = seal.seal(MAP, "h", ENTRY);
    assertThat(new Seal(key("fedcba9876543210"), "c").open(MAP, "h", sealed))
        .isInstanceOf(Opened.Refused.class);
    assertThat(seal.open(MAP, "h", new Seal(ClusterKey.NONE, "c").seal(MAP, "h", ENTRY)))
        .isInstanceOf(Opened.Refused.class);
    Seal both = new Seal(key("fedcba9876543210", "0123456789abcdef"), "c");
    assertThat(both.open(MAP, "h", sealed))
        .as("the secret before")
        .isInstanceOf(Opened.Sealed.class);
  }

  @Test
  void aNewerVersionIsNamed() {
    Seal open = new Seal(ClusterKey.NONE, "c");
    byte[] sealed = open.seal(MAP, "h", ENTRY);
    sealed[0] = 2;
    assertThat(open.open(MAP, "h", sealed)).isEqualTo(new Opened.Newer(2));
  }

  @Test
  void noBytesMakeItThrow() {
    Seal open = new Seal(ClusterKey.NONE, "c");
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = Arrays.copyOf(open.seal(MAP, "h", ENTRY), random.nextInt(12));
      if (bytes.length > 0) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      assertThat(open.open(MAP, "h", bytes)).isNotNull();
      assertThat(seal.open(MAP, "h", bytes)).isInstanceOf(Opened.Refused.class);
    }
  }
}
