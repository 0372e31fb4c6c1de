import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import { cinderRefusal } from './refusals'

export type FakeSnapshot = Record<string, unknown> & {
  id: string
  name: string
  status: string
  size: number
  volume_id: string
  created_at: string
}

export interface FakeSnapshots {
  snapshots: Map<string, FakeSnapshot>
  /** IDs of snapshots with dependent volumes. The service accepts their deletion, but does not complete it. */
  withChildren: Set<string>
  addSnapshot(snapshot: Partial<FakeSnapshot> & { volume_id: string }): FakeSnapshot
}

interface CapturedVolume {
  id: string
  status: string
  size: number
}

/** The effects of snapshots on calls for volumes, in the words of the volume service. */
interface SnapshotRules {
  settleSnapshots(): void
  /** Refuses a new volume that cannot be created from its snapshot. */
  whyNoVolume(draft: { size: number; snapshot_id?: string }): Reply | null
  /** Reverts the volume, or refuses to. */
  revert(volume: CapturedVolume, id: string): Reply | null
  snapshotsOf(volume: CapturedVolume): FakeSnapshot[]
}

const owner = 'os-extended-snapshot-attributes:project_id'
/** First minor microversion that returns who created a snapshot. */
const userMinor = 41
/** Returns the minor part of the microversion that the caller requests. */
export const minorOf = ({ headers }: Received) =>
  Number(/^volume 3\.(\d+)$/.exec(String(headers['openstack-api-version']))?.[1] ?? 0)
export const isAdmin = ({ token }: Received) => token?.roles.some(({ name }) => name === 'admin') ?? false

