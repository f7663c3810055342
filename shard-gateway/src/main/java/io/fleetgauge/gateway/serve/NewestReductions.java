package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.NewestSamples;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.ReductionNames;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The newest samples of the metrics that rollups are kept of, reduced by groups. As {@link
 * NewestLines}, it finds series and groups once. Safe for all threads.
 */
final class NewestReductions {
  private static final int[] NONE = {};

  private final Store store;
  private final Cache<Question, Known> known = NewestOfHosts.cache();

  private record Question(List<List<Matcher>> names, List<Matcher> scope) {}

  /** A group of one metric by some labels. */
  private record Group(String metric, List<String> by, Labels labels) {}

  private static final class Known implements NewestOfHosts.Known {
    private final Question question;
    private final RollupRules rules;
    private final NewestOfHosts<int[]> hosts;
    private final Map<String, List<List<String>>> wanted = new ConcurrentHashMap<>();
    private final Map<Group, Integer> numbers = new ConcurrentHashMap<>();
    private final List<Group> groups = new ArrayList<>();

    Known(Question question, RollupRules rules) {
      this.question = question;
      this.rules = rules;
      this.hosts = new NewestOfHosts<>(List.of(question.scope), this::groups);
    }

    @Override
    public NewestOfHosts<int[]> hosts() {
      return hosts;
    }

    /** The numbers of the groups that a series is in. */
    private int[] groups(Labels labels) {
      List<List<String>> bys = wanted.computeIfAbsent(labels.metric(), this::wanted);
      if (bys.isEmpty()) {
        return NONE;
      }
      int[] in = new int[bys.size()];
      for (int i = 0; i < in.length; i++) {
        Map<String, String> kept = new TreeMap<>();
        for (String name : bys.get(i)) {
          if (!labels.value(name).isEmpty()) {
            kept.put(name, labels.value(name));
          }
        }
        Group group = new Group(labels.metric(), bys.get(i), Labels.of(kept));
        in[i] = numbers.computeIfAbsent(group, this::number);
      }
      return in;
    }

    private List<List<String>> wanted(String metric) {
      RollupRules.Kept kept = rules.of(metric);
      boolean latest = kept.keys().stream().anyMatch(key -> key.kind() == RollupKey.Kind.LATEST);
      return latest ? ReductionNames.wanted(metric, kept.labels(), question.names) : List.of();
    }

    private int number(Group group) {
      synchronized (groups) {
        groups.add(group);
        return groups.size() - 1;
      }
    }

    List<Group> groups() {
      synchronized (groups) {
        return List.copyOf(groups);
      }
    }
  }

  NewestReductions(Store store) {
    this.store = store;
  }

  FragmentAnswer run(Fragment.Reduced asked, List<String> covered, long epoch) {
    Question question = new Question(asked.names(), asked.scope());
    Known of = known.get(question, none -> new Known(none, store.rollupRules()));
    List<NewestSamples<int[]>> all = of.hosts.of(store, covered);
    known.put(question, of);
    Sums sums = new Sums(of.groups().size());
    for (NewestSamples<int[]> samples : all) {
      samples.read(asked.after(), asked.to(), sums::add);
    }
    return new FragmentAnswer.Reduced(epoch, covered, sums.reductions(of.groups()));
  }

  /** One place for each group. */
  private static final class Sums {
    private long[] counts;
    private double[] sums;
    private double[] carries;
    private double[] mins;
    private double[] maxs;
    private long[] newest;

    Sums(int size) {
      counts = new long[size];
      sums = new double[size];
      carries = new double[size];
      mins = new double[size];
      maxs = new double[size];
      newest = new long[size];
    }

    void add(int[] in, long time, double value) {
      for (int group : in) {
        if (group >= counts.length) {
          grow(2 * group + 1); // an owner came up while it was read
        }
        if (counts[group]++ == 0) {
          mins[group] = value;
          maxs[group] = value;
          newest[group] = time;
        } else {
          // As PromQL has it, NaN gives way to any number.
          if (value < mins[group] || Double.isNaN(mins[group])) {
            mins[group] = value;
          }
          if (value > maxs[group] || Double.isNaN(maxs[group])) {
            maxs[group] = value;
          }
          newest[group] = Math.max(newest[group], time);
        }
        double sum = sums[group];
        double next = sum + value;
        carries[group] +=
            Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
        sums[group] = next;
      }
    }

    private void grow(int size) {
      counts = Arrays.copyOf(counts, size);
      sums = Arrays.copyOf(sums, size);
      carries = Arrays.copyOf(carries, size);
      mins = Arrays.copyOf(mins, size);
      maxs = Arrays.copyOf(maxs, size);
      newest = Arrays.copyOf(newest, size);
    }

    List<FragmentAnswer.Reduction> reductions(List<Group> groups) {
      Map<String, List<Integer>> byReduction = new TreeMap<>();
      for (int i = 0; i < Math.min(counts.length, groups.size()); i++) {
        if (counts[i] > 0) {
          Group group = groups.get(i);
          byReduction
              .computeIfAbsent(
                  group.metric + '\0' + String.join("\0", group.by), none -> new ArrayList<>())
              .add(i);
        }
      }
      List<FragmentAnswer.Reduction> reductions = new ArrayList<>();
      for (List<Integer> places : byReduction.values()) {
        int[] at = places.stream().mapToInt(Integer::intValue).toArray();
        Group first = groups.get(at[0]);
        reductions.add(
            new FragmentAnswer.Reduction(
                first.metric,
                first.by,
                places.stream().map(place -> groups.get(place).labels).toList(),
                Arrays.stream(at).mapToLong(i -> counts[i]).toArray(),
                Arrays.stream(at).mapToDouble(i -> sums[i]).toArray(),
                Arrays.stream(at).mapToDouble(i -> carries[i]).toArray(),
                Arrays.stream(at).mapToDouble(i -> mins[i]).toArray(),
                Arrays.stream(at).mapToDouble(i -> maxs[i]).toArray(),
                Arrays.stream(at).mapToLong(i -> newest[i]).toArray()));
      }
      return reductions;
    }
  }
}
