import { randomUUID } from 'node:crypto'
import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem, notFound, problem, problemOf } from '@mainstay/contract/core/problems'
import { backupCan, whyBackupNotNow, type BackupAction } from '@mainstay/contract/storage/backup-rules'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import type { Restoration, VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { InstantOrder, VolumeBackupsPort } from '../../../ports/storage'
import { actsOn, lockOwn } from '../../access'
import { checkSpace } from '../../compute/capacity'
import { subjectOf } from '../../compute/instances/rows'
import type { Engine } from '../../engine'
import { checkQuotas } from '../../quotas'
import { newVolume, refuseOtherPolicy, type VolumePlan } from '../../rows/volumes'
import { ownerOf } from '../volumes/copies'
import { volumeSubject } from '../volumes/delete'
import { lockVolume } from '../volumes/lock'
import { checkRestore } from './check-restore'
import { beginMerge } from './merge-job'
import { storedAt } from './point-files'
import { chainOf, changePoint, childrenOf, POINT, pointsOf, pointSubject, storedPoint, type StoredPoint } from './rows'
import { targetId } from './target'

export const backupCommands = (engine: Engine): VolumeBackupsPort => ({
  async create(scope, { volume_id, ...draft }) {
    const seen = await engine.records.transaction((tx) => tx.get<Volume>('volume', volume_id))
    if (!seen || !actsOn(scope, seen.project_id)) throw fieldProblem('volume_id', 'compute.no_such_volume')
    const [point] = await createInstant(engine, scope, { ...draft, volume_ids: [volume_id], plan: null })
    return point!
  },
  createInstant: (scope, order) => createInstant(engine, scope, order),
  delete: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const point = await lockOwn<VolumeBackup>(tx, POINT, scope, id)
      refusePointUnless('delete', point)
      return beginDeletion(tx, scope, point)
    }),
  expire: (scope, ids) => expirePoints(engine, scope, ids),
  restore: (scope, id, draft) => restorePoint(engine, scope, id, draft),
  checkRestore: (scope, ids) => checkRestore(engine, scope, ids),
  verify: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const point = await lockOwn<VolumeBackup>(tx, POINT, scope, id)
      refusePointUnless('verify', point)
      const changed = await changePoint(tx, point, { status: 'verifying', fault: null })
      await tx.startJob({
        ...{ name: 'compute.volume_backup.verify', subject: pointSubject(point), args: {}, scope },
        holds: (await chainOf(tx, point)).map(pointSubject),
      })
      return changed
    }),
})

function refusePointUnless(action: BackupAction, point: VolumeBackup): void {
  if (!backupCan(action, point)) throw problemOf(whyBackupNotNow(point))
}

async function createInstant(engine: Engine, scope: ProjectScope, order: InstantOrder): Promise<VolumeBackup[]> {
  return engine.records.transaction(async (tx) => {
    const found: { volume: Volume; instance: Instance | null }[] = []
    for (const id of order.volume_ids) found.push(await lockVolume(tx, scope, id))
    const [first] = found
    if (!first) throw problem('storage.no_volumes_to_back_up')
    const machine = first.instance
    for (const { volume, instance } of found) {
      // one moment is possible only for the volumes of one machine
      if (found.length > 1 && (instance === null || instance.id !== machine?.id)) throw notFound()
      if (!volumeCanBeCaptured(volume)) throw problemOf(whyVolumeNotNow(volume))
    }
    const owner = ownerOf(scope, first.volume)
    // the size is known only after the capture
    await checkQuotas(engine, tx, owner, { volumes_backups: { amount: 1 } })
    await checkSpace(engine, 0)
    const target = await targetId(engine, tx)
    const instant_id = randomUUID()
    const points: VolumeBackup[] = []
    for (const { volume } of found) {
      const taken_at = await timeAfter(tx, volume.id)
      const point: VolumeBackup = {
        ...{ id: randomUUID(), name: order.name, description: order.description, status: 'creating', progress: null },
        ...{ fault: null, volume_id: volume.id, volume_name: volume.name, size: volume.size, stored_size: null },
        ...{ is_incremental: false, parent_id: null, has_dependents: false, instant_id, consistency: 'crash' },
        ...{ taken_at, server_id: machine?.id ?? null, server_name: machine?.name ?? null },
        device: volume.attachments[0]?.device ?? null,
        storage_policy_name: volume.storage_policy_name,
        ...{ backup_plan_id: order.plan?.id ?? null, backup_plan_name: order.plan?.name ?? null },
        ...{ verified_at: null, damaged_by: null, restore_test: null },
        ...{ project_id: owner.project_id, domain_id: owner.domain_id, user_id: owner.user_id },
        ...{ created_at: taken_at, updated_at: taken_at },
      }
      const { image_id, image_name } = volume
      // a system may have been installed on a disk that was blank
      const isBootDisk = machine?.volumes.some(({ id, boot_index }) => id === volume.id && boot_index === 0) ?? false
      const bootable = volume.bootable || isBootDisk
      const plan = await tx.getPrivate<VolumePlan>('volume', volume.id)
      const stored: StoredPoint = {
        ...{ target, file: null, isCaptured: false, volume: { bootable, image_id, image_name }, plan },
      }
      await tx.put(POINT, point)
      await tx.putPrivate(POINT, point.id, stored)
      points.push(point)
    }
    await tx.startJob({
      name: 'compute.volume_backup.create',
      subject: pointSubject(points[0]!),
      // nothing else may change the files of the volumes
      holds: machine ? [subjectOf(machine)] : [volumeSubject(first.volume)],
      args: { points: points.map(({ id }) => id), volumes: found.map(({ volume }) => volume.id), full: order.full },
      scope: owner,
      cancellable: true,
    })
    return points
  })
}