/** Serves the snapshots in the volume service. `beyondQuota` refuses more GiB than the quota allows. */
export function fakeSnapshots(
  cloud: FakeCloud,
  volumes: ReadonlyMap<string, CapturedVolume>,
  beyondQuota: (more: number) => Reply | null,
): FakeSnapshots & SnapshotRules {
  const snapshots = new Map<string, FakeSnapshot>()
  const withChildren = new Set<string>()
  // the volume service returns times without a time zone
  const now = () => new Date().toISOString().replace('Z', '000')
  const none = (id: string | undefined) => cinderRefusal(404, 'itemNotFound', `Snapshot ${id} could not be found.`)

  function addSnapshot(snapshot: Partial<FakeSnapshot> & { volume_id: string }): FakeSnapshot {
    const volume = volumes.get(snapshot.volume_id)
    const made = {
      ...{ id: randomUUID(), name: '', description: null, status: 'available', size: volume?.size ?? 1, metadata: {} },
      ...{ created_at: now(), updated_at: null, user_id: 'u-demo', group_snapshot_id: null },
      ...{ [owner]: 'p-demo', 'os-extended-snapshot-attributes:progress': '100%' },
      ...snapshot,
    }
    snapshots.set(made.id, made)
    return made
  }
  const snapshotsOf = ({ id }: CapturedVolume) => [...snapshots.values()].filter(({ volume_id }) => volume_id === id)

  const shown = ({ user_id, ...snapshot }: FakeSnapshot, call: Received) => ({
    ...snapshot,
    ...(minorOf(call) >= userMinor && { user_id }),
  })
  const on = (verb: string, path: string, answer: (snapshot: FakeSnapshot, call: Received) => Reply) =>
    cloud.on('volume', verb, path, (call) => {
      const snapshot = snapshots.get(call.params['id'] ?? '')
      const isVisible = snapshot && (snapshot[owner] === call.token?.project?.id || isAdmin(call))
      return isVisible ? answer(snapshot, call) : none(call.params['id'])
    })

  cloud.on('volume', 'POST', '/snapshots', (call) => {
    const { snapshot } = call.body as { snapshot: Partial<FakeSnapshot> & { volume_id: string; force?: boolean } }
    const { force = false, ...draft } = snapshot
    const volume = volumes.get(draft.volume_id)
    if (!volume) return cinderRefusal(404, 'itemNotFound', `Volume ${draft.volume_id} could not be found.`)
    const allowed = force ? ['available', 'in-use'] : ['available']
    if (!allowed.includes(volume.status)) {
      const words = `status must be ${allowed.join(', ')}, but current status is: ${volume.status}.`
      return cinderRefusal(400, 'badRequest', `Invalid volume: Volume ${volume.id} ${words}`)
    }
    const refused = beyondQuota(volume.size)
    if (refused) return refused
    const { user, project } = call.token!
    const made = addSnapshot({ ...draft, status: 'creating', user_id: user.id, [owner]: project?.id ?? '' })
    return { status: 202, body: { snapshot: shown(made, call) } }
  })
  on('GET', '/snapshots/:id', (snapshot, call) => ({ body: { snapshot: shown(snapshot, call) } }))
  cloud.on('volume', 'GET', '/snapshots/detail', (call) => {
    const volume = call.query.get('volume_id')
    const rows = [...snapshots.values()].filter(({ volume_id }) => volume === null || volume_id === volume)
    return { body: { snapshots: rows.map((row) => shown(row, call)) } }
  })
  on('PUT', '/snapshots/:id', (snapshot, call) => {
    Object.assign(snapshot, (call.body as { snapshot: object }).snapshot)
    return { body: { snapshot: shown(snapshot, call) } }
  })
  on('DELETE', '/snapshots/:id', (snapshot) => {
    if (!['available', 'error'].includes(snapshot.status)) {
      const words = 'Snapshot status must be available or error and must not be part of a group.'
      return cinderRefusal(400, 'badRequest', `Invalid snapshot: ${words}`)
    }
    snapshot.status = 'deleting'
    return { status: 202 }
  })
  on('POST', '/snapshots/:id/action', (snapshot, call) => {
    const action = call.body as Record<string, Record<string, unknown>>
    if (action['os-reset_status']) {
      const rule = 'volume_extension:snapshot_admin_actions:reset_status'
      if (!isAdmin(call)) return cinderRefusal(403, 'forbidden', `Policy doesn't allow ${rule} to be performed.`)
      snapshot.status = String(action['os-reset_status']['status'])
    }
    return { status: 202 }
  })

  return {
    ...{ snapshots, withChildren, addSnapshot, snapshotsOf },
    settleSnapshots() {
      for (const snapshot of snapshots.values()) {
        const isKept = snapshot.status !== 'deleting' || withChildren.has(snapshot.id)
        if (!isKept) snapshots.delete(snapshot.id)
        if (['creating', 'restoring', 'deleting'].includes(snapshot.status)) snapshot.status = 'available'
      }
    },
    whyNoVolume({ size, snapshot_id }) {
      if (snapshot_id === undefined) return null
      const snapshot = snapshots.get(snapshot_id)
      if (!snapshot) return none(snapshot_id)
      const invalid = (words: string) => cinderRefusal(400, 'badRequest', words)
      if (snapshot.status !== 'available')
        return invalid("Invalid snapshot: Originating snapshot status must be one of 'available' values")
      if (size >= snapshot.size) return null
      const words = `Volume size '${size}'GB cannot be smaller than the snapshot size ${snapshot.size}GB.`
      return invalid(`Invalid input received: ${words} They must be >= original snapshot size.`)
    },
    revert(volume, id) {
      const newest = snapshotsOf(volume).reduce<FakeSnapshot | null>(
        (last, one) => (last === null || one.created_at >= last.created_at ? one : last),
        null,
      )
      if (newest?.id !== id) {
        const words = `Specified snapshot ${id} is None or not the latest one of volume ${volume.id}.`
        return cinderRefusal(400, 'badRequest', words)
      }
      const what = `Can't revert volume ${volume.id} to its latest snapshot ${id}.`
      if (volume.size !== newest.size) {
        return cinderRefusal(400, 'badRequest', `${what} The volume size must be equal to the snapshot size.`)
      }
      for (const [about, status] of [
        ['Volume', volume.status],
        ['Snapshot', newest.status],
      ] as const) {
        const words = `Invalid ${about.toLowerCase()}: ${what} ${about}'s status must be 'available'.`
        if (status !== 'available') return cinderRefusal(409, 'conflictingRequest', words)
      }
      volume.status = 'reverting'
      newest.status = 'restoring'
      return null
    },
  }
}
