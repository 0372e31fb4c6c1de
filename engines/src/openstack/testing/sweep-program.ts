// A program: removes from the cloud that the environment names what tests made there, also those that were broken off.
import process from 'node:process'
import { cloudAccess } from './cloud-access'
import { sweep } from './sweep'

const left = await sweep(cloudAccess(process.env))
for (const line of left) process.stderr.write(`${line}\n`)
process.exitCode = left.length > 0 ? 1 : 0
