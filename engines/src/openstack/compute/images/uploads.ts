import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { RecordsTransaction } from '../../../ports/records'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { patchType } from './change'
import { imageReader, isHalfUploaded, WireImage } from './shape'

/*
 * Which images are being uploaded, and when their servers were last heard of. What a server that died had begun is
 * taken back by the next one that looks.
 */

const recordKind = 'image-uploads'
const recordId = 'begun'
/** Image ids with the time of the last word of their server, milliseconds since 1970. */
type Begun = Record<string, number>

const beatMs = 5_000
/** A server that was silent for so long is dead, or has lost the database; its upload is broken off. */
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

/** Notes an upload before anything of it is in the cloud, and keeps the note fresh until it is ended. */
export async function beginUpload(tools: Tools, id: string): Promise<{ end(): Promise<void>; abandon(): void }> {
  const beat = () =>
    change(tools, (begun) => {
      begun[id] = Date.now()
    })
  await beat()
  const timer = setInterval(() => {
    beat().catch((error: unknown) => tools.log.warn({ error, image: id }, 'an upload could not be noted'))
  }, beatMs)
  timer.unref()
  return {
    async end() {
      clearInterval(timer)
      await change(tools, (begun) => {
        delete begun[id]
      })
    },
    /** Leaves the note, so that what could not be taken back is taken back later. */
    abandon: () => clearInterval(timer),
  }
}

export const isUploading = async ({ records }: Pick<Engine, 'records'>, id: string): Promise<boolean> =>
  records.transaction(async (tx) => id in (await read(tx)))

/** Deletes an image that must not stay, whatever was done to it meanwhile. One that is gone is fine. */
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

/** Takes back what servers that died left half uploaded: now, and again and again until it is told to stop. */
export function watchUploads(tools: Tools): { look(): Promise<void>; stop(): void } {
  const look = () => takeBackSilent(tools)
  const lookQuietly = () => {
    look().catch((error: unknown) => tools.log.warn({ error }, 'broken uploads could not be looked for'))
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
      tools.log.warn({ error, image: id }, 'a broken upload could not be taken back; it is tried again')
    }
  }
}

async function takeBackHalf({ reading: { caller }, refresh, log }: Tools, id: string): Promise<void> {
  const image = await unlessGone(caller.get('image', `/images/${id}`, WireImage))
  // it may have been whole when its server died
  if (image && (isHalfUploaded(image) || ['queued', 'saving', 'uploading'].includes(image.status))) {
    log.info({ image: id }, 'an upload whose server died is taken back')
    await takeBack(caller, id)
  }
  await unlessGone(refresh(imageReader, id))
}
