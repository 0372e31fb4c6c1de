import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { withFewRights } from './root-rights.mjs'

const bits = (mask: string) => [...BigInt(`0x${mask}`).toString(2)].filter((bit) => bit === '1').length

test('limits a server started by root to 14 capabilities, and does not limit one started by an ordinary user', () => {
  const command = withFewRights(['/bin/cat', '/proc/self/status'])
  if (process.getuid?.() !== 0) {
    expect(command).toBeNull()
    return
  }
  const { stdout, stderr } = spawnSync(command!.file, command!.args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  const masks = ['CapPrm', 'CapEff', 'CapBnd'].map((name) => new RegExp(`^${name}:\\s*(\\w+)`, 'm').exec(stdout)![1]!)
  expect(new Set(masks).size).toBe(1)
  expect(bits(masks[0]!)).toBeLessThanOrEqual(14)
})
