// Run by tsx in a process of its own: one bench file, its rows into a file.
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Bench } from '../../bench/protocol'

const [, , file = '', output = ''] = process.argv
const { run } = (await import(pathToFileURL(file).href)) as { run: Bench }
writeFileSync(output, JSON.stringify(await run()))
// what a bench left open must not hold up the next one
process.exit(0)
