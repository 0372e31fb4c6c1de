// Run during the build: writes the calls in the contract to a file next to the command.
import { writeFileSync } from 'node:fs'
import { callTable } from './calls'

writeFileSync(new URL('calls.json', import.meta.url), JSON.stringify(callTable()))
