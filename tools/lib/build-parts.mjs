// Separate from build.mjs so that `npm start` can check for changes without loading a bundler.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { inRoot, isThere } from './paths.mjs'
import { runLogged } from './run.mjs'
import { hashOf } from './source-hash.mjs'

/** @typedef {{ name: 'console' | 'server' | 'image-worker' | 'cli', output: string, sources: readonly string[] }} Part */

const shared = ['package-lock.json', 'tsconfig.json', 'contract/package.json', 'contract/src', 'tools/lib/build.mjs']

/** @type {readonly Part[]} */
export const parts = [
  { name: 'console', output: 'console/dist/index.html', sources: [...shared, 'console'] },
  {
    name: 'server',
    output: 'server/dist/main.js',
    sources: [
      ...shared,
      ...['server/package.json', 'server/src', 'engines/package.json', 'engines/src', 'tools/system-packages.mjs'],
    ],
  },
  {
    // a separate program in a single file, because its sandbox does not contain our other files
    name: 'image-worker',
    output: 'engines/dist/image-worker.cjs',
    sources: ['package-lock.json', 'tsconfig.json', 'tools/lib/build.mjs', 'engines/src/image-files'],
  },
  { name: 'cli', output: 'cli/dist/mainstay.mjs', sources: [...shared, 'cli/package.json', 'cli/src'] },
]

/**
 * Returns the path of a stamp, which is stored in the output folder, so that it is deleted together with the output.
 * @param {Part} part
 */
const stampOf = (part) => inRoot(path.dirname(part.output), '.sources')

/** @param {Part} part */
export function isBuilt(part) {
  try {
    return isThere(part.output) && readFileSync(stampOf(part), 'utf8') === hashOf(part.sources)
  } catch {
    return false
  }
}

/** Hashes the sources before the build, so that files saved during it count as changed. @param {Part} part */
export function startStamp(part) {
  const hash = hashOf(part.sources)
  rmSync(stampOf(part), { force: true })
  return () => {
    mkdirSync(path.dirname(stampOf(part)), { recursive: true })
    writeFileSync(stampOf(part), hash)
  }
}

/**
 * Builds changed parts in child processes, so that the bundlers' memory is released afterwards.
 *
 * @param {string} logs folder
 * @param {(part: string) => void} [onPart] called before each part is built
 * @returns {Promise<{ built: string[], failed?: { name: string, log: string } }>}
 */
export async function buildIfChanged(logs, onPart) {
  /** @type {string[]} */
  const built = []
  for (const { name } of parts.filter((part) => !isBuilt(part))) {
    onPart?.(name)
    const { code, log } = await runLogged(process.execPath, [inRoot('tools', 'build.mjs'), name], {
      log: path.join(logs, `build-${name}.log`),
    })
    if (code !== 0) return { built, failed: { name, log } }
    built.push(name)
  }
  return { built }
}
