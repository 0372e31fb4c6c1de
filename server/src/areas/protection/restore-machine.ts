import { problem } from '@mainstay/contract/core/problems'
import { RestoreMachineDraft } from '@mainstay/contract/protection/machine-restores'
import { InstanceDraft, type InstanceVolumeDraft } from '@mainstay/contract/compute/instance-draft'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { job } from '../../module'
import {
  deleteVolumes,
  instantOf,
  LOOK_AGAIN_MS,
  machineOf,
  RestoredVolumes,
  restoreVolumes,
  unlessGone,
} from './restore-steps'

const Args = z.strictObject({
  /** One of the recovery points of the instant. */
  point: z.string(),
  draft: RestoreMachineDraft,
})

const Kept = RestoredVolumes.extend({ machine: z.string().optional() })

/** Creates a virtual machine from the recovery points of one moment. If a step fails, nothing of it remains. */
export const restoringMachine = job({
  name: 'backup.restore_machine',
  args: Args,
  pool: 'bulk',
  steps: [
    {
      name: 'volumes',
      weight: 4,
      async run(turn, tools) {
        const points = await instantOf(tools, turn.scope, turn.args.point)
        const nameOf = ({ device, volume_name }: VolumeBackup) => `${turn.args.draft.name}-${device ?? volume_name}`
        return restoreVolumes(turn, tools, { points, nameOf })
      },
      undo: deleteVolumes,
    },
    {
      name: 'machine',
      async run({ scope, args, kept, keep }, tools) {
        const { volumes, machine } = Kept.parse(kept)
        if (machine === undefined) {
          const points = await instantOf(tools, scope, args.point)
          const disks = points.map(({ id }, index): InstanceVolumeDraft => ({
            ...{ source: 'volume', id: volumes[id]!, boot_index: index === 0 ? 0 : null, rm: false },
          }))
          // an interrupted run may have created it
          const [disk] = await tools.inventory.several<Volume>(volumeKind, scope, [volumes[points[0]!.id]!])
          const earlier = disk?.attachments[0]?.server_id
          if (earlier !== undefined) {
            await keep({ machine: earlier })
            return { again: LOOK_AGAIN_MS }
          }
          const draft = InstanceDraft.parse({ ...args.draft, volumes: disks })
          const [made] = await tools.ports.compute.instances.create(scope as ProjectScope, draft)
          await keep({ machine: made!.id })
          return { again: LOOK_AGAIN_MS }
        }
        const row = await machineOf(tools, scope, machine)
        if (!row) throw problem('protection.machine_gone')
        if (row.status === 'ERROR') throw problem('protection.machine_failed', { reason: row.fault?.message ?? '' })
        // someone may have shut it down already
        const isThere = row.status === 'ACTIVE' || (row.status === 'SHUTOFF' && row.task_state === null)
        if (!isThere) return { again: LOOK_AGAIN_MS }
      },
      async undo({ scope, kept }, tools) {
        const { machine } = Kept.parse(kept)
        const row = machine === undefined ? undefined : await machineOf(tools, scope, machine)
        if (!row) return
        await tools.ports.compute.instances.delete(scope, row.id, []).catch(unlessGone)
        return { again: LOOK_AGAIN_MS }
      },
    },
  ],
  result: (kept) => ({ id: Kept.parse(kept).machine }),
})
