import { RestoreMachineDraft } from '@mainstay/contract/protection/machine-restores'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import * as z from 'zod'
import { job } from '../../module'
import { createMachine, deleteMachine, RestoredMachine } from './machine-steps'
import { deleteVolumes, instantOf, lookAgain, restoreVolumes } from './restore-steps'

const Args = z.strictObject({
  /** One of the recovery points of the instant. */
  point: z.string(),
  draft: RestoreMachineDraft,
})

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
      async run(turn, tools) {
        const machine = await createMachine(turn, tools, turn.args)
        if (!machine) return lookAgain(tools)
      },
      undo: deleteMachine,
    },
  ],
  result: (kept) => ({ id: RestoredMachine.parse(kept).machine }),
})
