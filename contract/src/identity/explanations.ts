import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { abilities } from '../core/abilities'
import { Id } from '../core/names'
import { resourceNames } from '../permissions'

/** Checks that are made before a call is executed, in this order. */
export const checkCodes = [
  'panel',
  'user_enabled',
  'domain_enabled',
  'project_entered',
  'project_enabled',
  'project_domain_enabled',
  'token',
  'permission',
  'object_visible',
  'rule',
  'quota',
] as const
export type CheckCode = (typeof checkCodes)[number]

export const Check = z.object({
  code: z.enum(checkCodes),
  /** Null if the result depends on more than the user and the call, such as the body or the remaining quota. */
  passed: z.boolean().nullable(),
  message: z.string(),
  /**
   * Data for the message: `{ resource, ability }` for a permission, `{ err_code }` for a rule, `{ quotas }` for quotas.
   */
  data: z.record(z.string(), z.unknown()),
})
export type Check = z.infer<typeof Check>

/** A role that the user has in the scope of the call, and where it comes from. */
export const HeldRole = z.object({
  role: z.string(),
  /** Scope in which the role was assigned. */
  given_in: z.enum(['system', 'domain', 'project']),
  /** Group that grants the role; null if it is assigned to the user. */
  group: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** Whether the role permits the call. */
  allows: z.boolean(),
})
export type HeldRole = z.infer<typeof HeldRole>

/** A role that would grant the missing permission. */
export const GrantingRole = z.object({ role: z.string(), given_in: z.enum(['system', 'domain', 'project']) })
export type GrantingRole = z.infer<typeof GrantingRole>

export const Explanation = z.object({
  user: z.object({ id: z.string(), name: z.string() }),
  call: z.object({ name: z.string(), verb: z.string(), path: z.string(), summary: z.string() }),
  /** Scope of the user: a project, the user's domain, the whole system, or none (only the user's own account). */
  scope: z.object({
    kind: z.enum(['system', 'domain', 'project', 'none']),
    project: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  /** Whether all checks pass. */
  allowed: z.boolean(),
  checks: z.array(Check),
  roles: z.array(HeldRole),
  /** Roles that would allow the call; empty if no permission is missing. */
  would_allow: z.array(GrantingRole),
})
export type Explanation = z.infer<typeof Explanation>

/** A user who can make a call. */
export const Holder = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  /** Roles that permit the call. */
  roles: z.array(HeldRole),
})
export type Holder = z.infer<typeof Holder>

export const Holders = z.object({
  data: z.array(Holder),
  /** Roles that would each permit the call, limited to those that the caller can assign. */
  roles: z.array(GrantingRole),
  /** Marker of the next page; null on the last page. */
  next: z.string().nullable(),
})
export type Holders = z.infer<typeof Holders>

/** A call that can be explained. */
export const ExplainedCall = z.object({
  name: z.string(),
  summary: z.string(),
  /** API list in which the call's object can be found with `search`; null if the call does not concern an object. */
  objects: z
    .object({
      list: z.string().describe('Path of the list.'),
      /** Permission required for the list. */
      needs: z.object({ resource: z.enum(resourceNames), ability: z.enum(abilities) }),
      kind: z.string(),
      /** Whether the list can be filtered by `project_id`. */
      of_project: z.boolean(),
    })
    .nullable(),
  /** Whether the call is about one object, given as `object_id`. */
  is_about_one: z.boolean(),
})
export type ExplainedCall = z.infer<typeof ExplainedCall>

/** Page size of the list of users who can make a call. */
export const HOLDERS_ON_PAGE = 20

const Call = z.string().max(100).describe('ID of an operation in this document, for example `volumes.delete`.')
const ObjectId = Id.optional().describe('ID of the object, if the call is about one.')

export const explanations = endpoints({
  calls: {
    verb: 'GET',
    path: '/api/v2/permissions/calls',
    needs: 'signed-in',
    summary: 'List the calls that can be explained. These are all calls of the API.',
    reply: z.object({ data: z.array(ExplainedCall) }),
  },
  explain: {
    verb: 'GET',
    path: '/api/v2/permissions/explanation',
    needs: 'signed-in',
    summary: 'Explain whether a user can make a call. Works for yourself and for users that you manage.',
    query: z.strictObject({
      call: Call,
      user_id: Id.optional().describe('ID of the user. Default: you.'),
      project_id: Id.optional().describe('ID of the project in which the call is made. Default: no project.'),
      object_id: ObjectId,
    }),
    reply: Explanation,
  },
  holders: {
    verb: 'GET',
    path: '/api/v2/permissions/holders',
    needs: read('domain_users'),
    summary: 'List the users who can make a call. Returns only users that you manage.',
    query: z.strictObject({
      call: Call,
      project_id: Id.optional().describe('ID of the project in which the call is made. Default: no project.'),
      object_id: ObjectId,
      marker: z.string().max(200).optional().describe('`next` of the previous page.'),
    }),
    reply: Holders,
  },
})
