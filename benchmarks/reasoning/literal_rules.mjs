// The rules of reasoning-loop-guard, word for word from their description (guards.md, section 4),
// with no shortcuts: the other side of the comparison in run.py.
//
// usage: node literal_rules.mjs TEXTS.json PIECE ROUNDS
// prints one JSON object: {"seconds": [...], "utf16": n, "fires": n}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const settings = {
  minChars: 800, every: 200, window: 4096, kgram: 64, kgramThreshold: 12,
  periodTail: 1200, minPeriod: 8, maxPeriod: 400, minUnits: 4,
  blockMin: 100, blockCount: 4, lineMin: 10, lineCount: 3, lineShare: 0.1, fillerRun: 400,
};
const DECORATION = /[\s\p{P}\p{S}]/gu;
const TRAILING = /^[\s\p{P}\p{S}]$/u;
const CODE = /[{}]|<\/?[A-Za-z!/]|^[ \t]*[-+]{1,3}[ \t]/;

const strip = (text) => text.replace(DECORATION, "");

function periodicRun(text) {
  let best = null;
  for (let period = settings.minPeriod; period <= settings.maxPeriod; period += 1) {
    if (2 * period > text.length) break;
    const unit = text.slice(text.length - period);
    let units = 1;
    for (let end = text.length - period; end >= period; end -= period) {
      if (text.slice(end - period, end) !== unit) break;
      units += 1;
    }
    if (best === null || units > best.units) best = { units, period };
  }
  return best !== null && best.units >= settings.minUnits ? { rule: "periodic-run", ...best } : null;
}

function blockRepeat(text) {
  if (text.length < settings.blockMin * settings.blockCount) return null;
  const counts = new Map();
  let best = 0;
  for (let start = 0; start + settings.blockMin <= text.length; start += 1) {
    const block = text.slice(start, start + settings.blockMin);
    const count = (counts.get(block) ?? 0) + 1;
    counts.set(block, count);
    if (count > best) best = count;
  }
  return best >= settings.blockCount ? { rule: "block-repeat", count: best } : null;
}

function lineRepeat(raw) {
  const counts = new Map();
  let denominator = 0;
  for (const line of raw.split(/\n+/)) {
    const text = strip(line);
    if (text.length < settings.lineMin) continue;
    denominator += text.length;
    if (!CODE.test(line)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  let best = { count: 0, length: 0 };
  for (const [text, count] of counts) {
    if (count > best.count || (count === best.count && text.length > best.length)) {
      best = { count, length: text.length };
    }
  }
  const share = denominator ? (best.count * best.length) / denominator : 0;
  const holds = best.count >= settings.lineCount && share >= settings.lineShare;
  return holds ? { rule: "line-repeat", count: best.count, share } : null;
}

function kgramRepeat(text) {
  if (text.length < settings.kgram) return null;
  const tail = text.slice(-settings.kgram);
  let count = 0;
  for (let at = text.indexOf(tail); at >= 0; at = text.indexOf(tail, at + 1)) count += 1;
  return count >= settings.kgramThreshold ? { rule: "kgram-repeat", count } : null;
}

function fillerRun(raw) {
  const characters = [...raw];
  let count = 0;
  while (count < characters.length && TRAILING.test(characters[characters.length - 1 - count])) {
    count += 1;
  }
  return count >= settings.fillerRun ? { rule: "filler-run", count } : null;
}

// One stream: feed() returns the first verdict and then null for ever.
export function literalDetector() {
  let total = 0;
  let next = settings.minChars;
  let buffer = "";
  let tail = "";
  let fired = false;

  function feed(piece) {
    if (fired) return null;
    total += piece.length;
    buffer = (buffer + piece).slice(-settings.window);
    tail = (tail + piece).slice(-settings.periodTail);
    if (total < next) return null;
    next = total + settings.every;
    const stripped = strip(buffer);
    const verdict = periodicRun(strip(tail)) ?? blockRepeat(stripped) ?? lineRepeat(buffer)
      ?? kgramRepeat(stripped) ?? fillerRun(buffer);
    fired = verdict !== null;
    return verdict;
  }

  return { feed };
}

function fires(pieces) {
  const detector = literalDetector();
  return pieces.some((piece) => detector.feed(piece) !== null);
}

function main([file, pieceArgument, roundsArgument]) {
  const piece = Number(pieceArgument);
  const streams = JSON.parse(readFileSync(file, "utf8")).map((text) => {
    const pieces = [];
    for (let start = 0; start < text.length; start += piece) pieces.push(text.slice(start, start + piece));
    return pieces;
  });
  const seconds = [];
  let found = 0;
  for (let round = 0; round < Number(roundsArgument); round += 1) {
    const started = performance.now();
    found = streams.filter(fires).length;
    seconds.push((performance.now() - started) / 1000);
  }
  const utf16 = streams.flat().reduce((sum, text) => sum + text.length, 0);
  console.log(JSON.stringify({ seconds, utf16, fires: found }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
