package io.slackline.yarn;

import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.Ask;
import io.slackline.yarn.v1.Asks;
import io.slackline.yarn.v1.Cause;
import io.slackline.yarn.v1.Completion;
import io.slackline.yarn.v1.Container;
import io.slackline.yarn.v1.End;
import io.slackline.yarn.v1.Files;
import io.slackline.yarn.v1.Locality;
import io.slackline.yarn.v1.Names;
import io.slackline.yarn.v1.Node;
import io.slackline.yarn.v1.Queue;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeAttribute;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;

/** Says in the words of the protocol what YARN's records hold. */
final class Words {
  private Words() {}

  static Map<String, Long> resources(Resource r) {
    Map<String, Long> m = new LinkedHashMap<>();
    for (ResourceInformation i : r.getResources()) {
      m.put(i.getName(), i.getValue());
    }
    return m;
  }

  /** A node that is being decommissioned has nothing to offer: YARN says that it is as large as what runs there. */
  static Node node(FiCaSchedulerNode n) {
    Node.Builder b = Node.newBuilder().setName(n.getNodeName()).setRack(n.getRackName());
    if (n.getRMNode().getState() != NodeState.DECOMMISSIONING) {
      b.putAllResources(resources(n.getTotalResource()));
    }
    if (n.getPartition() != null) {
      b.setPartition(n.getPartition());
    }
    if (n.getNodeAttributes() != null) {
      for (NodeAttribute a : n.getNodeAttributes()) {
        String value = a.getAttributeValue();
        String name = a.getAttributeKey().getAttributeName();
        b.addAttributes(value == null || value.isEmpty() ? name : name + "=" + value);
      }
    }
    return b.build();
  }

  /** What the scheduler knows of it counts more than what was submitted: its queue and priority may have changed. */
  static Application application(RMApp app, SchedulerApplication<?> now, boolean held, Files files, String stock) {
    String queue = now != null && now.getQueue() instanceof CSQueue ? ((CSQueue) now.getQueue()).getQueuePath() : app.getQueue();
    Application.Builder b = Application.newBuilder().setId(app.getApplicationId().toString()).setHeld(held).setStock(stock)
        .setUser(app.getUser()).setQueue(queue).setName(app.getName())
        .setType(app.getApplicationType()).addAllTags(app.getApplicationTags()).setSubmitTimeMs(app.getSubmitTime());
    Priority first = now == null || now.getCurrentAppAttempt() == null ? app.getApplicationPriority() : now.getCurrentAppAttempt().getPriority();
    if (first != null) {
      b.setPriority(first.getPriority());
    }
    if (app.getAMResourceRequests() != null && !app.getAMResourceRequests().isEmpty()) {
      b.putAllMaster(resources(app.getAMResourceRequests().get(0).getCapability()));
    }
    if (files != null) {
      b.setFiles(files);
    }
    return b.build();
  }

  /** What an attempt asks for in any place is told without what it was given when it asked; of one that gets nothing now, nothing. */
  static Asks asks(FiCaSchedulerApp app, boolean idle, long applied, Map<Integer, Integer> behind, Collection<String> avoids) {
    Map<Integer, Integer> given = new HashMap<>(behind);
    Asks.Builder b = Asks.newBuilder().setApplication(app.getApplicationId().toString())
        .setAttempt(app.getApplicationAttemptId().getAttemptId()).setApplied(applied).setWhole(true);
    for (ResourceRequest r : idle ? List.<ResourceRequest>of() : app.getAppSchedulingInfo().getAllResourceRequests()) {
      int priority = r.getPriority().getPriority();
      int n = r.getNumContainers();
      if (ResourceRequest.isAnyLocation(r.getResourceName()) && given.containsKey(priority)) {
        int less = Math.min(n, given.get(priority));
        given.merge(priority, -less, Integer::sum);
        n -= less;
      }
      b.addRows(Ask.newBuilder().setPriority(priority).setPlace(r.getResourceName())
          .setCount(n).putAllResources(resources(r.getCapability())).setStrict(!r.getRelaxLocality()));
    }
    return b.setAvoids(Names.newBuilder().addAllNames(avoids)).build();
  }

