import { parseAddress } from '@mainstay/contract/networking/addresses'
import { ResourceName } from '@mainstay/contract/core/names'
import { overlapFault, type ConnectedSubnet } from '@mainstay/contract/networking/router-rules'
import { MAX_ROUTER_INTERFACES, type GatewayDraft, type RouterDraft } from '@mainstay/contract/networking/routers'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'

/**
 * A network to connect, and the router's address in it. If the address is empty, the subnet's gateway address is used.
 */
export interface InterfaceForm {
  network_id: string | null
  ip_address: string
}

/** The external network to use as the gateway, or null for none. */
export interface GatewayForm {
  external: string | null
  snat: boolean
}

export interface RouterForm extends GatewayForm {
  name: string
  interfaces: InterfaceForm[]
}

/** Initial values for a new router, which has an external gateway unless the user removes it. */
export const newRouterForm = (external: string | null): RouterForm => ({
  name: '',
  external,
  snat: true,
  interfaces: [],
})

type Known = readonly (Pick<Subnet, 'id' | 'cidr' | 'network_id'> & { network_name: string })[]

/** Validates the networks to connect. Returns each error together with its row index. */
export function interfaceFaults(
  interfaces: readonly InterfaceForm[],
  known: Known,
  connected: readonly ConnectedSubnet[],
  t: Translate<'networking'>,
): { at: number; field: keyof InterfaceForm; message: string }[] {
  const faults: { at: number; field: keyof InterfaceForm; message: string }[] = []
  const before: ConnectedSubnet[] = [...connected]
  for (const [at, { network_id, ip_address }] of interfaces.entries()) {
    const add = (field: keyof InterfaceForm, message: string) => faults.push({ at, field, message })
    if (network_id === null) {
      add('network_id', t('routers.networkMissing'))
      continue
    }
    const subnets = known.filter((it) => it.network_id === network_id)
    if (before.some((it) => it.network_id === network_id)) add('network_id', t('routers.connectedAlready'))
    else {
      const fault = overlapFault(subnets, before, 'network_id')
      if (fault) add('network_id', fault.message)
    }
    const typed = ip_address.trim()
    if (typed !== '' && parseAddress(typed) === null) add('ip_address', t('routers.addressWrong'))
    before.push(...subnets.map((it) => ({ ...it, addresses: [] })))
  }
  return faults
}

/**
 * The network to preselect in the next row: the first one that can be connected in addition to the networks in the
 * other rows. An empty row, or a network with overlapping addresses, would be invalid from the start.
 */
export function proposedNetwork<Choice extends { id: string; subnets: readonly unknown[] }>(
  all: readonly Choice[],
  rows: readonly InterfaceForm[],
  known: Known,
  t: Translate<'networking'>,
): Choice | undefined {
  const isSound = ({ id }: Choice) =>
    interfaceFaults([...rows, { network_id: id, ip_address: '' }], known, [], t).every(({ at }) => at < rows.length)
  return all.find((it) => it.subnets.length > 0 && isSound(it))
}

export const interfaceDraft = ({ network_id, ip_address }: InterfaceForm) => ({
  network_id: network_id ?? '',
  ...(ip_address.trim() !== '' && { ip_address: ip_address.trim() }),
})

export const routerForm = (t: Translate<'networking'>, known: Known) =>
  z
    .object({
      name: ResourceName,
      external: z.string().nullable(),
      snat: z.boolean(),
      interfaces: z.array(z.custom<InterfaceForm>()).max(MAX_ROUTER_INTERFACES),
    })
    .superRefine(({ interfaces }, context) => {
      for (const { at, field, message } of interfaceFaults(interfaces, known, [], t))
        context.addIssue({ code: 'custom', path: ['interfaces', at, field], message })
    })

export const gatewayDraft = ({ external, snat }: GatewayForm): z.input<typeof GatewayDraft> | null =>
  external === null ? null : { network_id: external, enable_snat: snat }

export const routerDraft = (form: RouterForm): z.input<typeof RouterDraft> => ({
  name: form.name,
  external_gateway_info: gatewayDraft(form),
  internal_interfaces: form.interfaces.map(interfaceDraft),
})

/** Maps a field path from an API error to a form field. */
export function routerField(path: string): string {
  if (path.startsWith('internal_interfaces')) return path.replace('internal_interfaces', 'interfaces')
  return path.startsWith('external_gateway_info') ? 'external' : path
}
