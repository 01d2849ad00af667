package io.slackline.yarn;

import com.sun.management.OperatingSystemMXBean;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Mode;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEventType;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.ApplicationMasterLauncher;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.util.Records;

/**
 * The load rig: a real ResourceManager under NodeManagers and ApplicationMasters that only talk, in one JVM, with the
 * plug-in and a real Slackline, or with one of YARN's own schedulers. It counts what is lost, doubled or too much, and
 * how fast it goes. docs/watching.md says how to run it.
 */
final class Rig {
  private static final Resource MASTER = Resource.newInstance(1024, 1);
  private static final Resource TASK = Resource.newInstance(1024, 1);
  private static final Pattern PLACED = Pattern.compile("half of them were there within (\\S+) of the decision, 99% within (\\S+)");

  /** How large it is: spans in ms, but for those that say seconds. */
  record Load(int nodes, int slots, int applications, int containers, int taskMs, int beatMs, int resyncMs, int silenceMs, int patienceMs) {}

  /** A plug-in that counts the tasks that Slackline places, and that loses its place when it is told to. */
  static final class Counting extends SlacklineScheduler {
    static final AtomicLong OURS = new AtomicLong();
    static volatile boolean again;

    @Override
    void tell(Event.Builder e) {
      if (e.hasContainer() && e.getContainer().getItem() > 0 && e.getContainer().getPriority() > 0) {
        OURS.incrementAndGet();
      }
      super.tell(e);
    }

    @Override
    public List<Event> news(boolean beating) {
      if (again) {
        again = false;
        return null;
      }
      return super.news(beating);
    }
  }

  /** A ResourceManager whose ApplicationMasters are started by telling them. */
  private final class Manager extends ResourceManager {
    @Override
    protected ApplicationMasterLauncher createAMLauncher() {
      return new ApplicationMasterLauncher(getRMContext()) {
        @Override
        protected Runnable createRunnableLauncher(RMAppAttempt a, AMLauncherEventType what) {
          return () -> {
            if (what != AMLauncherEventType.LAUNCH) {
              return;
            }
            ((RMAppAttemptImpl) a).setAMRMToken(getRMContext().getAMRMTokenSecretManager().createAndGetAMRMToken(a.getAppAttemptId()));
            masters.get(a.getAppAttemptId().getApplicationId()).launched(a);
            getRMContext().getDispatcher().getEventHandler().handle(
                new RMAppAttemptEvent(a.getAppAttemptId(), RMAppAttemptEventType.LAUNCHED, System.currentTimeMillis()));
          };
        }
      };
    }

    @Override
    protected void startWepApp() {} // nobody looks at it
  }

  private final Load load;
  private final Path dir;
  private final Tally tally;
  private final Map<ApplicationId, RigMaster> masters = new ConcurrentHashMap<>();
  private final Map<String, RigNode> nodes = new HashMap<>();
  private final Manager rm = new Manager();
  private long resyncs;
  private long[] middle = new long[2];

  Rig(Load load, Path dir) {
    this.load = load;
    this.dir = dir;
    tally = new Tally(load.containers - (long) load.nodes * load.slots);
  }

  private YarnConfiguration conf(Class<? extends ResourceScheduler> scheduler) throws IOException {
    SecurityUtil.setTokenServiceUseIp(false);
    DefaultMetricsSystem.setMiniClusterMode(true); // one after the other in this JVM
    YarnConfiguration c = new YarnConfiguration();
    c.setClass(YarnConfiguration.RM_SCHEDULER, scheduler, ResourceScheduler.class);
    for (String address : List.of(YarnConfiguration.RM_ADDRESS, YarnConfiguration.RM_SCHEDULER_ADDRESS,
        YarnConfiguration.RM_RESOURCE_TRACKER_ADDRESS, YarnConfiguration.RM_ADMIN_ADDRESS, YarnConfiguration.RM_WEBAPP_ADDRESS)) {
      c.set(address, "127.0.0.1:0");
    }
    c.set("hadoop.tmp.dir", dir.toString());
    c.set("yarn.node-attribute.fs-store.root-dir", dir.resolve("attributes").toUri().toString());
    c.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    c.set("yarn.scheduler.capacity.schedule-asynchronously.enable", "true"); // as released; Hadoop's own tests have it off
    c.set("yarn.scheduler.fair.assignmultiple", "true");
    c.set("yarn.scheduler.fair.allocation.file", Files.writeString(dir.resolve("fair.xml"),
        "<allocations><queue name=\"default\"><maxAMShare>-1</maxAMShare></queue>"
            + "<queuePlacementPolicy><rule name=\"default\" queue=\"default\"/></queuePlacementPolicy></allocations>").toString());
    return c;
  }

