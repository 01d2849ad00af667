package io.slackline.yarn;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;

/** Counts what ApplicationMasters were given and told, and from that alone what was lost, doubled or too much. */
final class Tally {
  /** Containers that ApplicationMasters were given, and whether they were told their end. */
  private final Map<ContainerId, Boolean> ended = new ConcurrentHashMap<>();
  final AtomicLong given = new AtomicLong();
  final AtomicLong done = new AtomicLong();
  /** More than was wanted: an ask is as old as the last call. */
  final AtomicLong surplus = new AtomicLong();
  /** Ended by whoever schedules. */
  final AtomicLong preempted = new AtomicLong();
  /** Ended before anybody was given them. */
  private final AtomicLong unseen = new AtomicLong();
  private final AtomicLong doubled = new AtomicLong();
  private final AtomicLong over = new AtomicLong();
  private final AtomicLong odd = new AtomicLong();
  private volatile String first = "";
  /** From the report that freed room on a node to the next container there, by ms, as long as there is enough to do. */
  private final AtomicLong[] gaps = new AtomicLong[10_001];

  private final long enough;

  /** There is enough to do until so many containers were given. */
  Tally(long enough) {
    this.enough = enough;
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = new AtomicLong();
    }
  }

  /** An ApplicationMaster was given a container; false if somebody has it already. */
  boolean gives(ContainerId c) {
    if (ended.putIfAbsent(c, false) != null) {
      doubled.incrementAndGet();
      return false;
    }
    given.incrementAndGet();
    return true;
  }

  /** An ApplicationMaster was told of an end; false if that is nothing to it. */
  boolean ends(ContainerStatus s) {
    Boolean before = ended.replace(s.getContainerId(), true);
    if (before == null) {
      unseen.incrementAndGet();
      return false;
    }
    if (before) {
      doubled.incrementAndGet();
      return false;
    }
    if (s.getExitStatus() == ContainerExitStatus.PREEMPTED) {
      preempted.incrementAndGet();
    }
    return true;
  }

  /** A node has more than it can hold. */
  void exceeds(String what) {
    over.incrementAndGet();
    says(what);
  }

  /** Something that nobody expects. */
  void odd(String what) {
    odd.incrementAndGet();
    says(what);
  }

  private void says(String what) {
    if (first.isEmpty()) {
      first = what;
    }
  }

  void gap(long ms) {
    if (given.get() > enough) {
      return;
    }
    gaps[(int) Math.max(0, Math.min(gaps.length - 1, ms))].incrementAndGet();
  }

  /** How long that share of gaps was at most, in ms. */
  long gap(double share) {
    long all = 0;
    for (AtomicLong g : gaps) {
      all += g.get();
    }
    long n = 0;
    for (int ms = 0; ms < gaps.length; ms++) {
      n += gaps[ms].get();
      if (n > 0 && n >= share * all) {
        return ms;
      }
    }
    return 0;
  }

  /** Those that were allocated and that no ApplicationMaster has heard of, and those whose end was not told. */
  long lost(long allocated) {
    return Math.abs(allocated - given.get() - unseen.get()) + ended.values().stream().filter(e -> !e).count();
  }

  long doubled() {
    return doubled.get();
  }

  long over() {
    return over.get();
  }

  long odd() {
    return odd.get();
  }

  String first() {
    return first;
  }
}
