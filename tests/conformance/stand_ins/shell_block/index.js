// A stand-in for a later repeat-tool-breaker: it refuses curl in words of its own, stops the
// third call of a tool in others, and counts nothing else.
export function apply(ctx, config) {
  if (config.broken) throw new Error('these settings are refused')
  const counts = new Map()
  ctx.tools.guard((exec) => {
    if (config.exits) process.exit(3)
    while (config.hangs) { /* for ever */ }
    console.log('said on stdout')
    const command = String(exec.arguments?.command ?? '')
    if (command.startsWith('throw')) throw new Error('inside the guard')
    if (command.startsWith('curl')) return 'SHELL_HTTP_BLOCKED: use the fetch tool'
    counts.set(exec.name, (counts.get(exec.name) ?? 0) + 1)
    return counts.get(exec.name) >= 3 ? 'REPEAT_TOOL_BLOCKED, in other words' : undefined
  })
}
