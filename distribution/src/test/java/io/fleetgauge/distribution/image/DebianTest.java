package io.fleetgauge.distribution.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages come from mirrors that nobody has to trust. */
class DebianTest {
  private static final byte[] RIGHT = "the package".getBytes(StandardCharsets.UTF_8);
  private static final DebianPackage WANTED =
      new DebianPackage(
          "libc6", "amd64", "2.41", "pool/libc6.deb", Digest.of(RIGHT).hex(), "LGPL-2.1-or-later");

  @TempDir private Path folder;
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private String address;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    address = "http://127.0.0.1:" + server.getAddress().getPort();
    serve("/good/pool/libc6.deb", RIGHT);
    serve("/bad/pool/libc6.deb", "another package".getBytes(StandardCharsets.UTF_8));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void serve(String path, byte[] bytes) {
    server.createContext(
        path,
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  private Mirror mirror(String... names) {
    return new Mirror(
        folder.resolve("kept"),
        List.of(names).stream().map(name -> address + "/" + name + "/").toList());
  }

  @Test
  void aPackageWithAnotherDigestIsNotTakenButFetchedFromTheNextMirrorOnce() throws Exception {
    assertThat(mirror("none", "bad", "good").bring(WANTED)).isEqualTo(RIGHT);
    assertThat(requests).hasValue(2);
    assertThat(mirror("none").bring(WANTED)).isEqualTo(RIGHT);
    Files.writeString(folder.resolve("kept/libc6.deb"), "damaged");
    assertThat(mirror("good").bring(WANTED)).isEqualTo(RIGHT);
  }

  @Test
  void whatNoMirrorHasIsToldWithEveryReasonAndWhereToPutIt() {
    assertThatThrownBy(() -> mirror("none", "bad").bring(WANTED))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("libc6 2.41 of Debian, with the SHA-256 " + WANTED.sha256())
        .hasMessageContaining("/none/ answers with status 404")
        .hasMessageContaining("/bad/ has another file")
        .hasMessageContaining("Put it into " + folder.resolve("kept"));
    assertThat(folder.resolve("kept")).doesNotExist();
  }

  @Test
  void bothArchitecturesHaveTheSamePackagesInTheSameVersions() throws IOException {
    List<String> here = versions("amd64");
    assertThat(here).isNotEmpty().isEqualTo(versions("arm64"));
  }

  private static List<String> versions(String architecture) throws IOException {
    return DebianPackage.listed(architecture).stream()
        .map(each -> each.name() + " " + each.version())
        .toList();
  }

  @Test
  void aProgramNamesItsLoaderAndALibraryWhatItIsLinkedWith() throws IOException {
    Path java = Path.of(System.getProperty("java.home"));
    Elf program = Elf.read(Files.readAllBytes(java.resolve("bin/java")));
    assertThat(program.loader()).contains("/ld-linux");
    assertThat(program.libraries()).contains("libjli.so", "libc.so.6");
    Elf library = Elf.read(Files.readAllBytes(java.resolve("lib/libnet.so")));
    assertThat(library.loader()).isEmpty();
    assertThat(library.libraries()).contains("libc.so.6");
    assertThat(Elf.isElf(Files.readAllBytes(java.resolve("release")))).isFalse();
  }
}
