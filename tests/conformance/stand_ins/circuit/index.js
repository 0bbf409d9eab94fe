// A stand-in with the interface of tool-failure-circuit-breaker, written for the tests of the
// host: the real plugin is on no registry. Rules: guards.md 2.
function canonical(value) {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, canonical(value[key])]))
}

export const name = 'tool-failure-circuit-breaker'

export function apply(ctx, config) {
  const maxFailures = config.maxFailures ?? 2
  const chains = new WeakMap()
  const denied = new WeakSet()
  const keyOf = (exec) => JSON.stringify([exec.name, canonical(exec.arguments)])

  ctx.on('tools/pre-execute', async (exec, next) => {
    const chain = chains.get(exec.agent)
    if (!exec.name || chain?.key !== keyOf(exec) || chain.count < maxFailures) return next()
    denied.add(exec)
    const reason = `The identical ${exec.name} call already failed ${chain.count} consecutive times. Last failure: ${chain.last}.`
    return { kind: 'deny', reason }
  })
  ctx.on('tools/result', (exec, result) => {
    if (!exec.name || denied.has(exec)) return
    if (!result.isError) return void chains.delete(exec.agent)
    const chain = chains.get(exec.agent)
    const count = chain?.key === keyOf(exec) ? chain.count + 1 : 1
    chains.set(exec.agent, { key: keyOf(exec), count, last: result.error.message })
  })
  ctx.on('agent/pre-step', ({ agent, messages }, next) => {
    if (messages.some((message) => message.source.kind === 'user')) chains.delete(agent)
    return next()
  })
}
