import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { skipsByReason, vitestTally } from '../reports.mjs'
import { optionsFor } from './host-features'

const here = { feature: 'QEMU', lack: null } as const
const missing = { feature: 'networks', lack: 'apt-get install nftables' } as const
const unchosen = { feature: 'root', lack: 'run by an ordinary user' } as const

test('skips tests that require a missing feature, with the reason; in CI, throws an error that names the feature', () => {
  expect(optionsFor([here], true)).toEqual({})
  expect(optionsFor([here, missing], false)).toEqual({
    ...{ skip: true, meta: { skippedBecause: 'networks: apt-get install nftables' } },
  })
  expect(() => optionsFor([here, missing], true)).toThrow('networks: apt-get install nftables')
})

test('skips tests that require root when an ordinary user runs them, even in CI', () => {
  const skipped = { skip: true, meta: { skippedBecause: 'root: run by an ordinary user' } }
  for (const isCi of [false, true]) expect(optionsFor([missing, unchosen], isCi)).toEqual(skipped)
})

// inside the repository so that Vitest is found
const folder = mkdtempSync(path.join(import.meta.dirname, '.features-'))
afterAll(() => rmSync(folder, { recursive: true }))

const planted = `import { beforeAll, describe, expect, test as always } from 'vitest'
import { needs, testOn } from '../host-features'
const test = testOn('ssh-keygen')
beforeAll(() => { throw new Error('nothing is set up for tests that are skipped') })
test('alone', () => expect(1).toBe(2))
test.for([1, 2])('of %s', { timeout: 5 }, () => expect(1).toBe(2))
describe('a block', needs('ssh-keygen'), () => { always('in it', () => expect(1).toBe(2)) })
`
const report = path.join(folder, 'report.json')

/** Runs Vitest on a file whose tests require a program that is not on the path. Returns the exit code. */
async function run(ci: string): Promise<number> {
  writeFileSync(path.join(folder, 'planted.spec.ts'), planted)
  // prevents Vitest from using the repository's configuration
  writeFileSync(path.join(folder, 'vitest.config.mjs'), 'export default {}')
  const vitest = path.resolve(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs')
  const words = [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile.json=${report}`]
  return promisify(execFile)(process.execPath, words, { env: { ...process.env, CI: ci, PATH: folder } }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  )
}

test('reports skipped tests, and tests in skipped blocks, with the reason', { tags: 'all' }, async () => {
  expect(await run('')).toBe(0)
  expect([...skipsByReason(report)]).toEqual([['ssh-keygen: apt-get install openssh-client', 4]])
})

test('in CI, fails the file and names the feature', { tags: 'all' }, async () => {
  expect(await run('true')).toBe(1)
  expect(vitestTally(report, 1)).toMatchObject({
    failures: [expect.stringContaining('ssh-keygen: apt-get install openssh-client')],
  })
})
