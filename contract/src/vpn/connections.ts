import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { canonical } from '../networking/addresses'
import { dpdActions, ikeVersions, vpnModes } from './algorithms'
import { VpnDiagnosis, vpnStatuses } from './connection-status'
import { LocalGroupDraft, PeerGroupDraft } from './endpoint-groups'
import { PeerConfiguration } from './peer-configuration'
import { permissions } from './permissions'
import { IkePolicyDraft, IpsecPolicyDraft } from './policies'
import { IDENTITY, peerAddressFault } from './rules'
import { StatusChange } from './status-history'

/** A VPN connection between a router and a peer (EN-047). Its pre-shared key is never returned. */
export const IpsecSiteConnection = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(vpnStatuses),
  /** Message that tells users why the status is not ACTIVE; null if it is ACTIVE, or if the reason is unknown. */
  reason: z.string().nullable(),
  /** Time of the last status change. */
  status_changed_at: z.string().nullable(),
  /** Most recent status changes, newest last; omitted if the engine does not record them. */
  status_history: z.array(StatusChange).optional(),
  /** IP address or host name. */
  peer_address: z.string(),
  peer_id: z.string(),
  /** Identifier of this side; null: this side's address. */
  local_id: z.string().nullable(),
  initiator: z.enum(vpnModes),
  dpd: z.object({
    action: z.enum(dpdActions),
    interval: z.number().int().describe('In seconds.'),
    timeout: z.number().int().describe('In seconds.'),
  }),
  /** Whether each pair of ranges has its own security association, instead of one for all pairs. */
  split_selector: z.boolean(),
  ikepolicy_id: z.string(),
  ipsecpolicy_id: z.string(),
  local_ep_group_id: z.string(),
  peer_ep_group_id: z.string(),
  vpnservice_id: z.string(),
  ike_version: z.enum(ikeVersions),
  router_id: z.string(),
  router_name: z.string(),
  /** Address at which the peer reaches this side; null if the router has no external gateway. */
  local_address: z.string().nullable(),
  /** Ranges on this side and on the peer's side. */
  local_subnets: z.array(z.string()),
  remote_subnets: z.array(z.string()),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type IpsecSiteConnection = z.infer<typeof IpsecSiteConnection>

export const MIN_PSK = 8
export const MAX_PSK = 128
const PSK = says('vpn.psk_form', { least: MIN_PSK, most: MAX_PSK })
const Psk = z
  .string()
  .min(MIN_PSK, PSK)
  .max(MAX_PSK, PSK)
  .regex(/^[ -~]*$/, PSK)
const Identity = z
  .string()
  .max(255, says('core.too_long', { most: 255 }))
  .regex(IDENTITY, says('vpn.identity_form'))
