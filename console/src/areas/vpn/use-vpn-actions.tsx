import { isPending } from '@mainstay/contract/vpn/connection-status'
import { ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { endpointGroups } from '@mainstay/contract/vpn/endpoint-groups'
import { ikePolicies, ipsecPolicies } from '@mainstay/contract/vpn/policies'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { useAppNavigate } from '../../nav/use-app-navigate'
import type { BulkAction } from '../../patterns/bulk-run/bulk'
import { confirm } from '../../patterns/dialogs/confirm'
import { useDeleteActions } from '../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../patterns/table/row-action'
import { useMay } from '../../session/may'
import { EditIcon, RefreshIcon } from '../../ui/icons'
import { vpnResource } from './resource'
import { useVpnCapabilities } from './use-vpn'

/** API calls whose cached responses become stale when a connection changes. */
export const vpnRefresh = [
  ...[ipsecSiteConnections.list, ipsecSiteConnections.view, ipsecSiteConnections.diagnosis],
  ...[ipsecSiteConnections.stats, ipsecSiteConnections.peerConfiguration],
  ...[ikePolicies.list, ipsecPolicies.list, endpointGroups.list, endpointGroups.view],
]

interface Settings {
  /** True on the details page, where forms return to that page. Otherwise they return to the list. */
  isDetails?: boolean
  deleted?: () => void
}

/** Actions for a single VPN connection, and bulk actions. */
export function useVpnActions({ isDetails = false, deleted }: Settings = {}) {
  const t = useT('vpn')
  const go = useAppNavigate()
  const may = useMay()
  const can = useVpnCapabilities()
  const { update, restart } = ipsecSiteConnections
  const restarted = useCall(restart, { refresh: vpnRefresh })
  const busy = ({ status }: IpsecSiteConnection) => (isPending(status) ? t('isBusy') : undefined)
  const mayRestart = may(restart.needs) && (can?.restart ?? false)
  const removal = useDeleteActions(vpnResource, {
    note: t('deleteNote'),
    barredBecause: busy,
    refresh: vpnRefresh,
    deleted,
  })
  const { paths } = vpnResource

  const askRestart = ({ id, name }: IpsecSiteConnection) =>
    void confirm({
      ...{ title: t('restart.title', { name }), text: t('restart.text'), verb: t('restart') },
      run: (signal) => restarted.run({ params: { id } }, { signal }),
    })
  const restartMany: BulkAction<IpsecSiteConnection> = {
    ...{ label: t('restart'), icon: RefreshIcon, note: t('restart.text') },
    ask: (count) => t('restart.many', { count }),
    verb: (count) => t('restart.manyVerb', { count }),
    skippedBecause: busy,
    call: { action: 'restart' },
  }
  return {
    bulk: [...(mayRestart ? [restartMany] : []), ...removal.bulk],
    actions(connection: IpsecSiteConnection): RowAction[] {
      const { id, name } = connection
      const disabledBecause = busy(connection)
      return [
        ...(may(update.needs)
          ? [
              {
                ...{ label: t('ipsecSiteConnections.edit'), icon: EditIcon, disabledBecause },
                run: () => go(isDetails ? paths.edit(id) : paths.below(id, 'edit', 'list'), { keepsSearch: true }),
                about: { call: 'ipsecSiteConnections.update', thing: { id, name } },
              },
            ]
          : []),
        ...(mayRestart
          ? [
              {
                ...{ label: t('restart'), icon: RefreshIcon, disabledBecause, group: 'power' as const },
                isLikely: connection.status === 'DOWN' || connection.status === 'ERROR',
                run: () => askRestart(connection),
              },
            ]
          : []),
        ...removal.action(connection),
      ]
    },
  }
}
