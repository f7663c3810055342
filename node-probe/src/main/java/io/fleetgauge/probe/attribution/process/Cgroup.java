package io.fleetgauge.probe.attribution.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Control groups as they tell of the owner of a process; empty text where they do not tell. These
 * forms are read, at any depth below a prefix where nothing else is said (C is a container's id of
 * 64 hexadecimal digits, U a pod's UID):
 *
 * <pre>
 *   /docker/C                                  Docker; the innermost id counts
 *   /system.slice/docker-C.scope               also cri-containerd-, crio-, libpod-, nerdctl-
 *   /kubepods/burstable/podU/C                 Kubernetes, also crio-C, also without a QoS part
 *   /kubepods.slice/...-podU.slice/...-C.scope Kubernetes with systemd, also below other slices
 *   /.../kubepods-podU.slice:cri-containerd:C  containerd that does not use systemd
 *   /default/NAME, /containerd/SPACE/C         containerd
 *   /lxc/NAME, /lxc.payload.NAME               LXC
 *   /slurm/uid_N/job_J/step_S/...              Slurm, also /slurm_NODE
 *   /system.slice/slurmstepd.scope/job_J/...   Slurm with v2, also NODE_slurmstepd.scope
 *   /system.slice/NAME.service                 a unit of systemd, also a scope
 *   /user.slice/user-N.slice/session-S.scope   a session of a user
 * </pre>
 *
 * @param container id of the innermost container
 * @param name name of a container that has one instead of an id
 * @param pod UID of the pod, with dashes as Kubernetes writes it
 * @param job id of the Slurm job
 * @param step its step: a number, batch, extern or interactive
 * @param unit the unit of systemd, for what is in no container and no job
 * @param uid number of the user to whom the group belongs
 */
record Cgroup(
    String container, String name, String pod, String job, String step, String unit, String uid) {
  static final Cgroup NONE = new Cgroup("", "", "", "", "", "", "");

  private static final int MOST_LINES = 64;
  private static final int MOST_SEGMENTS = 128;
  private static final int LONGEST_NAME = 128;

  private static final Pattern CONTAINER = Pattern.compile("(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])");
  private static final Pattern POD =
      Pattern.compile(
          "(?:^|-)pod([0-9a-f]{8}([-_])[0-9a-f]{4}\\2[0-9a-f]{4}\\2[0-9a-f]{4}\\2[0-9a-f]{12}"
              + "|[0-9a-f]{32})(?![0-9a-f])");
  private static final Pattern SLURM_V1 = Pattern.compile("slurm(_.+)?");
  private static final Pattern SLURM_V2 = Pattern.compile("(.+_)?slurmstepd\\.scope");
  private static final Pattern UID = Pattern.compile("uid_(\\d{1,10})");
  private static final Pattern JOB = Pattern.compile("job_(\\d{1,10})");
  private static final Pattern STEP = Pattern.compile("step_([A-Za-z0-9_+.-]{1,64})");
  private static final Pattern USER_SLICE = Pattern.compile("user-(\\d{1,10})\\.slice");
  private static final String USERS = "user.slice";
  private static final String LXC = "lxc.payload.";

  /** Controllers whose group is the most likely to be of a container; others come after. */
  private static final List<String> CONTROLLERS =
      List.of("memory", "pids", "devices", "cpu", "name=systemd");

  /**
   * Reads {@code /proc/PID/cgroup}: {@code id:controllers:path} for each hierarchy. Of those that
   * name a container, a pod or a job the most telling counts, else of those that name a unit; the
   * hierarchies of v1 come before that of v2.
   */
  static Cgroup ofFile(String text) {
    Cgroup best = NONE;
    int bestRank = Integer.MAX_VALUE;
    int from = 0;
    for (int line = 0; line < MOST_LINES && from < text.length(); line++) {
      int end = text.indexOf('\n', from);
      end = end < 0 ? text.length() : end;
      int first = text.indexOf(':', from);
      int second = first < 0 ? -1 : text.indexOf(':', first + 1);
      if (second >= 0 && second < end) {
        Cgroup found = ofPath(text.substring(second + 1, end));
        boolean isUnified = first == from + 1 && text.charAt(from) == '0' && second == first + 1;
        int rank = rank(text.substring(first + 1, second), isUnified);
        rank += found.namesWorkload() ? 0 : found.equals(NONE) ? 200 : 100;
        if (rank < bestRank) {
          best = found;
          bestRank = rank;
        }
      }
      from = end + 1;
    }
    return best;
  }

  private static int rank(String controllers, boolean isUnified) {
    int best = CONTROLLERS.size() + (isUnified ? 1 : 0);
    for (String each : controllers.split(",")) {
      int at = CONTROLLERS.indexOf(each);
      best = at >= 0 && !isUnified ? Math.min(best, at) : best;
    }
    return best;
  }

  /** Tells whether it is more than a unit or a user. */
  private boolean namesWorkload() {
    return !(container.isEmpty() && name.isEmpty() && pod.isEmpty() && job.isEmpty());
  }

  boolean isContainer() {
    return !container.isEmpty() || !name.isEmpty();
  }

  static Cgroup ofPath(String path) {
    List<String> segments = segments(path);
    Reading reading = new Reading();
    int slurm = slurm(segments);
    int next = slurm < 0 ? 0 : reading.slurm(segments, slurm);
    boolean byUser = !segments.isEmpty() && segments.getFirst().equals(USERS);
    for (int i = next; i < segments.size(); i++) {
      reading.segment(segments, i, byUser);
    }
    return reading.result();
  }

  /** Without those that stand for the group of the reader when it has a namespace of its own. */
  private static List<String> segments(String path) {
    String whole = path.endsWith(" (deleted)") ? path.substring(0, path.length() - 10) : path;
    List<String> segments = new ArrayList<>(Arrays.asList(whole.split("/", MOST_SEGMENTS)));
    segments.removeIf(each -> each.isEmpty() || each.equals(".") || each.equals(".."));
    return segments;
  }

  /**
   * Where the groups of Slurm begin; -1 without them. They stand at the top or in a slice of the
   * system: users may make groups of any name below their own.
   */
  private static int slurm(List<String> segments) {
    if (segments.isEmpty()) {
      return -1;
    }
    String first = segments.getFirst();
    if (SLURM_V1.matcher(first).matches() || SLURM_V2.matcher(first).matches()) {
      return 0;
    }
    boolean isOfSystem =
        first.endsWith(".slice") && !first.equals(USERS) && !first.equals("machine.slice");
    return isOfSystem && segments.size() > 1 && SLURM_V2.matcher(segments.get(1)).matches()
        ? 1
        : -1;
  }

  /** A reading of the segments of one path, from the outside in. */
  private static final class Reading {
    private String container = "";
    private String name = "";
    private String pod = "";
    private String job = "";
    private String step = "";
    private String unit = "";
    private String uid = "";

    /** True if it is a program that watches a container, and not in it. */
    private boolean isMonitor;

    /** Answers where the segments go on after those of Slurm. */
    int slurm(List<String> segments, int root) {
      int at = root + 1;
      Matcher user = match(UID, segments, at);
      if (user != null) {
        uid = user.group(1);
        at++;
      }
      Matcher ofJob = match(JOB, segments, at);
      if (ofJob == null) {
        unit = segments.get(root).endsWith(".scope") ? segments.get(root) : "";
        return segments.size();
      }
      at++;
      Matcher ofStep = match(STEP, segments, at);
      at += ofStep == null ? 0 : 1;
      if (at < segments.size() && segments.get(at).equals("slurm")) {
        unit = segments.get(root); // the program that watches the step
        return segments.size();
      }
      job = ofJob.group(1);
      step = ofStep == null ? "" : ofStep.group(1);
      return at;
    }

    private static Matcher match(Pattern pattern, List<String> segments, int at) {
      Matcher matcher = at < segments.size() ? pattern.matcher(segments.get(at)) : null;
      return matcher != null && matcher.matches() ? matcher : null;
    }

    void segment(List<String> segments, int at, boolean byUser) {
      String segment = segments.get(at);
      Matcher ofPod = POD.matcher(segment);
      if (!byUser && ofPod.find()) {
        pod = ofPod.group(1).replace('_', '-');
      }
      Matcher ids = CONTAINER.matcher(segment);
      boolean isContainer = false;
      while (ids.find()) {
        isContainer = true;
        isMonitor = segment.substring(0, ids.start()).contains("conmon");
        container = ids.group();
        name = "";
      }
      if (isContainer) {
        return;
      }
      if (segment.startsWith("lxc.monitor")) {
        isMonitor = true;
      } else if (segment.startsWith(LXC)) {
        name(segment.substring(LXC.length()));
      } else if (at == 1 && segments.getFirst().matches("lxc(\\.payload)?|default")) {
        name(segment);
      }
      Matcher ofUser = USER_SLICE.matcher(segment);
      if (at == 1 && byUser && ofUser.matches()) {
        uid = ofUser.group(1);
      } else if (segment.endsWith(".service") || segment.endsWith(".scope")) {
        unit = segment.length() <= LONGEST_NAME ? segment : "";
      }
    }

    private void name(String text) {
      if (container.isEmpty() && text.length() <= LONGEST_NAME) {
        name = text;
      }
    }

    Cgroup result() {
      if (isMonitor) {
        return NONE;
      }
      boolean isWorkload =
          !(container.isEmpty() && name.isEmpty() && pod.isEmpty() && job.isEmpty());
      boolean isNone = !isWorkload && unit.isEmpty() && uid.isEmpty();
      return isNone
          ? NONE
          : new Cgroup(container, name, pod, job, step, isWorkload ? "" : unit, uid);
    }
  }
}
