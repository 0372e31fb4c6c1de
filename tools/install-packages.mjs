// Lists missing system packages, or installs them (as root or with sudo):
//   node tools/install-packages.mjs [run|test] [--install]
import process from 'node:process'
import { installPackages } from './lib/apt.mjs'
import { inRoot } from './lib/paths.mjs'
import { installCommand, missingPackages } from './system-packages.mjs'

const missing = missingPackages(process.argv.includes('test') ? 'test' : 'run')
for (const { name, purpose } of missing) process.stdout.write(`${name.padEnd(20)}${purpose}\n`)

if (missing.length === 0) process.stdout.write('All system packages are installed.\n')
else if (process.argv.includes('--install')) {
  const failure = await installPackages(missing, { log: inRoot('.cache', 'system-packages.log'), live: true })
  if (failure) process.stderr.write(`${failure}\n`)
  process.exitCode = failure ? 1 : 0
} else process.stdout.write(`Run as root: ${installCommand(missing)}\n`)
