import { Problem } from '@mainstay/contract/core/problems'
import type { FeedHealth } from '../../ports/feed'
import { cloudKinds } from '../kinds'

/** Parts of the cloud by the names of the client's services. */
const partOfService: Record<string, string> = {
  compute: 'compute',
  placement: 'compute',
  image: 'images',
  volume: 'volumes',
  network: 'networks',
  identity: 'identity',
}
const partOfKind = new Map(cloudKinds.map((it) => [it.kind, it.view === 'feed' ? it.part : 'compute']))
/** The part of the cloud that a kind is read from. */
export const partOf = (kind: string): string => partOfKind.get(kind) ?? 'compute'

type Part = FeedHealth['parts'][number]

/** Which parts of the cloud answer. A kind's read that fails marks the part that failed it, until it succeeds. */
export interface HealthBoard {
  failed(kind: string, error: unknown): void
  answered(kind: string): void
  /** `notifications`, which no kind is read from. */
  mark(name: string, message: string | null): void
  parts(): Part[]
}

export function createHealthBoard(kinds: readonly string[], others: readonly string[]): HealthBoard {
  const faults = new Map<string, { part: string; message: string }>()
  const marks = new Map<string, string>()
  const start = new Date().toISOString()
  const parts = new Map<string, Part>(
    ['identity', ...kinds.map(partOf), ...others].map((name) => [
      name,
      { name, reachable: true, message: null, since: start },
    ]),
  )

  function renew(): void {
    for (const [name, part] of parts) {
      const fault = [...faults.values()].find((it) => it.part === name)
      const message = marks.get(name) ?? fault?.message ?? null
      const reachable = message === null
      const since = part.reachable === reachable ? part.since : new Date().toISOString()
      parts.set(name, { name, reachable, message, since })
    }
  }

  return {
    failed(kind, error) {
      const service = error instanceof Problem ? partOfService[String(error.data['service'])] : undefined
      const part = service && parts.has(service) ? service : partOf(kind)
      faults.set(kind, { part, message: error instanceof Error ? error.message : String(error) })
      renew()
    },
    answered(kind) {
      if (faults.delete(kind)) renew()
    },
    mark(name, message) {
      if (message === null) marks.delete(name)
      else marks.set(name, message)
      renew()
    },
    parts: () => [...parts.values()],
  }
}
