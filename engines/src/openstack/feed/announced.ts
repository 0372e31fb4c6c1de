import { keyId } from '../compute/ssh-keys/shape'
import type { Notification } from './notification'

/** Row to refresh in the index, or all rows of the kind if there is no ID. */
export interface Announced {
  kind: string
  id: string | null
}

type Payload = Record<string, unknown>

/** Default notification exchange for each part of a cloud. */
export const exchangeOfPart: Readonly<Record<string, string>> = {
  compute: 'nova',
  networks: 'neutron',
  volumes: 'cinder',
  images: 'glance',
}

/**
 * Returns the rows to refresh after a notification: the changed rows, and those that include data from them. Instances
 * include their ports and the names of their attached volumes. Notifications about the start of an operation are
 * ignored, because another one follows at the end.
 */
export function rowsAnnounced({ event, payload }: Notification): Announced[] {
  if (event.endsWith('.start')) return []
  const subject = event.replace(/^compute\./, '').split('.')[0]!
  const rows = aboutWhat.get(subject)?.(payload) ?? []
  return [...new Map(rows.map((row) => [`${row.kind}\n${row.id}`, row])).values()]
}

/** Our kinds by their names in Neutron. */
const vpnKinds = {
  vpnservice: 'vpn_service',
  ikepolicy: 'ike_policy',
  ipsecpolicy: 'ipsec_policy',
  endpoint_group: 'vpn_endpoint_group',
  ipsec_site_connection: 'ipsec_site_connection',
}

const aboutWhat = new Map<string, (payload: Payload) => Announced[]>(
  Object.entries({
    // Nova: versioned payloads have `uuid`, older ones `instance_id`
    instance: (payload: Payload) => [
      ...row('server', payload['uuid'] ?? payload['instance_id']),
      ...row('volume', payload['volume_id']),
    ],
    flavor: ({ flavorid }: Payload) => row('flavor', flavorid),
    keypair: ({ user_id, name, key_name }: Payload) =>
      typeof user_id === 'string' ? row('key', keyId(user_id, String(name ?? key_name))) : [],

    // notifications from Cinder
    volume: (payload: Payload) => [
      ...row('volume', payload['volume_id']),
      ...items(payload['volume_attachment']).flatMap((it) => row('server', it['instance_uuid'])),
    ],
    snapshot: ({ snapshot_id }: Payload) => row('volume_snapshot', snapshot_id),
    backup: ({ backup_id }: Payload) => row('volume_backup', backup_id),

    // Glance: after a failed upload, the payload is a string
    image: (payload: Payload) => row('image', payload['image_id'] ?? payload['id']),

    // Neutron: one object, several objects created by one call, or the ID of a deleted object. No notifications are
    // sent
    // for the subnets that are deleted with their network or the rules that are deleted with their security group.
    network: (payload: Payload) => [
      ...several(payload, 'network').flatMap(({ id }) => row('network', id)),
      ...(typeof payload['network_id'] === 'string' ? [{ kind: 'subnet', id: null }] : []),
    ],
    subnet: (payload: Payload) =>
      several(payload, 'subnet').flatMap(({ id, network_id }) => [...row('subnet', id), ...row('network', network_id)]),
    port: (payload: Payload) =>
      several(payload, 'port').flatMap((port) => [...row('port', port['id']), ...aroundPort(port)]),
    router: (payload: Payload) => [
      ...several(payload, 'router').flatMap(({ id }) => row('router', id)),
      // `router.interface.create` and `router.interface.delete`
      ...items([payload['router_interface']]).flatMap(({ id, port_id }) => [
        ...row('router', id),
        ...row('port', port_id),
      ]),
    ],
    floatingip: (payload: Payload) =>
      several(payload, 'floatingip').flatMap(({ id, port_id }) => [...row('floating_ip', id), ...row('port', port_id)]),
    security_group: (payload: Payload) => [
      ...several(payload, 'security_group').flatMap(({ id }) => row('security_group', id)),
      ...(typeof payload['security_group_id'] === 'string' ? [{ kind: 'security_group_rule', id: null }] : []),
    ],
    security_group_rule: (payload: Payload) => [
      ...several(payload, 'security_group_rule').flatMap(({ id, security_group_id }) => [
        ...row('security_group_rule', id),
        ...row('security_group', security_group_id),
      ]),
      // the notification about a deleted rule does not name its group
      ...(typeof payload['security_group_rule_id'] === 'string' ? [{ kind: 'security_group', id: null }] : []),
    ],
    // VPN: the pre-shared key in the payload is ignored
    ...Object.fromEntries(
      Object.entries(vpnKinds).map(([name, kind]) => [
        name,
        (payload: Payload) => several(payload, name).flatMap(({ id }) => row(kind, id)),
      ]),
    ),
    // the notification about a deleted policy does not name its network; subnets are shared together with their network
    rbac_policy: (payload: Payload) => {
      const networks = several(payload, 'rbac_policy').filter(({ object_type }) => object_type === 'network')
      const isGone = typeof payload['rbac_policy_id'] === 'string'
      if (!isGone && networks.length === 0) return []
      return [
        ...(isGone ? [{ kind: 'network', id: null }] : networks.flatMap(({ object_id }) => row('network', object_id))),
        { kind: 'subnet', id: null },
      ]
    },
  }),
)

/** Returns the rows that include data from a port. */
function aroundPort({ device_id, device_owner, security_groups }: Payload): Announced[] {
  const owner = String(device_owner)
  const groups = Array.isArray(security_groups) ? security_groups : []
  return [
    ...(owner.startsWith('compute:') ? row('server', device_id) : []),
    ...(owner.startsWith('network:router_') ? row('router', device_id) : []),
    ...(owner === 'network:floatingip' ? row('floating_ip', device_id) : []),
    ...groups.flatMap((id) => row('security_group', id)),
  ]
}

const row = (kind: string, id: unknown): Announced[] => (typeof id === 'string' && id !== '' ? [{ kind, id }] : [])

const isPayload = (value: unknown): value is Payload => typeof value === 'object' && value !== null
const items = (value: unknown): Payload[] => (Array.isArray(value) ? value.filter(isPayload) : [])

function several(payload: Payload, name: string): Payload[] {
  const one = payload[name]
  return [...(isPayload(one) ? [one] : []), ...items(payload[`${name}s`]), { id: payload[`${name}_id`] }]
}
