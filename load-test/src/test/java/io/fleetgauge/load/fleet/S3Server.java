package io.fleetgauge.load.fleet;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A store with S3's protocol, of which the launcher has fetched the jars: S3Proxy. */
final class S3Server implements AutoCloseable {
  private static final String BUCKET = "fleet";
  private static final String IDENTITY = "local-identity";
  private static final String CREDENTIAL = "local-credential";

  private final ChildProcess process;
  private final int port;

  private S3Server(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Null where its jars are not among the peers. */
  static S3Server start(Path folder) throws IOException {
    Path jars = PeerPrograms.folder().resolve("s3proxy");
    if (!Files.isDirectory(jars)) {
      return null;
    }
    int port = LocalPorts.free(1).getFirst();
    Path data = Files.createDirectories(folder.resolve("s3"));
    Files.createDirectories(data.resolve(BUCKET));
    Path configuration =
        Files.writeString(
            folder.resolve("s3proxy.conf"),
            """
            s3proxy.endpoint=http://127.0.0.1:%d
            s3proxy.authorization=aws-v4
            s3proxy.identity=%s
            s3proxy.credential=%s
            jclouds.provider=filesystem-nio2
            jclouds.filesystem.basedir=%s
            """
                .formatted(port, IDENTITY, CREDENTIAL, data));
    // Its default is to log at DEBUG, with every byte.
    Path logging =
        Files.writeString(
            folder.resolve("s3proxy-log.xml"),
            "<configuration><root level=\"OFF\"/></configuration>");
    ChildProcess process =
        new ChildProcess(
            folder,
            folder.resolve("s3proxy.log"),
            Map.of(),
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-Dlogback.configurationFile=" + logging,
                "-cp",
                jars + "/*",
                "org.gaul.s3proxy.Main",
                "--properties",
                configuration.toString()));
    S3Server server = new S3Server(process, port);
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> !process.process().isAlive() || server.isListening());
    // Where AWS's tools look for credentials, in the place of a file in the home folder.
    System.setProperty("aws.accessKeyId", IDENTITY);
    System.setProperty("aws.secretAccessKey", CREDENTIAL);
    return server;
  }

  private boolean isListening() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  String place() {
    return "s3://" + BUCKET + "/backups/of/fleet";
  }

  /** Options that a command needs beside the place. */
  String[] options(String... more) {
    return Stream.concat(
            Stream.of("--s3-endpoint", "http://127.0.0.1:" + port, "--s3-path-style"),
            Arrays.stream(more))
        .toArray(String[]::new);
  }

  @Override
  public void close() {
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
    process.close();
  }
}
