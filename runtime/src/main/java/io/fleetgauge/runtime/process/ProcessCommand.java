package io.fleetgauge.runtime.process;

import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/**
 * A command that runs one process from a configuration file until it is stopped.
 *
 * @param <C> the process's configuration
 */
public abstract class ProcessCommand<C> extends TerminalCommand implements Command {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessCommand.class);

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file; without it every key has its default.")
  private Path file;

  /** The option of processes that otherwise need tokens to listen for other machines. */
  public static final class InsecureOption {
    @Option(
        names = "--insecure",
        description = "Lets other machines connect without authentication, as http.insecure does.")
    private boolean insecure;

    public boolean isSet() {
      return insecure;
    }
  }

  protected abstract C read(String source, String yaml) throws ConfigException;

  protected abstract LogSettings log(C config);

  /**
   * Does work that replaces running the process, if the command line asks for any.
   *
   * @return whether to run the process
   */
  protected boolean runsOn(C config) throws StartFailure {
    return true;
  }

  /** Starts every part of the process; closing the result stops them. */
  protected abstract AutoCloseable start(C config) throws StartFailure;

  @Override
  protected final int run() throws Exception {
    C config = read(file == null ? "the default configuration" : file.toString(), text());
    Logs.toConsole(log(config));
    if (!runsOn(config)) {
      return 0;
    }
    ClassCache.warnIfUnused();
    AutoCloseable process = start(config);
    HeapTrim.start();
    runUntilStopped(process);
    return 0;
  }

  /** Waits for SIGTERM or SIGINT, then closes {@code process} before the JVM exits. */
  private static void runUntilStopped(AutoCloseable process) throws InterruptedException {
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("stop")
                .unstarted(
                    () -> {
                      try {
                        process.close();
                      } catch (Exception e) {
                        LOG.warn("stopped with an error", e);
                      }
                    }));
    new CountDownLatch(1).await();
  }

  private String text() throws StartFailure {
    if (file == null) {
      return "";
    }
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new StartFailure(
          "the configuration file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }
}
