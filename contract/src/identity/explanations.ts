import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { abilities } from '../core/abilities'
import { Id } from '../core/names'
import { resourceNames } from '../permissions'

/** What is looked at before a call does anything, in this order. */
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
  /** Null where it depends on more than who asks for what: on what a body says, on what a quota has left. */
  passed: z.boolean().nullable(),
  message: z.string(),
  /** What the sentence is about: `{ resource, ability }` of a permission, `{ err_code }` of a rule, `{ quotas }`. */
  data: z.record(z.string(), z.unknown()),
})
export type Check = z.infer<typeof Check>

/** A role that the user has where the call is made, and where it comes from. */
export const HeldRole = z.object({
  role: z.string(),
  /** Where it was given. */
  given_in: z.enum(['system', 'domain', 'project']),
  /** The group that gives it; null for a role of the user's own. */
  group: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** Whether it is what allows the call. */
  allows: z.boolean(),
})
export type HeldRole = z.infer<typeof HeldRole>

/** A role that would give the right that is missing. */
export const GrantingRole = z.object({ role: z.string(), given_in: z.enum(['system', 'domain', 'project']) })
export type GrantingRole = z.infer<typeof GrantingRole>

export const Explanation = z.object({
  user: z.object({ id: z.string(), name: z.string() }),
  call: z.object({ name: z.string(), verb: z.string(), path: z.string(), summary: z.string() }),
  /** Where the user acts: in a project, in their domain, in the whole installation, or nowhere but in their account. */
  scope: z.object({
    kind: z.enum(['system', 'domain', 'project', 'none']),
    project: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  /** Whether no check refuses. */
  allowed: z.boolean(),
  checks: z.array(Check),
  roles: z.array(HeldRole),
  /** Empty where no right is missing. */
  would_allow: z.array(GrantingRole),
})
export type Explanation = z.infer<typeof Explanation>

/** Somebody who may make a call. */
export const Holder = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  /** The roles that allow it. */
  roles: z.array(HeldRole),
})
export type Holder = z.infer<typeof Holder>

export const Holders = z.object({
  data: z.array(Holder),
  /** Each of these roles alone would allow it, as far as the caller gives roles. */
  roles: z.array(GrantingRole),
  /** Where the next page begins; null where nobody else may. */
  next: z.string().nullable(),
})
export type Holders = z.infer<typeof Holders>

/** A call that can be asked about. */
export const ExplainedCall = z.object({
  name: z.string(),
  summary: z.string(),
  /** Where its object is chosen from: a list of the API that finds by `search`; null where it is about none. */
  objects: z
    .object({
      list: z.string().describe('Path of the list'),
      /** The right that the list takes. */
      needs: z.object({ resource: z.enum(resourceNames), ability: z.enum(abilities) }),
      kind: z.string(),
      /** Whether the list finds those of a project by `project_id`. */
      of_project: z.boolean(),
    })
    .nullable(),
  /** Whether it is about one object, which `object_id` names. */
  is_about_one: z.boolean(),
})
export type ExplainedCall = z.infer<typeof ExplainedCall>

/** People on a page of those who may make a call. */
export const HOLDERS_ON_PAGE = 20

const Call = z.string().max(100).describe('Id of an operation of this document: `volumes.delete`')
const ObjectId = Id.optional().describe('The object of the call, where it is about one')

export const explanations = endpoints({
  calls: {
    verb: 'GET',
    path: '/api/v2/permissions/calls',
    needs: 'signed-in',
    summary: 'The calls that can be asked about, which are all',
    reply: z.object({ data: z.array(ExplainedCall) }),
  },
  explain: {
    verb: 'GET',
    path: '/api/v2/permissions/explanation',
    needs: 'signed-in',
    summary: 'Why somebody may do something, or may not: oneself, or a user whom one administers',
    query: z.strictObject({
      call: Call,
      user_id: Id.optional().describe('Oneself where it is left out'),
      project_id: Id.optional().describe('Where the user would act; without a project where it is left out'),
      object_id: ObjectId,
    }),
    reply: Explanation,
  },
  holders: {
    verb: 'GET',
    path: '/api/v2/permissions/holders',
    needs: read('domain_users'),
    summary: 'Who may do something now, of the users whom the caller administers',
    query: z.strictObject({
      call: Call,
      project_id: Id.optional().describe('Where it would be done; without a project where it is left out'),
      object_id: ObjectId,
      marker: z.string().max(200).optional().describe('`next` of the page before'),
    }),
    reply: Holders,
  },
})
