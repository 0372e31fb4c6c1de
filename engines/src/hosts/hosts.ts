import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { Log } from '../ports/records'
import { FactsReader } from './facts/facts-reader'
import { openLocalLink } from './local-link'
import type { NodeLink } from './node-link'
import { openSshLink, type SshTarget } from './ssh-link'
import { sweepKeys } from './ssh/key-folders'

/** An open link to a host, with a fact reader that remembers the previous reading. */
export interface OpenHost {
  link: NodeLink
  read(signal: AbortSignal): Promise<HostFacts>
}

/** How to reach a host: it is either the host of this server or a registered host. */
export type HostTarget = { by: 'local' } | ({ by: 'ssh' } & SshTarget)

/** Opens links to hosts. Tests use another implementation. */
export interface Hosts {
  /** Throws a `LinkFault`, or the reason of the signal. */
  open(target: HostTarget, signal: AbortSignal): Promise<OpenHost>
}

/** Opens links to real hosts. `dataFolder`: data folder of the platform on the server's own host. */
export function realHosts({ log, dataFolder }: { log: Pick<Log, 'warn'>; dataFolder: string }): Hosts {
  sweepKeys().catch((err: unknown) => log.warn({ err }, 'failed to remove keys that were left behind'))
  return {
    async open(target, signal) {
      const isLocal = target.by === 'local'
      const link = isLocal ? await openLocalLink() : await openSshLink(target, signal)
      const reader = new FactsReader(link, { log, ...(isLocal && { dataFolder }) })
      return {
        link,
        async read(limit) {
          const facts = await reader.read(limit)
          // the rights of a link are fixed, so the next reading opens another link
          if (reader.mayHaveMoreRights) await link.close()
          return facts
        },
      }
    },
  }
}
