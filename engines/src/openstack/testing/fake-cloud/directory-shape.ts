import type { Reply } from './cloud'
import type { FakePeople } from './keystone'
import { keystoneRefusal } from './refusals'

/** Data of a fake Keystone; tests change it as a cloud administrator would. */
export interface Directory {
  domains: { id: string; name: string; enabled: boolean; description?: string }[]
  projects: (FakePeople['projects'][number] & { enabled?: boolean; description?: string; tags?: string[] })[]
  users: (FakePeople['users'][number] & {
    email?: string | null
    description?: string
    federated?: { idp_id: string }[]
  })[]
  /** Roles that users and groups have on projects and on the `system`. */
  assignments: FakePeople['assignments']
  domainAssignments: { user: string; domain: string; role: string }[]
  /** Groups with their system roles; their other roles are in `assignments` and `domainAssignments`. */
  groups: {
    id: string
    users: string[]
    systemRoles: string[]
    name?: string
    description?: string
    domain?: { id: string; name: string }
  }[]
  roles: string[]
  applicationCredentials: FakePeople['applicationCredentials']
  providers: { id: string; description: string; enabled: boolean; domain_id: string; protocols: string[] }[]
}

export const missing = (what: string): Reply => keystoneRefusal(404, 'Not Found', `Could not find ${what}.`)
export const roleOf = (name: string) => ({ id: `r-${name}`, name })

/** Converts rows to the format of the API. */
export const shown = {
  domain: ({ description = '', ...rest }: Directory['domains'][number]) => ({ ...rest, description, options: {} }),
  project: ({ domain, enabled = true, ...rest }: Directory['projects'][number]) => ({
    description: `${rest.name} of ${domain.name}`,
    tags: [],
    ...rest,
    domain_id: domain.id,
    enabled,
    is_domain: false,
  }),
  user: ({ domain, enabled = true, password: _password, ...rest }: Directory['users'][number]) => ({
    ...rest,
    domain_id: domain.id,
    enabled,
    options: {},
  }),
  group: ({ id, name = id, description = '', domain }: Directory['groups'][number]) => ({
    ...{ id, name, description },
    domain_id: domain?.id ?? 'default',
  }),
}
