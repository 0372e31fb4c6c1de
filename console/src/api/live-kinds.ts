import { allKinds } from '@mainstay/contract/resources'
import type { ResourceName } from '@mainstay/contract/permissions'

/** Receiving changes to these kinds requires permission to read a single object, not to list them (S2§4). */
const ofIdentity = { domain: 'domain', user: 'domain_user', project: 'domain_project' } as const

/** Every kind in the contract, with the permission required to receive its changes. */
export const liveKinds: Readonly<Record<string, ResourceName>> = {
  ...Object.fromEntries(Object.values(allKinds).map(({ name, permissions }) => [name, permissions.collection])),
  ...ofIdentity,
}
