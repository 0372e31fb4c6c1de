import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Tabs } from '../../../ui/Tabs'
import { networkStatus } from '../status-words'
import { NetworkAccess } from './NetworkAccess'
import { NetworkOverview } from './NetworkOverview'
import { NetworkPorts } from './NetworkPorts'
import { isOfProject } from './network-words'
import css from './networks.module.css'
import { networkResource } from './resource'
import { useNetworkActions } from './use-network-actions'

type TabName = 'overview' | 'ports' | 'access'

/** `networks/{networkId}`: a network with its address maps, ports and access policies. */
export default function NetworkPage() {
  const t = useT('networking')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(networks.view, { id }, { kind: networkKind })
  const { actions } = useNetworkActions(() => go(networkResource.paths.list()))
  const { data } = view
  const status = data && networkStatus(data, t)
  return (
    <Page
      title={<bdi>{data?.name ?? t('networks.one')}</bdi>}
      aside={
        status && (
          <span className={css.state}>
            <StatusBadge tone={status.tone}>{status.text}</StatusBadge>
          </span>
        )
      }
      actions={data && <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={actions(data)} />}
    >
      <ViewContent view={view}>{(network) => <Content network={network} />}</ViewContent>
    </Page>
  )
}

function Content({ network }: { network: Network }) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const asked = useOptionalParam('tab')
  const tabs: { id: TabName; label: string }[] = [
    { id: 'overview', label: t('tab.overview') },
    ...(may(ports.list.needs) ? [{ id: 'ports' as const, label: t('tab.ports') }] : []),
    ...(isAllTenants && !isOfProject(network) ? [{ id: 'access' as const, label: t('access.title') }] : []),
  ]
  const selected = tabs.find(({ id }) => id === asked)?.id ?? 'overview'
  return (
    <>
      {network.fault && (
        <Banner tone={network.status === 'ERROR' ? 'bad' : 'warn'} title={t('fault')}>
          {network.fault}
        </Banner>
      )}
      <Tabs
        label={t('networks.one')}
        items={tabs}
        selected={selected}
        onChange={(id) =>
          go(id === 'overview' ? networkResource.paths.view(network.id) : networkResource.paths.below(network.id, id), {
            replace: true,
          })
        }
      >
        {selected === 'ports' ? (
          <NetworkPorts network={network} />
        ) : selected === 'access' ? (
          <NetworkAccess network={network} />
        ) : (
          <NetworkOverview network={network} />
        )}
      </Tabs>
    </>
  )
}
