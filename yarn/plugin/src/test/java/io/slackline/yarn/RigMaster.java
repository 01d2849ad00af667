package io.slackline.yarn;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;

/**
 * The ApplicationMaster of a MapReduce job, as far as the ResourceManager sees it. It asks before it reads what the
 * call brings, as Hadoop's does, and gives back at the next call what it then has too many of. Reduces follow maps.
 */
final class RigMaster {
  private static final int MAP = 20;
  private static final int REDUCE = 10;

  private final ResourceManager rm;
  private final Map<String, RigNode> nodes;
  private final Tally tally;
  private final Resource takes;
  private final int taskMs;
  private final Random random;
  private final int reduces;
  /** Tasks without a container, by priority. */
  private final Map<Integer, Integer> wanted = new HashMap<>();
  /** What it has last asked for, unless that has changed by what it was given. */
  private final Map<Integer, Integer> asked = new HashMap<>();
  /** The priorities of containers that run. */
  private final Map<ContainerId, Integer> runs = new HashMap<>();
  private final List<ContainerId> back = new ArrayList<>();
  private RMAppAttempt attempt;
  private MockAM am;
  /** Containers that it was given and whose end it was not told. */
  private int mine;
  private boolean reducing;
  private int done;
  private final int tasks;
  private boolean over;
  /** When it heard of the end of its last task. */
  private long doneAt;

  RigMaster(ResourceManager rm, Map<String, RigNode> nodes, Tally tally, Resource takes, int taskMs, int tasks, long seed) {
    this.rm = rm;
    this.nodes = nodes;
    this.tally = tally;
    this.takes = takes;
    this.taskMs = taskMs;
    this.tasks = tasks;
    random = new Random(seed);
    reduces = tasks / 10;
    wanted.put(MAP, tasks - reduces);
    wanted.put(REDUCE, 0);
  }

  /** Its container was placed, and it is started there. */
  synchronized void launched(RMAppAttempt a) {
    if (attempt != null) {
      tally.odd(a.getAppAttemptId() + " is another attempt");
    }
    attempt = a;
    Container c = a.getMasterContainer();
    nodes.get(c.getNodeId().getHost()).start(c, Long.MAX_VALUE);
  }

  synchronized boolean isOver() {
    return over;
  }

  /** When it heard of the end of its last task, by System.nanoTime. */
  synchronized long done() {
    return doneAt;
  }

  synchronized void beat() throws Exception {
    if (attempt == null || over) {
      return;
    }
    if (am == null) {
      if (attempt.getAppAttemptState() == RMAppAttemptState.LAUNCHED) {
        am = new MockAM(rm.getRMContext(), rm.getApplicationMasterService(), attempt.getAppAttemptId());
        am.registerAppAttempt(false);
      }
      return;
    }
    List<ResourceRequest> ask = new ArrayList<>();
    wanted.forEach((priority, n) -> {
      if (!n.equals(asked.put(priority, n))) {
        ask.add(ResourceRequest.newInstance(Priority.newInstance(priority), ResourceRequest.ANY, takes, n));
      }
    });
    List<ContainerId> releases = List.copyOf(back);
    back.clear();
    if (done == tasks && ask.isEmpty() && mine == 0) {
      am.unregisterAppAttempt(false);
      Container c = attempt.getMasterContainer();
      nodes.get(c.getNodeId().getHost()).ends(c.getId());
      over = true;
      return;
    }
    AllocateResponse answer = am.allocate(ask, releases);
    answer.getCompletedContainersStatuses().forEach(this::ended);
    answer.getAllocatedContainers().forEach(this::given);
    if (!reducing && done == tasks - reduces) {
      reducing = true;
      wanted.put(REDUCE, reduces);
    }
  }

  private void given(Container c) {
    if (!tally.gives(c.getId())) {
      return;
    }
    mine++;
    int priority = c.getPriority().getPriority();
    asked.remove(priority);
    RigNode node = nodes.get(c.getNodeId().getHost());
    RMContainer known = rm.getResourceScheduler().getRMContainer(c.getId());
    if (known != null) {
      long gap = node.gap(known.getCreationTime());
      if (gap >= 0) {
        tally.gap(gap);
      }
    }
    if (wanted.get(priority) == 0) {
      tally.surplus.incrementAndGet();
      back.add(c.getId());
      return;
    }
    wanted.merge(priority, -1, Integer::sum);
    runs.put(c.getId(), priority);
    node.start(c, taskMs / 2 + random.nextInt(taskMs + 1));
  }

  private void ended(ContainerStatus s) {
    if (!tally.ends(s)) {
      return;
    }
    mine--;
    Integer priority = runs.remove(s.getContainerId());
    if (priority == null) {
      return; // it was given back
    }
    if (s.getExitStatus() == 0) {
      done++;
      doneAt = System.nanoTime();
      tally.done.incrementAndGet();
      return;
    }
    if (s.getExitStatus() != ContainerExitStatus.PREEMPTED) {
      tally.odd(s.toString());
    }
    wanted.merge(priority, 1, Integer::sum);
    asked.remove(priority);
  }
}
