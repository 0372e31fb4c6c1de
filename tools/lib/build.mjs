import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { startStamp } from './build-parts.mjs'
import { inRoot, isThere, root } from './paths.mjs'

/** @typedef {import('./build-parts.mjs').Part} Part */

/** Bundles the workspaces and keeps registry packages external. @type {import('esbuild').Plugin} */
const packagesStayOutside = {
  name: 'packages-stay-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) =>
      kind === 'entry-point' || specifier.startsWith('@mainstay/') ? undefined : { path: specifier, external: true },
    )
  },
}

/**
 * Fails if npm installed an imported package in another workspace, where the bundle cannot load it.
 *
 * @param {readonly string[]} imported
 */
function refuseUnreachable(imported) {
  const packages = imported
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
  const places = ['server', '.'].map((folder) => inRoot(folder, 'node_modules'))
  const lost = [...new Set(packages)].filter((name) => !places.some((place) => existsSync(path.join(place, name))))
  if (lost.length > 0)
    throw new Error(`server/dist/main.js cannot load these packages from its folder: ${lost.join(', ')}`)
}

async function buildServer() {
  const { build } = await import('esbuild')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['server/src/main.ts'],
    outfile: 'server/dist/main.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    plugins: [packagesStayOutside],
    logLevel: 'warning',
  })
  const outputs = Object.values(metafile.outputs)
  refuseUnreachable(outputs.flatMap(({ imports }) => imports.filter((one) => one.external).map((one) => one.path)))
}

async function buildImageWorker() {
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: ['engines/src/image-files/worker-program.ts'],
    outfile: 'engines/dist/image-worker.cjs',
    bundle: true,
    platform: 'node',
    // CommonJS, because the file runs without a package.json
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
  })
}

/** Builds the CLI into one file, next to a file with the calls in the contract. */
async function buildCli() {
  const { build } = await import('esbuild')
  const bundle = (/** @type {string} */ from, /** @type {string} */ to) =>
    build({
      absWorkingDir: root,
      entryPoints: [from],
      outfile: to,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      plugins: [packagesStayOutside],
      logLevel: 'warning',
    })
  const writer = 'cli/dist/write-calls.mjs'
  await bundle('cli/src/write-calls.ts', writer)
  await import(pathToFileURL(inRoot(writer)).href)
  rmSync(inRoot(writer))
  await bundle('cli/src/main.ts', 'cli/dist/mainstay.mjs')
}

async function buildConsole() {
  if (!isThere('console', 'vite.config.ts')) throw new Error('console/vite.config.ts is missing')
  const { build } = await import('vite')
  await build({ root: inRoot('console'), logLevel: 'warn', build: { manifest: true, emptyOutDir: true } })
}

const builders = { server: buildServer, console: buildConsole, 'image-worker': buildImageWorker, cli: buildCli }

/** @param {Part} part */
export async function buildPart(part) {
  const started = performance.now()
  const writeStamp = startStamp(part)
  await builders[part.name]()
  writeStamp()
  process.stdout.write(`${part.name}: built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}
