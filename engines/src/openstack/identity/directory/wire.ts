import * as z from 'zod'

// https://docs.openstack.org/api-ref/identity/v3/: fields that the directory reads in addition to those of sign-in

export const WireDomain = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  enabled: z.boolean(),
})
export type WireDomain = z.output<typeof WireDomain>

export const WireProject = WireDomain.extend({ domain_id: z.string(), tags: z.array(z.string()).nullish() })
export type WireProject = z.output<typeof WireProject>

export const WireGroup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  domain_id: z.string(),
})
export type WireGroup = z.output<typeof WireGroup>

export const WireUser = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  enabled: z.boolean(),
  /** Not a native attribute: Keystone stores arbitrary additional attributes for users. */
  description: z.string().nullish(),
  email: z.string().nullish(),
  /** Identities from identity providers. Absent in lists. */
  federated: z.array(z.object({ idp_id: z.string() })).nullish(),
})
export type WireUser = z.output<typeof WireUser>

export const WireId = z.object({ id: z.string() })
