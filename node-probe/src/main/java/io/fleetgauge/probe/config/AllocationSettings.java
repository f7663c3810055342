package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of how schedulers tell a probe whom they have given GPUs to.
 *
 * @param socket {@code attribution.allocations.socket}
 * @param socketGroup {@code attribution.allocations.socketGroup}
 * @param token {@code attribution.allocations.tokenFile}
 * @param limit {@code attribution.allocations.limit}
 */
public record AllocationSettings(
    Optional<Path> socket, Optional<String> socketGroup, Optional<Path> token, int limit) {
  private static final String SECTION = "attribution.allocations.";
  private static final int MOST = 10_000;

  private static final Key<Path> SOCKET =
      Key.optional(
          SECTION + "socket",
          KeyType.path(),
          "Unix socket on which schedulers of this node report allocations of GPUs, such as"
              + " `/run/fleetgauge/probe.sock`, which the scripts for Slurm use. Only the user of"
              + " the probe and root may use it.");
  private static final Key<String> SOCKET_GROUP =
      Key.optional(
          SECTION + "socketGroup",
          KeyType.text(),
          "Group of users that may use `attribution.allocations.socket` too.");
  private static final Key<Path> TOKEN_FILE =
      Key.optional(
          SECTION + "tokenFile",
          KeyType.file(),
          "File with the token that requests to `/v1/allocations` on the probe's HTTP port"
              + " need; without it that port accepts none.");
  private static final Key<Integer> LIMIT =
      Key.of(
          SECTION + "limit",
          KeyType.integer(1, MOST),
          1_000,
          "Maximum number of allocations that the probe holds.");

  /** Tells whether anybody may tell. */
  public boolean isOpen() {
    return socket.isPresent() || token.isPresent();
  }

  public static AllocationSettings read(ConfigReader in) {
    return new AllocationSettings(
        in.find(SOCKET), in.find(SOCKET_GROUP), in.find(TOKEN_FILE), in.get(LIMIT));
  }
}
