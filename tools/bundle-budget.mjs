// How much JavaScript a person loads before the first screens show, and that heavy libraries wait for theirs.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { checkBundle } from './lib/bundle.mjs'
import { inRoot } from './lib/paths.mjs'

/** @type {readonly import('./lib/bundle.mjs').Group[]} */
const groups = [
  { name: 'sign-in', limitBytes: 125_000, pages: [/\/FirstSignIn\.tsx$/, /locales\/en\/shell\.json$/] },
  {
    name: 'first list',
    limitBytes: 210_000,
    pages: [
      /\/App\.tsx$/,
      /\/Frame\.tsx$/,
      /\/InstanceListPage\.tsx$/,
      /locales\/en\/(shell|compute|patterns|tasks)\.json$/,
    ],
  },
]

/** @type {readonly import('./lib/bundle.mjs').Heavy[]} */
const heavy = [{ library: 'noVNC', says: 'Must specify URL, WebSocket or RTCDataChannel' }]

const folder = inRoot('console', 'dist')
const manifest = JSON.parse(readFileSync(inRoot('console', 'dist', '.vite', 'manifest.json'), 'utf8'))
const { lines, faults } = checkBundle(folder, manifest, groups, heavy)
process.stdout.write(`${lines.join('\n')}\n`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
