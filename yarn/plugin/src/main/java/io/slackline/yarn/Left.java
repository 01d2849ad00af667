package io.slackline.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceLimits;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSAssignment;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.SchedulingMode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.SimpleCandidateNodeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications that are left to the stock scheduler, as they ask for something that no item can say. While Slackline places work
 * the stock scheduler rests, so each of these is served by the stock scheduler's own code whenever a node beats.
 */
final class Left {
  private static final Logger LOG = LoggerFactory.getLogger(Left.class);
  /** So many containers of an application at a beat, as the stock scheduler has it. */
  private static final int MOST = 100;

  private final SlacklineScheduler scheduler;
  private final Map<ApplicationId, String> why = new ConcurrentHashMap<>();

  Left(SlacklineScheduler scheduler) {
    this.scheduler = scheduler;
  }

  boolean any() {
    return !why.isEmpty();
  }

  boolean has(ApplicationId id) {
    return why.containsKey(id);
  }

  /** What an application asks for that no item can say; "" if it is not left to the stock scheduler. */
  String why(ApplicationId id) {
    return why.getOrDefault(id, "");
  }

  void forget(ApplicationId id) {
    why.remove(id);
  }

  /** Looks at what an application asks for, and tells whether it is left to the stock scheduler from now on. */
  boolean looks(ApplicationId id, List<ResourceRequest> ask, List<SchedulingRequest> requests) {
    if (has(id)) {
      return false;
    }
    if (requests != null && !requests.isEmpty()) {
      return leave(id, "placement constraints");
    }
    for (ResourceRequest r : ask == null ? List.<ResourceRequest>of() : ask) {
      if (r.getNodeLabelExpression() != null && !r.getNodeLabelExpression().isBlank()) {
        return leave(id, "nodes with the label " + r.getNodeLabelExpression().trim());
      }
    }
    return false;
  }

  boolean leave(ApplicationId id, String reason) {
    if (why.putIfAbsent(id, reason) != null) {
      return false;
    }
    LOG.info("{} asks for {}, which Slackline does not know: the stock scheduler places its containers", id, reason);
    return true;
  }

  /**
   * Has the stock scheduler serve them on a node, or, on one of a partition, all who ask for that, and then, where it shares what is
   * idle, those who ask for none. It reserves nothing there: that would bar the node for all others.
   */
  void serve(FiCaSchedulerNode node, boolean apart) {
    List<ApplicationId> served = new ArrayList<>(apart ? scheduler.applications() : why.keySet());
    served.sort(null);
    for (ApplicationId id : served) {
      serve(id, node, SchedulingMode.RESPECT_PARTITION_EXCLUSIVITY);
    }
    if (apart && isShared(node.getPartition())) {
      for (ApplicationId id : served) {
        serve(id, node, SchedulingMode.IGNORE_PARTITION_EXCLUSIVITY);
      }
    }
  }

  private boolean isShared(String partition) {
    try {
      return !scheduler.getRMContext().getNodeLabelManager().isExclusiveNodeLabel(partition);
    } catch (IOException e) { // there is no such partition any more
      return false;
    }
  }

  private void serve(ApplicationId id, FiCaSchedulerNode node, SchedulingMode mode) {
    var known = scheduler.applicationOf(id);
    FiCaSchedulerApp app = known == null ? null : known.getCurrentAppAttempt();
    for (int n = 0; n < MOST && app != null && !app.isStopped() && scheduler.isActive(app); n++) {
      CSAssignment found = app.assignContainers(scheduler.getClusterResource(), new SimpleCandidateNodeSet<>(node),
          new ResourceLimits(scheduler.getClusterResource()), mode, null);
      found.setSchedulingMode(mode);
      ResourceCommitRequest<FiCaSchedulerApp, FiCaSchedulerNode> r = scheduler.createResourceCommitRequest(found);
      if (r == null || r.getContainersToAllocate().isEmpty() || !scheduler.tryCommit(scheduler.getClusterResource(), r, true)) {
        break;
      }
    }
  }
}