/** The current time, but later than any recovery point of the volume, so that the order stays right if the clock is set back. */
async function timeAfter(tx: RecordsTransaction, volumeId: string): Promise<string> {
  const last = Math.max(...(await pointsOf(tx, volumeId)).map(({ taken_at }) => Date.parse(taken_at) + 1), 0)
  return new Date(Math.max(Date.now(), last)).toISOString()
}

async function beginDeletion(tx: RecordsTransaction, scope: Scope, point: VolumeBackup): Promise<VolumeBackup> {
  const changed = await changePoint(tx, point, { status: 'deleting', fault: null })
  await tx.startJob({ name: 'compute.volume_backup.delete', subject: pointSubject(point), args: {}, scope })
  return changed
}

/** Deletes those of the recovery points that no other one needs. Others are merged into the one that needs them. */
const expirePoints = (engine: Engine, scope: Scope, ids: readonly string[]): Promise<void> =>
  engine.records.transaction(async (tx) => {
    const going = new Set<string>()
    const needed: VolumeBackup[] = []
    // a recovery point needs only earlier ones
    for (const id of ids.toReversed()) {
      const point = await tx.lock<VolumeBackup>(POINT, id)
      if (!point || !actsOn(scope, point.project_id) || !backupCan('delete', { ...point, has_dependents: false }))
        continue
      const children = await childrenOf(tx, id)
      if (children.every((child) => going.has(child.id))) {
        going.add(id)
        await beginDeletion(tx, scope, point)
      } else needed.unshift(point)
    }
    const [first] = needed
    // the oldest chain: those that follow each other from a full one
    if (first?.parent_id !== null) return
    const chain: VolumeBackup[] = [first]
    for (const point of needed) if (point.parent_id === chain.at(-1)!.id) chain.push(point)
    await beginMerge(tx, scope, chain)
  })

async function restorePoint(
  engine: Engine,
  scope: ProjectScope,
  id: string,
  { name, storage_policy }: { name: string; storage_policy?: string | undefined },
): Promise<Restoration> {
  refuseOtherPolicy(storage_policy, 'storage_policy')
  return engine.records.transaction(async (tx) => {
    const point = await lockOwn<VolumeBackup>(tx, POINT, scope, id)
    refusePointUnless('restore', point)
    if (point.damaged_by !== null) throw problem('storage.backup_damaged', { name: point.name })
    const target = { id: await targetId(engine, tx) }
    const chain = await chainOf(tx, point)
    for (const one of chain) storedAt(target, await storedPoint(tx, one.id))
    const owner: ProjectScope = { ...scope, project_id: point.project_id, domain_id: point.domain_id }
    await checkQuotas(engine, tx, owner, { volumes: { amount: 1 }, storage: { amount: point.size } })
    await checkSpace(
      engine,
      chain.reduce((sum, { stored_size }) => sum + (stored_size ?? 0), 0),
    )
    const { volume: kept, plan } = (await storedPoint(tx, id))!
    const host = engine.hypervisor.host.hostname
    const volume: Volume = {
      ...newVolume(owner, { id: randomUUID(), name, size: point.size, bootable: kept.bootable, image: null, host }),
      ...{ image_id: kept.image_id, image_name: kept.image_name, progress: 0 },
    }
    await tx.put('volume', volume)
    if (plan) await tx.putPrivate('volume', volume.id, plan)
    const changed = await changePoint(tx, point, { status: 'restoring', fault: null })
    await tx.startJob({
      name: 'compute.volume_backup.restore',
      subject: volumeSubject(volume),
      // their files must not be merged meanwhile
      holds: chain.map(pointSubject),
      args: { point: id },
      scope: owner,
      cancellable: true,
    })
    return { ...changed, restored_volume_id: volume.id }
  })
}