  /** Under one of YARN's own schedulers. */
  Map<String, Object> stock(Class<? extends ResourceScheduler> scheduler) throws Exception {
    return run(scheduler.getSimpleName().replace("Scheduler", "").toLowerCase(), conf(scheduler), null, null);
  }

  /** Under the plug-in, and a Slackline of its own. */
  Map<String, Object> ours(String program, String policy) throws Exception {
    Counting.OURS.set(0);
    Served slackline = new Served(program, policy, dir);
    Map<String, Object> result;
    try (slackline) {
      String at = slackline.awaits(Served.LISTENS).group(1);
      try (Line line = new Line(Integer.parseInt(at.substring(at.lastIndexOf(':') + 1)))) {
        YarnConfiguration c = conf(Counting.class);
        c.set(Settings.ADDRESS, "127.0.0.1:" + line.port());
        c.set(Settings.SECRET_FILE, dir.resolve("secret").toString());
        c.setLong(Settings.SILENCE, load.silenceMs);
        result = run("slackline " + policy, c, line, slackline);
      }
    }
    Files.write(dir.resolve("serve.log"), slackline.said);
    Matcher m = slackline.awaits(PLACED);
    result.put("decision to container, half within", m.group(1));
    result.put("decision to container, 99% within", m.group(2));
    result.put("book and world disagree", slackline.said.stream().filter(s -> s.contains("disagree") || s.contains("twice")).count());
    return result;
  }

  private Map<String, Object> run(String name, YarnConfiguration conf, Line line, Served slackline) throws Exception {
    Map<String, Object> result = new LinkedHashMap<>();
    ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
    rm.init(conf);
    rm.start();
    try {
      long allocated = rm.getResourceScheduler().getRootQueueMetrics().getAggregateAllocatedContainers();
      for (int i = 0; i < load.nodes; i++) {
        RigNode n = new RigNode("127.1." + i / 200 + "." + (i % 200 + 1), Resource.newInstance(1024 * load.slots, load.slots), rm, tally);
        nodes.put(n.host, n);
      }
      int k = 0;
      for (RigNode n : nodes.values()) {
        every(threads, n::beat, (long) load.beatMs * k++ / load.nodes);
      }
      while (line != null && ((SlacklineScheduler) rm.getResourceScheduler()).mode() != Mode.MODE_OURS) {
        Thread.sleep(10);
      }
      long cpu = cpuMs();
      long their = slackline == null ? 0 : slackline.cpuMs();
      long began = System.nanoTime();
      for (int i = 0; i < load.applications; i++) {
        RigMaster m = submit(i, share(load, i));
        every(threads, m::beat, (long) load.beatMs * i / load.applications);
      }
      boolean all = awaits(line);
      long ms = (System.nanoTime() - began) / 1_000_000;
      result.put("scheduler", name);
      result.put("seconds", ms / 1000.0);
      Simulated.Finishes.of(masters.values().stream().filter(RigMaster::isOver).map(m -> (m.done() - began) / 1e9).toList()).into(result, "here");
      result.put("containers", tally.given.get());
      if (line != null) {
        result.put("placed by slackline", Counting.OURS.get());
        result.put("resyncs", resyncs);
      }
      result.put("tasks done", tally.done.get());
      result.put("surplus, given back", tally.surplus.get());
      result.put("preempted", tally.preempted.get());
      result.put("lost", (all ? 0 : load.containers - tally.done.get())
          + tally.lost(rm.getResourceScheduler().getRootQueueMetrics().getAggregateAllocatedContainers() - allocated - load.applications));
      result.put("doubled", tally.doubled());
      result.put("over a node's capacity", tally.over());
      result.put("otherwise odd", tally.odd() + leaks());
      double rate = 0.8 * load.containers / Math.max(1e-9, (middle[1] - middle[0]) / 1e9);
      result.put("allocations a second", Math.round(rate));
      result.put("that were wanted", Math.round(rate * (1 - tally.surplus.get() / (double) Math.max(1, tally.given.get()))));
      result.put("room to next container, half within", tally.gap(0.5) + "ms");
      result.put("room to next container, 99% within", tally.gap(0.99) + "ms");
      result.put("CPU ms a container, JVM", round((cpuMs() - cpu) / (double) Math.max(1, tally.given.get())));
      if (slackline != null) {
        result.put("CPU ms a container, Slackline", round((slackline.cpuMs() - their) / (double) Math.max(1, tally.given.get())));
      }
      if (!tally.first().isEmpty()) {
        result.put("first oddity", tally.first());
      }
      return result;
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(1, TimeUnit.MINUTES);
      rm.stop();
    }
  }

