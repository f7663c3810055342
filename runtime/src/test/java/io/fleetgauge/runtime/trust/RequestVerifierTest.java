package io.fleetgauge.runtime.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.RequestVerifier.Verdict;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RequestVerifierTest {
  private static final String SECRET = "0123456789abcdef";
  private static final String NEXT = "fedcba9876543210";
  private static final String HERE = "10.0.0.1:9500";
  private static final long NOW = 1_700_000_000_000L;
  private static final long SKEW = 60_000;
  private static final long EVER = Long.MIN_VALUE;
  private static final RequestHead HEAD =
      new RequestHead(
          "POST",
          "/v1/hosts/h%201/copies?a=b",
          List.of(
              Map.entry("content-length", "4"),
              Map.entry("X-Fleetgauge-Session", "12"),
              Map.entry("X-Fleetgauge-Epoch", "7")));

  private final AtomicReference<List<String>> secrets = new AtomicReference<>(List.of(SECRET));
  private final AtomicLong clock = new AtomicLong(NOW);
  private final RequestSigner signer =
      new RequestSigner(with(SECRET), clock::get, 0x0123456789abcdefL);
  private final RequestVerifier verifier = verifier(10);

  private RequestVerifier verifier(int senders) {
    return new RequestVerifier(
        ClusterKey.of(secrets::get), Duration.ofMillis(SKEW), clock::get, senders);
  }

  private static ClusterKey with(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static byte[] digest(String body) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
  }

  private String signed() throws Exception {
    return signer.sign(HERE, HEAD, digest("body")).orElseThrow();
  }

  private Verdict verdict(String signature) {
    return verifier.verify(Optional.of(signature), HEAD, "10.0.0.1", 9500, EVER);
  }

  private static RejectionReason reason(Verdict of) {
    return ((Verdict.Rejected) of).reason();
  }

  private static String text(Verdict of) {
    return ((Verdict.Rejected) of).text();
  }

  // Computed with Python's hmac and hashlib from the drawing in package-info.
  @Test
  void theHeaderIsThatOfTheDrawing() throws Exception {
    assertThat(signed())
        .isEqualTo(
            "1 10.0.0.1:9500 1700000000000 0123456789abcdef 0"
                + " Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLU"
                + " vw0TjS8GBqoCOZhUFuvHxj1NYb50EjrWjXDp09Leio8");
  }

  @Test
  void aRequestIsProvenByItsSignatureAndItsBodyByTheDigest() throws Exception {
    Verdict.Proven proven = (Verdict.Proven) verdict(signed());
    assertThat(proven.time()).isEqualTo(NOW);
    assertThat(verifier.checkBody(proven, digest("body"))).isEmpty();
    assertThat(verifier.checkBody(proven, digest("bodies")).map(Verdict.Rejected::reason))
        .contains(RejectionReason.BODY);
    assertThat(verifier.rejected()).containsEntry("body", 1L).containsEntry("signature", 0L);
  }

  @Test
  void everyChangedCharacterOfTheHeaderIsRejected() throws Exception {
    String signature = signed();
    for (int i = 0; i < signature.length(); i++) {
      for (char other : new char[] {'0', '1', 'A', 'z', ' ', '-', '\u00e9'}) {
        if (other != signature.charAt(i)) {
          String changed = signature.substring(0, i) + other + signature.substring(i + 1);
          assertThat(reason(verdict(changed)))
              .isIn(RejectionReason.FORM, RejectionReason.SIGNATURE);
        }
      }
      assertThat(reason(verdict(signature.substring(0, i)))).isEqualTo(RejectionReason.FORM);
    }
    assertThat(verdict(signature)).isInstanceOf(Verdict.Proven.class);
  }

  @Test
  void theMethodThePathTheQueryAndTheHeadersOfTheClusterAreSigned() throws Exception {
    List<Map.Entry<String, String>> headers = HEAD.headers();
    List<RequestHead> others = new ArrayList<>();
    others.add(new RequestHead("PUT", HEAD.target(), headers));
    others.add(new RequestHead("POST", "/v1/hosts/h%201/copies?a=c", headers));
    others.add(new RequestHead("POST", "/v1/hosts/h%201/copies", headers));
    others.add(new RequestHead("POST", HEAD.target(), List.of()));
    others.add(
        new RequestHead(
            "POST",
            HEAD.target(),
            List.of(
                Map.entry("X-Fleetgauge-Session", "7"), Map.entry("X-Fleetgauge-Epoch", "12"))));
    List<Map.Entry<String, String>> more = new ArrayList<>(headers);
    more.add(Map.entry("x-fleetgauge-check", "1"));
    others.add(new RequestHead("POST", HEAD.target(), more));
    String signature = signed();
    for (RequestHead other : others) {
      assertThat(reason(verifier.verify(Optional.of(signature), other, "10.0.0.1", 9500, EVER)))
          .isEqualTo(RejectionReason.SIGNATURE);
    }
    RequestHead sameForUs =
        new RequestHead(
            "POST",
            HEAD.target(),
            List.of(
                Map.entry("x-fleetgauge-epoch", "7"),
                Map.entry("via", "a proxy"),
                Map.entry("X-FLEETGAUGE-SESSION", "12")));
    assertThat(verifier.verify(Optional.of(signature), sameForUs, "10.0.0.1", 9500, EVER))
        .isInstanceOf(Verdict.Proven.class);
  }

  @Test
  void aRequestWithoutASignatureOrWithOneOfAnotherVersionIsRejected() throws Exception {
    assertThat(reason(verifier.verify(Optional.empty(), HEAD, "10.0.0.1", 9500, EVER)))
        .isEqualTo(RejectionReason.UNSIGNED);
    assertThat(reason(verdict("2" + signed().substring(1)))).isEqualTo(RejectionReason.FORM);
    assertThat(reason(verdict(""))).isEqualTo(RejectionReason.FORM);
    assertThat(reason(verdict("1 ".repeat(10_000)))).isEqualTo(RejectionReason.FORM);
  }

  @Test
  void aRequestOfAnotherClusterIsRejectedAndTheTextSaysWhatToCheck() throws Exception {
    RequestSigner other = new RequestSigner(with(NEXT), clock::get);
    Verdict verdict = verdict(other.sign(HERE, HEAD, digest("body")).orElseThrow());
    assertThat(reason(verdict)).isEqualTo(RejectionReason.SIGNATURE);
    assertThat(text(verdict))
        .isEqualTo(
            "the signature does not verify: cluster.secretFile must hold the same secret for all"
                + " processes of the cluster");
  }

  @Test
  void aRequestForAnotherReceiverIsRejectedUnderEveryNameThatIsNotThisProcesss() throws Exception {
    verifier.isReachedAs("Gateway-1.example");
    verifier.isReachedAs("fe80::1");
    for (String other :
        List.of("10.0.0.2:9500", "10.0.0.1:9501", "gateway-2.example:9500", "localhost:9500")) {
      Verdict verdict = verdict(signer.sign(other, HEAD, digest("body")).orElseThrow());
      assertThat(reason(verdict)).isEqualTo(RejectionReason.RECEIVER);
      assertThat(text(verdict))
          .isEqualTo(
              "the request was signed for "
                  + other
                  + ", which is not an address of this process: use one of [10.0.0.1:9500,"
                  + " [fe80:0:0:0:0:0:0:1]:9500, gateway-1.example:9500]");
    }
    for (String own :
        List.of("10.0.0.1", "::ffff:10.0.0.1", "GATEWAY-1.example", "[fe80::1]", "fe80:0::1%2")) {
      String receiver = RequestSigner.receiver(own, 9500);
      assertThat(verdict(signer.sign(receiver, HEAD, digest("body")).orElseThrow()))
          .isInstanceOf(Verdict.Proven.class);
    }
    String local = signer.sign("localhost:9500", HEAD, digest("body")).orElseThrow();
    assertThat(verifier.verify(Optional.of(local), HEAD, "127.0.0.1", 9500, EVER))
        .isInstanceOf(Verdict.Proven.class);
  }

  @Test
  void clocksThatDifferByMoreThanTheLimitAreNamed() throws Exception {
    for (long by : new long[] {-SKEW - 1, SKEW + 1, Long.MIN_VALUE / 2}) {
      RequestSigner off = new RequestSigner(with(SECRET), () -> NOW + by);
      assertThat(reason(verdict(off.sign(HERE, HEAD, digest("body")).orElseThrow())))
          .isEqualTo(RejectionReason.CLOCK);
    }
    for (long by : new long[] {-SKEW, SKEW}) {
      RequestSigner off = new RequestSigner(with(SECRET), () -> NOW + by);
      assertThat(verdict(off.sign(HERE, HEAD, digest("body")).orElseThrow()))
          .isInstanceOf(Verdict.Proven.class);
    }
    RequestSigner tomorrow = new RequestSigner(with(SECRET), () -> NOW + 86_400_000);
    assertThat(text(verdict(tomorrow.sign(HERE, HEAD, digest("body")).orElseThrow())))
        .isEqualTo(
            "the request was signed at 2023-11-15T22:13:20Z by the sender's clock, and it is"
                + " 2023-11-14T22:13:20Z by the receiver's; they may differ by 60 s"
                + " (trust.clockSkew): synchronize the clocks");
  }

  @Test
  void aRequestIsAcceptedOnceForAsLongAsItsTimeIsAccepted() throws Exception {
    String signature = signed();
    assertThat(verdict(signature)).isInstanceOf(Verdict.Proven.class);
    for (long later : new long[] {0, SKEW / 2, SKEW}) {
      clock.set(NOW + later);
      assertThat(reason(verdict(signature))).isEqualTo(RejectionReason.REPEATED);
      assertThat(text(verdict(signature))).startsWith("the request was received before");
    }
    clock.set(NOW + SKEW + 1);
    assertThat(reason(verdict(signature))).isEqualTo(RejectionReason.CLOCK);
    assertThat(verifier.rejected()).containsEntry("repeated", 6L).containsEntry("clock", 1L);
  }

  @Test
  void aRequestThatIsRejectedDoesNotCountAsReceived() throws Exception {
    String signature = signed();
    RequestHead changed = new RequestHead("POST", "/v1/leave", List.of());
    assertThat(reason(verifier.verify(Optional.of(signature), changed, "10.0.0.1", 9500, EVER)))
        .isEqualTo(RejectionReason.SIGNATURE);
    assertThat(verdict(signature)).isInstanceOf(Verdict.Proven.class);
  }

  @Test
  void aRequestThatWasSignedBeforeATimeIsRejectedWhereThatMatters() throws Exception {
    String signature = signed();
    assertThat(reason(verifier.verify(Optional.of(signature), HEAD, "10.0.0.1", 9500, NOW + 1)))
        .isEqualTo(RejectionReason.REPEATED);
    assertThat(verifier.verify(Optional.of(signature), HEAD, "10.0.0.1", 9500, NOW))
        .isInstanceOf(Verdict.Proven.class);
  }

  @Test
  void whenNoMoreSendersCanBeRememberedOthersAreRejectedUntilOldOnesAreForgotten()
      throws Exception {
    RequestVerifier small = verifier(3);
    for (int i = 0; i < 4; i++) {
      RequestSigner another = new RequestSigner(with(SECRET), clock::get, i);
      Verdict verdict =
          small.verify(another.sign(HERE, HEAD, digest("body")), HEAD, "10.0.0.1", 9500, EVER);
      if (i < 3) {
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
      } else {
        assertThat(reason(verdict)).isEqualTo(RejectionReason.SENDERS);
        assertThat(text(verdict)).contains("and no more are remembered");
      }
    }
    assertThat(small.senders()).isEqualTo(3);
    assertThat(small.rejected()).containsEntry("senders", 1L);
    clock.addAndGet(SKEW + 1);
    assertThat(small.verify(signer.sign(HERE, HEAD, digest("body")), HEAD, "10.0.0.1", 9500, EVER))
        .isInstanceOf(Verdict.Proven.class);
    assertThat(small.senders()).isEqualTo(1);
  }

  @Test
  void requestsPassWhileTheSecretIsBeingChangedInThreeSteps() throws Exception {
    AtomicReference<List<String>> ofSender = new AtomicReference<>(List.of(SECRET));
    RequestSigner changing = new RequestSigner(ClusterKey.of(ofSender::get), clock::get);
    List<List<String>> steps =
        List.of(List.of(SECRET), List.of(SECRET, NEXT), List.of(NEXT, SECRET), List.of(NEXT));
    // In each step, one of two processes has read its file and the other has not.
    for (int i = 1; i < steps.size(); i++) {
      for (List<List<String>> pair :
          List.of(
              List.of(steps.get(i - 1), steps.get(i)),
              List.of(steps.get(i), steps.get(i - 1)),
              List.of(steps.get(i), steps.get(i)))) {
        ofSender.set(pair.get(0));
        secrets.set(pair.get(1));
        assertThat(verdict(changing.sign(HERE, HEAD, digest("body")).orElseThrow()))
            .isInstanceOf(Verdict.Proven.class);
      }
    }
    ofSender.set(List.of(SECRET));
    assertThat(reason(verdict(changing.sign(HERE, HEAD, digest("body")).orElseThrow())))
        .isEqualTo(RejectionReason.SIGNATURE);
  }

  @Test
  void withoutASecretNothingIsSigned() throws Exception {
    assertThat(RequestSigner.NONE.sign(HERE, HEAD, digest("body"))).isEmpty();
    assertThat(RequestSigner.NONE.isSet()).isFalse();
  }
}
