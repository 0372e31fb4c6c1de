import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Finds the pages that `area.ts` files load, such as `import('./EngineListPage')`, as keys in Vite's manifest.
 *
 * @param {string} folder of the console
 * @param {(file: string) => boolean} isTable
 */
function pagesOf(folder, isTable) {
  const files = readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  const tables = files.flatMap((file) =>
    /(^|[/])(admin-)?area\.ts$/.test(file) && isTable(file) ? [`src/${file}`] : [],
  )
  return new Set(
    tables.flatMap((table) =>
      [...readFileSync(path.join(folder, table), 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, from = '']) =>
        path.posix.join(path.posix.dirname(table), from),
      ),
    ),
  )
}

/**
 * Finds operator pages: those that only `admin-area.ts` files of the console load.
 *
 * @param {string} folder of the console
 * @returns {string[]} keys in Vite's manifest
 */
export function pagesOfOperators(folder) {
  const isOfOperators = (/** @type {string} */ table) => path.posix.basename(table) === 'admin-area.ts'
  const ofAll = pagesOf(folder, (table) => !isOfOperators(table))
  return [...pagesOf(folder, isOfOperators)].filter((page) => !ofAll.has(page)).map((page) => `${page}.tsx`)
}
