// Removes leftovers from tests, including interrupted ones, in the cloud that is configured in the environment.
// MAINSTAY_TEST_RUN limits it to one run.
import process from 'node:process'
import { cloudAccess } from './cloud-access'
import { sweep } from './sweep'
import { fixturePrefix } from './cloud-fixture'

const left = await sweep(cloudAccess(process.env), `${fixturePrefix}${process.env['MAINSTAY_TEST_RUN'] ?? ''}`)
for (const line of left) process.stderr.write(`${line}\n`)
process.exitCode = left.length > 0 ? 1 : 0
