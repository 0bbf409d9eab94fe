// Module hooks: a package that the plugin imports and that is not installed beside it
// becomes an empty stand-in, so that a plugin whose peers only describe its settings runs.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export async function resolve(specifier, context, nextResolve) {
  try {
    return await nextResolve(specifier, context)
  } catch (error) {
    const isPackage = /^(?:@[^/]+\/)?[a-z0-9][^:]*$/i.test(specifier)
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !isPackage) throw error
    const names = await importedNames(specifier, context.parentURL)
    return { url: standIn(specifier, names), shortCircuit: true }
  }
}

// The names that the importing module wants, so that linking succeeds.
async function importedNames(specifier, parentURL) {
  if (!parentURL?.startsWith('file:')) return []
  const source = await readFile(fileURLToPath(parentURL), 'utf8')
  const names = new Set()
  for (const match of source.matchAll(/import\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)) {
    if (match[2] !== specifier) continue
    for (const part of match[1].split(',')) {
      const name = part.trim().split(/\s+as\s+/)[0]
      if (/^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default') names.add(name)
    }
  }
  return [...names]
}

function standIn(specifier, names) {
  const source = [
    `globalThis.dshCalibrate.stubs.push(${JSON.stringify(specifier)})`,
    'const anything = globalThis.dshCalibrate.anything()',
    'export default anything',
    ...names.map((name) => `export const ${name} = anything`),
  ].join('\n')
  return `data:text/javascript,${encodeURIComponent(source)}`
}
