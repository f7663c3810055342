package io.fleetgauge.query.faults.detect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fleetgauge.query.faults.detect.PacedJob.Gpu;
import io.fleetgauge.query.faults.detect.PacedJob.Host;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs without a fault, of kinds that look as if they had one. */
class HealthyJobsTest {
  private static final int HOUR = 240;
  private static final int HOURS = 8;

  /** Kinds of jobs, and what a step of them is. */
  enum Kind {
    DATA_PARALLEL,
    /** Chips that draw 5 % more or less for the same work. */
    WIDE_SPREAD {
      @Override
      void begin(PacedJob job) {
        job.gpus()
            .forEach(
                gpu -> gpu.leakage = 1 + 0.05 * Math.clamp(job.random.nextGaussian(), -2.5, 2.5));
      }
    },
    /** All are at their power limit, so that clocks follow the chip. */
    POWER_CAPPED {
      @Override
      void begin(PacedJob job) {
        job.gpus().forEach(gpu -> gpu.tensor = 0.62);
      }
    },
    /** One host has hot air: its chips leak more, and heat is told now and then. */
    HOT_AISLE {
      @Override
      void begin(PacedJob job) {
        for (Gpu gpu : job.hosts.getLast().gpus) {
          gpu.leakage *= 1.06;
          gpu.clock -= 60;
          gpu.heat = 0.1;
        }
      }
    },
    /** Half of the hosts have a lower power limit. */
    LOWER_LIMITS {
      @Override
      void begin(PacedJob job) {
        for (Host host : job.hosts.subList(0, job.hosts.size() / 2)) {
          host.gpus.forEach(gpu -> gpu.limit = 450);
        }
      }
    },
    /** A single GPU has a lower power limit. */
    ONE_LOWER_LIMIT {
      @Override
      void begin(PacedJob job) {
        job.gpu(0, 3).limit = 400;
      }
    },
    /** Later stages have more to do, up to the power limit. */
    PIPELINE {
      @Override
      void begin(PacedJob job) {
        List<Gpu> gpus = job.gpus();
        for (int i = 0; i < gpus.size(); i++) {
          gpus.get(i).tensor = 0.5;
          gpus.get(i).load = 0.75 + 0.6 * (i * 4 / gpus.size()) / 3;
        }
      }
    },
    /** The last rank computes the loss as well. */
    HEAVY_LAST_RANK {
      @Override
      void begin(PacedJob job) {
        job.gpus().forEach(gpu -> gpu.tensor = 0.5);
        job.gpus().getLast().load = 1.35;
      }
    },
    /** Some GPUs hold embeddings and compute little. */
    EMBEDDINGS {
      @Override
      void begin(PacedJob job) {
        job.gpu(0, 0).load = 0.1;
        job.gpu(0, 1).load = 0.1;
      }
    },
    /** Rank 0 writes logs. */
    LOGGING_RANK {
      @Override
      void begin(PacedJob job) {
        job.gpu(0, 0).cpu = 3;
        job.hosts.getFirst().pressure = 0.05;
        job.hosts.getFirst().cpuIdle = 0.6;
        job.hosts.getFirst().late = 0.02;
      }
    },
    /** Ends of a ring send less. */
    RING_ENDS {
      @Override
      void begin(PacedJob job) {
        job.gpus().getFirst().nvlink = 0.6;
        job.gpus().getLast().nvlink = 0.6;
        job.hosts.getFirst().rdma *= 0.5;
      }
    },
    /** Experts that are asked more are elsewhere every few minutes. */
    EXPERTS {
      @Override
      void step(PacedJob job) {
        if (job.steps % 16 == 1) {
          job.gpus().forEach(gpu -> gpu.load = 0.8 + 0.5 * job.random.nextDouble());
        }
      }
    },
    /** Sequences of different lengths. */
    RAGGED_BATCHES {
      @Override
      void step(PacedJob job) {
        job.gpus().forEach(gpu -> gpu.load = 0.7 + 0.6 * job.random.nextDouble());
      }
    },
    /** Every GPU serves requests of its own. */
    INFERENCE {
      @Override
      void begin(PacedJob job) {
        job.isSynchronous = false;
      }

      @Override
      void step(PacedJob job) {
        for (Gpu gpu : job.gpus()) {
          if (job.random.nextInt(10) == 0) {
            double load = 1.4 * job.random.nextDouble() - 0.2;
            gpu.load = Math.max(0, load);
          }
        }
      }
    },
    /** One rank evaluates for some minutes of each hour, and the others wait for it. */
    EVALUATION {
      @Override
      void step(PacedJob job) {
        boolean evaluates = job.steps % HOUR < 20;
        job.gpus().forEach(gpu -> gpu.load = evaluates ? 0.01 : 1);
        job.gpu(0, 0).load = 1;
      }
    },
    CHECKPOINTS {
      @Override
      void step(PacedJob job) {
        job.phase = job.steps % 150 < 1 + job.steps / 150 % 40 ? 0 : 1;
      }
    },
    /** Phases with less work for all. */
    PHASES {
      @Override
      void step(PacedJob job) {
        job.phase = 0.7 + 0.3 * (job.steps / 70 % 2);
      }
    },
    /** GPUs leave the job and come back. */
    ELASTIC {
      @Override
      void step(PacedJob job) {
        boolean hasLeft = job.steps % HOUR > 150;
        for (Gpu gpu : job.hosts.getLast().gpus) {
          gpu.load = hasLeft ? 0 : 1;
          gpu.processes = hasLeft ? 0 : 1;
        }
      }
    },
    /** Every GPU tries out something of its own. */
    SWEEP {
      @Override
      void begin(PacedJob job) {
        job.isSynchronous = false;
        job.gpus().forEach(gpu -> gpu.load = 0.3 + job.random.nextDouble());
      }
    },
    /** Links and ports with a few errors that nobody feels. */
    FEW_ERRORS {
      @Override
      void begin(PacedJob job) {
        job.gpu(0, 2).linkErrors = 0.2;
        job.gpu(1, 1).width = 8;
        job.hosts.getLast().symbolErrors = 0.3;
        job.hosts.getFirst().slowRestarts = 5;
      }
    };

    void begin(PacedJob job) {}

    void step(PacedJob job) {}
  }

  @ParameterizedTest
  @EnumSource
  void isNoStraggler(Kind kind) {
    for (long seed = 1; seed <= 3; seed++) {
      for (int hosts : new int[] {2, 4}) {
        PacedJob job = new PacedJob(seed, hosts, 8);
        kind.begin(job);
        StragglerDetector straggler = new StragglerDetector(Thresholds.defaults());
        UtilisationDropDetector drop = new UtilisationDropDetector(Thresholds.defaults());
        List<String> found = new ArrayList<>();
        for (int i = 0; i < HOURS * HOUR && found.isEmpty(); i++) {
          kind.step(job);
          var step = job.next();
          straggler.on(step, each -> found.add(each.toString()));
          drop.on(step, each -> found.add(each.toString()));
        }
        assertEquals(List.of(), found, kind + " with seed " + seed + " on " + hosts + " hosts");
      }
    }
  }
}
