import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import { mappingFaults } from './mapping-faults'

/** Who may say who somebody is in the place of a password. */
export const IdentityProvider = z.object({
  id: z.string(),
  /** For people. */
  name: z.string(),
  /** The domain whose people it knows; null for one that stands for itself. */
  domain_name: z.string().nullable(),
})
export type IdentityProvider = z.infer<typeof IdentityProvider>

/** Why signing in through an identity provider came to nothing; the page says it in words. */
export const handOverFaults = [
  /** Nobody has begun to sign in here, or elsewhere, or too long ago; or it is over already. */
  'stale',
  /** What came did not come from where it was asked for, or is no proof of who somebody is. */
  'refused',
  'access_disabled',
  'forbidden',
  'too_many_attempts',
  'server_busy',
  'engine_unavailable',
  /** The provider says that nobody has signed in there, or that they did not want to. */
  'declined',
  /** The provider cannot be asked, or takes too long. */
  'provider_unavailable',
  /** What it says is not true by its own keys, or is meant for somebody else. */
  'provider_untrusted',
  /** Its clock and ours are too far apart. */
  'provider_clock',
  ...mappingFaults,
  'unknown',
] as const
export type HandOverFault = (typeof handOverFaults)[number]

/** Where an identity provider's answer arrives. The cloud behind the engine must know this address and trust it. */
export const LANDING_PATH = '/auth/landing'

const base = '/api/v2/login/providers'
export const handOver = endpoints({
  providers: {
    verb: 'GET',
    path: base,
    needs: 'public',
    summary: 'Identity providers through which one may sign in',
    query: z.strictObject({
      /** Name of a domain: leaves out the providers of others. */
      domain: z.string().max(255).optional(),
    }),
    reply: z.object({ data: z.array(IdentityProvider) }),
  },
  begin: {
    verb: 'POST',
    path: `${base}/:id`,
    needs: 'public',
    summary: 'Begin to sign in through an identity provider; for browsers, which go on at the address that is answered',
    reply: z.object({ address: z.string() }),
  },
})
