package io.fleetgauge.distribution.image;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, written as images write it. */
record Digest(String hex) {
  static Digest of(byte[] bytes) {
    return new Digest(HexFormat.of().formatHex(sha256().digest(bytes)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  @Override
  public String toString() {
    return "sha256:" + hex;
  }

  /** Knows the digest of what it passed on, once it is closed. */
  static final class Stream extends FilterOutputStream {
    private final MessageDigest sha256 = sha256();

    Stream(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      sha256.update((byte) b);
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      sha256.update(bytes, from, length);
      out.write(bytes, from, length);
    }

    Digest digest() {
      return new Digest(HexFormat.of().formatHex(sha256.digest()));
    }
  }
}
