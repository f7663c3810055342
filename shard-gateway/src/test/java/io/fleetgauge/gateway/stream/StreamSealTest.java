package io.fleetgauge.gateway.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.ClusterKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamSealTest {
  private static final ClusterKey KEY = ClusterKey.of(() -> List.of("the-secret-of-the-cluster"));
  private static final byte[] OPENING = new byte[StreamSeal.NONCE_BYTES];
  private static final byte[] ACCEPTING = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final byte[] HEAD = {3, 1};
  private static final byte[] DIGEST = StreamSeal.digest(KEY, new byte[] {1, 2, 3});

  private final StreamSeal opens = new StreamSeal(KEY, OPENING, ACCEPTING, true);
  private final StreamSeal accepts = new StreamSeal(KEY, OPENING, ACCEPTING, false);

  @Test
  void messagesAreProvenInTheirOrderInBothDirections() {
    for (int i = 0; i < 3; i++) {
      assertThat(accepts.verifies(opens.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
      assertThat(opens.verifies(accepts.sign(HEAD, DIGEST), HEAD, DIGEST)).isTrue();
    }
  }

  @Test
  void aMessageIsBelievedOnceAndInItsPlaceOnly() {
    byte[] first = opens.sign(HEAD, DIGEST);
    byte[] second = opens.sign(HEAD, DIGEST);
    assertThat(accepts.verifies(first, HEAD, DIGEST)).isTrue();
    assertThat(accepts.verifies(first, HEAD, DIGEST)).as("again").isFalse();
    StreamSeal other = new StreamSeal(KEY, OPENING, ACCEPTING, false);
    assertThat(other.verifies(second, HEAD, DIGEST)).as("the first is missing").isFalse();
  }

  @Test
  void anotherHeadOrBodyIsNotProven() {
    byte[] proof = opens.sign(HEAD, DIGEST);
    assertThat(
            new StreamSeal(KEY, OPENING, ACCEPTING, false)
                .verifies(proof, new byte[] {3, 2}, DIGEST))
        .isFalse();
    assertThat(
            new StreamSeal(KEY, OPENING, ACCEPTING, false)
                .verifies(proof, HEAD, StreamSeal.digest(KEY, new byte[0])))
        .isFalse();
  }

  @Test
  void aMessageOfAnotherStreamOrOfTheOtherDirectionIsNotProven() {
    byte[] proof = opens.sign(HEAD, DIGEST);
    assertThat(new StreamSeal(KEY, OPENING, ACCEPTING, true).verifies(proof, HEAD, DIGEST))
        .isFalse();
    assertThat(new StreamSeal(KEY, ACCEPTING, ACCEPTING, false).verifies(proof, HEAD, DIGEST))
        .isFalse();
    assertThat(new StreamSeal(KEY, OPENING, OPENING, false).verifies(proof, HEAD, DIGEST))
        .isFalse();
  }

  @Test
  void anotherSecretProvesNothing() {
    StreamSeal stranger =
        new StreamSeal(
            ClusterKey.of(() -> List.of("another-secret-than-that")), OPENING, ACCEPTING, true);
    assertThat(accepts.verifies(stranger.sign(HEAD, DIGEST), HEAD, DIGEST)).isFalse();
  }

  @Test
  void withAndWithoutASecretDoNotBelieveEachOther() {
    byte[] nothing = StreamSeal.digest(ClusterKey.NONE, new byte[] {1, 2, 3});
    assertThat(nothing).isEmpty();
    StreamSeal open = new StreamSeal(ClusterKey.NONE, OPENING, ACCEPTING, true);
    byte[] none = open.sign(HEAD, nothing);
    assertThat(none).isEmpty();
    assertThat(accepts.verifies(none, HEAD, DIGEST)).isFalse();
    StreamSeal alike = new StreamSeal(ClusterKey.NONE, OPENING, ACCEPTING, false);
    assertThat(alike.verifies(none, HEAD, nothing)).isTrue();
    assertThat(alike.verifies(opens.sign(HEAD, DIGEST), HEAD, DIGEST)).isFalse();
  }
}
