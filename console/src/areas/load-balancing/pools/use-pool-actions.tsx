import { loadBalancerPools, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon, EditIcon, PowerIcon } from '../../../ui/icons'
import { poolPaths } from '../resource'
import { balancerRefresh } from '../use-balancer-actions'

export function usePoolActions(deleted?: () => void) {
  const t = useT('loadBalancing')
  const go = useAppNavigate()
  const may = useMay()
  const update = useCall(loadBalancerPools.update, {
    refresh: balancerRefresh,
    done: ({ name }) => toast(t('pools.saved', { name })),
  })
  const remove = useCall(loadBalancerPools.delete, { refresh: balancerRefresh })
  async function askRemove({ id, name, members_count: count }: LoadBalancerPool) {
    const isGone = await confirmDelete({
      ...{ title: t('pools.deleteOne', { name }), verb: t('pools.deleteOneVerb') },
      text: t('pools.deleteText', { count }),
      run: (signal) => remove.run({ params: { id } }, { signal }),
    })
    if (isGone) deleted?.()
  }
  return (pool: LoadBalancerPool): RowAction[] => {
    const { id, loadbalancer_id: balancer, enabled } = pool
    const to = (place: string) => () => go(place, { keepsSearch: true })
    return [
      ...(may(loadBalancerPools.update.needs)
        ? [
            { label: t('pools.edit'), icon: EditIcon, run: to(poolPaths.edit(balancer, id)) },
            { label: t('members.edit'), icon: EditIcon, run: to(poolPaths.part(balancer, id, 'members')) },
            { label: t('monitor.edit'), icon: EditIcon, run: to(poolPaths.part(balancer, id, 'health')) },
            { label: t('pools.editCidrs'), icon: EditIcon, run: to(poolPaths.part(balancer, id, 'allowed-cidrs')) },
            {
              label: t(enabled ? 'disable' : 'enable'),
              icon: PowerIcon,
              group: 'power' as const,
              run: () => void update.run({ params: { id }, body: { enabled: !enabled } }),
            },
          ]
        : []),
      ...(may(loadBalancerPools.delete.needs)
        ? [
            {
              label: t('pools.delete'),
              icon: DeleteIcon,
              group: 'delete' as const,
              isDanger: true,
              run: () => void askRemove(pool),
            },
          ]
        : []),
    ]
  }
}
