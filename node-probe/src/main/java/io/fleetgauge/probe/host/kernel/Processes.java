package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.Map;
import java.util.TreeMap;

/** node_exporter's collector {@code processes}: it reads every task, so it is off by default. */
public final class Processes implements Collector {
  private final Metric threads = new Metric("node_processes_threads");
  private final Metric threadStates = new Metric("node_processes_threads_state", "thread_state");
  private final Metric maxThreads = new Metric("node_processes_max_threads");
  private final Metric states = new Metric("node_processes_state", "state");
  private final Metric pids = new Metric("node_processes_pids");
  private final Metric maxPids = new Metric("node_processes_max_processes");

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    Map<String, Integer> byState = new TreeMap<>();
    Map<String, Integer> threadsByState = new TreeMap<>();
    int count = 0;
    double threadCount = 0;
    for (String pid : files.list(files.inProc(""))) {
      if (!isNumber(pid)) {
        continue;
      }
      String path = files.inProc(pid);
      String state = state(files, path + "/stat");
      if (state.isEmpty()) {
        continue; // it ended meanwhile
      }
      threadCount += threadsOfLast;
      count++;
      byState.merge(state, 1, Integer::sum);
      for (String task : files.list(path + "/task")) {
        String ofTask = task.equals(pid) ? state : state(files, path + "/task/" + task + "/stat");
        if (!ofTask.isEmpty()) {
          threadsByState.merge(ofTask, 1, Integer::sum);
        }
      }
    }
    out.add(threads, threadCount);
    out.add(maxThreads, files.number(files.inProc("sys/kernel/threads-max")));
    byState.forEach((state, each) -> out.add(states, each, state));
    threadsByState.forEach((state, each) -> out.add(threadStates, each, state));
    out.add(pids, count);
    out.add(maxPids, files.number(files.inProc("sys/kernel/pid_max")));
  }

  private double threadsOfLast;

  /** The state in a stat file; empty if there is none. Notes the number of threads. */
  private String state(NodeFiles files, String path) {
    KernelText stat = files.small(path);
    // The command is in parentheses, and may have blanks and parentheses itself.
    if (stat == null || !stat.nextLineOrLast() || !stat.skipBehindLast(')') || !stat.nextWord()) {
      return "";
    }
    String state = stat.word();
    threadsOfLast = stat.skip(16) ? stat.nextNumber() : 0;
    return state;
  }

  private static boolean isNumber(String name) {
    return name.charAt(0) >= '0' && name.charAt(0) <= '9';
  }
}
