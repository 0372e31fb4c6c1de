import { Problem, problem } from '@mainstay/contract/core/problems'
import type { BackupPlanTest } from '@mainstay/contract/protection/backup-plans'
import { RestoreMachineDraft } from '@mainstay/contract/protection/machine-restores'
import { volumeBackupKind, type RestoreTest, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { job } from '../../module'
import { enqueue } from '../../tasks/job'
import type { Tools } from '../../tools'
import { createMachine, deleteMachine, RestoredMachine } from './machine-steps'
import { noteTest } from './plan-rows'
import {
  createdTogether,
  deleteVolumes,
  instantOf,
  lookAgain,
  machineOf,
  restoreVolumes,
  type Turn,
} from './restore-steps'

const Args = z.strictObject({
  /** One of the recovery points of the instant. */
  point: z.string(),
  /** The temporary virtual machine. It has no networks. */
  draft: RestoreMachineDraft,
  /** Backup plan that has started the test. */
  plan: z.string().optional(),
})

const Kept = RestoredMachine.extend({
  /** When the virtual machine was first seen running, in ms since 1970. */
  runsSince: z.number().optional(),
})

/** Time that the virtual machine has to keep running, in ms. A system that cannot boot often stops or restarts before. */
const RUNS_FOR_MS = 15_000
/** Time for the guest agent to answer if it did when the recovery points were created, in ms. */
const AGENT_WITHIN_MS = 5 * 60_000

/**
 * Starts a virtual machine without network from the recovery points of one moment, records whether its guest agent answers or
 * it at least keeps running, and removes it. Only what the points cause is recorded: a quota that is too small says nothing about them.
 */
export const testingRestore = job({
  name: 'backup.test_restore',
  args: Args,
  pool: 'bulk',
  steps: [
    {
      name: 'volumes',
      weight: 4,
      async run(turn, tools) {
        const nameOf = ({ device, volume_name }: VolumeBackup) => `${turn.args.draft.name}-${device ?? volume_name}`
        return recorded(turn, tools, async () => {
          // also tells that the restore has found damage
          const points = await instantOf(tools, turn.scope, turn.args.point)
          return restoreVolumes(turn, tools, { points, nameOf })
        })
      },
      undo: deleteVolumes,
    },
    {
      name: 'machine',
      async run(turn, tools) {
        const machine = await recorded(turn, tools, () => createMachine(turn, tools, turn.args))
        if (!machine) return lookAgain(tools)
      },
      undo: deleteMachine,
    },
    {
      name: 'watch',
      async run(turn, tools) {
        const { machine, runsSince = Date.now() } = Kept.parse(turn.kept)
        await recorded(turn, tools, async () => requireRunning(await machineOf(tools, turn.scope, machine!)))
        await turn.keep({ runsSince })
        const isConfirmed = await tools.ports.compute.instances.guestAnswers(turn.scope, machine!)
        if (!isConfirmed && Date.now() - runsSince < (await patienceFor(turn, tools))) return lookAgain(tools)
        await record(tools, turn, { result: isConfirmed ? 'confirmed' : 'started', reason: null })
      },
    },
    { name: 'remove_machine', run: deleteMachine },
    { name: 'remove_volumes', run: deleteVolumes },
  ],
  // what the recovery points do not cause was not recorded, and is not their fault
  async onFailure({ args, signal }, error, tools) {
    const reason = signal.aborted ? problem('protection.test_cancelled').message : reasonOf(error)
    await tools.inventory.transaction((records) => recordAtPlan(records, args, { result: 'skipped', reason }))
  },
})

const reasonOf = (error: unknown): string =>
  error instanceof Problem ? error.message : 'An internal error occurred. See the server log'

/** Starts a test in a task of its own. Returns the ID of the task. `plan`: the backup plan that starts it. */
export const startTest = (
  records: RecordsTransaction,
  scope: ProjectScope,
  { point: { id, name }, flavor, plan }: { point: Pick<VolumeBackup, 'id' | 'name'>; flavor: string; plan?: string },
): Promise<string> =>
  enqueue(records, testingRestore, {
    ...{ subject: { kind: volumeBackupKind.name, id, name }, scope, serial: false, cancellable: true },
    args: {
      point: id,
      draft: { name: `test-of-${name}`.slice(0, 255), flavor, networks: [] },
      ...(plan !== undefined && { plan }),
    },
  })

/** How long the guest agent may take to answer, in ms. */
async function patienceFor({ scope, args }: TestTurn, tools: Tools): Promise<number> {
  const points = await createdTogether(tools, scope, args.point)
  return points.some(({ consistency }) => consistency === 'guest') ? AGENT_WITHIN_MS : RUNS_FOR_MS / tools.pace
}

/** Throws a problem if the virtual machine no longer runs. */
function requireRunning(machine: Instance | undefined): void {
  if (!machine) throw problem('protection.machine_gone')
  if (machine.status === 'ERROR') throw problem('protection.machine_failed', { reason: machine.fault?.message ?? '' })
  if (machine.status === 'SHUTOFF') throw problem('protection.machine_stopped')
}

/** Faults that tell something about the recovery points. */
const causedByPoints: readonly string[] = [
  'protection.instant_incomplete',
  'protection.volume_failed',
  'protection.machine_failed',
  'protection.machine_stopped',
  'storage.backup_damaged',
]

type TestTurn = Turn & { args: z.infer<typeof Args> }

/** Runs a part of the test, and records a fault that the recovery points cause. */
async function recorded<Result>(turn: TestTurn, tools: Tools, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Problem && causedByPoints.includes(error.said?.key ?? ''))
      await record(tools, turn, { result: 'failed', reason: error.message })
    throw error
  }
}

/** Notes the result at all recovery points of the instant, and at the plan that has started the test. */
async function record(
  tools: Tools,
  { scope, args }: TestTurn,
  outcome: Pick<RestoreTest, 'result' | 'reason'>,
): Promise<void> {
  const at = new Date().toISOString()
  // a failed restore may have left them in a status in which they cannot be restored
  const points = await createdTogether(tools, scope, args.point)
  await tools.inventory.transaction(async (tx) => {
    for (const { id } of points) {
      const row = await tx.lock<VolumeBackup>(volumeBackupKind.name, id)
      if (row) await tx.put(volumeBackupKind.name, { ...row, restore_test: { at, ...outcome }, updated_at: at })
    }
    await recordAtPlan(tx, args, outcome)
  })
}

async function recordAtPlan(
  records: RecordsTransaction,
  { plan, point }: Pick<z.infer<typeof Args>, 'plan' | 'point'>,
  outcome: Pick<BackupPlanTest, 'result' | 'reason'>,
): Promise<void> {
  if (plan === undefined) return
  await noteTest(records, plan, (last) =>
    last?.point_id === point && last.result === 'running' ? { ...last, ...outcome } : null,
  )
}
