import { cyclesIn, importsOf, resolveImport } from '../lib/imports.mjs'
import { isCode, isTest } from '../lib/repository.mjs'
import { type Part, parts, specsMayAlso } from './layout'

/** @param name of a part @param allowed names of parts, or prefixes of them */
const isAmong = (name: string, allowed: readonly string[]) =>
  allowed.some((one) => name === one || name.startsWith(`${one}/`))

export const partOf = (file: string): Part | undefined => parts.find(({ files }) => files.test(file))

const mayOf = (file: string, part: Part): readonly string[] => {
  const also = isTest(file) ? specsMayAlso.filter(({ files }) => files.test(file)) : []
  return [...new Set([...part.may, ...also.flatMap(({ may }) => may)])]
}

const areaOf = (part: Part, file: string) => (part.otherAreas ? part.files.exec(file)?.[1] : undefined)

/** Returns one sentence for each import that is not allowed by the layout. */
function faultsOf(file: string, source: string, files: ReadonlySet<string>): string[] {
  const part = partOf(file)
  if (!part) return [`${file} is in no part of the layout; tools/checks/layout.ts names the parts`]
  const may = mayOf(file, part)
  const allowed = `allowed from ${part.name}: ${may.join(', ')}`

  return importsOf(file, source).flatMap(({ specifier, line, names }) => {
    const here = `${file}:${line}`
    const target = resolveImport(file, specifier, files)
    if ('missing' in target) return [`${here} imports ${target.missing}, which does not exist`]
    if ('package' in target) {
      if (target.package === 'zod' && names === 'some') {
        // with named imports, all schema types stay in the bundle
        return [`${here} imports names of zod; write import * as z from 'zod'`]
      }
      if (!part.packages || part.packages.test(target.package) || isTest(file)) return []
      return [`${here} imports the package ${target.package}; ${part.name} may not`]
    }
    const other = partOf(target.file)
    // styles, messages and other data may be imported from anywhere
    if (!other || !isCode(target.file)) return []
    if (!isAmong(other.name, may)) return [`${here} imports ${target.file}; ${allowed}`]
    const strangers = other === part && areaOf(part, file) !== areaOf(part, target.file)
    if (strangers && !part.otherAreas?.test(target.file) && !isTest(file)) {
      return [`${here} imports ${target.file} of another area; ${allowed}, of another area only ${part.otherAreas}`]
    }
    return []
  })
}

export interface Found {
  looked: number
  faults: string[]
}

/** @param sources relative path to content */
export function checkImports(sources: ReadonlyMap<string, string>): Found {
  const files = new Set(sources.keys())
  const code = [...sources].filter(([file]) => isCode(file))
  return { looked: code.length, faults: code.flatMap(([file, source]) => faultsOf(file, source, files)) }
}

/**
 * Finds import cycles. Type imports count, because they make code just as hard to read. Returns one sentence per cycle.
 */
export function checkCycles(sources: ReadonlyMap<string, string>): Found {
  const files = new Set(sources.keys())
  const code = [...sources].filter(([file]) => isCode(file))
  const graph = new Map(
    code.map(([file, source]) => [
      file,
      importsOf(file, source).flatMap(({ specifier }) => {
        const target = resolveImport(file, specifier, files)
        return 'file' in target && isCode(target.file) ? [target.file] : []
      }),
    ]),
  )
  return {
    looked: code.length,
    faults: cyclesIn(graph).map((ring) => `these import each other in a ring: ${ring.toReversed().join(' > ')}`),
  }
}
