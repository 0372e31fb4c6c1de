import { allKinds } from '@mainstay/contract/resources'
import type { ResourceName } from '@mainstay/contract/permissions'

/** Changes of these require the right to read one object, not the right to list them (S2§4). */
const ofIdentity = { domain: 'domain', user: 'domain_user', project: 'domain_project' } as const

/** Every kind of the contract, with the right that is needed to receive its changes. */
export const liveKinds: Readonly<Record<string, ResourceName>> = {
  ...Object.fromEntries(Object.values(allKinds).map(({ name, permissions }) => [name, permissions.collection])),
  ...ofIdentity,
}