  /** How many tasks an application has. */
  static int share(Load load, int application) {
    return load.containers / load.applications + (application < load.containers % load.applications ? 1 : 0);
  }

  /** In s, of each second application. Whoever came last is the first that is due. */
  static OptionalInt deadline(Load load, int application) {
    return application % 2 == 0 ? OptionalInt.of(7200 + 60 * (load.applications - application)) : OptionalInt.empty();
  }

  private interface Beat {
    void run() throws Exception;
  }

  private void every(ScheduledExecutorService threads, Beat b, long first) {
    threads.scheduleWithFixedDelay(() -> {
      try {
        b.run();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Throwable t) {
        tally.odd(t.toString());
      }
    }, first, load.beatMs, TimeUnit.MILLISECONDS);
  }

  private RigMaster submit(int i, int tasks) throws Exception {
    ApplicationSubmissionContext c = Records.newRecord(ApplicationSubmissionContext.class);
    ApplicationId id = rm.getClientRMService().getNewApplication(Records.newRecord(GetNewApplicationRequest.class)).getApplicationId();
    c.setApplicationId(id);
    c.setApplicationName("job" + i % 10);
    c.setApplicationType("MAPREDUCE");
    OptionalInt due = deadline(load, i);
    c.setApplicationTags(due.isPresent() ? Set.of("in:" + due.getAsInt()) : Set.of());
    c.setQueue("default");
    c.setResource(MASTER);
    c.setMaxAppAttempts(1);
    c.setAMContainerSpec(ContainerLaunchContext.newInstance(Map.of(), null, null, null, null, null));
    RigMaster m = new RigMaster(rm, nodes, tally, TASK, load.taskMs, tasks, i);
    masters.put(id, m);
    SubmitApplicationRequest r = Records.newRecord(SubmitApplicationRequest.class);
    r.setApplicationSubmissionContext(c);
    rm.getClientRMService().submitApplication(r);
    return m;
  }

  /** Waits for the end of all applications, and disturbs the stream meanwhile; false if nothing happens any more. */
  private boolean awaits(Line line) throws Exception {
    long moved = System.nanoTime();
    long last = -1;
    long disturbed = System.nanoTime();
    while (true) {
      long given = tally.given.get();
      long now = System.nanoTime();
      if (given < load.containers / 10) {
        middle[0] = now;
      }
      if (given < load.containers - load.containers / 10) {
        middle[1] = now;
      }
      if (masters.values().stream().allMatch(RigMaster::isOver) && running() == 0) {
        return true;
      }
      if (given + tally.done.get() != last) {
        last = given + tally.done.get();
        moved = now;
      }
      if (now - moved > TimeUnit.MILLISECONDS.toNanos(load.patienceMs)) {
        return false;
      }
      if (line != null && load.resyncMs > 0 && given > 0 && now - disturbed > TimeUnit.MILLISECONDS.toNanos(load.resyncMs)) {
        disturbed = now;
        if (resyncs++ % 2 == 0) {
          Counting.again = true; // the next news are the full state
        } else {
          line.cut(); // and the stock scheduler is at work until the plug-in has dialled again
        }
      }
      for (RigNode n : nodes.values()) {
        SchedulerNode known = node(n);
        if (known != null && (known.getUnallocatedResource().getMemorySize() < 0 || known.getUnallocatedResource().getVirtualCores() < 0)) {
          tally.exceeds(known + " has " + known.getUnallocatedResource() + " left");
        }
      }
      Thread.sleep(20);
    }
  }

