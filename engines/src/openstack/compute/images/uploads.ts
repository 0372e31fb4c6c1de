import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { RecordsTransaction } from '../../../ports/records'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { patchType } from './change'
import { imageReader, isHalfUploaded, WireImage } from './shape'

/*
 * Tracks uploads in progress, each with the last heartbeat of its server. If a server dies, another server removes its
 * uploads.
 */

const recordKind = 'image-uploads'
const recordId = 'begun'
/** Last heartbeat of each upload by image ID, in milliseconds since 1970. */
type Begun = Record<string, number>

const beatMs = 5_000
/**
 * After this long without a heartbeat, a server counts as dead or cut off from the database, and its upload is removed.
 */
const silentMs = 45_000
const lookMs = 15_000

type Tools = Pick<Engine, 'records' | 'reading' | 'refresh' | 'log'>

const change = ({ records }: Pick<Engine, 'records'>, work: (begun: Begun) => void): Promise<void> =>
  records.transaction(async (tx) => {
    await tx.exclusive(recordKind)
    const begun = await read(tx)
    work(begun)
    await tx.putPrivate(recordKind, recordId, begun)
  })
const read = async (tx: RecordsTransaction): Promise<Begun> => (await tx.getPrivate<Begun>(recordKind, recordId)) ?? {}

/** Records an upload before anything is sent to the cloud, and sends heartbeats until the upload ends. */
export async function beginUpload(tools: Tools, id: string): Promise<{ end(): Promise<void>; abandon(): void }> {
  const beat = () =>
    change(tools, (begun) => {
      begun[id] = Date.now()
    })
  await beat()
  const timer = setInterval(() => {
    beat().catch((error: unknown) => tools.log.warn({ error, image: id }, 'failed to record an upload'))
  }, beatMs)
  timer.unref()
  return {
    async end() {
      clearInterval(timer)
      await change(tools, (begun) => {
        delete begun[id]
      })
    },
    /** Keeps the record, so that `watchUploads` can remove the upload later. */
    abandon: () => clearInterval(timer),
  }
}

export const isUploading = async ({ records }: Pick<Engine, 'records'>, id: string): Promise<boolean> =>
  records.transaction(async (tx) => id in (await read(tx)))

/** Deletes an image even if it is protected. Succeeds if the image no longer exists. */
export async function takeBack(caller: ServiceClient, id: string): Promise<void> {
  const path = `/images/${id}`
  const remove = () => unlessGone(caller.send('DELETE', 'image', path, z.void()))
  try {
    await remove()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'image_protected') throw error
    const body = [{ op: 'replace', path: '/protected', value: false }]
    await caller.send('PATCH', 'image', path, z.void(), { headers: patchType, body })
    await remove()
  }
}

/** Removes incomplete uploads of dead servers, now and periodically until `stop` is called. */
export function watchUploads(tools: Tools): { look(): Promise<void>; stop(): void } {
  const look = () => takeBackSilent(tools)
  const lookQuietly = () => {
    look().catch((error: unknown) => tools.log.warn({ error }, 'failed to look for interrupted uploads'))
  }
  lookQuietly()
  const timer = setInterval(lookQuietly, lookMs)
  timer.unref()
  return { look, stop: () => clearInterval(timer) }
}

async function takeBackSilent(tools: Tools): Promise<void> {
  const begun = await tools.records.transaction(read)
  const silent = Object.keys(begun).filter((id) => begun[id]! < Date.now() - silentMs)
  for (const id of silent) {
    try {
      await takeBackHalf(tools, id)
      await change(tools, (now) => {
        if (now[id] === begun[id]) delete now[id]
      })
    } catch (error) {
      tools.log.warn({ error, image: id }, 'failed to clean up an interrupted upload; retrying')
    }
  }
}

async function takeBackHalf({ reading: { caller }, refresh, log }: Tools, id: string): Promise<void> {
  const image = await unlessGone(caller.get('image', `/images/${id}`, WireImage))
  // the server may have died after completing the upload
  if (image && (isHalfUploaded(image) || ['queued', 'saving', 'uploading'].includes(image.status))) {
    log.info({ image: id }, 'removing the upload of a server that died')
    await takeBack(caller, id)
  }
  await unlessGone(refresh(imageReader, id))
}
