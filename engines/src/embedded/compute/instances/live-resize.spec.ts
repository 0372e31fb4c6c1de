import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { afterEach, expect, test } from 'vitest'
import type * as z from 'zod'
import { refusal, until } from '../../../conformance/cloud'
import { memberOf, openSimulatedCloud, type SimulatedCloud } from '../../testing/embedded-cloud'

const scope = memberOf('ours')
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const rowOf = (id: string) => cloud.memory.get<Instance>('server', id)!
const live = { restart: false }
const failures = () => cloud.memory.tasks().filter(({ state }) => state === 'failed')

/** Creates an instance with 1 vCPU and 512 MiB, with headroom up to 4 vCPUs and 2048 MiB. */
async function create(change: Partial<z.input<typeof InstanceDraft>> = {}): Promise<Instance> {
  const draft = InstanceDraft.parse({
    name: 'web',
    flavor: 's1.tiny',
    volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    networks: [],
    allow_live_resize: true,
    ...change,
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  return rowOf(row!.id)
}
const flavorOf = (vcpus: number, ram: number) =>
  cloud.compute.flavors.create(scope, { name: `${vcpus} and ${ram}`, vcpus, ram, swap: 0 })

async function resize(id: string, flavorId: string): Promise<Instance> {
  await cloud.compute.instances.resize(scope, id, flavorId, live)
  await cloud.server.idle()
  return rowOf(id)
}

test('gives an instance headroom of four times its flavor, capped at the host limit for a single instance', async () => {
  cloud = await openSimulatedCloud({ host: { cpuCores: 2, ramBytes: 1536 * MiB }, limits: { hostReserveMiB: 512 } })
  expect(await create()).toMatchObject({ max_vcpu: 2, max_mem: 1024 })
  expect(await create({ allow_live_resize: false, flavor: 's1.nano' })).toMatchObject({ max_vcpu: null, max_mem: null })
})

test('goes from LIVE_RESIZE to VERIFY_LIVE_RESIZE, and completes when the guest shuts itself down', async () => {
  cloud = await openSimulatedCloud({ delays: { quick: 60 } })
  const { id } = await create({ name: 'fault-deaf' })
  const { id: flavor } = await flavorOf(2, 1024)
  const begun = await cloud.compute.instances.resize(scope, id, flavor, live)
  expect(begun).toMatchObject({ status: 'LIVE_RESIZE', flavor: { vcpus: 2, ram: 1024 } })
  await until('the guest to be waited for', async () => rowOf(id).status === 'VERIFY_LIVE_RESIZE')
  expect(await refusal(cloud.compute.instances.delete(scope, id, null))).toMatchObject({ code: 'invalid_state' })
  // once the guest has shut down, the next start uses the whole flavor
  cloud.hypervisor.happen(id, 'off')
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'SHUTOFF', flavor: { id: flavor }, fault: null })
  await cloud.compute.instances.start(scope, id)
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', max_vcpu: 8, max_mem: 4096 })
  expect(await cloud.hypervisor.machines.size(id)).toMatchObject({ guest: { vcpus: 2, ramMiB: 1024 } })
})

test('reports a guest that does not use its new size, and keeps the new flavor', async () => {
  cloud = await openSimulatedCloud({ limits: { guestTakesMs: 50 } })
  const { id } = await create({ name: 'fault-deaf' })
  const row = await resize(id, (await flavorOf(2, 1024)).id)
  expect(row).toMatchObject({
    status: 'ACTIVE',
    flavor: { vcpus: 2, ram: 1024 },
    fault: {
      code: 'live_resize_incomplete',
      message: expect.stringMatching(/given 2 vCPUs and 1024 MiB.* uses 1 and 512 MiB/),
    },
  })
  expect(failures()).toMatchObject([{ name: 'compute.server.live_resize' }])
})

