import { problem } from '@mainstay/contract/core/problems'
import { MANUAL_PREFIX } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { RunAgain } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { job } from '../../module'
import type { RunOf } from '../../tasks/job'
import type { Tools } from '../../tools'
import { replaceVolumes } from './backup-plans.service'
import {
  deleteVolumes,
  instantOf,
  lookAgain,
  machineOf,
  matched,
  RestoredVolumes,
  restoreVolumes,
} from './restore-steps'

const Args = z.strictObject({
  /** One of the recovery points of the instant. */
  point: z.string(),
  machine: z.string(),
  keep_current: z.boolean(),
})

const Kept = RestoredVolumes.extend({
  /** Recovery points of the current volumes. */
  current: z.array(z.string()).optional(),
  wasRunning: z.boolean().optional(),
  /** Volumes of the machine before the replacement, in the order of their devices. */
  before: z.array(z.string()).optional(),
  /** Its volumes after the replacement. Those without a recovery point stay. */
  wanted: z.array(z.string()).optional(),
})

type Turn = Pick<RunOf<z.infer<typeof Args>>, 'scope' | 'args'> & { kept: Readonly<Record<string, unknown>> }

const STOP_WITHIN_SECONDS = 60

/**
 * Replaces the volumes of a virtual machine with those of recovery points. The data is restored before the machine stops, so
 * that it is off only for the exchange. If a step fails, those before it are undone. The previous volumes stay, detached.
 */
export const replacingMachine = job({
  name: 'backup.replace_machine',
  args: Args,
  pool: 'bulk',
  steps: [
    {
      name: 'current',
      async run({ scope, args, kept, keep }, tools) {
        if (!args.keep_current) return
        const { current } = Kept.parse(kept)
        if (current === undefined) {
          const machine = await existing(tools, { scope, args, kept })
          const order = { name: `${MANUAL_PREFIX}before-${machine.name}`.slice(0, 255), description: '', full: false }
          const volume_ids = machine.volumes.map(({ id }) => id)
          const made = await tools.ports.storage.volumeBackups.createInstant(scope as ProjectScope, {
            ...{ ...order, volume_ids, plan: null },
          })
          await keep({ current: made.map(({ id }) => id) })
          return lookAgain(tools)
        }
        const rows = await tools.inventory.several<VolumeBackup>(volumeBackupKind, scope, current)
        const failed = rows.find(({ status }) => status === 'error')
        if (failed) throw problem('protection.point_failed', { name: failed.name, reason: failed.fault ?? '' })
        if (rows.some(({ status }) => status !== 'available')) return lookAgain(tools)
      },
    },
    {
      name: 'volumes',
      weight: 4,
      async run(turn, tools) {
        const machine = await existing(tools, turn)
        const points = [...matched(machine, await instantOf(tools, turn.scope, turn.args.point)).values()]
        return restoreVolumes(turn, tools, { points, nameOf: ({ volume_name }) => `${volume_name}-restored` })
      },
      undo: deleteVolumes,
    },
    {
      name: 'stop',
      async run({ scope, args, kept, keep }, tools) {
        const machine = await existing(tools, { scope, args, kept })
        const isRunning = machine.status !== 'SHUTOFF'
        if (Kept.parse(kept).wasRunning === undefined) await keep({ wasRunning: isRunning })
        if (!isRunning && machine.task_state === null) return
        if (machine.task_state === null) {
          const how = { hard: false, timeoutSeconds: STOP_WITHIN_SECONDS }
          await tools.ports.compute.instances.stop(scope, machine.id, how)
        }
        return lookAgain(tools)
      },
      undo: startAgain,
    },
    {
      name: 'exchange',
      async run({ scope, args, kept, keep }, tools) {
        const machine = await existing(tools, { scope, args, kept })
        const { wanted, volumes } = Kept.parse(kept)
        if (wanted === undefined) {
          const points = matched(machine, await instantOf(tools, scope, args.point))
          const before = inOrder(machine).map(({ id }) => id)
          await keep({ before, wanted: before.map((id) => volumes[points.get(id)?.id ?? ''] ?? id) })
          return { again: 0 }
        }
        return exchange(tools, scope, machine, wanted)
      },
      async undo(turn, tools) {
        const { before } = Kept.parse(turn.kept)
        const machine = await machineOf(tools, turn.scope, turn.args.machine)
        if (before && machine) return exchange(tools, turn.scope, machine, before)
      },
    },
    {
      name: 'plans',
      run: (turn, tools) => replaceVolumes(tools, turn.scope.project_id ?? '', newVolumes(turn)),
      async undo(turn, tools) {
        const reversed = [...newVolumes(turn)].map(([before, now]) => [now, before] as const)
        await replaceVolumes(tools, turn.scope.project_id ?? '', new Map(reversed))
      },
    },
    { name: 'start', run: startAgain },
  ],
  result: (kept) => ({ previous_volumes: Kept.parse(kept).before ?? [] }),
})

/** The restored volumes, by the ID of the volumes that they replace in backup plans. */
function newVolumes({ kept }: Pick<Turn, 'kept'>): Map<string, string> {
  const { before = [], wanted = [] } = Kept.parse(kept)
  return new Map(before.flatMap((id, index) => (wanted[index] === id ? [] : [[id, wanted[index]!] as const])))
}

async function existing(tools: Tools, { scope, args }: Turn): Promise<Instance> {
  const machine = await machineOf(tools, scope, args.machine)
  if (!machine) throw problem('protection.machine_gone')
  return machine
}

const inOrder = ({ volumes }: Instance) =>
  volumes.toSorted((a, b) => (a.device ?? a.id).localeCompare(b.device ?? b.id))

/** Starts the machine if it was running before. */
async function startAgain({ scope, args, kept }: Turn, tools: Tools): Promise<void | RunAgain> {
  const machine = await machineOf(tools, scope, args.machine)
  if (!machine || !Kept.parse(kept).wasRunning || machine.status === 'ACTIVE') return
  if (machine.status === 'ERROR') throw problem('protection.machine_failed', { reason: machine.fault?.message ?? '' })
  if (machine.task_state === null) await tools.ports.compute.instances.start(scope, machine.id)
  return lookAgain(tools)
}

/** One step towards these volumes, in this order. The first one is the boot volume. */
async function exchange(
  tools: Pick<Tools, 'ports' | 'pace'>,
  scope: Turn['scope'],
  machine: Instance,
  wanted: readonly string[],
): Promise<void | RunAgain> {
  const { instances } = tools.ports.compute
  if (machine.task_state !== null) return lookAgain(tools)
  const now = inOrder(machine).map(({ id }) => id)
  const isSame = now.length === wanted.length && now.every((id, index) => id === wanted[index])
  const wrong = now.findLast((id, index) => id !== wanted[index])
  if (isSame) return
  if (wrong !== undefined) await instances.detachVolume(scope, machine.id, wrong)
  else await instances.attachVolume(scope, machine.id, wanted[now.length]!, false)
  return lookAgain(tools)
}
