package io.slackline.yarn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.api.records.NodeAction;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.util.resource.Resources;

/** A NodeManager without processes: what was started on it runs until its time is over, and it beats. */
final class RigNode {
  /** What runs, and until when. */
  private record Run(Resource takes, long until) {}

  final String host;
  private final Resource has;
  private final ResourceManager rm;
  private final Tally tally;
  private final MockNM nm;
  private final Map<ContainerId, Run> runs = new HashMap<>();
  private final Set<ContainerId> stopped = new HashSet<>(); // before they began
  private final List<ContainerStatus> news = new ArrayList<>();
  private final Queue<Long> freed = new ArrayDeque<>();

  RigNode(String host, Resource has, ResourceManager rm, Tally tally) throws Exception {
    this.host = host;
    this.has = has;
    this.rm = rm;
    this.tally = tally;
    nm = new MockNM(host + ":1234", has, rm.getResourceTrackerService());
    nm.registerNode();
  }

  /** Starts a container, for so many ms. What the ResourceManager takes for ended takes no room. */
  synchronized void start(Container c, long ms) {
    if (stopped.remove(c.getId())) {
      return;
    }
    runs.put(c.getId(), new Run(c.getResource(), ms == Long.MAX_VALUE ? ms : now() + ms));
    news.add(ContainerStatus.newInstance(c.getId(), ContainerState.RUNNING, "", 0));
    if (!Resources.fitsIn(used(false), has) && !Resources.fitsIn(used(true), has)) {
      tally.exceeds(host + " has " + has + ", and " + used(true) + " is taken there");
    }
  }

  private Resource used(boolean known) {
    Resource sum = Resources.createResource(0, 0);
    runs.forEach((id, r) -> {
      if (!known || rm.getResourceScheduler().getRMContainer(id) != null) {
        Resources.addTo(sum, r.takes);
      }
    });
    return sum;
  }

  /** A container ends now, with exit 0. */
  synchronized void ends(ContainerId c) {
    end(c, 0);
  }

  private void end(ContainerId c, int exit) {
    if (runs.remove(c) != null) {
      news.add(ContainerStatus.newInstance(c, ContainerState.COMPLETE, "", exit));
    }
  }

  /** A container was allocated here at that time: how long had its room been empty? -1 = it was never used. */
  synchronized long gap(long allocated) {
    Long since = freed.poll();
    return since == null ? -1 : allocated - since;
  }

  synchronized void beat() throws Exception {
    long now = now();
    for (ContainerId c : runs.entrySet().stream().filter(e -> e.getValue().until <= now).map(Map.Entry::getKey).toList()) {
      end(c, 0);
    }
    List<ContainerStatus> said = List.copyOf(news);
    news.clear();
    said.stream().filter(s -> s.getState() == ContainerState.COMPLETE).forEach(s -> freed.add(System.currentTimeMillis()));
    var answer = nm.nodeHeartbeat(said, true);
    if (answer.getNodeAction() != NodeAction.NORMAL) {
      tally.odd(host + " was told to " + answer.getNodeAction() + ": " + answer.getDiagnosticsMessage());
    }
    for (ContainerId c : answer.getContainersToCleanup()) {
      if (!runs.containsKey(c)) {
        stopped.add(c);
      }
      end(c, ContainerExitStatus.KILLED_BY_RESOURCEMANAGER);
    }
  }

  NodeId id() {
    return nm.getNodeId();
  }

  synchronized int running() {
    return runs.size();
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }
}
