// The `llm/stream` seam: recorded pieces of reasoning, played to the guard as a live stream.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function streamSeam(waterfall, agent) {
  let pieces = []
  let number = 0

  function stream() {
    pieces = []
    return null
  }

  function reasoning(event) {
    pieces.push(...event.texts)
    return null
  }

  // Plays the whole stream; the answer tells how it ended and how much of it was read.
  async function close(event) {
    let read = 0
    async function* source() {
      for (const text of pieces) {
        read += text.length
        yield { type: 'reasoning-delta', index: 0, text }
      }
      yield { type: 'finish', reason: 'stop' }
    }
    number += 1
    const before = journal().length
    const request = { agent: agent(), attemptId: `attempt-${number}`, purpose: 'agent' }
    const live = await waterfall('llm/stream', [request], () => source())
    const told = { id: event.id, fired: null }
    for await (const chunk of live) {
      const failure = chunk?.error ?? chunk?.failure
      if (chunk?.type === 'finish' && typeof failure?.code === 'string') {
        const written = journal().slice(before).at(-1) ?? {}
        told.fired = {
          code: failure.code,
          rule: written.rule ?? failure.rule ?? null,
          at_utf16: written.atChars ?? failure.atChars ?? read,
        }
      }
    }
    return told
  }

  return { stream, reasoning, close }
}

// The guard's journal in the folder that stands in for the DSH home.
function journal() {
  const file = join(process.env.DSH_HOME ?? '', 'dsh-reasoning-loop-guard', 'fires.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
