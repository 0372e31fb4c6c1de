import { InstanceDraft, type InstanceVolumeDraft } from '@mainstay/contract/compute/instance-draft'
import type { Instance } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import type { RestoreMachineDraft } from '@mainstay/contract/protection/machine-restores'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { RunAgain } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import type { Tools } from '../../tools'
import { instantOf, lookAgain, machineOf, RestoredVolumes, unlessGone, type Turn } from './restore-steps'

/* Steps of tasks that create a virtual machine from restored volumes. */

/** What such a task keeps: the volumes, and the virtual machine that was created from them. */
export const RestoredMachine = RestoredVolumes.extend({ machine: z.string().optional() })

/**
 * Creates a virtual machine from the restored volumes. Returns it once it runs, or someone has shut it down; until then,
 * null. Throws a problem if it fails. Repeatable.
 */
export async function createMachine(
  { scope, kept, keep }: Turn,
  tools: Tools,
  { point, draft }: { point: string; draft: RestoreMachineDraft },
): Promise<Instance | null> {
  const { volumes, machine } = RestoredMachine.parse(kept)
  if (machine === undefined) {
    const points = await instantOf(tools, scope, point)
    const disks = points.map(({ id }, index): InstanceVolumeDraft => ({
      ...{ source: 'volume', id: volumes[id]!, boot_index: index === 0 ? 0 : null, rm: false },
    }))
    // an interrupted run may have created it
    const [disk] = await tools.inventory.several<Volume>(volumeKind, scope, [volumes[points[0]!.id]!])
    const earlier = disk?.attachments[0]?.server_id
    const create = async () => {
      const complete = InstanceDraft.parse({ ...draft, volumes: disks })
      return (await tools.ports.compute.instances.create(scope as ProjectScope, complete))[0]!.id
    }
    await keep({ machine: earlier ?? (await create()) })
    return null
  }
  const row = await machineOf(tools, scope, machine)
  if (!row) throw problem('protection.machine_gone')
  if (row.status === 'ERROR') throw problem('protection.machine_failed', { reason: row.fault?.message ?? '' })
  return row.status === 'ACTIVE' || (row.status === 'SHUTOFF' && row.task_state === null) ? row : null
}

/** Deletes the virtual machine, but not its volumes. Repeatable. */
export async function deleteMachine({ scope, kept }: Turn, tools: Tools): Promise<void | RunAgain> {
  const { machine } = RestoredMachine.parse(kept)
  const row = machine === undefined ? undefined : await machineOf(tools, scope, machine)
  if (!row) return
  await tools.ports.compute.instances.delete(scope, row.id, []).catch(unlessGone)
  return lookAgain(tools)
}
