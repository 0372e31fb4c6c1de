import { flavors } from './compute/flavors'
import { images } from './compute/images'
import { instances } from './compute/instances'
import { computeNodes } from './compute/nodes'
import { placementCarriers, placements } from './compute/placements'
import { domainQuotas, quotas } from './compute/quotas'
import type { Endpoint } from './core/endpoint'
import {
  alsoNamed,
  booleans,
  completed,
  each,
  ignored,
  inside,
  jsonParams,
  listParams,
  lowerCase,
  microseconds,
  nullsIgnored,
  numbers,
  objects,
  pem,
  renamed,
  sizeFilter,
  sizes,
  tagless,
  unpaged,
  values,
  words,
  type Rewrite,
  type Tolerance,
} from './core/tolerance'
import { groups } from './identity/groups'
import { systemAccounts } from './identity/system-accounts'
import { users } from './identity/users'
import { nodes } from './infrastructure/nodes'
import { insertableHeaders } from './load-balancing/forwarding'
import { loadBalancers } from './load-balancing/load-balancers'
import { loadBalancerPools } from './load-balancing/pools'
import { networks } from './networking/networks'
import { securityGroups } from './networking/security-groups'
import { notifications } from './settings/notifications'
import { alerts } from './monitoring/alerts'
import { auditLog } from './monitoring/audit-log'
import { storagePolicies } from './storage/storage-policies'
import { volumes } from './storage/volumes'
import { ipsecSiteConnections } from './vpn/connections'
import { ikePolicies, ipsecPolicies } from './vpn/policies'

/*
 * What programs written for this family of APIs send and expect, where it differs from the preferred form. The schemas
 * of the calls and the OpenAPI document know the preferred form only; the server applies this table before it parses.
 * docs/api/README.md says the same to people.
 */

/** The first volume of several says when it boots; the only one boots. */
const soleVolumeBoots: Rewrite = (draft) => {
  const list = draft['volumes']
  if (!Array.isArray(list) || list.length !== 1) return draft
  const sole: unknown = list[0]
  if (typeof sole !== 'object' || sole === null || Object.hasOwn(sole, 'boot_index')) return draft
  return { ...draft, volumes: [{ ...sole, boot_index: 0 }] }
}

/** A disc is an image with a drive for it; nothing of it is copied or kept. */
const discs: Rewrite = (volume) =>
  volume['device_type'] === 'cdrom' && volume['source'] === 'image'
    ? ignored(['device_type', 'size', 'rm', 'storage_policy_name'])({ ...volume, source: 'iso' })
    : volume

const volumeOfInstance: readonly Rewrite[] = [
  renamed({ source_type: 'source', uuid: 'id', volume_size: 'size', delete_on_termination: 'rm' }),
  discs,
  // the hypervisor's own best choice stands
  ignored(['disk_bus']),
  ignored(['device_type'], (type) => type === 'disk'),
  numbers('boot_index'),
  values(['boot_index'], (place) => (place === -1 ? null : place)),
  booleans('rm'),
  sizes('size'),
]

const networkOfInstance: readonly Rewrite[] = [
  renamed({ network_id: 'id', mac_addr: 'mac' }),
  objects('fixed_ips', 'ip_address'),
  booleans('spoofing_protection'),
]

/** All domains are everyone, as all projects are. */
const sharedWithAll = each('rbac_policies', (policy) =>
  policy['target_domain'] === '*' ? renamed({ target_domain: 'target_project' })(policy) : policy,
)

/** A role of nothing is none, and nobody has a role in a domain that is not their own. */
const isWithoutRoles = (assigned: unknown) =>
  Array.isArray(assigned) &&
  assigned.every((it: { roles?: unknown } | null) => Array.isArray(it?.roles) && it.roles.length === 0)
const rightsTaken: readonly Rewrite[] = [
  each(
    'assigned_projects',
    values(['role'], (role) => role ?? 'none'),
  ),
  ignored(['assigned_domains'], isWithoutRoles),
]

