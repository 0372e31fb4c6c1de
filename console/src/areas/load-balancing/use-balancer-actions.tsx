import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { ports } from '@mainstay/contract/networking/ports'
import { loadBalancers, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerPools } from '@mainstay/contract/load-balancing/pools'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { toast } from '../../notices/notices'
import { confirm } from '../../patterns/dialogs/confirm'
import { useDeleteActions } from '../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../patterns/table/row-action'
import { useMay } from '../../session/may'
import { EditIcon, PowerIcon, RefreshIcon } from '../../ui/icons'
import { balancerResource } from './resource'

/** API calls whose cached responses become stale when a load balancer changes. */
export const balancerRefresh = [
  loadBalancers.list,
  loadBalancers.view,
  loadBalancerPools.list,
  loadBalancerPools.view,
  floatingIps.list,
  ports.list,
]

/** Actions for a single load balancer, and bulk actions. */
export function useBalancerActions(deleted?: () => void) {
  const t = useT('loadBalancing')
  const go = useAppNavigate()
  const may = useMay()
  const refresh = balancerRefresh
  const update = useCall(loadBalancers.update, {
    refresh,
    done: ({ name, enabled }) => toast(t(enabled ? 'balancers.enabled' : 'balancers.disabled', { name })),
  })
  const recreate = useCall(loadBalancers.recreate, { refresh })
  const failover = useCall(loadBalancers.failover, { refresh })
  const removal = useDeleteActions(balancerResource, {
    noteOfOne: ({ pools }) => t('balancers.deleteNote', { count: pools.length }),
    refresh,
    deleted,
  })
  const { paths } = balancerResource
  const askDisable = ({ id, name }: LoadBalancer) =>
    void confirm({
      ...{ title: t('balancers.disableTitle', { name }), text: t('balancers.disableText'), verb: t('disable') },
      run: (signal) => update.run({ params: { id }, body: { enabled: false } }, { signal }),
    })
  const askAnew = ({ id, name }: LoadBalancer, what: 'recreate' | 'failover') =>
    void confirm({
      title: t(`balancers.${what}Title`, { name }),
      text: t(`balancers.${what}Text`),
      verb: t(`balancers.${what}`),
      run: (signal) => (what === 'recreate' ? recreate : failover).run({ params: { id } }, { signal }),
    })
  return {
    bulk: removal.bulk,
    actions(balancer: LoadBalancer): RowAction[] {
      const { id, name, enabled, status } = balancer
      const isBroken = status === 'ERROR' || status === 'DEPLOYMENT_FAILED'
      return [
        ...(may(loadBalancers.update.needs)
          ? [
              {
                label: t('balancers.edit'),
                icon: EditIcon,
                run: () => go(paths.edit(id), { keepsSearch: true }),
                about: { call: 'loadBalancers.update', thing: { id, name } },
              },
              enabled
                ? { label: t('disable'), icon: PowerIcon, group: 'power' as const, run: () => askDisable(balancer) }
                : {
                    label: t('enable'),
                    icon: PowerIcon,
                    group: 'power' as const,
                    run: () => void update.run({ params: { id }, body: { enabled: true } }),
                  },
            ]
          : []),
        ...(may(loadBalancers.recreate.needs) && isBroken
          ? [{ label: t('balancers.recreate'), icon: RefreshIcon, run: () => askAnew(balancer, 'recreate') }]
          : []),
        ...(may(loadBalancers.failover.needs) && !isBroken
          ? [{ label: t('balancers.failover'), icon: RefreshIcon, run: () => askAnew(balancer, 'failover') }]
          : []),
        ...removal.action(balancer),
      ]
    },
  }
}
