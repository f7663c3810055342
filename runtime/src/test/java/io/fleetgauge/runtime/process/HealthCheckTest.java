package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthCheckTest {
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/-/healthy", 200);
    answer("/-/ready", 503);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(String path, int status) {
    server.createContext(
        path,
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  @Test
  void onlyAnAnswerOfStatus200CountsAsWell() {
    assertThat(HealthCheck.failure(url("/-/healthy"))).isEmpty();
    assertThat(HealthCheck.failure(url("/-/ready"))).contains(url("/-/ready"), "503");
    assertThat(HealthCheck.failure(url("/nothing"))).contains("404");
  }

  @Test
  void whatDoesNotAnswerIsNamed() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    String address = "http://127.0.0.1:" + free + "/-/healthy";
    assertThat(HealthCheck.failure(address)).startsWith(address + " does not respond: ");
  }

  @Test
  void aWrongAddressIsToldWithTheFormThatIsNeeded() {
    for (String wrong : new String[] {"ftp://127.0.0.1:1/x", "http://127.0.0.1/x", "http://:1/"}) {
      assertThat(HealthCheck.failure(wrong)).contains(wrong, "http://HOST:PORT/PATH");
    }
    assertThat(HealthCheck.failure("not an address")).contains("not an address");
  }

  @Test
  void itEndsWithACodeAsEnginesExpectIt() throws Exception {
    assertThat(exitCode(url("/-/healthy"))).isZero();
    assertThat(exitCode(url("/-/ready"))).isEqualTo(1);
  }

  private static int exitCode(String url) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            HealthCheck.class.getName());
    builder.environment().put("FLEETGAUGE_HEALTH_URL", url);
    Process process = builder.redirectErrorStream(true).start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
