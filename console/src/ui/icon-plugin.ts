import path from 'node:path'
import type { Plugin } from 'vite'

const ours = path.join(import.meta.dirname, 'lucide-icon.ts')
const theirs = /\/lucide-react\/dist\/esm\/icons\/[\w-]+\.mjs$/
/** Random letters, for lists of React; the shapes of an icon are no list here. No packing makes them smaller. */
const keys = /,?\s*\bkey: "\w+"/g

/**
 * Builds icons without what the console does not use of lucide's (contexts, widths of lines in pixels, other frameworks) and
 * without their keys: some 3 kB (br) of the first load. What is drawn is the same.
 */
export const iconPlugin = (): Plugin => ({
  name: 'mainstay:icons',
  apply: 'build',
  enforce: 'pre',
  resolveId(source, importer) {
    return importer && theirs.test(importer) && source === '../createLucideIcon.mjs' ? ours : undefined
  },
  transform: {
    filter: { id: theirs },
    handler: (code) => ({ code: code.replaceAll(keys, ''), map: null }),
  },
})
