import type { ReactNode } from 'react'
import type { Network } from '@mainstay/contract/networking/networks'
import { useT } from '../../../i18n/use-t'
import { useIsUsableExternalNetwork } from '../../../pickers/use-routed-networks'
import { Badge } from '../../../ui/values/Badge'
import { typeKeys } from './network-words'
import css from './networks.module.css'

/** A network's type, with badges for special properties. */
export function NetworkTypes({ network, children }: { network: Network; children?: ReactNode }) {
  const t = useT('networking')
  const mayRoute = useIsUsableExternalNetwork()
  return (
    <span className={css.badges}>
      {t(typeKeys[mayRoute(network) ? 'external' : 'private'])}
      {network.vlan_id !== null && <Badge>{`VLAN ${network.vlan_id}`}</Badge>}
      {!network.ipam_enabled && <Badge>{t('networks.noIpam')}</Badge>}
      {children}
    </span>
  )
}
