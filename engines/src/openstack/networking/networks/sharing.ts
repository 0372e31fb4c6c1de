import { accessActions, type AccessAction } from '@mainstay/contract/networking/access'
import * as z from 'zod'
import type { Query } from '../../client/service-client'
import type { Reading } from '../../kind-reader'
import { unlessGone } from '../../read-each'

/** The cloud's words for what a policy lets somebody do with a network. */
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

/** With which projects each network is shared: `*` is all of them. */
export type Sharing = ReadonlyMap<string, ProjectPolicy[]>

interface ProjectPolicy {
  target_project: string
  actions: AccessAction[]
}

const EVERYBODY = '*'
const pageSize = 1000

/**
 * Neutron's policies of networks, of these or of all; null where it has none, so that only a network itself can tell.
 * What a network says of its being shared is said to who asks, which is the service account. Neutron keeps policies for
 * projects that are gone; they are left out.
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
            // where nobody can be asked whether a project is there, its policy counts
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

/** Whether everybody's machines may use a network; where there are no policies, as it says itself. */
export const isSharedWithAll = (sharing: Sharing | null, networkId: string, says: boolean): boolean =>
  sharing === null
    ? says
    : (sharing
        .get(networkId)
        ?.some(({ target_project, actions }) => target_project === EVERYBODY && actions.includes('direct')) ?? false)