const PeerAddress = z
  .string()
  .max(253, says('core.too_long', { most: 253 }))
  .superRefine((it, context) => {
    const message = peerAddressFault(it)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .overwrite(canonical)

export const MAX_DPD_SECONDS = 86_400
export const DEFAULT_DPD = { action: 'hold', interval: 30, timeout: 120 } as const
const SECONDS = says('core.seconds_between', { most: MAX_DPD_SECONDS, least: 1 })
const Seconds = z.int(SECONDS).min(1, SECONDS).max(MAX_DPD_SECONDS, SECONDS)
/** Omitted fields get the defaults in a draft, and stay unchanged in an update. */
const Dpd = z.strictObject({ action: z.enum(dpdActions), interval: Seconds, timeout: Seconds }).partial()
export type Dpd = IpsecSiteConnection['dpd']
export const wholeDpd = (given: z.output<typeof Dpd>, before: Dpd = DEFAULT_DPD): Dpd => ({
  action: given.action ?? before.action,
  interval: given.interval ?? before.interval,
  timeout: given.timeout ?? before.timeout,
})
/** Returns the validation error for the `timeout` field, or null if it is valid. */
export const dpdFault = ({ interval, timeout }: Pick<Dpd, 'interval' | 'timeout'>): RuleText | null =>
  timeout > interval ? null : says('vpn.timeout_above_interval')

const settings = {
  name: ResourceName,
  description: Description,
  peer_address: PeerAddress,
  /** Pre-shared key. It is never returned. */
  psk: Psk,
  peer_id: Identity,
  local_id: Identity.nullable(),
  initiator: z.enum(vpnModes),
  dpd: Dpd,
  split_selector: z.boolean(),
  local_ep_group_id: Id,
  peer_ep_group_id: Id,
}

const Draft = z
  .strictObject({
    ...settings,
    description: settings.description.default(''),
    /** Default: the peer's address. */
    peer_id: settings.peer_id.optional(),
    /** Default: the address of the router's external gateway. */
    local_id: settings.local_id.default(null),
    initiator: settings.initiator.default('bi-directional'),
    dpd: settings.dpd.default({}),
    split_selector: settings.split_selector.default(false),
    local_ep_group_id: settings.local_ep_group_id.optional(),
    peer_ep_group_id: settings.peer_ep_group_id.optional(),
    ikepolicy_id: Id.optional(),
    ipsecpolicy_id: Id.optional(),
  })
  .superRefine(({ dpd }, context) => {
    const message = dpdFault(wholeDpd(dpd))
    if (message) context.addIssue({ code: 'custom', path: ['dpd', 'timeout'], message })
  })

/** Each part is specified either by ID or as a draft. */
const parts = [
  ['ikepolicy', 'ikepolicy_id'],
  ['ipsecpolicy', 'ipsecpolicy_id'],
  ['local_ep_group', 'local_ep_group_id'],
  ['peer_ep_group', 'peer_ep_group_id'],
] as const

/** A connection with all its parts (S2§7). Either all of them are created or none. */
export const ConnectionDraft = z
  .strictObject({
    vpnservice: z.strictObject({ router_id: Id }),
    ipsec_site_connection: Draft,
    ikepolicy: IkePolicyDraft.optional(),
    ipsecpolicy: IpsecPolicyDraft.optional(),
    local_ep_group: LocalGroupDraft.optional(),
    peer_ep_group: PeerGroupDraft.optional(),
  })
  .superRefine((it, context) => {
    for (const [part, id] of parts) {
      const isNamed = it.ipsec_site_connection[id] !== undefined
      if (isNamed === (it[part] !== undefined))
        context.addIssue({
          code: 'custom',
          path: isNamed ? ['ipsec_site_connection', id] : [part],
          message: isNamed ? says('vpn.one_of_two', { part }) : says('vpn.part_required'),
        })
    }
  })
  .meta({
    examples: [
      {
        vpnservice: { router_id: someId('router') },
        ipsec_site_connection: { name: 'branch', peer_address: '203.0.113.9', psk: 'correct horse battery staple' },
        ikepolicy: { name: 'branch-ike' },
        ipsecpolicy: { name: 'branch-ipsec' },
        local_ep_group: { name: 'branch-local', endpoints: [someId('subnet')] },
        peer_ep_group: { name: 'branch-peer', endpoints: ['10.77.0.0/16'] },
      },
    ],
  })
export type ConnectionDraft = z.infer<typeof ConnectionDraft>

/** Policies cannot be changed. If a group is specified, it is created and replaces the existing one. */
export const ConnectionChange = z
  .strictObject({
    ipsec_site_connection: z.strictObject(settings).partial(),
    local_ep_group: LocalGroupDraft,
    peer_ep_group: PeerGroupDraft,
  })
  .partial()
  .superRefine((it, context) => {
    for (const [part, id] of [parts[2], parts[3]])
      if (it[part] && it.ipsec_site_connection?.[id] !== undefined)
        context.addIssue({
          code: 'custom',
          path: ['ipsec_site_connection', id],
          message: says('vpn.one_of_two', { part }),
        })
  })
  .meta({ examples: [{ ipsec_site_connection: { name: 'renamed' } }] })
export type ConnectionChange = z.infer<typeof ConnectionChange>

/** Traffic through a tunnel since it was established. */
export const VpnStats = z.object({
  /** Null if the tunnel is not established. */
  established_at: z.string().nullable(),
  bytes_in: z.number().int(),
  bytes_out: z.number().int(),
  packets_in: z.number().int(),
  packets_out: z.number().int(),
  /** Current security associations. */
  tunnels: z.array(
    z.object({
      local: z.array(z.string()),
      remote: z.array(z.string()),
      installed_at: z.string(),
      rekey_at: z.string().nullable(),
      algorithms: z.string(),
      bytes_in: z.number().int(),
      bytes_out: z.number().int(),
    }),
  ),
})
export type VpnStats = z.infer<typeof VpnStats>

export const connectionKind = kind({
  name: 'ipsec_site_connection',
  entity: IpsecSiteConnection,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    { name: 'peer_address', type: 'text', addresses: true },
    'ike_version',
    'initiator',
    { name: 'router_id', type: 'id' },
    { name: 'vpnservice_id', type: 'id' },
    { name: 'ikepolicy_id', type: 'id' },
    { name: 'ipsecpolicy_id', type: 'id' },
    { name: 'local_ep_group_id', type: 'id' },
    { name: 'peer_ep_group_id', type: 'id' },
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'status', 'peer_address', 'created_at', 'updated_at'],
  search: ['name', 'peer_address', 'description', 'id', 'router_name'],
  permissions,
})

const path = '/api/v2/compute/vpn/ipsec-site-connections'
const usual = crud(connectionKind, {
  path,
  called: ['a VPN connection', 'VPN connections'],
  draft: ConnectionDraft,
  change: ConnectionChange,
  delete: true,
  accepted: ['create'],
  summaries: {
    create: 'Create a VPN connection. Also creates its policies and endpoint groups, unless you give their IDs.',
    delete: 'Delete a VPN connection. Also deletes objects that were created for it and are no longer used.',
  },
})
export const ipsecSiteConnections = endpoints({
  ...usual,
  put: { ...usual.update, verb: 'PUT' },
  restart: {
    verb: 'POST',
    path: `${path}/:id/restart`,
    needs: update('compute_vpn_ipsec_site_connection'),
    summary: 'Restart the tunnel of a VPN connection',
    status: 202,
    reply: IpsecSiteConnection,
  },
  diagnosis: {
    verb: 'GET',
    path: `${path}/:id/diagnosis`,
    needs: read('compute_vpn_ipsec_site_connection'),
    summary: 'Diagnose the tunnel of a VPN connection. Returns why it is down.',
    reply: VpnDiagnosis,
  },
  peerConfiguration: {
    verb: 'GET',
    path: `${path}/:id/peer-configuration`,
    needs: read('compute_vpn_ipsec_site_connection'),
    summary: 'Get the configuration for the peer of a VPN connection',
    reply: PeerConfiguration,
  },
  stats: {
    verb: 'GET',
    path: `${path}/:id/stats`,
    needs: read('compute_vpn_ipsec_site_connection'),
    summary: 'Get the traffic statistics of a VPN connection',
    reply: VpnStats,
  },
})
