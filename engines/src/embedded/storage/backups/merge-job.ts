import { rm } from 'node:fs/promises'
import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { fetchedChain } from './fetched-chain'
import { digestOf, storeFile } from './point-files'
import { chainOf, changePoint, childrenOf, POINT, pointSubject, storedPoint } from './rows'
import { openTarget } from './target'

/*
 * When the oldest recovery points of a chain expire, the next one gets a new file with its whole content, so that it no longer
 * needs them. No stored file is changed: the new one takes the place of the old ones when the rows are changed.
 */

/**
 * Starts to merge expired recovery points, which form the beginning of a chain, into the one after them. Does nothing if there
 * is none, or if a merge is in progress.
 */
export async function beginMerge(
  tx: RecordsTransaction,
  scope: Scope,
  expired: readonly VolumeBackup[],
): Promise<void> {
  const child = await onlyChild(tx, expired)
  if (!child || !isRestorable(child) || child.damaged_by !== null) return
  const stored = await storedPoint(tx, child.id)
  // files in a bucket are encrypted, and fetching all of them to merge them would cost more than keeping them
  if (!stored?.file || stored.file.isEncrypted || stored.isMerging) return
  await tx.putPrivate(POINT, child.id, { ...stored, isMerging: true })
  await tx.startJob({
    name: 'compute.volume_backup.merge',
    subject: pointSubject(child),
    // they are read and removed
    holds: expired.map(pointSubject),
    args: { expired: expired.map(({ id }) => id) },
    scope,
    hidden: true,
  })
}

/** The recovery point after these, which follow each other; null if one of them has another child too. */
async function onlyChild(tx: RecordsTransaction, expired: readonly VolumeBackup[]): Promise<VolumeBackup | null> {
  let after: VolumeBackup | null = null
  for (const [index, { id }] of expired.entries()) {
    const [child, ...others] = await childrenOf(tx, id)
    const next = expired[index + 1]
    if (!child || others.length > 0 || (next && child.id !== next.id)) return null
    after = child
  }
  return after
}

export const mergeJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const expired = job.args['expired'] as string[]
    const target = await openTarget(engine)
    const child = await engine.records.transaction((tx) => tx.get<VolumeBackup>(POINT, id))
    if (child && child.parent_id !== null) {
      const whole = `${engine.files.point(id)}.whole.part`
      await rm(whole, { force: true })
      const name = wholeName(id)
      await fetchedChain(engine, job, id, (files) =>
        engine.withPermit(child.project_id, () =>
          engine.hypervisor.disks.assemble(whole, files, child.size, undefined, job.signal),
        ),
      )
      await engine.hypervisor.disks.checkCaptured(whole)
      const captured = await digestOf(whole, job.signal)
      const kept = await storeFile(target, { file: whole, name, captured, signal: job.signal })
      const isReplaced = await engine.records.transaction((tx) => replaceFile(tx, id, expired, kept))
      if (!isReplaced) await target.place.remove(name)
    }
    const stored = await engine.records.transaction((tx) => storedPoint(tx, id))
    for (const name of stored?.obsolete ?? []) await target.place.remove(name)
    await endMerge(engine, id, [])
    return { id }
  },
  async onFailure({ subject: { id } }) {
    await rm(`${engine.files.point(id)}.whole.part`, { force: true })
    await endMerge(engine, id)
  },
})

const wholeName = (id: string) => `${id}-whole.qcow2`

/** The recovery point becomes a full one, and the expired ones are gone. Returns false if another one needs them now. */
async function replaceFile(
  tx: RecordsTransaction,
  id: string,
  expired: readonly string[],
  file: NonNullable<Awaited<ReturnType<typeof storedPoint>>>['file'] & object,
): Promise<boolean> {
  const child = await tx.lock<VolumeBackup>(POINT, id)
  const stored = await storedPoint(tx, id)
  if (!child || !stored?.file) return false
  const chain = await chainOf(tx, child)
  const gone = chain.slice(0, -1)
  if (gone.map((point) => point.id).join() !== expired.join() || !(await onlyChild(tx, gone))) return false
  const obsolete = [stored.file.name]
  for (const one of expired) {
    const former = await storedPoint(tx, one)
    if (former?.file) obsolete.push(former.file.name)
    await tx.remove(POINT, one)
    await tx.removePrivate(POINT, one)
  }
  await tx.putPrivate(POINT, id, { ...stored, file, obsolete })
  const verified_at = new Date().toISOString()
  await changePoint(tx, child, { is_incremental: false, parent_id: null, stored_size: file.bytes, verified_at })
  return true
}

/** `obsolete`: files that are still to be removed; by default as before. */
const endMerge = ({ records }: Engine, id: string, obsolete?: string[]): Promise<void> =>
  records.transaction(async (tx) => {
    const stored = await storedPoint(tx, id)
    if (stored) await tx.putPrivate(POINT, id, { ...stored, isMerging: false, ...(obsolete && { obsolete }) })
  })
