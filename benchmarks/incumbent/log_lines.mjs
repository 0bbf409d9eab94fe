// Every line of a log as parsed JSON: plain files read directly, zstd files through `zstd -dc`.

import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";

export async function eachLine(file, take) {
  const child = file.endsWith(".zstd") ? spawn("zstd", ["-dc", "--quiet", file]) : null;
  const source = child?.stdout ?? createReadStream(file, { highWaterMark: 1 << 16 });
  const ended = child && new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  child?.stderr.resume();
  source.setEncoding("utf8");
  let rest = "";
  let characters = 0;
  for await (const text of source) {
    characters += text.length;
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  }
  const status = child === null ? 0 : await ended;
  if (status !== 0) throw new Error(`${file}: zstd ended with ${status}`);
  return characters;
}