/** With a certificate, TLS of clients ends at the balancer wherever plain HTTP goes on to the members. */
const tlsEnds: Rewrite = (pool) =>
  pool['protocol'] === 'HTTPS' && pool['backend_protocol'] === 'HTTP' && typeof pool['certificate'] === 'string'
    ? { ...pool, tls_enabled: true }
    : pool

const udp = { 'UDP-CONNECT': 'UDP' }
const poolOfBalancer: readonly Rewrite[] = [
  numbers('connection_limit'),
  booleans('enabled', 'sticky_session', 'tls_enabled', 'proxy_protocol_enabled'),
  words('protocol', udp),
  words('backend_protocol', udp),
  inside('insert_headers', booleans(...insertableHeaders)),
  inside(
    'healthmonitor',
    words('type', { UDP: 'UDP-CONNECT' }),
    numbers('delay', 'timeout', 'max_retries', 'max_retries_down'),
    booleans('enabled'),
  ),
  each('members', numbers('weight'), booleans('enabled')),
  pem('certificate', 'private_key', 'client_ca'),
  each('sni_certificates', pem('certificate', 'private_key')),
  tlsEnds,
]

/** Groups that are made with a connection have no ID yet. */
const groupsOfVpn = ['local_ep_group', 'peer_ep_group'].map((group) => inside(group, nullsIgnored('id')))
const connectionOfVpn = inside(
  'ipsec_site_connection',
  booleans('split_selector'),
  lowerCase('initiator'),
  inside('dpd', numbers('interval', 'timeout')),
)
const policyOfVpn: readonly Rewrite[] = [inside('lifetime', numbers('value'))]

const visibility = { shared: 'private' }
const isFalse = (value: unknown) => value === false || value === 'false' || value === 'False'

/** `{"filters": {"enabled": "False"}}` asks for those that are disabled as well, and for all of them at once. */
const gridOfAlerts: Rewrite = (query) => {
  if (!Object.hasOwn(query, 'params')) return query
  const { enabled, ...others } = listParams(query)
  const isChosen = enabled !== undefined && !isFalse(enabled)
  const chosen = isChosen && { enabled: enabled === true ? 'true' : enabled }
  return lowerCase('enabled')(unpaged({ ...others, ...chosen }))
}
/** Clients look for an alert by a number in what they list like that, and change it by this number. */
const numberedAlert: readonly Rewrite[] = [numbers('id'), microseconds('datetime')]

