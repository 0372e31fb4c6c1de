import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import { Id } from '../core/names'

/** What is looked at before a call does anything, in this order. */
export const checkCodes = [
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
export const HelpfulRole = z.object({ role: z.string(), given_in: z.enum(['system', 'domain', 'project']) })
export type HelpfulRole = z.infer<typeof HelpfulRole>

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
  would_allow: z.array(HelpfulRole),
})
export type Explanation = z.infer<typeof Explanation>

export const explanations = endpoints({
  explain: {
    verb: 'GET',
    path: '/api/v2/permissions/explanation',
    needs: 'signed-in',
    summary: 'Why somebody may do something, or may not: oneself, or a user whom one administers',
    query: z.strictObject({
      call: z.string().max(100).describe('Id of an operation of this document: `volumes.delete`'),
      user_id: Id.optional().describe('Oneself where it is left out'),
      project_id: Id.optional().describe('Where the user would act; without a project where it is left out'),
      object_id: Id.optional().describe('The object of the call, where it is about one'),
    }),
    reply: Explanation,
  },
})
