import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { FloatingIpIcon, InstanceIcon, NetworkIcon, PortIcon, RouterIcon, type Icon } from '../../../ui/icons'
import css from './ports.module.css'

interface Device {
  icon: Icon
  /** The resource kind, if it has a page. */
  kind?: string
}

/** A device's icon and resource kind, determined by its port's owner. */
function deviceOf(owner: string): Device {
  if (owner.startsWith('compute:')) return { icon: InstanceIcon, kind: 'server' }
  if (owner === deviceOwners.floatingIp) return { icon: FloatingIpIcon, kind: 'floating_ip' }
  if (owner.startsWith('network:router')) return { icon: RouterIcon, kind: 'router' }
  if (owner === deviceOwners.service) return { icon: NetworkIcon }
  return { icon: PortIcon }
}

type Owned = Pick<Port, 'device_owner' | 'device_id' | 'device_name' | 'name'>

/** A port's device with its icon, as a link if the device has a page. */
export function DeviceName({ port }: { port: Owned }) {
  const t = useT('networking')
  const { icon: DeviceIcon, kind } = deviceOf(port.device_owner)
  const to = kind && port.device_id !== '' ? viewPath(kind, port.device_id) : undefined
  const name =
    port.device_name ||
    (port.device_owner === deviceOwners.service ? t('ports.service') : port.name || t('ports.nothing'))
  return (
    <span className={css.device}>
      <DeviceIcon />
      {to ? <Link to={to}>{name}</Link> : <bdi>{name}</bdi>}
    </span>
  )
}
