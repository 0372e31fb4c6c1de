import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { portKind, ports } from '@mainstay/contract/networking/ports'
import { routers, type Router, type RouterRoute } from '@mainstay/contract/networking/routers'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { AddLink } from '../../../patterns/AddLink'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon, EditIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { DeviceName } from '../ports/DeviceName'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { routesWith } from './route-form'
import { routeId } from './router-words'
import { routerResource } from './resource'
import css from './routers.module.css'

const { paths } = routerResource

interface Shown extends RouterRoute {
  kind: 'gateway' | 'connected' | 'static'
}

/** A router's routes: the default route through its external gateway, and static routes. */
export function RouterRoutes({ router }: { router: Router }) {
  const t = useT('networking')
  const may = useMay()
  const mayChange = may(routers.update.needs)
  const hops = router.routes.map(({ nexthop }) => nexthop)
  const known = useList(ports.list, portKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT, only: { fixed_ips: `any:${hops.join(',')}` } },
    isEnabled: hops.length > 0 && may(ports.list.needs),
  })
  const update = useCall(routers.update, { refresh: [routers.list, routers.view] })
  const askRemove = (route: RouterRoute) =>
    void confirm({
      title: t('routers.removeRoute', { destination: route.destination }),
      verb: t('routers.removeRouteVerb'),
      isDanger: true,
      run: (signal) =>
        update.run(
          { params: { id: router.id }, body: { routes: routesWith(router.routes, route.destination, null) } },
          { signal },
        ),
    })
  const { external_gateway_info: out } = router
  const rows: Shown[] = [
    ...(out ? [{ kind: 'gateway' as const, destination: '0.0.0.0/0', nexthop: out.network_name }] : []),
    ...router.routes.map((it) => ({ ...it, kind: 'static' as const })),
  ]
  const kinds = { gateway: t('routers.gateway'), connected: t('routers.interfaces'), static: t('routers.static') }

  const stateOf = (route: Shown) => {
    if (route.kind === 'gateway') return <span className={css.dim}>{t('routers.allElse')}</span>
    const port = known.rows.find(({ fixed_ips }) => fixed_ips.some(({ ip_address }) => ip_address === route.nexthop))
    if (known.isLoading) return null
    if (!port) return <StatusBadge tone="warn">{t('routers.hopUnknown')}</StatusBadge>
    return (
      <span className={css.lines}>
        <StatusBadge tone={port.status === 'ACTIVE' ? 'ok' : 'warn'}>
          {t(port.status === 'ACTIVE' ? 'is.active' : 'is.down')}
        </StatusBadge>
        <span>{t('routers.hopIs', { name: <DeviceName key="name" port={port} /> })}</span>
      </span>
    )
  }

  return (
    <div className={css.part}>
      <SmallTable
        label={t('routers.routes')}
        rows={rows}
        keyOf={({ kind, destination }) => `${kind} ${destination}`}
        empty={t('routers.noRoutes')}
        columns={[
          {
            id: 'destination',
            label: t('routers.destination'),
            render: ({ destination }) => <Mono>{destination}</Mono>,
          },
          {
            id: 'hop',
            label: t('routers.hop'),
            render: ({ nexthop, kind }) => (kind === 'gateway' ? <bdi>{nexthop}</bdi> : <Mono>{nexthop}</Mono>),
          },
          { id: 'kind', label: t('routers.kind'), isWide: true, render: ({ kind }) => kinds[kind] },
          { id: 'state', label: t('routers.state'), isWide: true, render: stateOf },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  isAtEnd: true,
                  render: (route: Shown) =>
                    route.kind === 'static' && (
                      <span className={css.buttons}>
                        <Link
                          to={paths.below(router.id, 'routes', routeId(route.destination), 'edit')}
                          className={buttonClass({ variant: 'plain', size: 'small' })}
                        >
                          <EditIcon />
                          <VisuallyHidden>
                            {t('routers.editRouteTo', { destination: route.destination })}
                          </VisuallyHidden>
                        </Link>
                        <IconButton
                          icon={DeleteIcon}
                          size="small"
                          label={t('routers.removeRouteTo', { destination: route.destination })}
                          onPress={() => askRemove(route)}
                        />
                      </span>
                    ),
                },
              ]
            : []),
        ]}
      />
      <AddLink to={paths.below(router.id, 'routes', 'add')} needs={routers.update.needs} isQuiet>
        {t('routers.addRoute')}
      </AddLink>
    </div>
  )
}
