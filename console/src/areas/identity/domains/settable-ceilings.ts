import { domainQuotaNames } from '@mainstay/contract/all-quotas'
import type { Session } from '../../../session/session'

const none: readonly (typeof domainQuotaNames)[number][] = []
let known: { of: readonly string[]; names: typeof none } | undefined

/**
 * The quotas for which domain ceilings can be set here. Returns the same array until the session changes, to avoid
 * needless renders.
 */
export function settableCeilings({ meta }: Session): typeof none {
  const of = meta?.settable_quotas.of_domains
  if (!of) return none
  if (known?.of !== of) known = { of, names: domainQuotaNames.filter((name) => of.includes(name)) }
  return known.names
}