/** What each call tolerates. */
export const tolerances: ReadonlyMap<Endpoint, Tolerance> = new Map<Endpoint, Tolerance>([
  [instances.list, { query: [renamed({ ip_address: 'ip' })] }],
  [
    instances.create,
    {
      body: [
        numbers('count'),
        booleans('ha_enabled', 'allow_live_resize'),
        // keys and scripts reach the guest in any case, and its firmware is that of its image
        ignored(['config_drive']),
        ignored(['uefi'], isFalse),
        each('networks', ...networkOfInstance),
        each('volumes', ...volumeOfInstance),
        soleVolumeBoots,
      ],
    },
  ],
  [instances.update, { body: [booleans('ha_enabled', 'allow_live_resize')] }],
  [instances.stop, { body: [booleans('hard'), numbers('timeout')] }],
  [instances.reboot, { body: [booleans('hard')] }],
  [instances.reset, { body: [lowerCase('state')] }],
  [instances.attachInterface, { body: networkOfInstance }],
  [instances.updateInterface, { body: [objects('fixed_ips', 'ip_address'), booleans('spoofing_protection')] }],
  [
    instances.attachVolume,
    { body: [renamed({ uuid: 'volume_id', id: 'volume_id' }), booleans('delete_on_termination')] },
  ],
  ...[instances.events, instances.event].map(
    (call) =>
      [call, { answer: [alsoNamed({ user_name: 'username', started_at: 'start_time', result: 'status' })] }] as const,
  ),
  [images.create, { headers: [words('x-hci-image-visibility', visibility)] }],
  [
    images.update,
    {
      body: [
        words('visibility', visibility),
        booleans('protected', 'allow_set_password'),
        numbers('min_disk', 'min_ram'),
      ],
    },
  ],
  [flavors.create, { body: [numbers('vcpus', 'ram', 'swap')] }],
  [placements.create, { body: [booleans('isolated')] }],
  [placements.assign, { body: placementCarriers.map((carrier) => renamed({ [carrier]: 'ids' })) }],
  [
    volumes.list,
    {
      query: [renamed({ volume_type: 'storage_policy' }), sizeFilter('size')],
    },
  ],
  [
    volumes.create,
    {
      body: [
        sizes('size'),
        renamed({ imageRef: 'image_id' }),
        booleans('bootable'),
        ignored(['network_install'], isFalse),
      ],
    },
  ],
  // clients say of every network what only those on hardware have
  [
    networks.createPrivate,
    {
      body: [
        ignored(['default_vnic_type'], (type) => type === 'normal'),
        ignored(['rbac_policies'], (policies) => Array.isArray(policies) && policies.length === 0),
      ],
    },
  ],
  ...[networks.createPublic, networks.createVlan, networks.update].map(
    (call) => [call, { body: [sharedWithAll] }] as const,
  ),
  // volumes carry no placements of their own, so there are none to take away
  [volumes.update, { body: [ignored(['no_placements']), ignored(['network_install'], isFalse), booleans('bootable')] }],
  [
    loadBalancers.create,
    { body: [numbers('ip_version'), booleans('enabled', 'ha_enabled'), each('pools', ...poolOfBalancer)] },
  ],
  ...[securityGroups.list, securityGroups.view, securityGroups.create, securityGroups.update, securityGroups.put].map(
    (call) => [call, { answer: [completed({ tags: [] })] }] as const,
  ),
  [loadBalancers.update, { body: [booleans('enabled')] }],
  ...[loadBalancerPools.create, loadBalancerPools.update].map((call) => [call, { body: poolOfBalancer }] as const),
  [
    ipsecSiteConnections.create,
    {
      body: [
        ...groupsOfVpn,
        connectionOfVpn,
        inside('ikepolicy', ...policyOfVpn),
        inside('ipsecpolicy', ...policyOfVpn),
      ],
    },
  ],
  ...[ipsecSiteConnections.update, ipsecSiteConnections.put].map(
    (call) => [call, { body: [...groupsOfVpn, connectionOfVpn] }] as const,
  ),
  ...[ikePolicies.create, ipsecPolicies.create].map((call) => [call, { body: policyOfVpn }] as const),
  ...[volumes.extend, volumes.clone].map((call) => [call, { body: [sizes('size')] }] as const),
  [auditLog.list, { query: [listParams, renamed({ sort: 'sorters', search: 'filters.contained_text' })] }],
  [
    alerts.list,
    {
      query: [gridOfAlerts, renamed({ sorters: 'sort' })],
      answer: (query) => (Object.hasOwn(query, 'params') ? numberedAlert : [microseconds('datetime')]),
    },
  ],
  [alerts.update, { body: [booleans('enabled', 'suspended')], answer: numberedAlert }],
  ...[alerts.view, alerts.save].map((call) => [call, { answer: [microseconds('datetime')] }] as const),
  [quotas.view, { query: [jsonParams] }],
  ...[users.list, groups.list].map((call) => [call, { query: [tagless] }] as const),
  ...[users.update, users.replace, groups.update].map((call) => [call, { body: rightsTaken }] as const),
  ...[notifications.save, notifications.test].map(
    (call) =>
      [
        call,
        {
          body: [
            inside(
              'notification_settings',
              nullsIgnored('from', 'sender_name', 'cloud_name', 'email_recipients_list', 'alerts_severities'),
            ),
            inside(
              'smtp_settings',
              nullsIgnored('smtp_server', 'port', 'connection_security', 'account_name', 'password'),
              numbers('port'),
            ),
          ],
        },
      ] as const,
  ),
  [domainQuotas.view, { query: [jsonParams] }],
  [computeNodes.list, { query: [jsonParams, ignored(['with_stats']), renamed({ name: 'host' })] }],
  ...[storagePolicies.list, nodes.list, systemAccounts.list].map((call) => [call, { query: [unpaged] }] as const),
])
