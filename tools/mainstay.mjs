#!/usr/bin/env node
// The repository's `mainstay` command: builds the CLI if it changed, then runs it.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { isBuilt, parts } from './lib/build-parts.mjs'
import { inRoot } from './lib/paths.mjs'

const part = parts.find(({ name }) => name === 'cli')
if (part && !isBuilt(part)) {
  const { status } = spawnSync(process.execPath, [inRoot('tools', 'build.mjs'), 'cli'], {
    stdio: ['ignore', 'ignore', 2],
  })
  if (status !== 0) process.exit(1)
}
await import(pathToFileURL(inRoot('cli', 'dist', 'mainstay.mjs')).href)
