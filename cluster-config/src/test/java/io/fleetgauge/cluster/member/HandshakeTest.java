package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Over real sockets. */
class HandshakeTest {
  private static final ClusterKey KEY = key("0123456789abcdef");
  private static final ClusterKey OTHER = key("fedcba9876543210");

  /** What each side says; empty when it accepts the other. */
  private record Outcome(String connecting, String accepting) {}

  private interface Step {
    void run(Socket socket) throws IOException;
  }

  private static ClusterKey key(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static Outcome play(Step connecting, Step accepting) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket out = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket in = server.accept()) {
      CompletableFuture<String> accepted =
          CompletableFuture.supplyAsync(() -> outcome(accepting, in));
      return new Outcome(outcome(connecting, out), accepted.join());
    }
  }

  private static String outcome(Step step, Socket socket) {
    try (socket) {
      step.run(socket);
      return "";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static Outcome between(ClusterKey connecting, ClusterKey accepting) throws IOException {
    return play(new Handshake(connecting)::connect, new Handshake(accepting)::accept);
  }

  @Test
  void membersOfOneSecretAcceptEachOther() throws IOException {
    assertThat(between(KEY, KEY)).isEqualTo(new Outcome("", ""));
    assertThat(between(ClusterKey.NONE, ClusterKey.NONE)).isEqualTo(new Outcome("", ""));
  }

  @Test
  void whileTheSecretIsChangedBothAreAccepted() throws IOException {
    ClusterKey both = key("fedcba9876543210", "0123456789abcdef");
    ClusterKey bothBefore = key("0123456789abcdef", "fedcba9876543210");
    assertThat(between(both, bothBefore)).isEqualTo(new Outcome("", ""));
    assertThat(between(KEY, bothBefore)).as("before").isEqualTo(new Outcome("", ""));
    assertThat(between(both, OTHER)).as("after").isEqualTo(new Outcome("", ""));
  }

  @Test
  void eachSideIsToldWhyItIsNotAccepted() throws IOException {
    assertThat(between(KEY, OTHER))
        .isEqualTo(
            new Outcome(
                "it has another cluster secret than this process",
                "it has another cluster secret than this process"));
    assertThat(between(ClusterKey.NONE, KEY))
        .isEqualTo(
            new Outcome(
                "it has a cluster secret, and this process has none",
                "it has no cluster secret, and this process has one"));
    assertThat(between(KEY, ClusterKey.NONE))
        .isEqualTo(
            new Outcome(
                "it has no cluster secret, and this process has one",
                "it has a cluster secret, and this process has none"));
  }

  @Test
  void whatIsNoMemberIsRefusedByItsFirstBytes() throws IOException {
    Outcome outcome =
        play(
            socket -> socket.getOutputStream().write("HZC".getBytes(StandardCharsets.UTF_8)),
            new Handshake(KEY)::accept);
    assertThat(outcome.accepting()).isEqualTo("it is no member of a Fleetgauge cluster");
  }

  @Test
  void whatWasSentBackProvesNothing() throws IOException {
    Outcome outcome =
        play(
            socket -> {
              byte[] hello = new byte[37];
              System.arraycopy("FGM".getBytes(StandardCharsets.UTF_8), 0, hello, 0, 3);
              hello[3] = 1;
              hello[4] = 1;
              socket.getOutputStream().write(hello);
              byte[] answer = socket.getInputStream().readNBytes(37 + 32);
              socket.getOutputStream().write(answer, 37, 32);
              assertThat(socket.getInputStream().read()).isZero();
            },
            new Handshake(KEY)::accept);
    assertThat(outcome.accepting()).isEqualTo("it has another cluster secret than this process");
  }

  @Test
  void theHandshakeHasTheBytesThatAreDrawn() throws IOException {
    Outcome outcome =
        play(
            socket -> {
              byte[] mine = HexFormat.of().parseHex("46474d" + "01" + "01" + "ab".repeat(32));
              socket.getOutputStream().write(mine);
              byte[] theirs = socket.getInputStream().readNBytes(37);
              assertThat(theirs).startsWith('F', 'G', 'M', 1, 1);
              Seal seal = new Seal(KEY, Purpose.CONNECTION);
              byte[] proof = socket.getInputStream().readNBytes(32);
              assertThat(seal.verifies(proof, bytes("accepts"), mine, theirs)).isTrue();
              socket.getOutputStream().write(seal.sign(bytes("connects"), mine, theirs));
              assertThat(socket.getInputStream().read()).isOne();
            },
            new Handshake(KEY)::accept);
    assertThat(outcome).isEqualTo(new Outcome("", ""));
  }

  /** Such as one that was recorded on another connection, or made for another purpose. */
  @Test
  void aProofOfOtherNoncesOrForAnotherPurposeIsNone() throws IOException {
    for (boolean isRecorded : List.of(true, false)) {
      Outcome outcome =
          play(
              socket -> {
                byte[] mine = HexFormat.of().parseHex("46474d" + "01" + "01" + "ab".repeat(32));
                socket.getOutputStream().write(mine);
                byte[] theirs = socket.getInputStream().readNBytes(37);
                socket.getInputStream().readNBytes(32);
                Seal seal = new Seal(KEY, isRecorded ? Purpose.CONNECTION : Purpose.STREAM);
                byte[] other = isRecorded ? mine : theirs;
                socket.getOutputStream().write(seal.sign(bytes("connects"), mine, other));
                assertThat(socket.getInputStream().read()).isZero();
              },
              new Handshake(KEY)::accept);
      assertThat(outcome.connecting()).isEmpty();
      assertThat(outcome.accepting()).isEqualTo("it has another cluster secret than this process");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void oneThatStaysSilentIsRefused() throws IOException {
    Outcome outcome = play(socket -> socket.getInputStream().read(), new Handshake(KEY)::accept);
    assertThat(outcome.accepting()).containsAnyOf("timed out", "took longer");
  }
}
