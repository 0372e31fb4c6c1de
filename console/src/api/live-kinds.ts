import { allKinds } from '@mainstay/contract/resources'
import type { ResourceName } from '@mainstay/contract/permissions'

/** Whom a project belongs to and who works in it: announced, though rows of them are in no index. */
const ofIdentity = { domain: 'domain', user: 'domain_user', project: 'domain_project' } as const

/** Kinds whose changes the console understands, and the right that reading them takes: all that the contract has. */
export const liveKinds: Readonly<Record<string, ResourceName>> = {
  ...ofIdentity,
  ...Object.fromEntries(Object.values(allKinds).map(({ name, permissions }) => [name, permissions.collection])),
}