test('reports an incomplete resize until the machine process is restarted by any means', async () => {
  cloud = await openSimulatedCloud()
  const { instances } = cloud.compute
  cloud.hypervisor.faults.machines.add('fault-grow')
  const { id: flavor } = await flavorOf(2, 1024)
  const act = async (command: Promise<Instance>) => {
    const { id } = await command
    await cloud.server.idle()
    return rowOf(id)
  }
  const told = { fault: { code: 'live_resize_incomplete' } }
  for (const end of ['soft reboot', 'hard reboot', 'hard reboot, fault-deaf', 'stop']) {
    const { id } = await create({ name: end })
    expect(await resize(id, flavor)).toMatchObject(told)
    for (const step of ['pause', 'unpause', 'suspend', 'resume'] as const) {
      expect(await act(instances[step](scope, id)), step).toMatchObject(told)
    }
    if (end === 'stop') {
      await act(instances.stop(scope, id, { hard: true, timeoutSeconds: 0 }))
      await act(instances.start(scope, id))
    } else await act(instances.reboot(scope, id, { hard: end.startsWith('hard') }))
    expect(rowOf(id), end).toMatchObject({ status: 'ACTIVE', fault: null })
    expect(await cloud.hypervisor.machines.size(id), end).toMatchObject({ guest: { vcpus: 2, ramMiB: 1024 } })
  }
})

test('after a partial resize, reports the size reached until a later resize succeeds', async () => {
  cloud = await openSimulatedCloud()
  const { id } = await create()
  cloud.hypervisor.faults.machines.add('fault-grow')
  const half = await resize(id, (await flavorOf(2, 1024)).id)
  expect(half).toMatchObject({
    status: 'ACTIVE',
    task_state: null,
    flavor: { vcpus: 2, ram: 1024 },
    fault: { message: expect.stringMatching(/given 1 vCPUs and 1024 MiB.*No processor could be added/) },
  })
  cloud.hypervisor.faults.machines.clear()
  expect(await resize(id, (await flavorOf(3, 1024)).id)).toMatchObject({ flavor: { vcpus: 3 }, fault: null })
  expect(await cloud.hypervisor.machines.size(id)).toMatchObject({ vcpus: 3, ramMiB: 1024 })
})

test('restores the flavor and the quota usage if nothing could be added', async () => {
  cloud = await openSimulatedCloud()
  const { id, flavor } = await create()
  const used = async () => (await cloud.compute.quotas(scope, 'ours')).vcpus.used
  cloud.hypervisor.faults.machines.add('fault-grow')
  // the memory stays the same, and adding vCPUs fails
  expect(await resize(id, (await flavorOf(2, 512)).id)).toMatchObject({ status: 'ACTIVE', flavor, fault: null })
  expect(failures()).toMatchObject([{ error: expect.stringContaining('No processor') }])
  expect(await used()).toBe(1)
  cloud.hypervisor.faults.machines.clear()
  const crashed = cloud.compute.instances.resize(scope, id, (await flavorOf(2, 600)).id, live)
  cloud.hypervisor.happen(id, 'crashed', 'killed by signal 9')
  await crashed
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({ status: 'ERROR', task_state: null, fault: { code: 'ended_unexpectedly' } })
})

test('checks the quota like any other resize', async () => {
  cloud = await openSimulatedCloud({ limits: { quotas: { ram: 1000 } } })
  const { id } = await create()
  expect(await refusal(resize(id, (await flavorOf(1, 1024)).id))).toMatchObject({
    code: 'quota_exceeded',
    fields: { flavor: [expect.any(String)] },
    data: { resource: 'ram', limit: 1000, used: 512, requested: 512 },
  })
  expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', flavor: { ram: 512 } })
})

test('shows the reason if the restart during a resize fails', async () => {
  cloud = await openSimulatedCloud()
  const { id } = await create()
  cloud.hypervisor.faults.machines.add('fault-start')
  await cloud.compute.instances.resize(scope, id, 's1.nano', { restart: true })
  await cloud.server.idle()
  expect(rowOf(id)).toMatchObject({
    status: 'ERROR',
    task_state: null,
    flavor: { id: 's1.nano' },
    fault: { message: expect.stringContaining('did not start') },
  })
})
