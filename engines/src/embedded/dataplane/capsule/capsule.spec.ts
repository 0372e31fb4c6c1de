import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { testOn } from '../../../../../tools/lib/vitest/host-features'
import { isAlive, type ProcessId } from '../../../host/processes'
import { openCapsule } from './capsule'

const test = testOn('networks')
const log = { debug() {}, info() {}, warn() {}, error() {} }

test('a capsule’s processes exit once its folder is removed and no server is running', { tags: 'all' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-capsule-'))
  const capsule = await openCapsule({ folder, log, machines: () => [] })
  if ('impossible' in capsule) throw new Error(capsule.impossible)
  // leaves the capsule running, as if the server had been killed
  await capsule.close(false)
  const { holder, slirp } = JSON.parse(readFileSync(join(folder, 'capsule.json'), 'utf8')) as Record<string, ProcessId>
  expect([isAlive(holder!), isAlive(slirp!)]).toEqual([true, true])
  await rm(folder, { recursive: true })
  await vi.waitFor(() => expect([isAlive(holder!), isAlive(slirp!)]).toEqual([false, false]))
})
