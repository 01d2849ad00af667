package io.slackline.yarn;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.nodelabels.CommonNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerConfiguration;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * Where a site has YARN take back what a queue has beyond its capacity while another one lacks of its own, nothing may be placed
 * that would be taken back at once: both would go on for ever, and the other queue would get nothing.
 */
final class Guarantees {
  private static final String PARTITION = CommonNodeLabelsManager.NO_LABEL;

  private final CapacityScheduler scheduler;
  private volatile boolean kept;

  Guarantees(CapacityScheduler scheduler) {
    this.scheduler = scheduler;
  }

  void init(Configuration conf) {
    List<String> policies = Arrays.asList(conf.getTrimmedStrings(YarnConfiguration.RM_SCHEDULER_MONITOR_POLICIES,
        ProportionalCapacityPreemptionPolicy.class.getName()));
    kept = conf.getBoolean(YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS, YarnConfiguration.DEFAULT_RM_SCHEDULER_ENABLE_MONITORS)
        && policies.contains(ProportionalCapacityPreemptionPolicy.class.getName())
        && !conf.getBoolean(CapacitySchedulerConfiguration.PREEMPTION_OBSERVE_ONLY, false);
  }

  /** What the queue has beyond its capacity may be taken back. */
  boolean takesBack(CSQueue q) {
    return kept && !q.getPreemptionDisabled();
  }

  /** A container that takes so much would be beyond the capacity of the leaf, or of a queue above it, beside which one lacks of its own. */
  boolean owed(CSQueue leaf, Resource takes) {
    if (!takesBack(leaf)) {
      return false;
    }
    for (CSQueue q = leaf; q.getParent() != null; q = q.getParent()) {
      CSQueue self = q;
      if (less(q.getEffectiveCapacity(PARTITION), Resources.add(q.getQueueResourceUsage().getUsed(), takes))
          && q.getParent().getChildQueues().stream().anyMatch(s -> s != self && lacks(s))) {
        return true;
      }
    }
    return false;
  }

  private boolean lacks(CSQueue q) {
    return less(q.getQueueResourceUsage().getUsed(), q.getEffectiveCapacity(PARTITION)) && wants(q);
  }

  /** Something is asked for there that the users' limits allow. */
  private boolean wants(CSQueue q) {
    if (q instanceof AbstractLeafQueue) {
      return less(Resources.none(),
          ((AbstractLeafQueue) q).getTotalPendingResourcesConsideringUserLimit(scheduler.getClusterResource(), PARTITION, false));
    }
    return q.getChildQueues() != null && q.getChildQueues().stream().anyMatch(this::wants);
  }

  private boolean less(Resource a, Resource b) {
    return Resources.lessThan(scheduler.getResourceCalculator(), scheduler.getClusterResource(), a, b);
  }
}
