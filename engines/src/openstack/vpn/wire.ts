import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import { pageSize, whole } from '../networking/wire'

/*
 * VPN connections in the network service: https://docs.openstack.org/api-ref/network/v2/#vpnaas-2-0. The service
 * reports no times, and returns the pre-shared key to everyone who can read a connection, so requests select only the
 * other fields.
 */

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
const Named = { id: z.string(), name: Text, description: Text, project_id: z.string() }
const OrNull = z.string().nullish()

export const WireService = z.object({
  ...Named,
  router_id: z.string(),
  /** The only local subnet of a connection without endpoint groups. */
  subnet_id: OrNull,
  admin_state_up: z.boolean().default(true),
  external_v4_ip: OrNull,
  external_v6_ip: OrNull,
  status: z.string(),
})
export type WireService = z.output<typeof WireService>

const Lifetime = z.object({ units: z.string(), value: z.number() })
const Algorithms = { encryption_algorithm: z.string(), auth_algorithm: z.string(), pfs: z.string(), lifetime: Lifetime }

export const WireIkePolicy = z.object({
  ...Named,
  ...Algorithms,
  ike_version: z.string(),
  phase1_negotiation_mode: z.string(),
})
export type WireIkePolicy = z.output<typeof WireIkePolicy>

export const WireIpsecPolicy = z.object({
  ...Named,
  ...Algorithms,
  transform_protocol: z.string(),
  encapsulation_mode: z.string(),
})
export type WireIpsecPolicy = z.output<typeof WireIpsecPolicy>

export const WireGroup = z.object({ ...Named, type: z.string(), endpoints: z.array(z.string()) })
export type WireGroup = z.output<typeof WireGroup>

export const WireConnection = z.object({
  ...Named,
  peer_address: z.string(),
  peer_id: z.string(),
  local_id: Text,
  initiator: z.string(),
  dpd: z.object({ action: z.string(), interval: z.number(), timeout: z.number() }),
  admin_state_up: z.boolean().default(true),
  status: z.string(),
  vpnservice_id: z.string(),
  ikepolicy_id: z.string(),
  ipsecpolicy_id: z.string(),
  /** Remote ranges of a connection without endpoint groups. */
  peer_cidrs: z
    .array(z.string())
    .nullish()
    .transform((cidrs) => cidrs ?? []),
  local_ep_group_id: OrNull,
  peer_ep_group_id: OrNull,
})
export type WireConnection = z.output<typeof WireConnection>

export const fieldsOf = (shape: { shape: object }): readonly string[] => Object.keys(shape.shape)

/** For each list, its path and the names used in its responses. */
export const lists = {
  services: { path: '/vpn/vpnservices', key: ['vpnservices', 'vpnservice'], item: WireService },
  ike: { path: '/vpn/ikepolicies', key: ['ikepolicies', 'ikepolicy'], item: WireIkePolicy },
  ipsec: { path: '/vpn/ipsecpolicies', key: ['ipsecpolicies', 'ipsecpolicy'], item: WireIpsecPolicy },
  groups: { path: '/vpn/endpoint-groups', key: ['endpoint_groups', 'endpoint_group'], item: WireGroup },
  connections: {
    path: '/vpn/ipsec-site-connections',
    key: ['ipsec_site_connections', 'ipsec_site_connection'],
    item: WireConnection,
  },
} as const
export type ListName = keyof typeof lists

export const at = (list: ListName, id: string): string => `${lists[list].path}/${encodeURIComponent(id)}`

/** Returns the rows of a list that match the query. */
export const rowsOf = <Name extends ListName>(
  caller: Pick<ServiceClient, 'pages'>,
  list: Name,
  query: Record<string, string | string[]> = {},
  signal?: AbortSignal,
): Promise<z.output<(typeof lists)[Name]['item']>[]> => {
  const { path, key, item } = lists[list]
  const options = { query: { ...query, fields: fieldsOf(item), limit: pageSize }, ...(signal && { signal }) }
  return whole(caller.pages('network', path, key[0], item as z.ZodType, options)) as Promise<
    z.output<(typeof lists)[Name]['item']>[]
  >
}

/** Returns the secrets to remove from error messages. */
const secretsOf = ({ psk }: { psk?: string }) => (psk === undefined ? {} : { secrets: [psk] })

/** Creates a row and returns its ID. */
export async function make(caller: ServiceClient, list: ListName, body: object & { psk?: string }): Promise<string> {
  const one = lists[list].key[1]
  const Made = z.object({ [one]: z.object({ id: z.string() }) })
  const options = { body: { [one]: body }, ...secretsOf(body) }
  const answer = await caller.send('POST', 'network', lists[list].path, Made, options)
  return answer[one]!.id
}

export async function change(
  caller: ServiceClient,
  list: ListName,
  id: string,
  body: object & { psk?: string },
): Promise<void> {
  const options = { body: { [lists[list].key[1]]: body }, ...secretsOf(body) }
  await caller.send('PUT', 'network', at(list, id), z.void(), options)
}
