import { allKinds } from '@mainstay/contract/resources'
import type { ResourceName } from '@mainstay/contract/permissions'

/** Of who there is, one hears with the right to read one, and not with that to read the list (S2§4). */
const ofIdentity = { domain: 'domain', user: 'domain_user', project: 'domain_project' } as const

/** Kinds whose changes the console understands, and the right that reading them takes: all that the contract has. */
export const liveKinds: Readonly<Record<string, ResourceName>> = {
  ...Object.fromEntries(Object.values(allKinds).map(({ name, permissions }) => [name, permissions.collection])),
  ...ofIdentity,
}
