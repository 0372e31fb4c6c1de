import { parseRange } from '@mainstay/contract/networking/addresses'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type {
  DpdAction,
  IkeVersion,
  VpnAuthAlgorithm,
  VpnEncryptionAlgorithm,
  VpnGroup,
  VpnMode,
} from '@mainstay/contract/vpn/algorithms'
import { DEFAULT_DPD, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { DEFAULT_LIFETIME_SECONDS, type IkePolicy, type IpsecPolicy } from '@mainstay/contract/vpn/policies'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'

/** Whether an object is created together with the connection or already exists. */
export type Way = 'new' | 'have'

export interface PolicyForm {
  way: Way
  id: string | null
  /** If empty, derived from the connection name. */
  name: string
  encryption: VpnEncryptionAlgorithm
  auth: VpnAuthAlgorithm
  group: VpnGroup
  /** Lifetime in seconds. */
  lifetime: number | null
}
export interface IkeForm extends PolicyForm {
  version: IkeVersion
}
export interface LocalForm {
  way: Way
  id: string | null
  name: string
  /** IDs of the router's subnets. */
  subnets: string[]
}
export interface PeerForm {
  way: Way
  id: string | null
  name: string
  /** One range per line. */
  cidrs: string
}
/** The settings that can be changed later, apart from the endpoint groups. */
export interface TunnelForm {
  name: string
  description: string
  peerAddress: string
  psk: string
  /** If empty, the peer's address is used. */
  peerId: string
  /** If empty, the router's address is used. */
  localId: string
  initiator: VpnMode
  dpdAction: DpdAction
  dpdInterval: number | null
  dpdTimeout: number | null
  split: boolean
}
export interface SidesForm {
  router: string | null
  local: LocalForm
  peer: PeerForm
}
export interface VpnForm extends TunnelForm, SidesForm {
  ike: IkeForm
  ipsec: PolicyForm
}

/** Existing objects to which a form refers. */
export interface Known {
  ike: readonly IkePolicy[]
  ipsec: readonly IpsecPolicy[]
  groups: readonly VpnEndpointGroup[]
  subnets: readonly Subnet[]
  connections: readonly IpsecSiteConnection[]
}

/** The preferred value if the engine supports it, otherwise the strongest supported one. */
const usual = <Value extends string>(wanted: Value, offered: readonly Value[] | undefined): Value =>
  !offered || offered.includes(wanted) ? wanted : (offered.at(-1) ?? wanted)

function emptyPolicy(can: VpnCapabilities | null): PolicyForm {
  return {
    ...{ way: 'new', id: null, name: '', lifetime: DEFAULT_LIFETIME_SECONDS },
    encryption: usual('aes-256', can?.encryption_algorithms),
    auth: usual('sha256', can?.auth_algorithms),
    group: usual('group14', can?.groups),
  }
}

/** Initial form values. `router`: the preselected router. */
export function emptyVpnForm(can: VpnCapabilities | null, router: string | null, subnets: readonly string[]): VpnForm {
  return {
    ike: { ...emptyPolicy(can), version: usual('v2', can?.ike_versions) },
    ipsec: emptyPolicy(can),
    router,
    local: { way: 'new', id: null, name: '', subnets: [...subnets] },
    peer: { way: 'new', id: null, name: '', cidrs: '' },
    ...{ name: '', description: '', peerAddress: '', psk: '', peerId: '', localId: '' },
    initiator: usual('bi-directional', can?.modes),
    dpdAction: usual(DEFAULT_DPD.action, can?.dpd_actions),
    ...{ dpdInterval: DEFAULT_DPD.interval, dpdTimeout: DEFAULT_DPD.timeout, split: false },
  }
}

/** Form values for an existing connection. The pre-shared key stays empty because the API never returns it. */
export function formOf(it: IpsecSiteConnection, groups: readonly VpnEndpointGroup[]): TunnelForm & SidesForm {
  const endpoints = (id: string) => groups.find((group) => group.id === id)?.endpoints ?? []
  return {
    router: it.router_id,
    local: { way: 'have', id: it.local_ep_group_id, name: '', subnets: endpoints(it.local_ep_group_id) },
    peer: { way: 'have', id: it.peer_ep_group_id, name: '', cidrs: it.remote_subnets.join('\n') },
    ...{ name: it.name, description: it.description, peerAddress: it.peer_address, psk: '' },
    peerId: it.peer_id === it.peer_address ? '' : it.peer_id,
    localId: it.local_id ?? '',
    initiator: it.initiator,
    ...{ dpdAction: it.dpd.action, dpdInterval: it.dpd.interval, dpdTimeout: it.dpd.timeout, split: it.split_selector },
  }
}

export const linesIn = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')

const endpointsOf = (id: string | null, { groups }: Pick<Known, 'groups'>) =>
  groups.find((group) => group.id === id)?.endpoints ?? []

/** IDs of the local subnets. */
export const localSubnets = (local: LocalForm, known: Pick<Known, 'groups'>): readonly string[] =>
  local.way === 'have' ? endpointsOf(local.id, known) : local.subnets
/** Local ranges; unknown subnets are skipped. */
export const localRanges = (local: LocalForm, known: Pick<Known, 'groups' | 'subnets'>): string[] =>
  localSubnets(local, known).flatMap((id) => known.subnets.find((it) => it.id === id)?.cidr ?? [])
/** Remote ranges; invalid ranges are skipped. */
export const remoteRanges = (peer: PeerForm, known: Pick<Known, 'groups'>): string[] =>
  (peer.way === 'have' ? endpointsOf(peer.id, known) : linesIn(peer.cidrs)).filter((it) => parseRange(it) !== null)

/** The existing IKE policy that was selected, or the new one as entered. */
export const ikeOf = (ike: IkeForm, { ike: there }: Pick<Known, 'ike'>) =>
  ike.way === 'have'
    ? there.find(({ id }) => id === ike.id)
    : { ike_version: ike.version, ...algorithmsOf(ike), lifetime: { value: ike.lifetime ?? 0 } }
/** The existing IPsec policy that was selected, or the new one as entered. */
export const ipsecOf = (ipsec: PolicyForm, { ipsec: there }: Pick<Known, 'ipsec'>) =>
  ipsec.way === 'have'
    ? there.find(({ id }) => id === ipsec.id)
    : { ...algorithmsOf(ipsec), lifetime: { value: ipsec.lifetime ?? 0 } }

export const algorithmsOf = ({ encryption, auth, group }: PolicyForm) => ({
  ...{ encryption_algorithm: encryption, auth_algorithm: auth, pfs: group },
})

/** New objects are named after the connection by default, using up to this many characters of its name. */
const MAX_START = 240
const nameOf = (own: string, connection: string, end: string) =>
  own.trim() === '' ? `${connection.trim().slice(0, MAX_START)}-${end}` : own.trim()

const policyDraft = (policy: PolicyForm, connection: string, end: string) => ({
  name: nameOf(policy.name, connection, end),
  ...algorithmsOf(policy),
  lifetime: { units: 'seconds' as const, value: policy.lifetime ?? 0 },
})

const sideDrafts = ({ local, peer, name }: SidesForm & Pick<TunnelForm, 'name'>) => ({
  ...(local.way === 'new' && {
    local_ep_group: { name: nameOf(local.name, name, 'local'), type: 'subnet' as const, endpoints: local.subnets },
  }),
  ...(peer.way === 'new' && {
    peer_ep_group: { name: nameOf(peer.name, name, 'peer'), type: 'cidr' as const, endpoints: linesIn(peer.cidrs) },
  }),
})
const sideIds = ({ local, peer }: SidesForm) => ({
  ...(local.way === 'have' && local.id !== null && { local_ep_group_id: local.id }),
  ...(peer.way === 'have' && peer.id !== null && { peer_ep_group_id: peer.id }),
})

const tunnelSettings = (form: TunnelForm) => ({
  ...{ name: form.name.trim(), description: form.description, peer_address: form.peerAddress.trim() },
  local_id: form.localId.trim() === '' ? null : form.localId.trim(),
  initiator: form.initiator,
  // an empty field becomes 0, which fails validation
  dpd: { action: form.dpdAction, interval: form.dpdInterval ?? 0, timeout: form.dpdTimeout ?? 0 },
  split_selector: form.split,
})

/** Request body for a new connection. */
export const connectionDraft = (form: VpnForm) => ({
  vpnservice: { router_id: form.router ?? '' },
  ipsec_site_connection: {
    ...tunnelSettings(form),
    psk: form.psk,
    ...(form.peerId.trim() !== '' && { peer_id: form.peerId.trim() }),
    ...(form.ike.way === 'have' && form.ike.id !== null && { ikepolicy_id: form.ike.id }),
    ...(form.ipsec.way === 'have' && form.ipsec.id !== null && { ipsecpolicy_id: form.ipsec.id }),
    ...sideIds(form),
  },
  ...(form.ike.way === 'new' && {
    ikepolicy: { ...policyDraft(form.ike, form.name, 'ike'), ike_version: form.ike.version },
  }),
  ...(form.ipsec.way === 'new' && { ipsecpolicy: policyDraft(form.ipsec, form.name, 'ipsec') }),
  ...sideDrafts(form),
})

/** Request body for an update, with changed fields only. An empty key keeps the saved one. */
export function connectionChange(form: TunnelForm & SidesForm, before: IpsecSiteConnection) {
  const wanted = {
    ...tunnelSettings(form),
    peer_id: form.peerId.trim() === '' ? form.peerAddress.trim() : form.peerId.trim(),
    ...sideIds(form),
  }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof IpsecSiteConnection]),
  )
  return {
    ipsec_site_connection: { ...Object.fromEntries(changed), ...(form.psk !== '' && { psk: form.psk }) },
    ...sideDrafts(form),
  }
}
