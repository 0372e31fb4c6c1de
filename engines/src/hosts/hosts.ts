import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { NodeLink } from './node-link'
import type { SshTarget } from './ssh-link'

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
