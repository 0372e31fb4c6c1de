import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEngineFixture, type EngineFixture } from '../testing/engine-fixture'
import { fakeCompute } from '../testing/fake-cloud/compute'
import { serverRefusal } from '../testing/fake-cloud/servers'
import { fakeVolumes } from '../testing/fake-cloud/volumes'
import type { Learning } from '../keep-learning'
import { learnCapabilities } from './learn-capabilities'

let fixture: EngineFixture
let learning: Learning
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  fixture = await startEngineFixture([])
})
afterEach(async () => {
  learning.stop()
  vi.useRealTimers()
  await fixture.close()
})

test('learns capabilities as soon as the cloud can report them, and checks them periodically', async () => {
  const { add } = fakeCompute(fixture.cloud, fakeVolumes(fixture.cloud))
  let answer = (): object => serverRefusal(400, 'badRequest', 'Unavailable console type serial.')
  fixture.cloud.on('compute', 'POST', '/servers/:id/remote-consoles', () => answer())
  const capabilities = { console_protocols: ['vnc'], max_vcpus: 240 } as unknown as ComputeCapabilities
  const largest = vi.fn(async () => ({
    vcpus: 8,
    ram: 8,
    byProvider: new Map(),
    largest: { max_vcpus: 8, max_ram: 4096 },
  }))
  learning = learnCapabilities(
    { account: fixture.engine.reading.caller, nodes: largest, log: fixture.engine.log },
    capabilities,
  )
  const times = (count: number) => vi.waitFor(() => expect(largest).toHaveBeenCalledTimes(count))
  /** Advances to the next poll, whose calls take real time. */
  const later = async (ms: number, count: number) => {
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
    vi.advanceTimersByTime(ms)
    await times(count)
  }

  learning.start()
  await times(1)
  await vi.waitFor(() => expect(capabilities).toMatchObject({ max_vcpus: 8, console_protocols: ['vnc'] }))
  // there was no running instance to request a console for, so it tries again soon
  add({ status: 'ACTIVE' })
  answer = () => ({ body: { remote_console: { url: 'ws://127.0.0.1/?token=a' } } })
  await later(30_000, 2)
  await vi.waitFor(() => expect(capabilities.console_protocols).toEqual(['vnc', 'serial']))
  // the cloud has been reconfigured
  answer = () => serverRefusal(400, 'badRequest', 'Unavailable console type serial.')
  await later(10 * 60_000, 3)
  await vi.waitFor(() => expect(capabilities.console_protocols).toEqual(['vnc']))
})
