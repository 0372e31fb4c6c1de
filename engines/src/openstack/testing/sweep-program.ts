// A program: removes from the cloud that the environment names what tests made there, also those that were broken off;
// only those of one run where MAINSTAY_TEST_RUN names it.
import process from 'node:process'
import { cloudAccess } from './cloud-access'
import { sweep } from './sweep'
import { fixturePrefix } from './cloud-fixture'

const left = await sweep(cloudAccess(process.env), `${fixturePrefix}${process.env['MAINSTAY_TEST_RUN'] ?? ''}`)
for (const line of left) process.stderr.write(`${line}\n`)
process.exitCode = left.length > 0 ? 1 : 0
