import { modeOf, type AccessAction, type AccessMode } from '@mainstay/contract/networking/access'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Key } from '../../../i18n/catalogues'

/** The network types that the console distinguishes (S2§9). */
export const networkTypes = ['external', 'private'] as const
export type NetworkType = (typeof networkTypes)[number]

/**
 * Whether the network was created for a single project. Other networks belong to the infrastructure and are made
 * available by operators.
 */
export const isOfProject = ({ router_external, type }: Pick<Network, 'router_external' | 'type'>): boolean =>
  !router_external && type === 'vxlan'

export const typeKeys: Readonly<Record<NetworkType, Key<'networking'>>> = {
  external: 'networks.external',
  private: 'networks.private',
}

/** Text keys of the access modes. `mixed` combines both other modes and is shown as “Full”. */
export const modeKeys: Readonly<Record<AccessMode, Key<'networking'>>> = {
  routed: 'access.routed',
  direct: 'access.direct',
  mixed: 'access.mixed',
}
export const modeHelpKeys: Readonly<Record<AccessMode, Key<'networking'>>> = {
  routed: 'access.routedHelp',
  direct: 'access.directHelp',
  mixed: 'access.mixedHelp',
}

const isAction = (text: string): text is AccessAction => text === 'direct' || text === 'routed'

/**
 * The access mode that all visible policies together grant to projects other than the owner. Null if they grant no
 * access.
 */
export const modeOfNetwork = ({
  rbac_policies,
  shared,
}: Pick<Network, 'rbac_policies' | 'shared'>): AccessMode | null =>
  modeOf([
    ...rbac_policies.flatMap(({ actions }) => actions.filter(isAction)),
    ...(shared ? (['direct'] as const) : []),
  ])
