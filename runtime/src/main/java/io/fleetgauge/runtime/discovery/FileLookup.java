package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;

/** Reads a list in a file. */
final class FileLookup implements Lookup {
  private final Vertx vertx;
  private final DiscoverySettings settings;
  private final Source.Listed source;

  FileLookup(Vertx vertx, DiscoverySettings settings, Source.Listed source) {
    this.vertx = vertx;
    this.settings = settings;
    this.source = source;
  }

  @Override
  public Future<Addresses> ask() {
    return vertx.executeBlocking(
        () -> AddressList.ofFile(bytes(), source.port(), settings.maxAddresses()), false);
  }

  private byte[] bytes() throws BadAnswer {
    byte[] bytes;
    try (var in = Files.newInputStream(source.file())) {
      bytes = in.readNBytes(settings.maxBytes() + 1);
    } catch (NoSuchFileException e) {
      throw new BadAnswer(Reason.UNREACHABLE, "there is no such file");
    } catch (IOException e) {
      throw new BadAnswer(Reason.UNREACHABLE, "it cannot be read: " + e);
    }
    if (bytes.length > settings.maxBytes()) {
      throw new BadAnswer(
          Reason.TOO_LONG, "it is longer than maxAnswer, " + settings.maxBytes() + " B");
    }
    return bytes;
  }

  @Override
  public String whom() {
    return "the file " + source.file();
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
