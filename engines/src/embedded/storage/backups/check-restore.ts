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

/** Checks whether recovery points of one project can be restored now. Changes nothing. */
export async function checkRestore(engine: Engine, scope: Scope, ids: readonly string[]): Promise<RestoreCheck[]> {
  const points = await engine.records.transaction(async (tx) => {
    const found: VolumeBackup[] = []
    for (const id of ids) found.push(await getOwn<VolumeBackup>(tx, POINT, scope, id))
    return found
  })
  const [first] = points
  if (!first) return []
  const sum = (of: (point: VolumeBackup) => number) => points.reduce((total, point) => total + of(point), 0)
  return [
    await check('chain', async () => {
      for (const point of points) await checkChain(engine, point)
    }),
    await check('target', async () => {
      await openTarget(engine)
        .then(({ place }) => place.free())
        .catch((error: unknown) => {
          // its details concern only operators
          throw scope.kind !== 'system' && error instanceof Problem ? problem('storage.backup_waits') : error
        })
    }),
    await check('quota', () =>
      engine.records.transaction((tx) =>
        checkQuotas(engine, tx, first, {
          ...{ volumes: { amount: points.length }, storage: { amount: sum(({ size }) => size) } },
        }),
      ),
    ),
    await check('space', () =>
      checkSpace(
        engine,
        sum(({ stored_size }) => stored_size ?? 0),
      ),
    ),
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
