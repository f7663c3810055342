package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A process to check, as its configuration describes it.
 *
 * @param http where it listens
 * @param reachedAs the names by which others reach it, which its certificate has to have
 * @param clusterPort where other members reach it
 * @param members Hazelcast addresses of other members, as host:port
 * @param gateways addresses of gateways that are known from the configuration
 * @param trust the means by which it proves its identity
 * @param tenants the tenants file
 * @param needsTenants whether it asks for tokens unless it is told not to
 * @param secrets other files that hold secrets
 * @param folders where it writes
 * @param openFiles how many files it should be allowed to open
 * @param own checks of this kind of process only
 */
public record ExaminedProcess(
    HttpSettings http,
    List<String> reachedAs,
    Optional<ClusterPort> clusterPort,
    List<String> members,
    List<URI> gateways,
    TrustSettings trust,
    Optional<Path> tenants,
    boolean needsTenants,
    List<Secret> secrets,
    List<Folder> folders,
    long openFiles,
    List<Consumer<Findings>> own) {

  /**
   * A port for other members.
   *
   * @param mayMove whether the next free one is used when it is taken
   */
  public record ClusterPort(String host, int port, boolean mayMove) {}

  /**
   * A file that holds a secret.
   *
   * @param key the key that names it
   */
  public record Secret(String key, Path file) {}

  /**
   * A folder that the process writes to.
   *
   * @param key the key that names it
   * @param maxBytes most that the process keeps in it
   * @param maxKey the key that limits it
   * @param syncs whether acknowledgements wait for its disk
   */
  public record Folder(String key, Path path, long maxBytes, String maxKey, boolean syncs) {}
}
