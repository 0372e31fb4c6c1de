import { Mtu, VlanId } from '@mainstay/contract/networking/address-fields'
import { ResourceName } from '@mainstay/contract/core/names'
import { overlapFault } from '@mainstay/contract/networking/router-rules'
import type { ConnectedSubnet } from '@mainstay/contract/networking/router-rules'
import { NetworkAccessPolicies, type NetworkAccessPolicy } from '@mainstay/contract/networking/access'
import type { PrivateNetworkDraft, PublicNetworkDraft, VlanNetworkDraft } from '@mainstay/contract/networking/networks'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'
import {
  subnetDraftOf as subnetDraft,
  emptySubnet,
  fieldOf,
  subnetFormFaults,
  type SubnetForm,
} from '../subnets/subnet-form'

export const networkTypes = ['private', 'public', 'vlan'] as const
export type NetworkWay = (typeof networkTypes)[number]

/** Form values for a new network. */
export interface NetworkForm {
  name: string
  way: NetworkWay
  physical: string | null
  vlan_id: number | null
  /** IP address management (IPAM). Without it, the network has no subnets. */
  ipam: boolean
  has_v4: boolean
  v4: SubnetForm
  has_v6: boolean
  v6: SubnetForm
  /** Bytes; null for the MTU of the underlying network. */
  mtu: number | null
  spoofing_protection: boolean
  direct_vnics: boolean
  /** ID of the router to connect to; null for none. */
  router: string | null
  rbac_policies: NetworkAccessPolicy[]
}

export const emptyNetworkForm = (cidr: string, way: NetworkWay, physical: string | null): NetworkForm => ({
  name: '',
  way,
  physical,
  vlan_id: null,
  ipam: true,
  has_v4: true,
  v4: emptySubnet(cidr),
  has_v6: false,
  v6: emptySubnet(),
  mtu: null,
  spoofing_protection: true,
  direct_vnics: false,
  router: null,
  rbac_policies: [],
})

interface Around {
  /** The connected subnets of each router, keyed by router ID. */
  connected: ReadonlyMap<string, readonly ConnectedSubnet[]>
}

/** Schema of the form: the contract's field rules, plus the cross-field checks that the server also makes. */
export const networkForm = (t: Translate<'networking'>, { connected }: Around) =>
  z
    .object({
      name: ResourceName,
      way: z.enum(networkTypes),
      physical: z.string().nullable(),
      vlan_id: z.number().nullable(),
      ipam: z.boolean(),
      has_v4: z.boolean(),
      v4: z.custom<SubnetForm>(),
      has_v6: z.boolean(),
      v6: z.custom<SubnetForm>(),
      mtu: Mtu.nullable(),
      spoofing_protection: z.boolean(),
      direct_vnics: z.boolean(),
      router: z.string().nullable(),
      rbac_policies: NetworkAccessPolicies,
    })
    .superRefine((form, context) => {
      const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
      const { way, ipam, has_v4, v4, has_v6, v6 } = form
      if (way !== 'private' && form.physical === null) wrong(['physical'], t('networks.physicalMissing'))
      if (way === 'vlan') {
        const checked = VlanId.safeParse(form.vlan_id ?? undefined)
        if (checked.error) wrong(['vlan_id'], checked.error.issues[0]!.message)
      }
      if (!ipam) return
      if (!has_v4 && !has_v6) wrong(['has_v4'], t('networks.subnetMissing'))
      const four = has_v4 ? subnetFormFaults(v4, 4, t) : []
      for (const { field, message } of four) wrong(['v4', field], message)
      if (has_v6) for (const { field, message } of subnetFormFaults(v6, 6, t)) wrong(['v6', field], message)
      const router = form.router === null || way !== 'private' ? undefined : connected.get(form.router)
      if (router && has_v4 && four.length === 0) {
        const fault = overlapFault([{ cidr: v4.cidr.trim(), network_name: form.name }], router, 'router')
        if (fault) wrong(['router'], fault.message)
      }
    })

const common = ({ name, ipam, has_v4, v4, has_v6, v6, mtu }: NetworkForm) => ({
  name,
  subnets: [...(ipam && has_v4 ? [subnetDraft(v4, 4)] : []), ...(ipam && has_v6 ? [subnetDraft(v6, 6)] : [])],
  ...(mtu !== null && { mtu }),
})
const onHardware = (form: NetworkForm) => ({
  ...common(form),
  rbac_policies: form.rbac_policies,
  default_vnic_type: form.direct_vnics ? ('direct' as const) : ('normal' as const),
})

export const privateDraft = (form: NetworkForm): PrivateNetworkDraft => ({
  ...common(form),
  spoofing_protection: form.spoofing_protection,
})
export const publicDraft = (form: NetworkForm): PublicNetworkDraft => ({
  ...onHardware(form),
  physical_network: form.physical ?? '',
})
export const vlanDraft = (form: NetworkForm): VlanNetworkDraft => ({
  ...onHardware(form),
  vlan_network: form.physical ?? '',
  vlan_id: form.vlan_id ?? 0,
})

/** Maps a field path from an API error to a form field. */
export function networkField(path: string, { has_v4 }: Pick<NetworkForm, 'has_v4'>): string {
  const [first = '', index = '', part = ''] = path.split('.')
  if (first === 'physical_network' || first === 'vlan_network') return 'physical'
  if (first === 'default_vnic_type') return 'direct_vnics'
  if (first !== 'subnets') return first
  const at = has_v4 && index === '0' ? 'v4' : 'v6'
  return `${at}.${fieldOf(part)}`
}
