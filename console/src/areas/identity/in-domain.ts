import * as z from 'zod'
import { textsNow } from '../../i18n/use-t'
import { domainNow, useIsAllTenants } from '../../session/session'

/** Schema of the field for the domain of a new object. The field is shown only to users who can access all domains. */
export const InDomain = z.object({
  domain_id: z
    .string()
    .nullable()
    .refine((id) => id !== null && id !== '', { error: () => textsNow('identity')('domains.choose') }),
})

/** The form's initial domain, and whether the user has to choose one. */
export function useDomainOfForm(): { isAsked: boolean; start: { domain_id: string | null } } {
  const isAsked = useIsAllTenants()
  return { isAsked, start: { domain_id: isAsked ? null : domainNow() } }
}
