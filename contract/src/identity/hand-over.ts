import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import { mappingFaults } from './mapping-faults'

/** An identity provider offered on the sign-in page. */
export const IdentityProvider = z.object({
  id: z.string(),
  /** Display name. */
  name: z.string(),
  /** Domain of its users; null if the provider is not limited to one. */
  domain_name: z.string().nullable(),
})
export type IdentityProvider = z.infer<typeof IdentityProvider>

/** Why a sign-in through an identity provider failed. The sign-in page shows a message for each. */
export const handOverFaults = [
  /** The sign-in was not started here, has expired, or is already complete. */
  'stale',
  /** The response did not come from the expected source, or does not prove an identity. */
  'refused',
  'access_disabled',
  'forbidden',
  'too_many_attempts',
  'server_busy',
  'engine_unavailable',
  /** The user did not sign in at the provider, or cancelled. */
  'declined',
  /** The provider cannot be reached or is too slow. */
  'provider_unavailable',
  /** The response fails verification with the provider's keys, or is intended for another recipient. */
  'provider_untrusted',
  /** The clocks of the provider and the server differ too much. */
  'provider_clock',
  ...mappingFaults,
  'unknown',
] as const
export type HandOverFault = (typeof handOverFaults)[number]

/** Path to which identity providers send their responses. A cloud behind the engine must trust this URL. */
export const LANDING_PATH = '/auth/landing'

const base = '/api/v2/login/providers'
export const handOver = endpoints({
  providers: {
    verb: 'GET',
    path: base,
    needs: 'public',
    summary: 'List the identity providers for sign-in',
    query: z.strictObject({
      /** Domain name, to exclude providers in other domains. */
      domain: z.string().max(255).optional(),
    }),
    reply: z.object({ data: z.array(IdentityProvider) }),
  },
  begin: {
    verb: 'POST',
    path: `${base}/:id`,
    needs: 'public',
    summary: 'Start a sign-in through an identity provider. Returns the URL at which the browser continues.',
    reply: z.object({ address: z.string() }),
  },
})
