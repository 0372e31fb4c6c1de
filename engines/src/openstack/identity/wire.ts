import * as z from 'zod'
import type { DomainRecord, ProjectRecord } from '../../ports/identity'

// https://docs.openstack.org/api-ref/identity/v3/

export const WireDomain = z.object({ id: z.string(), name: z.string(), enabled: z.boolean() })
export const WireProject = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  domain_id: z.string(),
  enabled: z.boolean(),
})
export const WireUser = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  email: z.string().nullish(),
  enabled: z.boolean(),
  /** Identities from identity providers; empty for a local user. */
  federated: z.array(z.object({ idp_id: z.string() })).nullish(),
})
export type WireUser = z.output<typeof WireUser>

export const toDomain = ({ id, name, enabled }: z.output<typeof WireDomain>): DomainRecord => ({ id, name, enabled })
export const toProject = ({
  id,
  name,
  description,
  domain_id,
  enabled,
}: z.output<typeof WireProject>): ProjectRecord => ({ id, name, description: description ?? '', domain_id, enabled })
