package io.fleetgauge.probe.host.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.host.NodeFolder;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MdAdmTest {
  @TempDir private Path folder;
  private NodeFolder node;

  @BeforeEach
  void makeNode() {
    node = new NodeFolder(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "[=>..]  reshape =  7.2% (270000/3750606) finish=312.0min speed=1K/sec | - | 270000",
        "[=>..]  recovery = 97.2% (1/3) finish=0.1min speed=1K/sec | recovering | 1",
        "[>...]  resync =  0.0% (0/3) finish=312.0min speed=0K/sec | resync | 0",
        "[==>.]  check = 50.0% (2/3) finish=312.0min speed=0K/sec | check | 2",
        "resync=DELAYED | resync | 0",
        "resync=PENDING | resync | 0",
        "resync=REMOTE | resync | 0",
        "check=DELAYED | check | 0",
        "recovery=DELAYED | recovering | 0",
        "reshape=PENDING | - | 0",
        "bitmap: 0/28 pages [0KB], 65536KB chunk, file: /check/resync = 1% (1/2) | active | 7501",
        "bitmap: 0/28 pages [0KB], 65536KB chunk | active | 7501"
      })
  void whatGoesOnIsReadInAllItsForms(String line, String state, double synced) throws IOException {
    node.file(
        "proc/mdstat",
        """
        Personalities : [raid6] [raid5] [raid4]
        md127 : active raid6 sda1[5] sdb1[4] sdc1[3] sdd1[2]
              7501 blocks super 1.2 level 6, 512k chunk, algorithm 2 [4/4] [UUUU]
              %s

        unused devices: <none>
        """
            .formatted(line));
    assertThat(node.read(new MdAdm()))
        .contains(
            "node_md_blocks_synced{device=\"md127\"} " + Math.round(synced),
            "node_md_blocks{device=\"md127\"} 7501",
            "node_md_disks{device=\"md127\",state=\"active\"} 4")
        .filteredOn(each -> each.startsWith("node_md_state") && each.endsWith(" 1"))
        .containsExactlyElementsOf(
            state == null
                ? java.util.List.of()
                : java.util.List.of("node_md_state{device=\"md127\",state=\"" + state + "\"} 1"));
    assertThat(node.failures()).isZero();
  }

  @Test
  void everyKindOfArrayIsRead() throws IOException {
    node.file(
        "proc/mdstat",
        """
        Personalities : [raid1] [raid10] [raid0] [linear]
        md_raid0x : active raid1 sda1[0](W) sdb1[1](J) sdc1[2](R) sdd1[3](F) sde1[4](S)
              100 blocks super 1.2 [3/2] [UU_]

        md1 : active (read-only) raid0 sda2[0] sdb2[1]
              200 blocks super 1.2 512k chunks

        md2 : active (auto-read-only) linear sda3[0] sdb3[1] sdc3[2]
              300 blocks super 1.2 0k rounding

        md3 : active raid10 sda4[0] sdb4[1] sdc4[2] sdd4[3]
              400 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]

        md126 : active raid1 sdf[1] sdg[0]
              500 blocks super external:/md127/0 [2/2] [UU]

        md127 : inactive sdf[1](S) sdg[0](S)
              600 blocks super external:imsm

        md9 : inactive super 1.2

        unused devices: <none>
        """);
    node.file("sys/block/md3/md/raid_disks", "6 (4)\n");
    node.file("sys/block/md3/md/level", "raid10\n");
    node.file("sys/block/md127/md/level", "container\n");
    node.file("sys/block/md127/md/raid_disks", "0\n");
    assertThat(node.read(new MdAdm()))
        .contains(
            "node_md_disks{device=\"md_raid0x\",state=\"active\"} 2",
            "node_md_disks{device=\"md_raid0x\",state=\"failed\"} 1",
            "node_md_disks{device=\"md_raid0x\",state=\"spare\"} 1",
            "node_md_disks_required{device=\"md_raid0x\"} 3",
            "node_md_disks{device=\"md1\",state=\"active\"} 2",
            "node_md_disks{device=\"md2\",state=\"active\"} 3",
            "node_md_disks{device=\"md3\",state=\"active\"} 4",
            "node_md_raid_disks{device=\"md3\"} 6",
            "node_md_disks{device=\"md126\",state=\"active\"} 2",
            "node_md_state{device=\"md127\",state=\"inactive\"} 1",
            "node_md_disks{device=\"md127\",state=\"spare\"} 2",
            "node_md_blocks{device=\"md127\"} 600",
            "node_md_state{device=\"md9\",state=\"inactive\"} 1")
        .noneMatch(each -> each.startsWith("node_md_blocks{device=\"md9\"}"))
        .noneMatch(each -> each.startsWith("node_md_raid_disks{device=\"md127\"}"));
    assertThat(node.failures()).isZero();
  }

  @Test
  void anArrayThatCannotBeReadCostsOnlyItself() throws IOException {
    node.file(
        "proc/mdstat",
        """
        Personalities : [raid1]
        md0 active raid1 sda1[0]
              100 blocks

        md1 : active raid99 sda2[0] sdb2[1]
              200 blocks of a kind

        md2 : active raid1 sda3[0] sdb3[1]
              300 blocks super 1.2 [2/2] [UU]
              [=>..]  transmute =  7.2% (27/375) finish=312.0min

        md3 : active raid1 sda4[0] sdb4[1]
              400 blocks super 1.2 [2/2] [UU]
        """);
    assertThat(node.read(new MdAdm()))
        .contains("node_md_blocks{device=\"md2\"} 300", "node_md_blocks{device=\"md3\"} 400")
        .noneMatch(each -> each.contains("md0") || each.contains("md1"))
        .noneMatch(each -> each.startsWith("node_md_blocks_synced{device=\"md2\"}"));
    assertThat(node.failures()).isEqualTo(3);
  }
}
