package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.attribution.runtime.ContainerName;
import io.fleetgauge.sample.Labels;
import java.util.Optional;

/**
 * A process and whose it is. Immutable.
 *
 * @param pid its number
 * @param program the name of its program; empty when it is not there any more
 * @param unowned why nobody is known to own it; empty when somebody is
 * @param container what keeps its container apart from others: the id, or a name; empty without one
 * @param containerName how the runtime calls it
 * @param pod what keeps its pod apart from others; empty without one
 * @param job id of its Slurm job; empty without one
 * @param owner labels that name its owner: some of container, container_id, pod, namespace,
 *     pod_uid, hpc_job, partition, array_job, array_task, user, unit
 * @param proven those of them that the kernel or a runtime tells, and not the process itself
 */
record OwnedProcess(
    int pid,
    String program,
    String unowned,
    String container,
    Optional<ContainerName> containerName,
    String pod,
    String job,
    Labels owner,
    Labels proven) {
  /** As Docker shows ids. */
  private static final int SHORT_ID = 12;

  /** The process is not below {@code /proc}. */
  static final String GONE = "gone";

  /** It has ended and still holds the GPU, and its control group is gone. */
  static final String ZOMBIE = "zombie";

  /** Something of it cannot be read. */
  static final String UNREADABLE = "unreadable";

  /** It only passes on the work of others. */
  static final String MPS_SERVER = "mps_server";

  static OwnedProcess unowned(int pid, String program, String why) {
    return new OwnedProcess(
        pid, program, why, "", Optional.empty(), "", "", Labels.EMPTY, Labels.EMPTY);
  }

  /**
   * @param name what the runtime calls the container
   * @param user the name of the user it runs as
   */
  static OwnedProcess of(
      ProcessFiles.Seen seen, Optional<ContainerName> name, SlurmVariables variables, String user) {
    Cgroup group = seen.cgroup();
    // A name that is of another pod than the control group says is of no use.
    Optional<ContainerName> known =
        name.filter(
            of ->
                of.podUid().isEmpty() || group.pod().isEmpty() || of.podUid().equals(group.pod()));
    String pod = known.map(ContainerName::pod).orElse("");
    String namespace = known.map(ContainerName::namespace).orElse("");
    String uid = group.pod().isEmpty() ? known.map(ContainerName::podUid).orElse("") : group.pod();
    boolean inGroup = !group.job().isEmpty();
    boolean isContainer = group.isContainer();
    boolean isAlone = !isContainer && uid.isEmpty();
    String job = inGroup ? group.job() : isContainer && uid.isEmpty() ? variables.job() : "";
    // What the environment adds is of the job that it names, or it is not believed.
    SlurmVariables more = variables.job().equals(job) ? variables : SlurmVariables.NONE;
    Labels owner =
        Labels.of(
            "container",
            known.map(ContainerName::container).orElse(group.name()),
            "container_id",
            shortId(group.container()),
            "pod",
            pod,
            "namespace",
            namespace,
            "pod_uid",
            uid,
            "hpc_job",
            job,
            "partition",
            job.isEmpty() ? "" : more.partition(),
            "array_job",
            job.isEmpty() ? "" : more.arrayJob(),
            "array_task",
            job.isEmpty() ? "" : more.arrayTask(),
            "user",
            isAlone ? user : "",
            "unit",
            isAlone && job.isEmpty() ? group.unit() : "");
    return new OwnedProcess(
        seen.pid(),
        seen.program(),
        "",
        group.container().isEmpty() ? group.name() : group.container(),
        known,
        uid.isEmpty() && !pod.isEmpty() ? namespace + "/" + pod : uid,
        job,
        owner,
        inGroup ? owner : owner.without("hpc_job"));
  }

  static String shortId(String id) {
    return id.substring(0, Math.min(SHORT_ID, id.length()));
  }

  boolean isOwned() {
    return unowned.isEmpty();
  }

  /** A key of its owner: processes of one owner have the same. */
  String ownerKey() {
    if (!container.isEmpty()) {
      return "container " + container;
    }
    if (!pod.isEmpty()) {
      return "pod " + pod;
    }
    return job.isEmpty() ? "user " + owner.value("user") + " " + owner.value("unit") : "job " + job;
  }
}
