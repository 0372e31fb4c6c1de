import { networks } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { AddIcon, EditIcon, FloatingIpIcon } from '../../../ui/icons'
import { routerResource } from './resource'

const { paths } = routerResource

interface Settings {
  /** Whether forms open over the details instead of the list. */
  isDetails?: boolean
  deleted?: () => void
}

/**
 * Actions for a single router and for bulk selections. After confirmation, deleting a router also removes its
 * interfaces (N10).
 */
export function useRouterActions({ isDetails = false, deleted }: Settings = {}) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const refresh = [routers.list, networks.list]
  const remove = useCall(routers.delete, { refresh })

  const askRemoval = ({ id, name, interfaces_info }: Router): Promise<boolean> => {
    const count = interfaces_info.length
    return confirm({
      title: t('routers.deleteTitle', { name }),
      text:
        count === 0 ? (
          t('routers.deleteNote')
        ) : (
          <>
            <p>{t('routers.deleteWithText', { count })}</p>
            <ul>
              {interfaces_info.map((it) => (
                <li key={it.port_id}>
                  <bdi>{it.network_name}</bdi>
                </li>
              ))}
            </ul>
          </>
        ),
      verb: t(count === 0 ? 'routers.deleteVerb' : 'routers.deleteWithVerb'),
      isDanger: true,
      run: (signal) => remove.run({ params: { id }, query: count === 0 ? {} : { interfaces: 'remove' } }, { signal }),
    })
  }
  const removal = useDeleteActions(routerResource, {
    note: t('routers.deleteNote'),
    skippedBecause: ({ interfaces_info }) =>
      interfaces_info.length > 0 ? t('routers.hasNetworks', { count: interfaces_info.length }) : undefined,
    refresh,
    deleted,
    ask: askRemoval,
  })
  const place = (form: string, id: string) =>
    isDetails ? paths.below(id, form) : `${paths.list()}/${form}/${encodeURIComponent(id)}`
  const to = (at: string) => () => go(at, { keepsSearch: true })
  return {
    bulk: removal.bulk,
    actions: (router: Router): RowAction[] => [
      ...(may(routers.update.needs)
        ? [
            { label: t('routers.edit'), icon: EditIcon, run: to(place('edit', router.id)) },
            { label: t('routers.editGateway'), icon: FloatingIpIcon, run: to(place('edit-gateway', router.id)) },
            {
              label: t('routers.addInterface'),
              icon: AddIcon,
              run: to(isDetails ? paths.below(router.id, 'interfaces', 'add') : place('add-interface', router.id)),
            },
          ]
        : []),
      ...removal.action(router),
    ],
  }
}
