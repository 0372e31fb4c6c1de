import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { Disclosure } from '../../../ui/Disclosure'
import { SubnetFields } from '../subnets/SubnetFields'
import css from '../subnets/subnets.module.css'
import { useNetworkService } from '../../../pickers/use-network-service'
import { MtuField } from './MtuField'
import type { NetworkWay } from './network-form'

/** Rarely changed settings for a network and its IPv4 subnet. */
export function NetworkAdvanced() {
  const t = useT('networking')
  const can = useNetworkService().data?.capabilities
  const way = useWatched<NetworkWay>('way')
  const hasFour = useWatched<boolean>('has_v4')
  const ipam = useWatched<boolean>('ipam')
  const dhcp = useWatched<boolean>('v4.dhcp')
  const mtu = useWatched<number | null>('mtu')
  const summary = [
    ...(ipam && hasFour ? [t(dhcp ? 'networks.dhcpOn' : 'networks.dhcpOff')] : []),
    mtu === null ? t('networks.mtuOwn') : `MTU ${mtu}`,
  ]
  return (
    <Disclosure title={t('advanced')} summary={summary.join(', ')}>
      <div className={css.fields}>
        {ipam && hasFour && <SubnetFields at="v4" version={4} />}
        <MtuField />
        {way === 'private' && can?.spoofing_protection && (
          <Checkbox name="spoofing_protection" help={t('networks.spoofingHelp')}>
            {t('networks.spoofing')}
          </Checkbox>
        )}
        {way !== 'private' && can?.direct_vnics && (
          <Checkbox name="direct_vnics" help={t('networks.directHelp')}>
            {t('networks.direct')}
          </Checkbox>
        )}
      </div>
    </Disclosure>
  )
}
