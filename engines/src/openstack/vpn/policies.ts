import { ikeVersions, vpnAuthAlgorithms, vpnEncryptionAlgorithms, vpnGroups } from '@mainstay/contract/vpn/algorithms'
import { ikePolicyKind, ipsecPolicyKind, type IkePolicy, type IpsecPolicy } from '@mainstay/contract/vpn/policies'
import { beforeTimes, pageSize } from '../networking/wire'
import { restReader } from '../rest-reader'
import { withoutMark } from './marks'
import { fieldsOf, lists, type WireIkePolicy, type WireIpsecPolicy } from './wire'

/** Returns the text if it is one of the words; undefined otherwise. */
export const oneOf = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text)

type Wire = WireIkePolicy | WireIpsecPolicy

/** Returns the fields that both types of policies have in common. Null if an algorithm is not supported. */
function policyOf(wire: Wire, domain_id: string): IpsecPolicy | null {
  const encryption_algorithm = oneOf(vpnEncryptionAlgorithms, wire.encryption_algorithm)
  const auth_algorithm = oneOf(vpnAuthAlgorithms, wire.auth_algorithm)
  const pfs = oneOf(vpnGroups, wire.pfs)
  const { id, name, description, lifetime, project_id } = wire
  if (!encryption_algorithm || !auth_algorithm || !pfs || lifetime.units !== 'seconds') return null
  return {
    ...{ id, name: name || id, description: withoutMark(description), encryption_algorithm, auth_algorithm, pfs },
    lifetime: { units: 'seconds', value: lifetime.value },
    ...{ project_id, domain_id, created_at: beforeTimes, updated_at: beforeTimes },
  }
}

const reading = { service: 'network', query: { limit: pageSize }, isOptional: true } as const

/** IKE policies in all projects. Unsupported ones (aggressive mode, other algorithms) are not shown. */
export const ikePolicyReader = restReader({
  ...{ ...reading, ...lists.ike, fields: fieldsOf(lists.ike.item) },
  kind: ikePolicyKind.name,
  async row(wire, { domainOf }): Promise<IkePolicy | null> {
    const policy = policyOf(wire, await domainOf(wire.project_id))
    const ike_version = oneOf(ikeVersions, wire.ike_version)
    return policy && ike_version && wire.phase1_negotiation_mode === 'main' ? { ...policy, ike_version } : null
  },
})

/** IPsec policies in all projects. Unsupported ones (AH, transport mode, other algorithms) are not shown. */
export const ipsecPolicyReader = restReader({
  ...{ ...reading, ...lists.ipsec, fields: fieldsOf(lists.ipsec.item) },
  kind: ipsecPolicyKind.name,
  async row(wire, { domainOf }): Promise<IpsecPolicy | null> {
    const isOurs = wire.transform_protocol === 'esp' && wire.encapsulation_mode === 'tunnel'
    return isOurs ? policyOf(wire, await domainOf(wire.project_id)) : null
  },
})
