package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DirectionTest {
  private static final String SECRET = "the-secret-of-the-cluster";
  private static final ClusterKey KEY = ClusterKey.of(() -> List.of(SECRET));
  private static final byte[] OPENING = new byte[Direction.NONCE_BYTES];
  private static final byte[] ACCEPTING = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final byte[] HEAD = {3, 1};
  private static final byte[] DIGEST = Line.digest(KEY, new byte[] {1, 2, 3});

  private final Direction sent = forth(KEY);
  private final Direction received = forth(KEY);

  private static Direction forth(ClusterKey key) {
    return new Direction(new Seal(key, Purpose.STREAM), OPENING, ACCEPTING, true);
  }

  // Computed with Python's hmac and hashlib from the drawings.
  @Test
  void aProofIsThatOfTheDrawing() {
    assertThat(HexFormat.of().formatHex(sent.sign(HEAD, DIGEST)))
        .isEqualTo("8dbad6c9396827c7c834d047d88cba55c674727a2f63c1f4901e651fd424a5cd");
    assertThat(HexFormat.of().formatHex(sent.sign(HEAD, DIGEST)))
        .isEqualTo("e46ad138fe8be935a3584d9cd4c22d8016e54cc994c6d062ea8ebb34ef2d3c6c");
  }

  @Test
  void messagesAreProvenInTheirOrder() {
    for (int i = 0; i < 3; i++) {
      assertThat(received.verifies(sent.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
    }
  }

  @Test
  void aMessageIsBelievedOnceAndInItsPlaceOnly() {
    byte[] first = sent.sign(HEAD, DIGEST);
    byte[] second = sent.sign(HEAD, DIGEST);
    assertThat(received.verifies(first, HEAD, DIGEST)).isTrue();
    assertThat(received.verifies(first, HEAD, DIGEST)).as("again").isFalse();
    assertThat(forth(KEY).verifies(second, HEAD, DIGEST)).as("the first is missing").isFalse();
  }

  @Test
  void anotherHeadOrBodyIsNotProven() {
    byte[] proof = sent.sign(HEAD, DIGEST);
    assertThat(forth(KEY).verifies(proof, new byte[] {3, 2}, DIGEST)).isFalse();
    assertThat(forth(KEY).verifies(proof, HEAD, Line.digest(KEY, new byte[0]))).isFalse();
  }

  @Test
  void aForgedOrTruncatedProofIsNone() {
    byte[] proof = sent.sign(HEAD, DIGEST);
    for (int i = 0; i < proof.length; i++) {
      byte[] forged = proof.clone();
      forged[i] ^= 1;
      assertThat(forth(KEY).verifies(forged, HEAD, DIGEST)).isFalse();
      assertThat(forth(KEY).verifies(Arrays.copyOf(proof, i), HEAD, DIGEST)).isFalse();
    }
  }

  @Test
  void aMessageOfAnotherStreamOrOfTheOtherDirectionIsNotProven() {
    byte[] proof = sent.sign(HEAD, DIGEST);
    Seal seal = new Seal(KEY, Purpose.STREAM);
    assertThat(new Direction(seal, OPENING, ACCEPTING, false).verifies(proof, HEAD, DIGEST))
        .isFalse();
    assertThat(new Direction(seal, ACCEPTING, ACCEPTING, true).verifies(proof, HEAD, DIGEST))
        .isFalse();
    assertThat(new Direction(seal, OPENING, OPENING, true).verifies(proof, HEAD, DIGEST)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STREAM")
  void aProofForAnotherPurposeIsNone(Purpose purpose) {
    Direction other = new Direction(new Seal(KEY, purpose), OPENING, ACCEPTING, true);
    assertThat(received.verifies(other.sign(HEAD, DIGEST), HEAD, DIGEST)).isFalse();
  }

  @Test
  void anotherSecretProvesNothing() {
    Direction stranger = forth(ClusterKey.of(() -> List.of("another-secret-than-that")));
    assertThat(received.verifies(stranger.sign(HEAD, DIGEST), HEAD, DIGEST)).isFalse();
  }

  @Test
  void aStreamGoesOnWhileTheSecretIsChanged() {
    AtomicReference<List<String>> here = new AtomicReference<>(List.of(SECRET));
    AtomicReference<List<String>> there = new AtomicReference<>(List.of(SECRET));
    Direction from = forth(ClusterKey.of(here::get));
    Direction to = forth(ClusterKey.of(there::get));
    assertThat(to.verifies(from.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
    there.set(List.of(SECRET, "the-next-secret"));
    assertThat(to.verifies(from.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
    here.set(List.of("the-next-secret", SECRET));
    assertThat(to.verifies(from.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
    there.set(List.of(SECRET));
    assertThat(to.verifies(from.sign(HEAD, DIGEST), HEAD, DIGEST)).as("taken back").isFalse();
  }

  @Test
  void withAndWithoutASecretDoNotBelieveEachOther() {
    byte[] nothing = Line.digest(ClusterKey.NONE, new byte[] {1, 2, 3});
    assertThat(nothing).isEmpty();
    byte[] none = forth(ClusterKey.NONE).sign(HEAD, nothing);
    assertThat(none).isEmpty();
    assertThat(received.verifies(none, HEAD, DIGEST)).isFalse();
    Direction alike = forth(ClusterKey.NONE);
    assertThat(alike.verifies(none, HEAD, nothing)).isTrue();
    assertThat(alike.verifies(sent.sign(HEAD, DIGEST), HEAD, DIGEST)).isFalse();
  }
}
