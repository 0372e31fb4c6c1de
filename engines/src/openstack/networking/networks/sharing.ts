import { accessActions, type AccessAction } from '@mainstay/contract/networking/access'
import * as z from 'zod'
import type { Query } from '../../client/service-client'
import type { Reading } from '../../kind-reader'
import { unlessGone } from '../../read-each'

/** Neutron's names for the actions. */
export const actionInCloud = { direct: 'access_as_shared', routed: 'access_as_external' } as const satisfies Record<
  AccessAction,
  string
>
const actionOf = (word: string): AccessAction | undefined => accessActions.find((it) => actionInCloud[it] === word)

export const WirePolicy = z
  .object({
    id: z.string().default(''),
    object_id: z.string(),
    action: z.string(),
    target_tenant: z.string().nullish(),
    target_project: z.string().nullish(),
  })
  .transform(({ target_project, target_tenant, action, ...policy }) => ({
    ...policy,
    target: (target_project ?? target_tenant) || null,
    action: actionOf(action),
  }))

/** Projects that each network is shared with; `*` means all. */
export type Sharing = ReadonlyMap<string, ProjectPolicy[]>

interface ProjectPolicy {
  target_project: string
  actions: AccessAction[]
}

const EVERYBODY = '*'
const pageSize = 1000

/**
 * Reads the Neutron policies for these networks, or for all networks if null. Returns null if the cloud does not
 * support policies. The `shared` flag of a network cannot be used, because it depends on the caller, which is the
 * service account. Policies of deleted projects are omitted.
 */
export async function sharingOf(
  { caller, isProject }: Reading,
  networkIds: readonly string[] | null,
  signal?: AbortSignal,
): Promise<Sharing | null> {
  const query: Query = { object_type: 'network', limit: pageSize, ...(networkIds && { object_id: networkIds }) }
  return unlessGone(
    (async () => {
      const sharing = new Map<string, ProjectPolicy[]>()
      const isThere = new Map<string, boolean>()
      const options = { query, ...(signal && { signal }) }
      for await (const page of caller.pages('network', '/rbac-policies', 'rbac_policies', WirePolicy, options))
        for (const { object_id, target, action } of page) {
          if (!target || !action) continue
          if (!isThere.has(target))
            // if the project cannot be checked, keep its policy
            isThere.set(target, target === EVERYBODY || !isProject || (await isProject(target).catch(() => true)))
          if (isThere.get(target)) note(sharing, object_id, target, action)
        }
      return sharing
    })(),
  )
}

function note(sharing: Map<string, ProjectPolicy[]>, networkId: string, target: string, action: AccessAction): void {
  const policies = sharing.get(networkId) ?? []
  sharing.set(networkId, policies)
  const one = policies.find(({ target_project }) => target_project === target)
  if (one) one.actions = accessActions.filter((it) => it === action || one.actions.includes(it))
  else policies.push({ target_project: target, actions: [action] })
  policies.sort((a, b) => (a.target_project < b.target_project ? -1 : 1))
}

/**
 * Whether all projects may connect instances to a network. Without policies, the network's own flag, `says`, applies.
 */
export const isSharedWithAll = (sharing: Sharing | null, networkId: string, says: boolean): boolean =>
  sharing === null
    ? says
    : (sharing
        .get(networkId)
        ?.some(({ target_project, actions }) => target_project === EVERYBODY && actions.includes('direct')) ?? false)
