package io.fleetgauge.cluster.member;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The first bytes of a connection between two members, before those of Hazelcast: each proves to
 * the other that it knows the cluster's secret. The package draws the bytes. A member without a
 * secret talks to members without one only. Both sides take at most {@link #LIMIT_MILLIS}.
 *
 * <p>It proves who connects. What is sent later is not encrypted and not proven: entries are, by
 * {@link Entry}.
 */
record Handshake(ClusterKey key) {
  static final int LIMIT_MILLIS = 3_000;

  private static final byte[] MAGIC = "FGM".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int NONCE_BYTES = 32;
  private static final int HELLO_BYTES = MAGIC.length + 2 + NONCE_BYTES;
  private static final byte[] NO_PROOF = new byte[ClusterKey.SIGNATURE_BYTES];
  private static final int ACCEPTED = 1;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The other side is not believed, or does not believe this one. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    /** True if the secrets are the reason; the other side may also be no member at all. */
    final boolean isForSecret;

    Refused(boolean isForSecret, String reason) {
      super(reason);
      this.isForSecret = isForSecret;
    }
  }

  private enum Side {
    CONNECTS,
    ACCEPTS
  }

  private record Hello(int version, boolean hasSecret, byte[] nonce) {
    byte[] toBytes() {
      byte[] bytes = Arrays.copyOf(MAGIC, HELLO_BYTES);
      bytes[MAGIC.length] = (byte) version;
      bytes[MAGIC.length + 1] = (byte) (hasSecret ? 1 : 0);
      System.arraycopy(nonce, 0, bytes, MAGIC.length + 2, NONCE_BYTES);
      return bytes;
    }
  }

  /**
   * On the side that connects.
   *
   * @throws Refused if one side does not believe the other
   */
  void connect(Socket socket) throws IOException {
    long deadline = deadline();
    Hello mine = hello();
    OutputStream out = socket.getOutputStream();
    out.write(mine.toBytes());
    Hello theirs = readHello(socket, deadline);
    byte[] proof = read(socket, ClusterKey.SIGNATURE_BYTES, deadline);
    boolean isProven = isProven(proof, Side.ACCEPTS, mine, theirs);
    // One that has proven nothing is given nothing that it could pass on.
    out.write(isProven ? sign(Side.CONNECTS, mine, theirs) : NO_PROOF);
    check(isProven, theirs);
    if (read(socket, 1, deadline)[0] != ACCEPTED) {
      throw new Refused(true, "it does not accept the cluster secret of this process");
    }
  }

  /**
   * On the side that was connected to.
   *
   * @throws Refused if one side does not believe the other
   */
  void accept(Socket socket) throws IOException {
    long deadline = deadline();
    Hello theirs = readHello(socket, deadline);
    Hello mine = hello();
    OutputStream out = socket.getOutputStream();
    out.write(mine.toBytes());
    out.write(sign(Side.ACCEPTS, theirs, mine));
    byte[] proof = read(socket, ClusterKey.SIGNATURE_BYTES, deadline);
    boolean isProven = isProven(proof, Side.CONNECTS, theirs, mine);
    try {
      out.write(isProven ? ACCEPTED : 0);
    } finally {
      // Also when the other side has gone: it is refused for the secret, not for a broken pipe.
      check(isProven, theirs);
    }
  }

  private Hello hello() {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return new Hello(VERSION, key.isSet(), nonce);
  }

  private byte[] sign(Side side, Hello connects, Hello accepts) {
    byte[] signature = new Seal(key, Purpose.CONNECTION).sign(parts(side, connects, accepts));
    return signature.length == 0 ? NO_PROOF : signature;
  }

  private boolean isProven(byte[] proof, Side side, Hello connects, Hello accepts) {
    return key.isSet()
        ? new Seal(key, Purpose.CONNECTION).verifies(proof, parts(side, connects, accepts))
        : !connects.hasSecret() && !accepts.hasSecret();
  }

  private static byte[][] parts(Side side, Hello connects, Hello accepts) {
    byte[] label =
        (side == Side.CONNECTS ? "connects" : "accepts").getBytes(StandardCharsets.UTF_8);
    return new byte[][] {label, connects.toBytes(), accepts.toBytes()};
  }

  private void check(boolean isProven, Hello theirs) throws Refused {
    if (theirs.version() != VERSION) {
      throw new Refused(
          false,
          "it uses version "
              + theirs.version()
              + " of the members' handshake, this program "
              + VERSION);
    }
    if (!isProven) {
      throw new Refused(
          true,
          key.isSet()
              ? theirs.hasSecret()
                  ? "it has another cluster secret than this process"
                  : "it has no cluster secret, and this process has one"
              : "it has a cluster secret, and this process has none");
    }
  }

  private static Hello readHello(Socket socket, long deadline) throws IOException {
    byte[] magic;
    try {
      magic = read(socket, MAGIC.length, deadline);
    } catch (EOFException e) {
      throw new Refused(false, "it closed the connection");
    }
    if (!Arrays.equals(magic, MAGIC)) {
      throw new Refused(false, "it is no member of a Fleetgauge cluster");
    }
    byte[] rest = read(socket, HELLO_BYTES - MAGIC.length, deadline);
    return new Hello(rest[0] & 0xff, rest[1] == 1, Arrays.copyOfRange(rest, 2, rest.length));
  }

  private static long deadline() {
    return System.nanoTime() + LIMIT_MILLIS * 1_000_000L;
  }

  private static byte[] read(Socket socket, int length, long deadline) throws IOException {
    byte[] bytes = new byte[length];
    InputStream in = socket.getInputStream();
    for (int have = 0; have < length; ) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new Refused(false, "it took longer than " + LIMIT_MILLIS + " ms");
      }
      socket.setSoTimeout((int) left);
      int read = in.read(bytes, have, length - have);
      if (read < 0) {
        throw new EOFException("it closed the connection");
      }
      have += read;
    }
    socket.setSoTimeout(0);
    return bytes;
  }
}
