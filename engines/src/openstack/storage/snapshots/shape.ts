import { GiB } from '@mainstay/contract/core/bytes'
import { snapshotInProgress, snapshotIsErrored } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import * as z from 'zod'
import type { CallOptions } from '../../client/service-client'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach, rowOfEach } from '../../read-each'
import { WireTime } from '../../wire-time'
import { latestMessage } from '../latest-message'

/** A snapshot in Cinder. */
export const WireSnapshot = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  status: z.string(),
  volume_id: z.string(),
  /** In GiB. */
  size: z.number(),
  'os-extended-snapshot-attributes:project_id': z.string(),
  user_id: z.string().nullish(),
  created_at: WireTime,
  updated_at: WireTime.nullish(),
})
type WireSnapshot = z.output<typeof WireSnapshot>

async function rowOf(reading: Reading, snapshot: WireSnapshot): Promise<VolumeSnapshot> {
  const { id, name, description, status, volume_id, size, user_id, created_at, updated_at } = snapshot
  const project_id = snapshot['os-extended-snapshot-attributes:project_id']
  return {
    id,
    name: name || id,
    description: description ?? '',
    status,
    fault: snapshotIsErrored(snapshot) ? await latestMessage(reading, id) : null,
    volume_id,
    size: size * GiB,
    project_id,
    domain_id: await reading.domainOf(project_id),
    user_id: user_id ?? '',
    created_at,
    updated_at: updated_at ?? created_at,
  }
}

/** First microversion that returns who created a snapshot. */
const userVersion = '3.41'
const pageSize = 500

const optionsOf = async ({ caller }: Reading, signal: AbortSignal | undefined): Promise<CallOptions> => ({
  ...((await caller.offers('volume', userVersion)) && { version: userVersion }),
  ...(signal && { signal }),
})

/** Snapshots in all projects. */
export const snapshotReader: KindReader<VolumeSnapshot> = {
  kind: 'volume_snapshot',
  service: 'volume',
  list: 'snapshots',

  async *all(reading, signal) {
    const options = { ...(await optionsOf(reading, signal)), query: { all_tenants: 1, limit: pageSize } }
    for await (const page of reading.caller.pages('volume', '/snapshots/detail', 'snapshots', WireSnapshot, options))
      yield await rowOfEach(reading, 'snapshots', page, (snapshot) => rowOf(reading, snapshot))
  },

  async some(reading, ids, signal) {
    const options = await optionsOf(reading, signal)
    const shape = z.object({ snapshot: WireSnapshot })
    const readOne = async (id: string) => {
      const { snapshot } = await reading.caller.get('volume', `/snapshots/${encodeURIComponent(id)}`, shape, options)
      return rowOf(reading, snapshot)
    }
    return readEach(ids, readOne, unreadableIn(reading, 'snapshots'))
  },

  isBusy: snapshotInProgress,
}
