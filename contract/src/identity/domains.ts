import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Time } from '../core/names'
import { TenancyName } from './tenancy-names'

/** A tenant: a customer or a department with its own users and projects. */
export const Domain = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Users of a disabled domain cannot sign in. The resources in its projects keep running. */
  enabled: z.boolean(),
  projects_count: z.number().int(),
  users_count: z.number().int(),
  /** Null if the cloud does not report it. */
  created_at: Time.nullable(),
})
export type Domain = z.infer<typeof Domain>

export const DomainDraft = z
  .strictObject({ name: TenancyName, description: Description.default(''), enabled: z.boolean().default(true) })
  .meta({ examples: [{ name: 'Research' }] })
export type DomainDraft = z.infer<typeof DomainDraft>

export const DomainChange = z
  .strictObject({ name: TenancyName, description: Description, enabled: z.boolean() })
  .partial()
  .meta({ examples: [{ description: 'Research department' }] })
export type DomainChange = z.infer<typeof DomainChange>

export const domainKind = kind({
  name: 'domain',
  entity: Domain,
  visibility: 'administered',
  owns: 'domain_id',
  hasUniqueName: true,
  filters: ['id', 'name', 'enabled'],
  sortKeys: ['name', 'enabled', 'projects_count', 'users_count', 'created_at'],
  permissions: { collection: 'domains', item: 'domain' },
})

const path = '/api/v2/domains'
const summary = 'Update a domain. Disabling it ends the sessions of its users.'
export const domains = endpoints({
  ...crud(domainKind, { path, called: ['a domain', 'domains'], draft: DomainDraft }),
  update: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('domain'),
    summary,
    body: DomainChange,
    reply: Domain,
  },
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('domain'),
    summary: 'Delete a domain. It must not contain projects. If it has users, set `delete_users` to delete them, too.',
    query: z.strictObject({ delete_users: z.enum(['true', 'false']).default('false') }),
    reply: z.void(),
  },
})
