import { Problem, problem } from '@mainstay/contract/core/problems'
import type { RestoreCheck, VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Scope } from '../../../ports/scope'
import { getOwn } from '../../access'
import { checkSpace } from '../../compute/capacity'
import type { Engine } from '../../engine'
import { checkQuotas } from '../../quotas'
import { storedAt } from './point-files'
import { chainOf, POINT, storedPoint } from './rows'
import { openTarget, targetId } from './target'

/** Checks whether a recovery point can be restored now. Changes nothing. */
export async function checkRestore(engine: Engine, scope: Scope, id: string): Promise<RestoreCheck[]> {
  const point = await engine.records.transaction((tx) => getOwn<VolumeBackup>(tx, POINT, scope, id))
  return [
    await check('chain', () => checkChain(engine, point)),
    await check('target', async () => void (await (await openTarget(engine)).place.free())),
    await check('quota', () =>
      engine.records.transaction((tx) =>
        checkQuotas(engine, tx, point, { volumes: { amount: 1 }, storage: { amount: point.size } }),
      ),
    ),
    await check('space', () => checkSpace(engine, point.stored_size ?? 0)),
  ]
}

async function check(name: RestoreCheck['name'], work: () => Promise<void>): Promise<RestoreCheck> {
  try {
    await work()
    return { name, ok: true, reason: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { name, ok: false, reason: error.message }
  }
}

const checkChain = (engine: Engine, point: VolumeBackup): Promise<void> =>
  engine.records.transaction(async (tx) => {
    if (point.damaged_by !== null) throw problem('storage.backup_damaged', { name: point.name })
    const target = { id: await targetId(engine, tx) }
    for (const one of await chainOf(tx, point)) storedAt(target, await storedPoint(tx, one.id))
  })
