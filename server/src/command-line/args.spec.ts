import { expect, it } from 'vitest'
import { parseCliArgs } from './args'

const nothing = { cloud: null, printConfig: false, check: false, resetAdmin: false, verifyAudit: false, restore: null }

it('accepts a cloud as `--cloud lab` and as `--cloud=lab`', () => {
  const expected = { ...nothing, cloud: 'lab' }
  expect(parseCliArgs(['--cloud', 'lab'])).toEqual(expected)
  expect(parseCliArgs(['--cloud=lab'])).toEqual(expected)
})

it('accepts flags, and requires no arguments', () => {
  expect(parseCliArgs([])).toEqual(nothing)
  const both = parseCliArgs(['--print-config', '--check'])
  expect(both).toEqual({ ...nothing, printConfig: true, check: true })
  expect(parseCliArgs(['--reset-admin'])).toMatchObject({ resetAdmin: true })
  expect(parseCliArgs(['--verify-audit'])).toMatchObject({ verifyAudit: true })
  expect(parseCliArgs(['--restore', 'a-backup'])).toMatchObject({ restore: 'a-backup' })
})

it.each([
  [['--cloud']],
  [['--cloud', '--check']],
  [['--clod', 'lab']],
  [['lab']],
  [['--check=yes']],
  [['--cloud=']],
  [['--restore=']],
])('refuses %j', (given) => {
  expect(parseCliArgs(given)).toEqual({ fault: expect.stringContaining('--cloud') })
})
