import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { namedId } from '../../ports/named-id'
import { chanceOf } from './chance'
import { computeNodeRow } from '../rows/compute-node'
import { demo, fillInstance, type Seed } from './demo'
import { imageRow, volumeRow, type Owner } from './rows'
import type { World } from './world'
import { projectNamed } from './world-parts'

const fault = (code: string, message: string): Instance['fault'] => ({
  code,
  message,
  created: '2026-01-01T03:00:00.000Z',
})
const seed = (name: string, status: Seed['status'], more: Partial<Instance> = {}): Seed => ({
  name,
  status,
  flavor: 's1.nano',
  image: '',
  disksGib: [1],
  more,
})

/** One instance for each problem. Its name says which fault its next operation will run into. */
const instances: Seed[] = [
  seed('crashed', 'ERROR', {
    fault: fault('ended_unexpectedly', 'The virtual machine stopped unexpectedly: killed by signal 9'),
  }),
  seed('never-built', 'ERROR', { fault: fault('image_truncated', 'The disk is damaged') }),
  seed('host-is-gone', 'UNKNOWN', { host_status: 'DOWN', host: 'simulated-2' }),
  seed('stuck-shutting-down', 'ACTIVE', { task_state: 'powering-off' }),
  seed('stuck-building', 'BUILD', { task_state: 'spawning' }),
  seed('fault-start-1', 'SHUTOFF'),
  seed('fault-disk-1', 'SHUTOFF'),
  seed('fault-crash-1', 'SHUTOFF'),
  seed('fault-slow-1', 'SHUTOFF'),
  seed('fault-acpi-1', 'ACTIVE'),
  { ...seed('fault-busy-1', 'ACTIVE'), disksGib: [1, 10] },
  seed('fault-suspend-1', 'ACTIVE'),
]

const volumes = [
  ['half-made', 'error', 'The disk is damaged'],
  ['cannot-be-deleted', 'error_deleting', 'The file is in use'],
  ['stuck-creating', 'creating', null],
] as const

/** The demo project with many problems. Stuck rows stay that way until the next start recovers them. */
export const degraded: World = {
  async fill(tools) {
    await demo.fill(tools)
    const project = await projectNamed(tools.identity, 'default', 'demo')
    const owner: Owner = { project_id: project.id, domain_id: project.domain_id, user_id: 'ada' }
    const chance = chanceOf(13)
    const none = new Map<string, Image>()
    for (const one of instances) await fillInstance(tools, owner, none, one, chance)
    await tools.records.transaction(async (tx) => {
      const { host } = tools.cloud.hypervisor
      await tx.put('compute_node', computeNodeRow(host, { id: namedId('node-2'), host: 'simulated-2', state: 'down' }))
      await tx.put(
        'compute_node',
        computeNodeRow(host, { id: namedId('node-3'), host: 'simulated-3', state: 'released', roles: ['compute'] }),
      )
      for (const [name, status, text] of volumes) {
        const given = { id: chance.uuid(), name, sizeGib: 5, ageMinutes: 600 }
        await tx.put('volume', volumeRow(owner, given, null, { status, fault: text }))
      }
      const id = chance.uuid()
      const broken = {
        id,
        name: 'Cut-off upload',
        os_distro: 'linux',
        status: 'error',
        fault: 'The qcow2 image is damaged or incomplete',
      }
      await tx.put('image', imageRow(owner, broken))
    })
  },
  always({ hypervisor }) {
    // enough for running instances, but too little to create anything
    hypervisor.faults.freeBytes = 600 * MiB
    hypervisor.faults.usedBytes = 64 * GiB
  },
}
