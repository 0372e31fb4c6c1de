import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { Log } from '../ports/records'
import { FactsReader } from './facts/facts-reader'
import { openLocalLink } from './local-link'
import type { NodeLink } from './node-link'
import { openSshLink, type SshTarget } from './ssh-link'
import { sweepKeys } from './ssh/key-folders'

/** A link to a host, with a reader of its facts that remembers the previous reading. */
export interface OpenHost {
  link: NodeLink
  read(signal: AbortSignal): Promise<HostFacts>
}

/** How a host is reached: the host of this server, or a registered host. */
export type HostTarget = { by: 'local' } | ({ by: 'ssh' } & SshTarget)

/** Opens links to hosts. Tests replace it. */
export interface Hosts {
  /** Throws a `LinkFault`, or the reason of the signal. */
  open(target: HostTarget, signal: AbortSignal): Promise<OpenHost>
}

/** Links to real hosts. `dataFolder`: folder of the platform on its own host. */
export function realHosts({ log, dataFolder }: { log: Pick<Log, 'warn'>; dataFolder: string }): Hosts {
  sweepKeys().catch((err: unknown) => log.warn({ err }, 'failed to remove keys that were left behind'))
  return {
    async open(target, signal) {
      const isLocal = target.by === 'local'
      const link = isLocal ? await openLocalLink() : await openSshLink(target, signal)
      const reader = new FactsReader(link, { log, ...(isLocal && { dataFolder }) })
      return { link, read: (limit) => reader.read(limit) }
    },
  }
}
