import { CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { ChecksumAnswer, ChecksumQuestion } from './checksum.worker'
import { crcOfBlob } from './crc64nvme'

const waiting = new Map<number, (crc: string | null | undefined) => void>()
let worker: Worker | null | undefined
let asked = 0

function startWorker(): Worker | null {
  if (typeof Worker === 'undefined') return null
  const started = new Worker(new URL('checksum.worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data: { id, crc } }: MessageEvent<ChecksumAnswer>) => {
    waiting.get(id)?.(crc)
    waiting.delete(id)
  })
  // the worker script could not be loaded: compute pending checksums on the main thread
  started.addEventListener('error', () => {
    worker = null
    for (const answer of waiting.values()) answer(undefined)
    waiting.clear()
  })
  return started
}

const unreadableFile = () =>
  new CallProblem({
    ...{ kind: 'validation', status: 0, code: 'file_unreadable' },
    message: textsNow('objectStorage')('fault.file'),
  })

/**
 * Computes the base64-encoded CRC-64/NVME checksum of part of a file in a worker. Rejects with `file_unreadable` if the
 * file has been changed, moved or deleted since it was chosen.
 */
export async function checksumOf(blob: Blob): Promise<string> {
  if (worker === undefined) worker = startWorker()
  const id = ++asked
  const crc =
    worker &&
    (await new Promise<string | null | undefined>((resolve) => {
      waiting.set(id, resolve)
      worker?.postMessage({ id, blob } satisfies ChecksumQuestion)
    }))
  if (crc === null && worker) throw unreadableFile()
  return (
    crc ??
    crcOfBlob(blob).catch(() => {
      throw unreadableFile()
    })
  )
}
