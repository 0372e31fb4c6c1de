import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { routerKind, routers, type Router } from '@mainstay/contract/networking/routers'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Page } from '../../../patterns/Page'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { Banner } from '../../../ui/feedback/Banner'
import { EditIcon, FloatingIpIcon, NetworkIcon, RouterIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { Tabs } from '../../../ui/Tabs'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { FloatingIpsOfRouter } from '../floating-ips/FloatingIpsOfRouter'
import { networkResource } from '../networks/resource'
import { PathLine } from '../../../patterns/PathLine'
import { networkStatus } from '../status-words'
import { RouterInterfaces } from './RouterInterfaces'
import { RouterRoutes } from './RouterRoutes'
import { externalAddresses } from './router-words'
import { routerResource } from './resource'
import css from './routers.module.css'
import { useRouterActions } from './use-router-actions'

const { paths } = routerResource
type TabName = 'interfaces' | 'routes' | 'floating-ips'

/** `routers/{routerId}/{interfaces|routes|floating-ips}`: the external gateway, followed by tabs. */
export default function RouterPage() {
  const t = useT('networking')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(routers.view, { id }, { kind: routerKind })
  const { actions } = useRouterActions({ isDetails: true, deleted: () => go(paths.list()) })
  const { data } = view
  const status = data && networkStatus(data, t)
  return (
    <Page
      title={<bdi>{data?.name ?? t('routers.one')}</bdi>}
      aside={status && <StatusBadge tone={status.tone}>{status.text}</StatusBadge>}
      actions={data && <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={actions(data)} />}
    >
      <ViewContent view={view}>{(router) => <Content router={router} />}</ViewContent>
    </Page>
  )
}

function Content({ router }: { router: Router }) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const asked = useOptionalParam('tab')
  const tabs: { id: TabName; label: string; count?: number }[] = [
    { id: 'interfaces', label: t('routers.interfaces'), count: router.interfaces_info.length },
    { id: 'routes', label: t('routers.routes'), count: router.routes.length },
    ...(may(floatingIps.list.needs) ? [{ id: 'floating-ips' as const, label: t('floatingIps.title') }] : []),
  ]
  const selected = tabs.find(({ id }) => id === asked)?.id ?? 'interfaces'
  return (
    <>
      {router.fault && (
        <Banner tone={router.status === 'ERROR' ? 'bad' : 'warn'} title={t('fault')}>
          {router.fault}
        </Banner>
      )}
      <Way router={router} />
      <div className={css.place}>
        <div className={css.grid}>
          <Tabs
            label={t('routers.one')}
            items={tabs}
            selected={selected}
            onChange={(tab) => go(paths.below(router.id, tab), { replace: true })}
          >
            {selected === 'routes' ? (
              <RouterRoutes router={router} />
            ) : selected === 'floating-ips' ? (
              <FloatingIpsOfRouter routerId={router.id} />
            ) : (
              <RouterInterfaces router={router} />
            )}
          </Tabs>
          <Side router={router} />
        </div>
      </div>
    </>
  )
}

function Way({ router }: { router: Router }) {
  const t = useT('networking')
  const may = useMay()
  const { external_gateway_info: out, interfaces_info: inner, external_interface: card, status } = router
  const isDown = status !== 'ACTIVE' && !status.startsWith('PENDING')
  const connect = may(routers.update.needs) && (
    <Link to={paths.below(router.id, 'edit-gateway')}>{t('routers.connect')}</Link>
  )
  return (
    <PathLine
      label={t('routers.way')}
      hops={[
        {
          ...{ id: 'out', icon: FloatingIpIcon },
          name: out ? (
            <Link to={networkResource.paths.view(out.network_id)}>{out.network_name}</Link>
          ) : (
            t('routers.nowhere')
          ),
          detail: out ? t('routers.external') : connect,
        },
        {
          ...{ id: 'router', icon: RouterIcon, isOwn: true, name: <bdi>{router.name}</bdi> },
          detail: externalAddresses(router).join(', ') || t('routers.noGateway'),
        },
        {
          ...{ id: 'in', icon: NetworkIcon, name: t('routers.networksCount', { count: inner.length }) },
          detail: inner
            .slice(0, 4)
            .map(({ network_name }) => network_name)
            .join(', '),
        },
      ]}
      legs={[
        {
          over: t('routers.gateway'),
          under: out && t(out.enable_snat ? 'routers.snatOn' : 'routers.snatOff'),
          broken: out
            ? isDown || (card && card.status !== 'ACTIVE')
              ? t('routers.down')
              : null
            : t('routers.noGateway'),
        },
        {
          over: t('routers.interfacesCount', { count: inner.length }),
          broken: inner.length === 0 ? t('routers.noNetworks') : isDown ? t('routers.down') : null,
        },
      ]}
    />
  )
}

function Side({ router }: { router: Router }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const { external_gateway_info: out } = router
  return (
    <div className={css.column}>
      <Panel
        title={t('routers.gateway')}
        action={
          may(routers.update.needs) && (
            <Link
              to={paths.below(router.id, 'edit-gateway')}
              className={buttonClass({ variant: 'plain', size: 'small' })}
            >
              <EditIcon />
              <span>{t('routers.editGateway')}</span>
            </Link>
          )
        }
      >
        <Facts
          rows={[
            [
              t('routers.external'),
              out ? (
                <Link to={networkResource.paths.view(out.network_id)}>{out.network_name}</Link>
              ) : (
                t('routers.noGateway')
              ),
            ],
            out !== null && [
              t('routers.externalIp'),
              externalAddresses(router).map((it) => <CopyableCode key={it}>{it}</CopyableCode>),
            ],
            out !== null && [t('routers.snat'), t(out.enable_snat ? 'on' : 'off')],
          ]}
        />
      </Panel>
      <Panel title={t('properties')}>
        <Facts rows={standardFacts(router, patterns, isAllTenants)} />
      </Panel>
    </div>
  )
}
