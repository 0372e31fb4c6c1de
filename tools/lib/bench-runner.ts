// Runs a bench file in a separate process with tsx, and writes its rows to a file.
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Bench } from '../../bench/protocol'

const [, , file = '', output = ''] = process.argv
const { run } = (await import(pathToFileURL(file).href)) as { run: Bench }
writeFileSync(output, JSON.stringify(await run()))
// open handles in a bench must not delay the next one
process.exit(0)
