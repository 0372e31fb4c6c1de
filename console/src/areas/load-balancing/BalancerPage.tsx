import { useEffect } from 'react'
import { useLocation } from '@tanstack/react-router'
import { lbFlavors } from '@mainstay/contract/load-balancing/flavors'
import { loadBalancerKind, loadBalancers, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerPools } from '@mainstay/contract/load-balancing/pools'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../nav/use-param'
import { ActionMenu } from '../../patterns/ActionMenu'
import { AddLink } from '../../patterns/AddLink'
import { AlertsOf } from '../../patterns/alerts/AlertsOf'
import { ViewContent } from '../../patterns/DrawerPage'
import { Facts } from '../../patterns/Facts'
import { Page } from '../../patterns/Page'
import { standardFacts } from '../../patterns/resource/standard-facts'
import { useMay } from '../../session/may'
import { useIsAllTenants } from '../../session/session'
import { Banner } from '../../ui/feedback/Banner'
import { Panel } from '../../ui/Panel'
import { Tabs } from '../../ui/Tabs'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { floatingIpResource } from '../networking/floating-ips/resource'
import { networkResource } from '../networking/networks/resource'
import { Traffic } from './Traffic'
import { PoolTable } from './pools/PoolTable'
import css from './load-balancing.module.css'
import { balancerResource, poolPaths } from './resource'
import { useBalancerActions } from './use-balancer-actions'
import { availability, balancerStatus, foreignFacts } from './words'

const { paths } = balancerResource
const tabNames = ['pools', 'overview', 'properties'] as const

/** `load-balancers/{loadBalancerId}/{pools|overview|properties}`: load balancer details. */
export default function BalancerPage() {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const asked = useOptionalParam('tab')
  const { pathname } = useLocation()
  const view = useView(loadBalancers.view, { id }, { kind: loadBalancerKind })
  const { actions } = useBalancerActions(() => go(paths.list()))
  const { data } = view
  const status = data && balancerStatus(data, t)
  // forms and pools that open over this page have their own paths
  const isBare = pathname === paths.view(id)
  useEffect(() => {
    // the default tab is the list of pools (S1§2)
    if (isBare) go(poolPaths.list(id), { replace: true })
  }, [isBare, id, go])
  return (
    <Page
      title={<bdi>{data?.name ?? t('balancers.one')}</bdi>}
      aside={status && <StatusBadge tone={status.tone}>{status.text}</StatusBadge>}
      actions={
        data && (
          <>
            <AddLink to={poolPaths.add(id)} needs={loadBalancerPools.create.needs}>
              {t('pools.add')}
            </AddLink>
            <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={actions(data)} />
          </>
        )
      }
    >
      <ViewContent view={view}>
        {(balancer) => <Content balancer={balancer} selected={tabNames.find((it) => it === asked) ?? 'pools'} />}
      </ViewContent>
    </Page>
  )
}

function Content({ balancer, selected }: { balancer: LoadBalancer; selected: (typeof tabNames)[number] }) {
  const t = useT('loadBalancing')
  const go = useAppNavigate()
  const { id, fault, status, pools, address, floating_ip: ip, floating_ip_id: ipId, amphorae } = balancer
  return (
    <>
      <AlertsOf kind={loadBalancerKind.name} id={id} />
      {fault && (
        <Banner tone={status === 'ERROR' || status === 'DEPLOYMENT_FAILED' ? 'bad' : 'warn'} title={t('fault')}>
          {fault}
        </Banner>
      )}
      <dl className={css.facts}>
        {ip && (
          <div>
            <dt>{t('balancers.floatingIp')}</dt>
            <dd>{ipId === null ? ip : <Link to={floatingIpResource.paths.view(ipId)}>{ip}</Link>}</dd>
          </div>
        )}
        <div>
          <dt>{t('balancers.address')}</dt>
          <dd>
            <CopyableCode>{address}</CopyableCode>
          </dd>
        </div>
        <div>
          <dt>{t('balancers.network')}</dt>
          <dd>
            <Link to={networkResource.paths.view(balancer.network_id)}>{balancer.network_name}</Link>
          </dd>
        </div>
        <div>
          <dt>{t('balancers.ha')}</dt>
          <dd>{availability(amphorae, t)}</dd>
        </div>
      </dl>
      <Tabs
        label={t('balancers.one')}
        items={[
          { id: 'pools', label: t('pools.title'), count: pools.length },
          { id: 'overview', label: t('overview') },
          { id: 'properties', label: t('properties') },
        ]}
        selected={selected}
        onChange={(tab) => go(paths.below(id, tab), { replace: true })}
      >
        {selected === 'pools' && <PoolTable balancer={balancer} />}
        {selected === 'overview' && <Traffic balancerId={id} />}
        {selected === 'properties' && <Properties balancer={balancer} />}
      </Tabs>
    </>
  )
}

function Properties({ balancer }: { balancer: LoadBalancer }) {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const { name, description, enabled, amphorae, flavor_id: flavor } = balancer
  return (
    <div className={css.columns}>
      <Panel title={t('properties')}>
        <Facts
          rows={[
            [t('name'), name],
            [t('description'), description],
            [t('enabledFact'), t(enabled ? 'yes' : 'no')],
            [t('balancers.flavor'), <FlavorName key="flavor" id={flavor} />],
            ...foreignFacts(balancer, t),
            ...(standardFacts(balancer, patterns, isAllTenants) ?? []),
          ]}
        />
      </Panel>
      <Panel title={t('balancers.carriers')}>
        <Facts
          rows={amphorae.map(({ role, active, compute_id: node }) => [
            t(role === 'MASTER' ? 'role.master' : role === 'BACKUP' ? 'role.backup' : 'role.standalone'),
            node
              ? t(active ? 'role.activeOn' : 'role.waitingOn', { node })
              : t(active ? 'role.active' : 'role.waiting'),
          ])}
        />
      </Panel>
    </div>
  )
}

/** Shows the flavor name, or the flavor ID if the user may not read flavors. */
function FlavorName({ id }: { id: string }) {
  const may = useMay()
  const { data, isLoading } = useView(lbFlavors.view, { id }, { isEnabled: may(lbFlavors.view.needs) })
  if (data) return data.name
  return isLoading && may(lbFlavors.view.needs) ? null : <CopyableCode>{id}</CopyableCode>
}
