package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.files.PrivateFiles;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server on a Unix socket, for programs of this node. */
public final class LocalSocket implements AutoCloseable {
  /** Most bytes of a path, as the kernel has them. */
  private static final int MAX_PATH = 107;

  private static final int MAX_CONNECTIONS = 64;
  private static final int MAX_LINE = 4 << 10;
  private static final int MAX_HEADERS = 8 << 10;
  private static final int IDLE_SECONDS = 10;
  private static final String KEY = "attribution.allocations.socket";

  private final HttpServer server;
  private final Path path;
  private final Object identity;

  private LocalSocket(HttpServer server, Path path, Object identity) {
    this.server = server;
    this.path = path;
    this.identity = identity;
  }

  /**
   * Starts to listen.
   *
   * @param group of users that may use it too
   * @throws StartFailure if the path cannot be used, or if another process listens there
   */
  public static LocalSocket start(Vertx vertx, Path at, Optional<String> group, Router router)
      throws StartFailure {
    Path path = at.toAbsolutePath();
    // In a folder that nobody else may enter, until it has its permissions.
    Path closed = path.resolveSibling(".probe-" + ProcessHandle.current().pid());
    Path unfinished = closed.resolve("s");
    if (unfinished.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH
        || path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
      throw new StartFailure(
          "the path " + path + " is too long for a socket; choose a shorter one with " + KEY, null);
    }
    if (Files.isRegularFile(path) || Files.isDirectory(path)) {
      throw new StartFailure(
          path + " exists and is not a socket; choose another path with " + KEY, null);
    }
    if (isUsed(path)) {
      throw new StartFailure(
          "another process listens on " + path + "; choose another socket with " + KEY, null);
    }
    AtomicInteger connections = new AtomicInteger();
    HttpServer server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setMaxInitialLineLength(MAX_LINE)
                    .setMaxHeaderSize(MAX_HEADERS)
                    .setHttp2ClearTextEnabled(false)
                    .setHandle100ContinueAutomatically(true)
                    .setIdleTimeout(IDLE_SECONDS)
                    .setIdleTimeoutUnit(TimeUnit.SECONDS))
            .connectionHandler(
                connection -> {
                  connection.closeHandler(ended -> connections.decrementAndGet());
                  if (connections.incrementAndGet() > MAX_CONNECTIONS) {
                    connection.close();
                  }
                })
            .requestHandler(router);
    try {
      createParent(path, group);
      Files.deleteIfExists(unfinished);
      Files.deleteIfExists(closed);
      PrivateFiles.createFolders(closed);
      server
          .listen(SocketAddress.domainSocketAddress(unfinished.toString()))
          .await(IDLE_SECONDS, TimeUnit.SECONDS);
      if (group.isPresent()) {
        permit(unfinished, group.get(), "rw-rw----");
      } else {
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
      }
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(closed);
      return new LocalSocket(server, path, identity(path));
    } catch (Exception e) {
      server.close();
      throw new StartFailure(
          "the socket " + path + " cannot be used: " + e + "; it is chosen with " + KEY, e);
    }
  }

  private static void createParent(Path path, Optional<String> group) throws IOException {
    Path parent = path.getParent();
    if (!Files.isDirectory(parent)) {
      PrivateFiles.createFolders(parent);
      if (group.isPresent()) {
        permit(parent, group.get(), "rwxr-x---");
      }
    }
  }

  /**
   * By views that follow links: only then the JDK does not open the file, which a socket refuses.
   */
  private static void permit(Path path, String group, String permissions) throws IOException {
    GroupPrincipal of =
        path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
    Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(of);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private static boolean isUsed(Path path) {
    if (!Files.exists(path)) {
      return false;
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      return false; // left by a process that has ended
    }
  }

  private static Object identity(Path path) throws IOException {
    return Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void close() {
    try {
      if (identity.equals(identity(path))) {
        Files.delete(path);
      }
    } catch (IOException e) {
      // Somebody has removed it.
    }
    server.close().await();
  }
}
