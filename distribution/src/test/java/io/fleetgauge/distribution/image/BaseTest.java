package io.fleetgauge.distribution.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The base of the images: packages come from mirrors that nobody has to trust. */
class BaseTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/src/main/image");

  @TempDir private Path folder;

  @Test
  void aPackageWithAnotherDigestIsNotTaken() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg-deb")), "dpkg-deb is not installed");
    HttpServer mirror =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    mirror.createContext(
        "/bad/",
        exchange -> {
          byte[] bytes = "another package".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    mirror.start();
    try {
      String address = "http://127.0.0.1:" + mirror.getAddress().getPort();
      Path base = folder.resolve("base.tar");
      ProcessBuilder builder =
          new ProcessBuilder(
              SOURCES.resolve("base").toString(),
              "amd64",
              "runtime.jar",
              base.toString(),
              address + "/none",
              address + "/bad/");
      builder.environment().put("XDG_CACHE_HOME", folder.toString());
      Process process = builder.redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isEqualTo(1);
      Path kept = folder.resolve("fleetgauge/debian");
      assertThat(output)
          .contains("No mirror has pool/main/", address + "/bad/", "Put it into " + kept);
      assertThat(kept).isEmptyDirectory();
      assertThat(base).doesNotExist();
    } finally {
      mirror.stop(0);
    }
  }

  @Test
  void bothArchitecturesHaveTheSamePackagesInTheSameVersions() throws IOException {
    List<String> here = versions("amd64");
    assertThat(here).isNotEmpty().isEqualTo(versions("arm64"));
  }

  private static List<String> versions(String architecture) throws IOException {
    return BasePackage.listed(SOURCES, architecture).stream()
        .map(each -> each.name() + " " + each.version())
        .toList();
  }
}
