import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { PathLine } from '../../../patterns/PathLine'
import { Button } from '../../../ui/Button'
import { NetworkIcon, PeerIcon, RouterIcon } from '../../../ui/icons'
import { Tabs } from '../../../ui/Tabs'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { routerResource } from '../../networking/routers/resource'
import { vpnResource, vpnTabs } from '../resource'
import { useVpnActions } from '../use-vpn-actions'
import { vpnStatus } from '../words'
import { EndpointGroups } from './EndpointGroups'
import { Overview } from './Overview'
import { VpnEvents } from './VpnEvents'

const { paths } = vpnResource

/** `vpn/{vpnId}/{overview|endpoint-groups|events}`: VPN connection details. */
export default function VpnPage() {
  const t = useT('vpn')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(ipsecSiteConnections.view, { id }, { kind: connectionKind })
  const { actions } = useVpnActions({ isDetails: true, deleted: () => go(paths.list()) })
  const { data } = view
  const status = data && vpnStatus(data, t)
  const menu = data ? actions(data) : []
  return (
    <Page
      title={<bdi>{data?.name ?? t('ipsecSiteConnections.one')}</bdi>}
      aside={status && <StatusBadge tone={status.tone}>{status.text}</StatusBadge>}
      actions={
        data && (
          <>
            {menu
              .filter(({ isLikely }) => isLikely)
              .map(({ label, icon, disabledBecause, run }) => (
                <Button key={label} icon={icon} disabledBecause={disabledBecause} onPress={() => run?.()}>
                  {label}
                </Button>
              ))}
            <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={menu} />
          </>
        )
      }
    >
      <ViewContent view={view}>{(connection) => <Content connection={connection} />}</ViewContent>
    </Page>
  )
}

function Content({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const go = useAppNavigate()
  const asked = useOptionalParam('tab')
  const selected = vpnTabs.find((it) => it === asked) ?? 'overview'
  return (
    <>
      <Way connection={connection} />
      <Tabs
        label={t('ipsecSiteConnections.one')}
        items={[
          { id: 'overview', label: t('overview') },
          { id: 'endpoint-groups', label: t('side.title') },
          { id: 'events', label: t('events') },
        ]}
        selected={selected}
        onChange={(tab) => go(paths.below(connection.id, tab), { replace: true })}
      >
        {selected === 'overview' && <Overview connection={connection} />}
        {selected === 'endpoint-groups' && <EndpointGroups connection={connection} />}
        {selected === 'events' && <VpnEvents connection={connection} />}
      </Tabs>
    </>
  )
}

/** The traffic path from the local to the remote networks. */
function Way({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const { status, router_id: router, router_name: name, local_address: address } = connection
  const isBroken = status === 'DOWN' || status === 'ERROR'
  return (
    <PathLine
      label={t('summary.way')}
      hops={[
        { id: 'ours', icon: NetworkIcon, name: t('side.ours'), detail: connection.local_subnets.join(', ') },
        {
          ...{ id: 'router', icon: RouterIcon, isOwn: true, detail: address ?? t('router.noGateway') },
          name: <Link to={routerResource.paths.view(router)}>{name}</Link>,
        },
        { id: 'peer', icon: PeerIcon, name: t('peer'), detail: connection.peer_address },
        { id: 'theirs', icon: NetworkIcon, name: t('side.theirs'), detail: connection.remote_subnets.join(', ') },
      ]}
      legs={[{}, isBroken ? { broken: t('way.none') } : { over: t('tunnel') }, {}]}
    />
  )
}
