import { floatingIpKind, floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { DeviceName } from '../ports/DeviceName'
import { networkResource } from '../networks/resource'
import { useNetworkingCan } from '../../../pickers/use-network-service'
import { deviceOf } from './device-of'
import { UnassignedSince } from './UnassignedSince'
import { floatingIpStatus } from './floating-ip-words'
import { PublishedPorts } from './PublishedPorts'
import { floatingIpResource, named } from './resource'
import { RouterName } from './RouterName'
import { useFloatingIpActions } from './use-floating-ip-actions'

const { paths } = floatingIpResource

/** `floating-ips/{floatingIpId}`: a floating IP's target, and its ports published on this host. */
export default function FloatingIpPage() {
  const t = useT('networking')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(floatingIps.view, { id }, { kind: floatingIpKind })
  const { actions } = useFloatingIpActions(() => go(paths.list(), { keepsSearch: true }))
  return (
    <DrawerPage
      view={view}
      what={t('floatingIps.one')}
      title={({ floating_ip_address: address }) => address}
      subtitle={(it) => {
        const { tone, text } = floatingIpStatus(it, t)
        return <StatusBadge tone={tone}>{text}</StatusBadge>
      }}
      actions={(it) => actions(named(it))}
      closeTo={paths.list()}
    >
      {(it) => <Details floatingIp={it} />}
    </DrawerPage>
  )
}

function Details({ floatingIp }: { floatingIp: FloatingIp }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const canPublish = useNetworkingCan('published_ports')
  const { floating_ip_address: address, fixed_ip_address: fixed, fault, description } = floatingIp
  return (
    <>
      {fault && (
        <Banner tone="warn" title={t('fault')}>
          {fault}
        </Banner>
      )}
      <Facts
        rows={[
          [t('floatingIps.address'), <CopyableCode key="address">{address}</CopyableCode>],
          [
            t('floatingIps.attachedTo'),
            floatingIp.attachment ? (
              <DeviceName key="device" port={deviceOf(floatingIp)} />
            ) : (
              <UnassignedSince key="kept" floatingIp={floatingIp} />
            ),
          ],
          [t('floatingIps.fixed'), fixed && <CopyableCode key="fixed">{fixed}</CopyableCode>],
          [t('routers.one'), <RouterName key="router" id={floatingIp.router_id} />],
          [
            t('networks.one'),
            <Link key="network" to={networkResource.paths.view(floatingIp.floating_network_id)}>
              {floatingIp.floating_network_name}
            </Link>,
          ],
          [t('description'), description],
          ...standardFacts(floatingIp, patterns, isAllTenants),
        ]}
      />
      {(canPublish || (floatingIp.published_ports?.length ?? 0) > 0) && <PublishedPorts floatingIp={floatingIp} />}
    </>
  )
}
