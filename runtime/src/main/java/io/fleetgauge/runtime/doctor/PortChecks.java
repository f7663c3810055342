package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.HttpSettings;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;

/** Checks that the ports are free before the start, and respond after it. */
record PortChecks(ExaminedProcess process, Findings findings, CheckRequests requests) {

  /** The result of an attempt to bind a port. */
  private sealed interface BindResult {
    record Free() implements BindResult {}

    record InUse() implements BindResult {}

    record Impossible(String why) implements BindResult {}
  }

  /**
   * Looks at the ports.
   *
   * @return whether the process runs
   */
  boolean run() {
    boolean isRunning = http();
    process.clusterPort().ifPresent(port -> cluster(port, isRunning));
    return isRunning;
  }

  /** The address at which this machine reaches the process. */
  static URI local(HttpSettings http) {
    String host =
        switch (http.host()) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::" -> "::1";
          default -> http.host();
        };
    if (host.contains(":") && !host.startsWith("[")) {
      host = "[" + host + "]";
    }
    return URI.create(http.scheme() + "://" + host + ":" + http.port());
  }

  private boolean http() {
    HttpSettings http = process.http();
    String where = "http.port " + http.port() + " on " + http.host();
    switch (bind(http.host(), http.port())) {
      case BindResult.Free free -> {
        findings.ok(where + " is free; the process is not running");
        return false;
      }
      case BindResult.Impossible impossible -> {
        findings.failure(
            where + " cannot be bound: " + impossible.why(),
            "set http.host to an address of this machine, or to 0.0.0.0 for all, and http.port to a"
                + " port that this user may bind");
        return false;
      }
      case BindResult.InUse inUse -> {
        return answers(where);
      }
    }
  }

  private boolean answers(String where) {
    URI local = local(process.http());
    try {
      CheckRequests.Reply healthy = requests.ofThisMachine(local.resolve("/-/healthy"));
      if (healthy.status() != 200 || !healthy.body().startsWith("healthy")) {
        taken(where, "it is not a Fleetgauge process");
        return false;
      }
      CheckRequests.Reply ready = requests.ofThisMachine(local.resolve("/-/ready"));
      if (ready.status() == 200) {
        findings.ok(where + " responds: healthy and ready");
      } else {
        findings.failure(
            where + " responds: " + ready.body().strip(),
            "check the log of the process, and the other findings");
      }
      return true;
    } catch (IOException e) {
      String protocol = process.http().tls().isPresent() ? "HTTPS" : "HTTP";
      taken(where, "no " + protocol + " responds: " + e.getMessage());
      return false;
    }
  }

  private void taken(String where, String what) {
    String program = SocketOwner.of(process.http().port()).orElse("another program");
    findings.failure(
        where + " is in use by " + program + ": " + what,
        "stop that program, or choose another port with http.port");
  }

  private void cluster(ExaminedProcess.ClusterPort port, boolean isRunning) {
    String where = "cluster.port " + port.port() + " on " + port.host();
    switch (bind(port.host(), port.port())) {
      case BindResult.Free free -> {
        if (isRunning && !port.mayMove()) {
          findings.failure(
              where + " is not bound, although the process runs",
              "compare this configuration file with the one that the process was started with");
        } else {
          findings.ok(where + " is free");
        }
      }
      case BindResult.Impossible impossible ->
          findings.failure(
              where + " cannot be bound: " + impossible.why(),
              "set cluster.host to the address of this machine that the other members reach");
      case BindResult.InUse inUse -> {
        if (isRunning || port.mayMove()) {
          findings.ok(
              where + (isRunning ? " is bound" : " is in use; the next free port will be used"));
        } else {
          findings.failure(
              where + " is in use by " + SocketOwner.of(port.port()).orElse("another program"),
              "stop that program, or choose another port with cluster.port");
        }
      }
    }
  }

  private static BindResult bind(String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
      return new BindResult.Free();
    } catch (BindException e) {
      String why = String.valueOf(e.getMessage());
      return why.contains("in use") ? new BindResult.InUse() : new BindResult.Impossible(why);
    } catch (UnknownHostException e) {
      return new BindResult.Impossible("the name " + host + " is not known");
    } catch (IOException e) {
      return new BindResult.Impossible(e.toString());
    }
  }
}
