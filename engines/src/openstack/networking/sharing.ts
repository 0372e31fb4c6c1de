import * as z from 'zod'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Query } from '../client/caller'
import type { Reading } from '../kind-reader'
import { unlessGone } from '../read-each'

const WirePolicy = z.object({
  object_id: z.string(),
  action: z.string(),
  target_tenant: z.string().nullish(),
  target_project: z.string().nullish(),
})

/** With whom each network is shared: `*` is everybody. */
export type Sharing = ReadonlyMap<string, Network['rbac_policies']>

const pageSize = 1000

/**
 * Neutron's policies of networks, of these or of all; null where it has none, so that only a network itself can tell.
 * What a network says of its being shared is said to who asks, which is the service account.
 */
export async function sharingOf(
  { caller }: Reading,
  networkIds: readonly string[] | null,
  signal?: AbortSignal,
): Promise<Sharing | null> {
  const query: Query = { object_type: 'network', limit: pageSize, ...(networkIds && { object_id: networkIds }) }
  return unlessGone(
    (async () => {
      const sharing = new Map<string, Network['rbac_policies']>()
      const options = { query, ...(signal && { signal }) }
      for await (const page of caller.pages('network', '/rbac-policies', 'rbac_policies', WirePolicy, options))
        for (const policy of page) note(sharing, policy)
      return sharing
    })(),
  )
}

function note(sharing: Map<string, Network['rbac_policies']>, policy: z.output<typeof WirePolicy>): void {
  const { object_id, action } = policy
  const target = policy.target_project ?? policy.target_tenant
  if (!target) return
  const policies = sharing.get(object_id) ?? []
  sharing.set(object_id, policies)
  const one = policies.find(({ target_project }) => target_project === target)
  if (one) one.actions = [...one.actions, action].toSorted()
  else policies.push({ target_project: target, actions: [action] })
  policies.sort((a, b) => (a.target_project < b.target_project ? -1 : 1))
}

/** Whether everybody may use a network; where there are no policies, as it says itself. */
export const isSharedWithAll = (sharing: Sharing | null, networkId: string, says: boolean): boolean =>
  sharing === null
    ? says
    : (sharing
        .get(networkId)
        ?.some(({ target_project, actions }) => target_project === '*' && actions.includes('access_as_shared')) ??
      false)
