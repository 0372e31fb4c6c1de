import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { describe, expect, onTestFinished, test } from 'vitest'
import type * as z from 'zod'
import { needs } from '../../../tools/lib/vitest/host-features'
import { imageDraft, until, type StartCloud } from '../conformance/cloud'
import { describeEngine, machineSuites } from '../conformance/engine'
import { thisNodeId } from '../ports/named-id'
import { defaultNetworkId } from './networking/default-network'
import { seals } from './testing/seals'
import { openEmbeddedCloud } from './embedded'
import type { LimitsChange } from './limits'
import { ask, consoleOf, consoleSays, guestImage, openTestQemu } from './qemu/testbed'
import { memberOf, operator, silent } from './testing/embedded-cloud'
import { openMemory, type Memory } from './testing/memory'

/** Maximum time for an emulated guest to boot. */
const patienceMs = 240_000

/** This time is short, because a guest that is still booting does not react to its power button. */
const pressAgainMs = 1_000

/** Opens the engine on QEMU, with in-memory records. */
async function open(folder: string, memory: Memory, limits: LimitsChange = {}) {
  const hypervisor = await openTestQemu(folder)
  const server = memory.serve()
  const { records, jobs } = server
  const engine = await openEmbeddedCloud({
    seals,
    ...{ records, jobs, hypervisor, folder, log: silent },
    limits: { pressAgainMs, ...limits },
  })
  await engine.open()
  server.start()
  return { engine, ...engine.ports, hypervisor, server }
}

