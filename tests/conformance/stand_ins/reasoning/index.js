// A stand-in with the interface of reasoning-loop-guard (the llm/stream waterfall and the
// journal), written for the tests of the host: the real plugin is on no registry. It knows
// the rule periodic-run only (guards.md 4).
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { Service } from '@deepseek-ai/cordis'

const DEFAULTS = { minChars: 800, every: 200, periodTail: 1200, minPeriod: 8, maxPeriod: 400, minUnits: 4 }

function periodicRun(buffer, c) {
  const text = buffer.replace(/[\s\p{P}\p{S}]/gu, '')
  for (let p = c.minPeriod; p <= c.maxPeriod && 2 * p <= text.length; p += 1) {
    let units = 1
    const block = text.slice(-p)
    while (text.slice(text.length - (units + 1) * p, text.length - units * p) === block) units += 1
    if (units >= c.minUnits) return true
  }
  return false
}

export default class ReasoningLoopGuard {
  constructor(ctx, config) {
    const c = { ...DEFAULTS, ...config }
    if (Service === undefined) throw new Error('a peer is missing')
    ctx.inject(['webServer'], () => { throw new Error('there is no web server here') })
    ctx.on('llm/stream', (request, next) => guarded(next(), c))
  }
}

async function* guarded(stream, c) {
  let total = 0
  let due = c.minChars
  let buffer = ''
  for await (const chunk of stream) {
    yield chunk
    if (chunk.type !== 'reasoning-delta') continue
    total += chunk.text.length
    buffer = (buffer + chunk.text).slice(-c.periodTail)
    if (total < due) continue
    due = total + c.every
    if (!periodicRun(buffer, c)) continue
    const folder = join(process.env.DSH_HOME, 'dsh-reasoning-loop-guard')
    mkdirSync(folder, { recursive: true })
    appendFileSync(join(folder, 'fires.jsonl'), `${JSON.stringify({ rule: 'periodic-run', atChars: total })}\n`)
    yield { type: 'finish', reason: 'error', error: { code: 'REASONING_LOOP_GUARD', message: 'loop' } }
    return
  }
}
