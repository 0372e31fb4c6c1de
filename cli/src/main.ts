import { openAsBlob, readFileSync } from 'node:fs'
import process from 'node:process'
import type { Call } from './calls'
import { UsageError } from './arguments'
import { run } from './run'

const calls = JSON.parse(readFileSync(new URL('calls.json', import.meta.url), 'utf8')) as Call[]

function read(from: string): string {
  const file = from.replace(/^@/, '')
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new UsageError(`Cannot read ${file}`)
  }
}

const openFile = (file: string): Promise<Blob> =>
  openAsBlob(file).catch(() => {
    throw new UsageError(`Cannot read ${file}`)
  })

// exit when the reader closes the pipe, as with `| head`
process.stdout.on('error', () => process.exit(0))
process.exitCode = await run(process.argv.slice(2), {
  calls,
  environment: process.env,
  read,
  open: openFile,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