const start: StartCloud = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-qemu-cloud-'))
  const memory = openMemory()
  const { engine, hypervisor, server } = await open(folder, memory)
  return {
    ...engine.ports,
    capabilities: engine.capabilities.compute,
    balancingCapabilities: engine.capabilities['load-balancing'],
    member: memberOf('ours'),
    stranger: memberOf('theirs'),
    operator,
    row: async (kind, id) => memory.get(kind, id),
    bootImage: () => createReadStream(guestImage()),
    flavor: 's1.nano',
    largerFlavor: 's1.micro',
    network: defaultNetworkId,
    node: thisNodeId,
    address: (place) => `10.20.3.${place}`,
    async close() {
      await server.idle()
      for (const { id } of await hypervisor.machines.known()) await hypervisor.machines.forget(id)
      await engine.close()
      server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const scope = memberOf('ours')

/**
 * Creates an instance whose machine outlives its server. `killFirst` kills that server and opens the next one on the
 * same folder.
 */
async function outlived(change: Pick<z.input<typeof InstanceDraft>, 'flavor' | 'networks' | 'allow_live_resize'>) {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-qemu-outlived-'))
  const memory = openMemory()
  const first = await open(folder, memory)
  let last = first
  onTestFinished(async () => {
    for (const machine of await last.hypervisor.machines.known()) await last.hypervisor.machines.forget(machine.id)
    await last.engine.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
  const draft = InstanceDraft.parse({ name: 'survivor', volumes, ...change })
  const [{ id }] = (await first.compute.instances.create(scope, draft)) as [Instance]
  await first.server.idle()
  return {
    folder,
    first,
    id,
    row: () => memory.get<Instance>('server', id),
    async killFirst(limits: LimitsChange = {}) {
      first.server.kill()
      await first.engine.close()
      return (last = await open(folder, memory, limits))
    },
  }
}

describe('on QEMU', needs('QEMU'), () => {
  describeEngine(start, machineSuites)

  test('finishes a live resize started by the previous server', async () => {
    const { first, id, row, killFirst } = await outlived({ flavor: 's1.tiny', networks: [], allow_live_resize: true })
    const flavor = await first.compute.flavors.create(operator, { name: 'grown', vcpus: 2, ram: 1024, swap: 0 })
    await first.compute.instances.resize(scope, id, flavor.id, { restart: false })
    // the machine has the new size, but no operating system is running that could use it
    await until('the guest to be waited for', async () => row()?.status === 'VERIFY_LIVE_RESIZE', 10_000)
    const second = await killFirst({ guestTakesMs: 100 })
    await second.server.idle()
    expect(row()).toMatchObject({
      status: 'ACTIVE',
      task_state: null,
      flavor: { vcpus: 2, ram: 1024 },
      fault: {
        message: expect.stringMatching(/given 2 vCPUs and 1024 MiB of memory, of which its system uses 1 and 512/),
      },
    })
    expect(await second.hypervisor.machines.size(id)).toMatchObject({ vcpus: 2, ramMiB: 1024 })
  })

  test('adopts a machine that outlived its server, and reports an error soon after the machine is killed', async () => {
    const networks = [{ id: defaultNetworkId }]
    const { folder, id, row, killFirst } = await outlived({ flavor: 's1.nano', networks })
    const statusOf = () => row()?.status
    expect(statusOf()).toBe('ACTIVE')
    const pid = Number(await readFile(join(folder, 'machines', id, 'qemu.pid'), 'utf8'))
    const second = await killFirst()
    expect(statusOf()).toBe('ACTIVE')
    expect(await second.hypervisor.machines.state(id)).toBe('running')
    process.kill(pid, 'SIGKILL')
    await until('the row to say so', async () => statusOf() === 'ERROR', 10_000)
    expect(row()?.fault?.message).toMatch(/^The virtual machine stopped unexpectedly/)
    await expect(second.compute.instances.start(scope, id)).rejects.toMatchObject({
      ...{ code: 'invalid_state', message: 'The virtual machine is in the error state. Start it with a hard reboot.' },
    })
    await second.compute.instances.reboot(scope, id, { hard: true })
    await second.server.idle()
    expect(statusOf()).toBe('ACTIVE')
    await second.compute.instances.delete(scope, id, null)
    await second.server.idle()
  })

  test(
    'restores a deleted instance from the recycle bin with its data',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mainstay-qemu-restored-'))
      const memory = openMemory()
      // cut the power early, because the guest does not react to its power button
      const { engine, compute, storage, hypervisor, server } = await open(folder, memory, { softRebootMs: 5_000 })
      onTestFinished(async () => {
        for (const machine of await hypervisor.machines.known()) await hypervisor.machines.forget(machine.id)
        await engine.close()
        rmSync(folder, { recursive: true, force: true })
      })
      const image = await compute.images.create(scope, imageDraft(), createReadStream(guestImage()))
      await server.idle()
      const draft = InstanceDraft.parse({
        ...{ name: 'shop', flavor: 's1.nano', networks: [{ id: defaultNetworkId }] },
        volumes: [
          { source: 'image', id: image.id, size: GiB },
          { source: 'blank', size: GiB },
        ],
      })
      const [{ id }] = (await compute.instances.create(scope, draft)) as [Instance]
      await server.idle()
      await consoleSays(hypervisor, id, /guest: ready/, patienceMs)
      await ask(hypervisor, id, 'mke2fs -q /dev/vdb; mount /dev/vdb /mnt; echo precious > /mnt/note; umount /mnt; sync')

      const before = memory.get<Instance>('server', id)!
      const how = { deleted_at: '2026-11-25T10:00:00.000Z', expires_at: '2026-12-02T10:00:00.000Z' }
      await compute.instances.recycle(scope, id, null, how)
      await server.idle()
      expect([memory.get('server', id), await hypervisor.machines.state(id)]).toEqual([null, 'off'])

      const timesReady = async () => (await consoleOf(hypervisor, id)).split('guest: ready').length - 1
      const readyBefore = await timesReady()
      await storage.recycleBin.restore(scope, id)
      await server.idle()
      await until('the guest to be ready again', async () => (await timesReady()) > readyBefore, patienceMs)
      expect(memory.get<Instance>('server', id)).toMatchObject({ status: 'ACTIVE', networks: before.networks })
      expect(await ask(hypervisor, id, 'mount /dev/vdb /mnt; cat /mnt/note')).toBe('precious')
    },
    2 * patienceMs,
  )
})
