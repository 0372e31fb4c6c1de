import * as z from 'zod'
import { textsNow } from '../../i18n/use-t'
import { domainNow, useIsAllTenants } from '../../session/session'

/** In a form: the domain in which something is made. It is asked of those only who act in all of them. */
export const InDomain = z.object({
  domain_id: z
    .string()
    .nullable()
    .refine((id) => id !== null && id !== '', { error: () => textsNow('identity')('domains.choose') }),
})

/** The domain that a form begins with, and whether it is asked. */
export function useDomainOfForm(): { isAsked: boolean; start: { domain_id: string | null } } {
  const isAsked = useIsAllTenants()
  return { isAsked, start: { domain_id: isAsked ? null : domainNow() } }
}