  private SchedulerNode node(RigNode n) {
    return rm.getResourceScheduler().getSchedulerNode(n.id());
  }

  private int running() {
    return nodes.values().stream().mapToInt(RigNode::running).sum();
  }

  /** What the ResourceManager holds though all has ended, after a while for what is on its way. */
  private long leaks() throws Exception {
    long n = 0;
    for (int i = 0; i < 100; i++) {
      n = nodes.values().stream().filter(x -> node(x).getNumContainers() > 0).count()
          + masters.keySet().stream().filter(id -> rm.getRMContext().getRMApps().get(id).getState() != RMAppState.FINISHED).count();
      if (n == 0) {
        break;
      }
      Thread.sleep(100);
    }
    return n;
  }

  private static double round(double x) {
    return Math.round(x * 1000) / 1000.0;
  }

  private static long cpuMs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1_000_000;
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> p = new HashMap<>(Map.of("nodes", "500", "slots", "16", "applications", "200", "containers", "100000", "task", "1000", "beat",
        "1000", "resync", "60", "silence", "1000", "policy", "edf-p", "schedulers", "slackline,capacity,fair"));
    p.put("slackline", "slackline");
    for (String a : args) {
      String[] kv = a.split("=", 2);
      if (kv.length < 2 || p.put(kv[0], kv[1]) == null) {
        System.err.println("rig: " + a + " is no setting; there are " + new java.util.TreeMap<>(p));
        System.exit(2);
      }
    }
    Load load = new Load(n(p, "nodes"), n(p, "slots"), n(p, "applications"), n(p, "containers"), n(p, "task"), n(p, "beat"), 1000 * n(p, "resync"),
        n(p, "silence"), 120_000);
    List<Map<String, Object>> results = new ArrayList<>();
    for (String s : p.get("schedulers").split(",")) {
      Path dir = Files.createTempDirectory("rig");
      Rig rig = new Rig(load, dir);
      results.add(switch (s) {
        case "slackline" -> rig.ours(new File(p.get("slackline")).getPath(), p.get("policy"));
        case "capacity" -> rig.stock(CapacityScheduler.class);
        case "fair" -> rig.stock(FairScheduler.class);
        default -> throw new IllegalArgumentException("no scheduler " + s);
      });
      System.err.println(results.get(results.size() - 1));
    }
    Map<String, Simulated.Finishes> simulated = Simulated.play(p.get("slackline"), load,
        List.of(p.get("policy"), "capacity", "fair"), Files.createTempDirectory("rig"));
    for (Map<String, Object> r : results) {
      String name = (String) r.get("scheduler");
      simulated.get(name.replace("slackline ", "")).into(r, "simulated");
    }
    System.out.print(table(results));
    System.out.println(new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(Map.of("load", load, "runs", results)));
    System.exit(results.stream().allMatch(Rig::isWell) ? 0 : 1);
  }

  /** Nothing lost, nothing doubled, nothing too much. */
  static boolean isWell(Map<String, Object> r) {
    return List.of("lost", "doubled", "over a node's capacity", "otherwise odd").stream().allMatch(k -> ((Long) r.get(k)) == 0);
  }

  private static int n(Map<String, String> p, String key) {
    return Integer.parseInt(p.get(key));
  }

  /** A row for each measure, a column for each run. */
  static String table(List<Map<String, Object>> results) {
    Set<String> rows = new java.util.LinkedHashSet<>();
    results.forEach(r -> rows.addAll(r.keySet()));
    StringBuilder b = new StringBuilder();
    for (String row : rows) {
      b.append(String.format("%-38s", row));
      results.forEach(r -> b.append(String.format("  %18s", r.getOrDefault(row, ""))));
      b.append('\n');
    }
    return b.toString();
  }
}
