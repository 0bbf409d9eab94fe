// The incumbent: what a harness user could write in an afternoon. Each log is decompressed by
// `zstd -dc` (plain ones are read), every line is parsed, every call goes through the modules
// of the published package; --reasoning also feeds every piece of reasoning to the literal
// rules of reasoning-loop-guard.
//
// usage: node replay.mjs PACKAGE_FOLDER [--reasoning] LOG_OR_FOLDER...
// prints one JSON object: {"logs", "characters", "lines", "calls", "gates", "asks",
//                          "advisories", "failures", "streams", "fires"}

import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { literalDetector } from "../reasoning/literal_rules.mjs";
import { eachLine } from "./log_lines.mjs";
import { loadTracker } from "./tool_guard.mjs";

const [packageFolder, ...rest] = process.argv.slice(2);
const withReasoning = rest.includes("--reasoning");
const roots = rest.filter((argument) => argument !== "--reasoning");

const LOG = /^session(\.v[1-9][0-9]*)?\.jsonl(\.zstd)?$/;
function logsBelow(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => LOG.test(name.split("/").at(-1)))
    .map((name) => join(path, name))
    .sort();
}

const counts = {
  logs: 0, characters: 0, lines: 0, calls: 0, gates: 0, asks: 0, advisories: 0, failures: 0,
  streams: 0, fires: 0,
};

// The reasoning of each attempt is one stream; its pieces come as they were recorded.
function reasoningGuard() {
  let detector = null;
  const piece = (text) => {
    if (detector === null) {
      detector = literalDetector();
      counts.streams += 1;
    }
    if (detector.feed(text) !== null) counts.fires += 1;
  };
  const chunk = (data) => {
    if (data.type === "reasoning-delta") piece(data.text);
    else if (data.type === "finish") detector = null;
  };
  const attempt = (stream) => {
    detector = null;
    for (const entry of stream) {
      if (entry.type === "reasoning-chunks") entry.texts.forEach(piece);
      else if (entry.type === "chunk") chunk(entry.chunk);
    }
    detector = null;
  };
  return {
    "reasoning-chunks": (data) => data.texts.forEach(piece),
    "assistant/chunk": (data) => chunk(data.chunk),
    "assistant/attempt": (data) => attempt(data.stream),
    "assistant/message": (data) => attempt(data.stream ?? []),
  };
}

const newToolGuard = await loadTracker(pathToFileURL(`${resolve(packageFolder)}/`));

for (const file of roots.flatMap(logsBelow)) {
  const guard = newToolGuard(counts);
  const takers = {
    "tool/call": guard.call,
    "tool/result": (data, line) => {
      if (line.surfaceOp === undefined || line.surfaceOp === "append") guard.result(data);
    },
    "user/message": (data) => {
      if (data.source?.kind === "user") guard.human();
    },
    ...(withReasoning ? reasoningGuard() : {}),
  };
  counts.logs += 1;
  counts.characters += await eachLine(file, (line) => {
    counts.lines += 1;
    takers[line.type]?.(line.data, line);
  });
}
console.log(JSON.stringify(counts));
