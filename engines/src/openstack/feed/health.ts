import { Problem } from '@mainstay/contract/core/problems'
import type { FeedHealth } from '../../ports/feed'
import type { Entity } from '../../ports/records'
import type { Service } from '../client/service-client'
import type { KindReader } from '../kind-reader'

/** Names of the parts of a cloud, as shown to operators. */
const partOfService: Readonly<Record<Service, string>> = {
  compute: 'compute',
  placement: 'compute',
  image: 'images',
  volume: 'volumes',
  network: 'networks',
  identity: 'identity',
  'load-balancer': 'load balancers',
  'key-manager': 'secrets',
}
const isService = (name: unknown): name is Service => typeof name === 'string' && name in partOfService

type Read = Pick<KindReader<Entity>, 'kind' | 'service'>
/** Returns the part of the cloud that serves a kind. */
export const partOf = ({ service }: Pick<Read, 'service'>): string => partOfService[service]

type Part = FeedHealth['parts'][number]

/**
 * Availability of each part of the cloud. A failed read marks the part at fault as unavailable, until a read of the
 * same kind succeeds.
 */
export interface HealthBoard {
  failed(reader: Read, error: unknown): void
  answered(reader: Read): void
  /** Marks a part that serves no kinds, such as `notifications`. Null: the part is available. */
  mark(name: string, message: string | null): void
  parts(): Part[]
}

export function createHealthBoard(readers: readonly Read[], others: readonly string[]): HealthBoard {
  const faults = new Map<string, { part: string; message: string }>()
  const marks = new Map<string, string>()
  const start = new Date().toISOString()
  const parts = new Map<string, Part>(
    ['identity', ...readers.map(partOf), ...others].map((name) => [
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
    failed(reader, error) {
      const service = error instanceof Problem ? error.data['service'] : undefined
      const told = isService(service) ? partOf({ service }) : undefined
      const part = told !== undefined && parts.has(told) ? told : partOf(reader)
      faults.set(reader.kind, { part, message: error instanceof Error ? error.message : String(error) })
      renew()
    },
    answered({ kind }) {
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
