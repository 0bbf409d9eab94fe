// A host for one guard plugin: `node host.mjs PACKAGE_FOLDER ENTRY_FILE`.
//
// One JSON line in, one JSON line out. {"guard", "config"} (the first line, and again to go on
// under other settings) is answered by what was loaded, {"events": […]} by one answer (or
// null) for each event.
// The events are those of dsh_calibrate/conformance/plugin_traces.py.
import { createInterface } from 'node:readline'
import { existsSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { streamSeam } from './streams.mjs'

const [packageFolder, entryFile] = process.argv.slice(2)
const write = process.stdout.write.bind(process.stdout)
for (const level of ['log', 'info', 'debug', 'warn']) console[level] = console.error
process.stdout.write = process.stderr.write.bind(process.stderr)

// Whatever is asked of it, it is; never a promise, so that `await` ends.
function anything() {
  return new Proxy(function () {}, {
    get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : anything()),
    apply: () => anything(),
    construct: () => anything(),
    set: () => true,
  })
}
globalThis.dshCalibrate = { stubs: [], anything }
register('./stubs.mjs', import.meta.url)

// The harness hands arguments over parsed; what is no JSON stays the raw text.
function parsed(text) {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// ---- the context that the plugin gets

const listeners = new Map()
const guards = []
const toolNames = new Set()

function on(event, listener, options) {
  const list = listeners.get(event) ?? []
  listeners.set(event, list)
  if (options === true || options?.prepend === true) list.unshift(listener)
  else list.push(listener)
  return () => list.splice(list.indexOf(listener), 1)
}

function guard(decide) {
  guards.push(decide)
  return () => guards.splice(guards.indexOf(decide), 1)
}

const tools = open({
  guard,
  register(definition) {
    toolNames.add(definition?.name)
    return () => toolNames.delete(definition?.name)
  },
  has: () => true,
  get: (name) => ({ name }),
  list: () => [...toolNames],
})

const ctx = open({
  on,
  tools,
  once: on,
  get: (name) => (name === 'tools' ? tools : undefined),
  inject(names, callback) {
    const wanted = Array.isArray(names) ? names : Object.keys(names ?? {})
    if (wanted.every((name) => name === 'tools' || name === 'web')) callback(ctx)
    return () => {}
  },
  effect: (run) => run(),
})

// An object of which anything else may be asked, too.
function open(known) {
  return new Proxy(known, {
    get: (object, key) =>
      key in object || typeof key === 'symbol' || key === 'then' ? object[key] : anything(),
  })
}

function waterfall(event, args, last) {
  const list = [...(listeners.get(event) ?? [])]
  const run = (index) => (index < list.length ? list[index](...args, () => run(index + 1)) : last())
  return run(0)
}

// ---- one agent

let agent = {}
let calls = new Map()

function begin() {
  agent = { id: `agent-${Math.random()}`, sessionId: 'session' }
  calls = new Map()
  return null
}

async function message(source, text) {
  const content = [{ type: 'text', text }]
  const messages = [{ id: 'message', role: 'user', content, source }]
  await waterfall('agent/pre-step', [{ agent, messages }], async () => ({}))
  return null
}

async function call(event) {
  const exec = {
    id: event.id,
    callId: event.id,
    name: event.tool,
    arguments: parsed(event.arguments),
    agent,
    signal: new AbortController().signal,
  }
  const told = { id: event.id, asked: null, approved: null, denied: null }
  const entry = { exec, stopped: false, reason: '' }
  calls.set(event.id, entry)
  Object.assign(told, probe.fingerprints(exec))
  const before = await waterfall('tools/pre-execute', [exec], async () => ({ kind: 'allow' }))
  if (before?.kind === 'ask') {
    told.asked = String(before.reason ?? '')
    told.approved = event.approve === true
    if (!told.approved) return stopped(entry, told, before.reason)
  } else if (['deny', 'block', 'reject'].includes(before?.kind)) {
    told.denied = String(before.reason ?? before.feedback ?? before.message ?? '')
    return stopped(entry, told, told.denied)
  }
  for (const decide of guards) {
    const denial = decide(exec)
    if (typeof denial === 'string') {
      told.denied = denial
      return stopped(entry, told, denial)
    }
  }
  return told
}

function stopped(entry, told, reason) {
  entry.stopped = true
  entry.reason = String(reason ?? '')
  return told
}

// What a log keeps of a result, in the places where the plugin looks for it.
function resultOf(event, entry) {
  if (entry.stopped) {
    const error = { name: 'ToolDeniedError', message: entry.reason }
    return { content: [{ type: 'text', text: `Error: ${entry.reason}` }], isError: true, error }
  }
  const result = { content: [{ type: 'text', text: event.text }], isError: event.isError === true }
  if (result.isError) result.error = { message: event.text, ...event.error }
  if (event.statusCode !== undefined) {
    result.value = { statusCode: event.statusCode }
    result.meta = { statusCode: event.statusCode }
  }
  return result
}

async function result(event) {
  const entry = calls.get(event.id)
  if (entry === undefined) return null
  calls.delete(event.id)
  if (event.quiet === true && !entry.stopped) return null
  const outcome = resultOf(event, entry)
  const last = async () => ({ kind: 'continue' })
  const after = await waterfall('tools/post-execute', [entry.exec, outcome], last)
  for (const listener of listeners.get('tools/result') ?? []) {
    await listener(entry.exec, outcome, async () => undefined)
  }
  const contexts = (after?.additionalContexts ?? []).map((context) => ({
    summary: context?.source?.summary ?? null,
    text: (context?.content ?? []).map((block) => block?.text ?? '').join('\n'),
  }))
  const told = { id: event.id, contexts }
  return entry.stopped ? told : Object.assign(told, probe.failure(entry.exec, outcome))
}

// ---- the plugin's own modules, where it ships them under the names of 0.5.2

const probe = { fingerprints: () => ({}), failure: () => ({}) }

async function openProbe(config) {
  const load = async (name) => {
    const file = join(packageFolder, 'lib', name)
    return existsSync(file) ? import(pathToFileURL(file).href) : {}
  }
  probe.fingerprints = probe.failure = () => ({})
  try {
    const { mergeDefaults, validateCfg } = await load('defaults.js')
    const { fingerprints, isTracked, isShell } = await load('fingerprints.js')
    const { classifyFailure } = await load('failure.js')
    if (!mergeDefaults || !validateCfg || !fingerprints || !isTracked) return false
    const merged = validateCfg(mergeDefaults(config))
    probe.fingerprints = (exec) => {
      if (!isTracked(exec.name, merged)) return {}
      const { fps, local } = fingerprints(exec, merged)
      return { fingerprints: fps, local }
    }
    if (classifyFailure && isShell) {
      probe.failure = (exec, outcome) =>
        isTracked(exec.name, merged)
          ? { failure: classifyFailure(outcome, { shell: isShell(exec.name) }) }
          : {}
    }
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

// ---- the conversation

const kinds = {
  begin,
  human: (event) => message({ kind: 'user' }, event.text ?? ''),
  notice: () => message({ kind: 'plugin', plugin: 'another-plugin', form: 'notice' }, ''),
  call,
  result,
  ...streamSeam(waterfall, () => agent),
}

async function answer(event) {
  try {
    return (await kinds[event.kind](event)) ?? null
  } catch (error) {
    console.error(error)
    return { id: event.id ?? null, threw: `${error?.name}: ${error?.message}`.slice(0, 300) }
  }
}

async function load(opening) {
  const module = await import(pathToFileURL(entryFile).href)
  const plugin = typeof module.apply === 'function' ? module : module.default
  const isClass = typeof plugin === 'function' && /^class\b/.test(String(plugin))
  if (isClass) new plugin(ctx, opening.config)
  else if (typeof plugin?.apply === 'function') await plugin.apply(ctx, opening.config)
  else if (typeof plugin === 'function') await plugin(ctx, opening.config)
  else throw new Error('the package exports no apply(ctx, config)')
  const probed = opening.guard === 'rtb' && (await openProbe(opening.config))
  const seams = [...listeners.keys(), ...(guards.length > 0 ? ['tools.guard'] : [])]
  return { node: process.version, stubs: globalThis.dshCalibrate.stubs, seams, probed }
}

async function opened(request) {
  listeners.clear()
  guards.length = 0
  toolNames.clear()
  begin()
  try {
    return { ready: await load(request) }
  } catch (error) {
    return { failed: `${error?.name}: ${error?.message}`.slice(0, 500) }
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line)
  const answers = []
  for (const event of request.events ?? []) answers.push(await answer(event))
  const reply = request.events === undefined ? await opened(request) : { answers }
  write(`${JSON.stringify(reply)}\n`)
}
process.exit(0)
