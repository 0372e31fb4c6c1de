import { setTimeout as pause } from 'node:timers/promises'
import { volumeIsErrored } from '@mainstay/contract/storage/volume-rules'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'

/** How long to wait for a new volume, and between reads, in milliseconds. */
export interface VolumePatience {
  look: number
  atMost: number
}
export const usualPatience: VolumePatience = { look: 1_000, atMost: 30_000 }

const Status = z.object({ volume: z.object({ status: z.string() }) })

/**
 * Waits until a new volume is available. Returns `failed` if the cloud could not create it, and `slow` if it is still
 * being created at the end of the wait.
 */
export async function untilAvailable(
  cloud: ServiceClient,
  id: string,
  { look, atMost }: VolumePatience,
): Promise<'available' | 'failed' | 'slow'> {
  for (const end = Date.now() + atMost; Date.now() < end; await pause(look)) {
    const { volume } = await cloud.get('volume', `/volumes/${id}`, Status)
    if (volume.status === 'available') return 'available'
    if (volumeIsErrored(volume)) return 'failed'
  }
  return 'slow'
}
