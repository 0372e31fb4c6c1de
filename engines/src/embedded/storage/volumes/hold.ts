import type { Instance } from '@mainstay/contract/compute/instances'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { ImageFault } from '../../../image-files/image-fault'
import type { RecordsTransaction, RunAgain } from '../../../ports/records'
import type { Engine } from '../../engine'
import { changeVolume } from '../../rows/volumes'
import { COPYING } from './copies'

/** How long to wait for other work on a volume before checking again, in ms. */
const LOOK_AGAIN_MS = 500

/**
 * Runs `work` on the files of volumes. Detached volumes have the status `maintenance` until `work` ends, so that they
 * cannot be attached. Returns how long to wait if one of the volumes is being changed or copied.
 */
export async function whileHeld(
  engine: Engine,
  volumeIds: readonly string[],
  work: () => Promise<void>,
): Promise<RunAgain | null> {
  const areReady = await engine.records.transaction(async (tx) => {
    const ready: boolean[] = []
    for (const id of volumeIds) ready.push(await isReady(tx, id))
    if (!ready.every(Boolean)) return false
    for (const id of volumeIds) await reserve(tx, id)
    return true
  })
  if (!areReady) return { again: LOOK_AGAIN_MS }
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ImageFault && error.code === 'disk_in_use')) throw error
    return { again: LOOK_AGAIN_MS }
  }
  await releaseVolumes(engine, volumeIds)
  return null
}

/**
 * Whether the file of a volume can be changed now. Locks the volume. The calling job already holds the volume or its
 * machine, so a job that another status announces has not started yet. The only exception is a copy of an attached
 * volume, which does not hold the machine.
 */
async function isReady(tx: RecordsTransaction, id: string): Promise<boolean> {
  const seen = await tx.get<Volume>('volume', id)
  const serverId = seen?.attachments[0]?.server_id
  const instance = serverId === undefined ? null : await tx.lock<Instance>('server', serverId)
  await tx.lock<Volume>('volume', id)
  return instance?.task_state !== COPYING
}

async function reserve(tx: RecordsTransaction, id: string): Promise<void> {
  const volume = await tx.lock<Volume>('volume', id)
  if (volume?.status === 'available') await changeVolume(tx, volume, { status: 'maintenance' })
}

/** Makes held volumes available again. */
export const releaseVolumes = (engine: Engine, volumeIds: readonly string[]): Promise<void> =>
  engine.records.transaction(async (tx) => {
    for (const id of volumeIds) await releaseVolume(tx, await tx.lock<Volume>('volume', id))
  })

export async function releaseVolume(tx: RecordsTransaction, volume: Volume | null): Promise<void> {
  if (volume?.status === 'maintenance') await changeVolume(tx, volume, { status: 'available' })
}
