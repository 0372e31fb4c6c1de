// Run after `npm install`: adds optional packages for other platforms that npm left out of package-lock.json because
// the configured registry did not have them. Without them, `npm ci` rejects the lockfile.
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { completed, missingOptional } from './lib/lockfile.mjs'
import { inRoot } from './lib/paths.mjs'

const file = inRoot('package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = missingOptional(lock.packages)
for (const { name, version } of missing) process.stdout.write(`added ${name}@${version}\n`)
lock.packages = completed(lock.packages)
if (missing.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
else process.stdout.write('the lockfile is complete\n')
