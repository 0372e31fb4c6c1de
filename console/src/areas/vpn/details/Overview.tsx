import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { ikePolicies, ipsecPolicies } from '@mainstay/contract/vpn/policies'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { Panel } from '../../../ui/Panel'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Mono } from '../../../ui/values/Mono'
import { routerResource } from '../../networking/routers/resource'
import { useVpnCapabilities } from '../use-vpn'
import css from '../vpn.module.css'
import { authNames, dpdText, encryptionNames, groupText, ikeVersionText, modeKeys } from '../words'
import { PeerSettings } from './PeerSettings'
import { Traffic } from './Traffic'
import { Tunnels } from './Tunnels'
import { TunnelState } from './TunnelState'

/** Tunnel status and traffic, peer configuration, policies and properties. */
export function Overview({ connection }: { connection: IpsecSiteConnection }) {
  const can = useVpnCapabilities()
  return (
    <div className={css.place}>
      <div className={css.grid}>
        <div className={css.column}>
          <TunnelState connection={connection} />
          {can?.stats && <Tunnels connection={connection} />}
          <Traffic connection={connection} />
        </div>
        <div className={css.column}>
          <PeerSettings connection={connection} />
          <Policies connection={connection} />
          <Properties connection={connection} />
        </div>
      </div>
    </div>
  )
}

function Policies({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const ike = useView(ikePolicies.view, { id: connection.ikepolicy_id }).data
  const ipsec = useView(ipsecPolicies.view, { id: connection.ipsecpolicy_id }).data
  const shared = (policy: typeof ipsec) =>
    [
      [t('policy.encryption'), policy && encryptionNames[policy.encryption_algorithm]],
      [t('policy.auth'), policy && authNames[policy.auth_algorithm]],
      [t('policy.group'), policy && groupText(policy.pfs, t)],
      [t('policy.lifetime'), policy && t('policy.seconds', { count: policy.lifetime.value })],
    ] as const
  return (
    <>
      <Panel title={t('ike.title')}>
        <Facts
          rows={[
            [t('policy.name'), ike?.name],
            [t('ike.version'), ikeVersionText(connection.ike_version, t)],
            ...shared(ike),
          ]}
        />
      </Panel>
      <Panel title={t('ipsec.title')}>
        <Facts rows={[[t('policy.name'), ipsec?.name], ...shared(ipsec)]} />
      </Panel>
    </>
  )
}

function Properties({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const { peer_id, local_id, local_address: address, router_id: router, router_name: name } = connection
  return (
    <Panel title={t('properties')}>
      <Facts
        rows={[
          connection.description !== '' && [t('description'), connection.description],
          [t('peerAddress'), <CopyableCode key="peer">{connection.peer_address}</CopyableCode>],
          [t('peerId'), <Mono key="peerId">{peer_id}</Mono>],
          [t('localAddress'), address && <CopyableCode>{address}</CopyableCode>],
          [t('localId'), (local_id ?? address) && <Mono>{local_id ?? address ?? ''}</Mono>],
          [
            t('router'),
            <Link key="router" to={routerResource.paths.view(router)}>
              {name}
            </Link>,
          ],
          [t('mode'), t(modeKeys[connection.initiator])],
          [t('dpd'), dpdText(connection.dpd, t)],
          [t('split'), t(connection.split_selector ? 'yes' : 'no')],
          ...(standardFacts(connection, patterns, isAllTenants) ?? []),
        ]}
      />
    </Panel>
  )
}
