import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { problemFrom, send, type CallInput, type CallOptions } from '../call'
import { cancelled, unreadable } from '../problem'

/** The first bytes of a download. */
export interface Beginning {
  bytes: Uint8Array<ArrayBuffer>
  /** Whether the download has more bytes. */
  isCut: boolean
}

/** Reads at most `most` bytes of a download, then closes the connection. Rejects if the download breaks off. */
export async function callForBeginning<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  most: number,
  options: CallOptions = {},
): Promise<Beginning> {
  const response = await send(endpoint, input, options)
  if (!response.ok) throw await problemFrom(response)
  try {
    return await beginningOf(response, most)
  } catch {
    throw options.signal?.aborted ? cancelled() : unreadable(response.status)
  }
}

async function beginningOf({ body }: Response, most: number): Promise<Beginning> {
  const bytes = new Uint8Array(most)
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
    const room = most - length
    bytes.set(part.value.subarray(0, room), length)
    length += Math.min(room, part.value.length)
    if (part.value.length > room) {
      await reader!.cancel()
      return { bytes, isCut: true }
    }
  }
  return { bytes: bytes.subarray(0, length), isCut: false }
}
