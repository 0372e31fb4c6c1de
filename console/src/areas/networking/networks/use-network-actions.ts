import { networks, type Network } from '@mainstay/contract/networking/networks'
import { routers } from '@mainstay/contract/networking/routers'
import { subnets } from '@mainstay/contract/networking/subnets'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { useIsAllTenants, useSession } from '../../../session/session'
import { AddIcon, EditIcon, UsersIcon } from '../../../ui/icons'
import { isOfProject } from './network-words'
import { networkResource } from './resource'

const { paths } = networkResource

/**
 * Returns a function that tells whether the user may change a network: all networks in the all-tenants scope, otherwise
 * only those in the current project.
 */
export function useMayChange() {
  const own = useSession(({ project }) => project?.id)
  const isAllTenants = useIsAllTenants()
  return ({ project_id }: { project_id: string }): boolean => isAllTenants || project_id === own
}

/** Actions for a single network and for bulk selections. */
export function useNetworkActions(deleted?: () => void) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const isTheirs = useMayChange()
  const isAllTenants = useIsAllTenants()
  const notTheirs = (network: Network) => (isTheirs(network) ? undefined : t('networks.isShared'))
  const removal = useDeleteActions(networkResource, {
    note: t('networks.deleteNote'),
    barredBecause: notTheirs,
    refresh: [networks.addressUse, subnets.list, routers.list],
    // the call also deletes the VLAN interface on the host (N9)
    query: { delete_vlan_interfaces: 'true' },
    deleted,
  })
  const to = (place: string) => () => go(place, { keepsSearch: true })
  const change = (network: Network): RowAction[] => {
    const { id, subnets: has, ipam_enabled, name } = network
    const barred = notTheirs(network)
    const about = { call: 'networks.update', thing: { id, name } }
    return [
      { label: t('networks.edit'), icon: EditIcon, run: to(paths.edit(id)), disabledBecause: barred, about },
      ...(isAllTenants && !isOfProject(network)
        ? [{ label: t('access.edit'), icon: UsersIcon, run: to(paths.below(id, 'access-edit')) }]
        : []),
      ...(may(subnets.create.needs) && has.length < 2
        ? [
            {
              label: t(has.some(({ ip_version }) => ip_version === 4) ? 'subnets.add6' : 'subnets.add4'),
              icon: AddIcon,
              disabledBecause: barred ?? (ipam_enabled || has.length === 0 ? undefined : t('networks.noIpam')),
              run: to(paths.below(id, 'add-subnet')),
            },
          ]
        : []),
    ]
  }
  return {
    bulk: removal.bulk,
    actions: (network: Network): RowAction[] => [
      ...(may(networks.update.needs) ? change(network) : []),
      ...removal.action(network),
    ],
  }
}
