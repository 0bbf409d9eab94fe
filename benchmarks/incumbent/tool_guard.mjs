// One log through the modules of the published dsh-repeat-tool-breaker, as its entry file
// joins them for an operator who declines: fingerprints, window, stages, failures.

export async function loadTracker(folder, config = {}) {
  const load = (name) => import(new URL(`lib/${name}.js`, folder).href);
  const { mergeDefaults, validateCfg } = await load("defaults");
  const { fingerprints, compileTracked, isShell, limitFor } = await load("fingerprints");
  const { classifyFailure } = await load("failure");
  const { createTracker } = await load("window");
  const cfg = validateCfg(mergeDefaults(config));
  const tracked = compileTracked(cfg);

  return function toolGuard(counts) {
    const tracker = createTracker(cfg);
    let agent = {};
    const open = new Map();

    function crosses(fps) {
      const seen = tracker.tallyOf(agent);
      return fps.some((fp) => {
        if (!Number.isFinite(limitFor(fp, cfg.limits))) return false;
        const next = (seen.get(fp) ?? 0) + 1;
        return next === cfg.warnAt || next === cfg.summarizeAt;
      });
    }

    return {
      human() {
        tracker.reset(agent);
      },
      call(data) {
        counts.calls += 1;
        const name = data.name;
        if (!tracked(name)) return;
        const { fps } = fingerprints({ name, arguments: parsed(data.arguments), agent }, cfg);
        const hits = [...tracker.failureHits(agent, fps), ...tracker.wouldExceed(agent, fps)];
        if (hits.length > 0) {
          counts.gates += 1;
          if (hits.some((hit) => tracker.isRefused(agent, hit.fp))) {
            tracker.commit(agent, fps, hits);
          } else {
            counts.asks += 1;
            open.set(data.callId, { fps, declined: hits });
          }
          return;
        }
        open.set(data.callId, { name, fps, speaks: crosses(fps) });
        tracker.commit(agent, fps, []);
      },
      result(data) {
        const message = data.message;
        const block = message.role === "tool" ? message : message.content[0];
        const id = message.source.callId;
        const entry = open.get(id);
        if (entry === undefined) return;
        open.delete(id);
        if (entry.declined) {
          tracker.refuseFingerprints(agent, entry.declined.map((hit) => hit.fp));
          tracker.commit(agent, entry.fps, entry.declined);
          return;
        }
        const outcome = { content: block.content, isError: block.isError === true };
        if (outcome.isError) outcome.error = data.error;
        if (data.meta?.statusCode !== undefined) outcome.value = { statusCode: data.meta.statusCode };
        const failure = classifyFailure(outcome, { shell: isShell(entry.name) });
        if (failure !== null) counts.failures += 1;
        if (tracker.noteOutcome(agent, entry.fps, failure).length > 0) counts.advisories += 1;
        if (entry.speaks) counts.advisories += 1;
      },
    };
  };
}

// The harness hands arguments over parsed; what is no JSON stays the raw text.
function parsed(text) {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
