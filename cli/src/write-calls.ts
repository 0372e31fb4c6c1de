// Run by the build: writes the calls of the contract beside the command.
import { writeFileSync } from 'node:fs'
import { callTable } from './calls'

writeFileSync(new URL('calls.json', import.meta.url), JSON.stringify(callTable()))