  /** Adds a queue and those below it. */
  static void queues(CSQueue q, Guarantees guarantees, List<Queue> to) {
    Queue.Builder b = Queue.newBuilder().setPath(q.getQueuePath()).setCapacity(100 * q.getCapacity()).setMaximum(100 * q.getMaximumCapacity())
        .setRunning(q.getMaxParallelApps() == Integer.MAX_VALUE ? 0 : q.getMaxParallelApps()).setClosed(q.getState() != QueueState.RUNNING);
    if (q instanceof AbstractLeafQueue) {
      AbstractLeafQueue leaf = (AbstractLeafQueue) q;
      b.setMasters(100 * leaf.getMaxAMResourcePerQueuePercent()).setUserLimit(leaf.getUserLimit()).setUserFactor(leaf.getUserLimitFactor())
          .setPreempted(guarantees.takesBack(leaf));
    }
    to.add(b.build());
    for (CSQueue below : q.getChildQueues() == null ? List.<CSQueue>of() : q.getChildQueues()) {
      queues(below, guarantees, to);
    }
  }

  static Container container(RMContainer c, String node, NodeType near, long item) {
    Container.Builder b = Container.newBuilder().setId(c.getContainerId().toString())
        .setApplication(c.getApplicationAttemptId().getApplicationId().toString())
        .setAttempt(c.getApplicationAttemptId().getAttemptId()).setNode(node)
        .putAllResources(resources(c.getAllocatedResource())).setItem(item).setAllocatedMs(c.getCreationTime());
    if (c.getAllocatedPriority() != null) {
      b.setPriority(c.getAllocatedPriority().getPriority());
    }
    if (near != null) {
      b.setLocality(near == NodeType.NODE_LOCAL ? Locality.LOCALITY_NODE
          : near == NodeType.RACK_LOCAL ? Locality.LOCALITY_RACK : Locality.LOCALITY_OFF_SWITCH);
    }
    return b.build();
  }

  /** Its process has ended by itself, without an error: as far as anybody can tell here its task is done. */
  static boolean isWell(ContainerStatus s, RMContainerEventType by) {
    Completion c = completion(s, by);
    return c.getCause() == Cause.CAUSE_EXITED && c.getExit() == 0;
  }

  static Completion completion(ContainerStatus s, RMContainerEventType by) {
    Completion.Builder b = Completion.newBuilder().setContainer(s.getContainerId().toString()).setExit(s.getExitStatus());
    String why = s.getDiagnostics() == null ? "" : s.getDiagnostics();
    b.setDiagnostics(why.length() > 1000 ? why.substring(0, 1000) : why);
    Cause cause = Cause.CAUSE_EXITED;
    switch (s.getExitStatus()) {
      case ContainerExitStatus.PREEMPTED:
        cause = Cause.CAUSE_PREEMPTED;
        break;
      case ContainerExitStatus.KILLED_BY_APPMASTER:
      case ContainerExitStatus.KILLED_BY_RESOURCEMANAGER:
      case ContainerExitStatus.KILLED_AFTER_APP_COMPLETION:
        cause = Cause.CAUSE_RELEASED;
        break;
      case ContainerExitStatus.ABORTED:
        cause = why.equals(SchedulerUtils.LOST_CONTAINER) ? Cause.CAUSE_LOST : Cause.CAUSE_RELEASED;
        break;
      default:
        break;
    }
    if (by == RMContainerEventType.EXPIRE) {
      cause = Cause.CAUSE_EXPIRED;
    }
    return b.setCause(cause).build();
  }

  static End end(RMApp app, RMAppState state) {
    if (state == RMAppState.KILLED) {
      return End.END_KILLED;
    }
    if (state == RMAppState.FINISHED && app != null && app.getFinalApplicationStatus() == FinalApplicationStatus.SUCCEEDED) {
      return End.END_SUCCEEDED;
    }
    if (state == RMAppState.FINISHED && app != null && app.getFinalApplicationStatus() == FinalApplicationStatus.KILLED) {
      return End.END_KILLED;
    }
    return End.END_FAILED;
  }
}
