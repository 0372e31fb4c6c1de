// How much JavaScript a person loads before the first screens show, and that heavy libraries wait for theirs.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { checkBundle } from './lib/bundle.mjs'
import { firstScreens } from './lib/first-screens.mjs'
import { inRoot } from './lib/paths.mjs'

/** @type {readonly import('./lib/bundle.mjs').Heavy[]} */
const heavy = [{ library: 'noVNC', says: 'Must specify URL, WebSocket or RTCDataChannel' }]

const folder = inRoot('console', 'dist')
const manifest = JSON.parse(readFileSync(inRoot('console', 'dist', '.vite', 'manifest.json'), 'utf8'))
const { lines, faults } = checkBundle(folder, manifest, firstScreens, heavy)
process.stdout.write(`${lines.join('\n')}\n`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
