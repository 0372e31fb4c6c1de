import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { RoutedCidr } from '../networking/address-fields'
import { permissions } from './permissions'
import { PolicyChange } from './policies'

/** `subnet`: the local side, given as subnet IDs. `cidr`: the peer side, given as ranges. */
export const endpointTypes = ['subnet', 'cidr'] as const
export type EndpointType = (typeof endpointTypes)[number]

/** Endpoints on one side of a tunnel. */
export const VpnEndpointGroup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(endpointTypes),
  /** Subnet IDs, or ranges. */
  endpoints: z.array(z.string()),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type VpnEndpointGroup = z.infer<typeof VpnEndpointGroup>

export const MAX_ENDPOINTS = 50
const listOf = <Item extends z.ZodType<string>>(item: Item, least: string) =>
  z
    .array(item)
    .min(1, least)
    .max(MAX_ENDPOINTS, says('core.too_many_items', { most: MAX_ENDPOINTS }))
    .superRefine((all, context) => {
      for (const [at, one] of all.entries())
        if (all.indexOf(one) !== at) context.addIssue({ code: 'custom', path: [at], message: says('vpn.name_once') })
    })

const named = { name: ResourceName, description: Description.default('') }
/** Subnets of the router. */
export const LocalGroupDraft = z.strictObject({
  ...named,
  type: z.literal('subnet').default('subnet'),
  endpoints: listOf(Id, says('vpn.choose_subnet')),
})
export type LocalGroupDraft = z.infer<typeof LocalGroupDraft>
/** Ranges on the peer side. */
export const PeerGroupDraft = z.strictObject({
  ...named,
  type: z.literal('cidr').default('cidr'),
  endpoints: listOf(RoutedCidr, says('networking.enter_range')),
})
export type PeerGroupDraft = z.infer<typeof PeerGroupDraft>

export const EndpointGroupDraft = z
  .discriminatedUnion('type', [
    LocalGroupDraft.extend({ type: z.literal('subnet') }),
    PeerGroupDraft.extend({ type: z.literal('cidr') }),
  ])
  .meta({ examples: [{ name: 'branch', type: 'cidr', endpoints: ['10.77.0.0/16'] }] })
export type EndpointGroupDraft = z.infer<typeof EndpointGroupDraft>

export const endpointGroupKind = kind({
  name: 'vpn_endpoint_group',
  entity: VpnEndpointGroup,
  visibility: 'project',
  filters: [
    'id',
    'name',
    'type',
    { name: 'endpoint', path: 'endpoints', type: 'tags', addresses: true },
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'created_at'],
  permissions,
})

export const endpointGroups = endpoints(
  crud(endpointGroupKind, {
    path: '/api/v2/compute/vpn/endpoint-groups',
    called: ['a VPN endpoint group', 'VPN endpoint groups'],
    draft: EndpointGroupDraft,
    change: PolicyChange,
    delete: true,
    summaries: { delete: 'Delete a VPN endpoint group. It must not be used by a connection.' },
  }),
)
