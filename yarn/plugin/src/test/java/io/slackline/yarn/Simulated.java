package io.slackline.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rig's load in Slackline's simulator. What the rig does by its protocols is here a matter of time: a task is told
 * to its ApplicationMaster up to a beat after its container was allocated, which stretches it, and an ApplicationMaster
 * has called twice before it is given its first container.
 */
final class Simulated {
  private Simulated() {}

  /** When jobs were done, in s since the first was submitted. */
  record Finishes(double half, double most, double all) {
    static Finishes of(List<Double> seconds) {
      List<Double> s = seconds.stream().sorted().toList();
      return new Finishes(at(s, 0.5), at(s, 0.9), at(s, 1));
    }

    private static double at(List<Double> sorted, double share) {
      return sorted.isEmpty() ? Double.NaN : Math.round(10 * sorted.get((int) Math.ceil(share * sorted.size()) - 1)) / 10.0;
    }

    void into(Map<String, Object> result, String where) {
      result.put("half of the jobs done after, " + where, half + "s");
      result.put("90% of the jobs done after, " + where, most + "s");
      result.put("the last job done after, " + where, all + "s");
    }
  }

  static String scenario(Rig.Load load) {
    double task = load.taskMs(); // its time is even from half of that to one and a half, and the wait from 0 to a beat
    double mean = task + load.beatMs() / 2.0;
    double cv = Math.sqrt((task * task + (double) load.beatMs() * load.beatMs()) / 12) / mean;
    StringBuilder b = new StringBuilder();
    b.append(String.format("""
        name: rig
        cluster:
          {nodes: %d, map_slots: %2$d, reduce_slots: %2$d, vcores: %2$d, memory: %2$dGB, heartbeat: %3$dms, replicas: 0,
           masters: {start: %4$dms, vcores: 1, memory: 1GB}, task_times: {law: uniform, cv: %5$.3f}}
        max_master_share: 100
        workload:
          jobs:
        """, load.nodes(), load.slots(), load.beatMs(), 2 * load.beatMs(), cv));
    for (int i = 0; i < load.applications(); i++) {
      int tasks = Rig.share(load, i);
      b.append(String.format("    - {id: job%d, class: job%d, maps: %d, reduces: %d, slow_start: 1, map_time: %.0fms",
          i, i % 10, tasks - tasks / 10, tasks / 10, mean));
      b.append(String.format(", reduce_time: %.0fms, map_needs: {vcores: 1, memory: 1GB}, reduce_needs: {vcores: 1, memory: 1GB}", mean));
      Rig.deadline(load, i).ifPresent(s -> b.append(", deadline: ").append(s).append('s'));
      b.append("}\n");
    }
    return b.toString();
  }

  /** Plays the load by these policies. */
  static Map<String, Finishes> play(String program, Rig.Load load, List<String> policies, Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("rig.yaml"), scenario(load));
    Path out = dir.resolve("rig.json");
    Path said = dir.resolve("rig.txt");
    Process p = new ProcessBuilder(program, "simulate", file.toString(), "--policy", String.join(",", policies), "--admit", "off", "-o", "json")
        .redirectOutput(out.toFile()).redirectError(said.toFile()).start();
    if (p.waitFor() != 0) {
      throw new IOException(Files.readString(said));
    }
    Map<String, Finishes> all = new HashMap<>();
    for (JsonNode run : new ObjectMapper().readTree(out.toFile()).get("runs")) {
      List<Double> seconds = new ArrayList<>();
      run.get("jobs").forEach(j -> seconds.add(j.get("finished_s").asDouble()));
      all.put(run.get("policy").asText(), Finishes.of(seconds));
    }
    return all;
  }
}
