// Checks the console bundle: the JavaScript for the first screens is within its size limit, heavy libraries are loaded
// only on demand, and the portal contains no operator pages.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { checkBundle, strayPages } from './lib/bundle.mjs'
import { firstScreens } from './lib/first-screens.mjs'
import { pagesOfOperators } from './lib/panel-pages.mjs'
import { inRoot } from './lib/paths.mjs'

/** @type {readonly import('./lib/bundle.mjs').Heavy[]} */
const heavy = [{ library: 'noVNC', says: 'Must specify URL, WebSocket or RTCDataChannel' }]

const folder = inRoot('console', 'dist')
const manifest = JSON.parse(readFileSync(inRoot('console', 'dist', '.vite', 'manifest.json'), 'utf8'))
const { lines, faults } = checkBundle(folder, manifest, firstScreens, heavy)
const ofOperators = pagesOfOperators(inRoot('console'))
faults.push(...strayPages(manifest, 'index.html', ofOperators))
lines.push(`portal: without ${ofOperators.length} pages of operators`)
process.stdout.write(`${lines.join('\n')}\n`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
