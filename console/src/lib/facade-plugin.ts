import type { Plugin, Rolldown } from 'vite'

/** A chunk that only renames exports of another one: `export{t as default}from"./list-abc.js";` */
const facade = /^export\{([\w$, ]+)\}from["'`](\.\/[\w.-]+\.js)["'`];?\s*$/
const dynamicImport = /\bimport\(["'`](\.\/[\w.-]+\.js)["'`]\)/g

interface Facade {
  /** The chunk with the code: `./list-abc.js`. */
  file: string
  /** Its exports by their public names, as an object literal over the namespace `e`. */
  exports: string
}

/** Returns what a chunk forwards to, or undefined if it has code of its own. */
export function facadeOf(code: string): Facade | undefined {
  const [, names, file] = facade.exec(code) ?? []
  if (names === undefined || file === undefined) return undefined
  const exports = names.split(',').map((name) => {
    const [from = '', to = from] = name.trim().split(' as ')
    return `${to}:e.${from}`
  })
  return { file, exports: `{${exports.join()}}` }
}

/** Imports the chunk behind each facade directly. */
export const withoutFacades = (code: string, facades: ReadonlyMap<string, Facade>) =>
  code.replace(dynamicImport, (whole, file: string) => {
    const found = facades.get(file)
    return found ? `import(\`${found.file}\`).then(e=>(${found.exports}))` : whole
  })

interface Listed {
  file: string
  imports?: string[]
}

const isChunk = (file: Rolldown.OutputAsset | Rolldown.OutputChunk) => file.type === 'chunk'

/**
 * A module that is loaded on demand and lies in a chunk with others gets a file of its own that only names its exports.
 * Such a file costs a request before the request for the code. This plugin imports the code directly, and the manifest
 * names its file. A change of the code still changes the names of the files that load it, because the facade's name
 * depends on its code, and theirs on its name.
 */
export const facadePlugin = (): Plugin => ({
  name: 'mainstay:facades',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const chunks = Object.values(bundle).filter(isChunk)
      const nameOf = (file: string) => `./${file.slice(file.lastIndexOf('/') + 1)}`
      const facades = new Map<string, Facade>()
      for (const { fileName, code } of chunks) {
        const found = facadeOf(code)
        if (found) facades.set(nameOf(fileName), found)
      }
      for (const chunk of chunks) {
        if (facades.has(nameOf(chunk.fileName))) delete bundle[chunk.fileName]
        else chunk.code = withoutFacades(chunk.code, facades)
      }
      const manifest = bundle['.vite/manifest.json']
      if (manifest?.type !== 'asset') return
      const listed = JSON.parse(String(manifest.source)) as Record<string, Listed>
      for (const one of Object.values(listed)) {
        const found = facades.get(nameOf(one.file))
        if (found) one.file = `assets/${found.file.slice(2)}`
      }
      manifest.source = JSON.stringify(listed, null, 2)
    },
  },
})
