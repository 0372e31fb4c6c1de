import { overlap, parseRange } from '@mainstay/contract/networking/addresses'
import {
  ConnectionChange,
  ConnectionDraft,
  type IpsecSiteConnection,
  dpdFault,
} from '@mainstay/contract/vpn/connections'
import { selectorFaults, selectorsClash } from '@mainstay/contract/vpn/rules'
import * as z from 'zod'
import type { Translate } from '../../i18n/use-t'
import {
  connectionChange,
  connectionDraft,
  ikeOf,
  linesIn,
  localRanges,
  remoteRanges,
  type IkeForm,
  type Known,
  type LocalForm,
  type PeerForm,
  type PolicyForm,
  type SidesForm,
  type TunnelForm,
  type VpnForm,
} from './vpn-form'

type T = Translate<'vpn'>
type Report = (field: string, message: string) => void

const fieldOf: Readonly<Record<string, string>> = {
  'vpnservice.router_id': 'router',
  ikepolicy: 'ike.id',
  ipsecpolicy: 'ipsec.id',
  local_ep_group: 'local.id',
  peer_ep_group: 'peer.id',
  'ipsec_site_connection.ikepolicy_id': 'ike.id',
  'ipsec_site_connection.ipsecpolicy_id': 'ipsec.id',
  'ipsec_site_connection.local_ep_group_id': 'local.id',
  'ipsec_site_connection.peer_ep_group_id': 'peer.id',
  'ipsec_site_connection.peer_address': 'peerAddress',
  'ipsec_site_connection.peer_id': 'peerId',
  'ipsec_site_connection.local_id': 'localId',
  'ipsec_site_connection.dpd.action': 'dpdAction',
  'ipsec_site_connection.dpd.interval': 'dpdInterval',
  'ipsec_site_connection.dpd.timeout': 'dpdTimeout',
  'ipsec_site_connection.dpd': 'dpdTimeout',
  'ipsec_site_connection.split_selector': 'split',
}
const partOf: Readonly<Record<string, string>> = {
  ikepolicy: 'ike',
  ipsecpolicy: 'ipsec',
  local_ep_group: 'local',
  peer_ep_group: 'peer',
}
const fieldOfPart: Readonly<Record<string, string>> = {
  encryption_algorithm: 'encryption',
  auth_algorithm: 'auth',
  pfs: 'group',
  ike_version: 'version',
}

/** Maps a path in the request body to its form field name. */
export function vpnField(path: string): string {
  const known = fieldOf[path]
  if (known !== undefined) return known
  const [first = '', second = ''] = path.split('.')
  const part = partOf[first]
  if (part === undefined) return path.replace(/^ipsec_site_connection\./, '')
  if (second === 'endpoints') return part === 'local' ? 'local.subnets' : 'peer.cidrs'
  return `${part}.${fieldOfPart[second] ?? second}`
}

/** Prefixes the message with the invalid range, because the field may contain several. */
function messageOf(issue: { path: PropertyKey[]; message: string }, cidrs: readonly string[]): string {
  const [part, list, at] = issue.path
  const cidr = part === 'peer_ep_group' && list === 'endpoints' && typeof at === 'number' ? cidrs[at] : undefined
  return cidr === undefined ? issue.message : `${cidr}: ${issue.message}`
}

/** Reports conflicts between local and remote ranges and with the router's other connections. */
function checkSides(
  form: SidesForm,
  own: string | null,
  ike: 'v1' | 'v2' | undefined,
  known: Known,
  t: T,
  report: Report,
) {
  if (form.router === null) report('router', t('router.missing'))
  for (const side of ['local', 'peer'] as const)
    if (form[side].way === 'have' && form[side].id === null) report(`${side}.id`, t('side.missing'))
  const [local, remote] = [localRanges(form.local, known), remoteRanges(form.peer, known)]
  if (local.length === 0 || remote.length === 0) return
  const fields = {
    local: form.local.way === 'have' ? 'local.id' : 'local.subnets',
    remote: form.peer.way === 'have' ? 'peer.id' : 'peer.cidrs',
  }
  for (const { side, message } of selectorFaults(ike ?? 'v2', local, remote)) report(fields[side], message)
  const clash = known.connections.find(
    (it) =>
      it.id !== own &&
      it.router_id === form.router &&
      selectorsClash({ local, remote }, { local: it.local_subnets, remote: it.remote_subnets }),
  )
  if (clash)
    report(
      fields.remote,
      t('side.clash', { name: clash.name, ranges: overlapping(remote, clash.remote_subnets).join(', ') }),
    )
}

/** The ranges that overlap any of the others. */
export const overlapping = (ranges: readonly string[], others: readonly string[]): string[] =>
  ranges.filter((one) => others.some((other) => overlap(parseRange(one)!, parseRange(other)!)))

const tunnel = {
  name: z.string(),
  description: z.string(),
  peerAddress: z.string(),
  psk: z.string(),
  peerId: z.string(),
  localId: z.string(),
  initiator: z.custom<TunnelForm['initiator']>(),
  dpdAction: z.custom<TunnelForm['dpdAction']>(),
  dpdInterval: z.number().nullable(),
  dpdTimeout: z.number().nullable(),
  split: z.boolean(),
}
const sides = {
  router: z.string().nullable(),
  local: z.custom<LocalForm>(),
  peer: z.custom<PeerForm>(),
}

/** Reports only the first error for each field. */
function reporter(context: z.RefinementCtx): Report {
  const seen = new Set<string>()
  return (field, message) => {
    if (seen.has(field)) return
    seen.add(field)
    context.addIssue({ code: 'custom', path: field.split('.'), message })
  }
}

/** Validates a new connection against the contract and existing objects. */
export const newVpnForm = (t: T, known: Known) =>
  z
    .object({ ...tunnel, ...sides, ike: z.custom<IkeForm>(), ipsec: z.custom<PolicyForm>() })
    .superRefine((form: VpnForm, context) => {
      const report = reporter(context)
      for (const part of ['ike', 'ipsec'] as const)
        if (form[part].way === 'have' && form[part].id === null) report(`${part}.id`, t('policy.missing'))
      checkSides(form, null, ikeOf(form.ike, known)?.ike_version, known, t, report)
      const checked = ConnectionDraft.safeParse(connectionDraft(form))
      const cidrs = linesIn(form.peer.cidrs)
      // report an error in a generated name on the connection's name field
      const named = (field: string) =>
        /^(ike|ipsec|local|peer)\.name$/.test(field) && !ownName(form, field) ? 'name' : field
      for (const issue of checked.error?.issues ?? [])
        report(named(vpnField(issue.path.join('.'))), messageOf(issue, cidrs))
    })

const ownName = (form: VpnForm, field: string) =>
  form[field.split('.')[0] as 'ike' | 'ipsec' | 'local' | 'peer'].name.trim() !== ''

/** Validates changes to an existing connection in the same way. */
export const changedVpnForm = (t: T, known: Known, before: IpsecSiteConnection) =>
  z.object({ ...tunnel, ...sides }).superRefine((form: TunnelForm & SidesForm, context) => {
    const report = reporter(context)
    checkSides(form, before.id, before.ike_version, known, t, report)
    const { dpdInterval: interval, dpdTimeout: timeout } = form
    const fault = interval !== null && timeout !== null ? dpdFault({ interval, timeout }) : null
    if (fault) report('dpdTimeout', fault)
    const checked = ConnectionChange.safeParse(connectionChange(form, before))
    for (const issue of checked.error?.issues ?? [])
      report(vpnField(issue.path.join('.')), messageOf(issue, linesIn(form.peer.cidrs)))
  })
