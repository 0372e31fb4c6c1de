import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { floatingIpKind, floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { portKind, ports, type Port } from '@mainstay/contract/networking/ports'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useList } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { useNetworkService } from '../../../../pickers/use-network-service'
import { useMay } from '../../../../session/may'
import { Mono } from '../../../../ui/values/Mono'
import { floatingIpResource } from '../../../networking/floating-ips/resource'
import { securityGroupResource } from '../../../networking/security-groups/resource'
import css from './small-table.module.css'

interface CardPorts {
  ports: readonly Port[]
  groups: ReadonlyMap<string, string>
  floating: readonly FloatingIp[]
}

/** Network ports of an instance's interfaces. Undefined if the engine has no security groups. */
export function useInterfacePorts(instanceId: string): CardPorts | undefined {
  const may = useMay()
  const can = useNetworkService().data?.capabilities
  const isEnabled = (can?.security_groups ?? false) && may(ports.list.needs)
  const all = { stateIn: 'memory', limit: MAX_LIMIT } as const
  const own = useList(ports.list, portKind, { ...all, only: { device_id: instanceId }, isEnabled })
  const groups = useList(securityGroups.list, securityGroupKind, {
    ...all,
    isEnabled: isEnabled && may(securityGroups.list.needs),
  })
  const floating = useList(floatingIps.list, floatingIpKind, {
    ...{ ...all, only: { object_id: instanceId } },
    isEnabled: isEnabled && may(floatingIps.list.needs),
  })
  if (!isEnabled) return undefined
  return {
    ports: own.rows,
    groups: new Map(groups.rows.map(({ id, name }) => [id, name])),
    floating: floating.rows,
  }
}

/** Security groups of an interface, and floating IPs assigned to it. */
export function InterfaceSecurity({ cards, portId }: { cards: CardPorts; portId: string }) {
  const t = useT('instance')
  const port = cards.ports.find(({ id }) => id === portId)
  const floating = cards.floating.filter(({ port_id }) => port_id === portId)
  if (!port) return '–'
  return (
    <>
      {port.security_groups.length === 0
        ? t('instances.nic.noGroups')
        : port.security_groups.map((id) => (
            <div key={id}>
              <Link to={securityGroupResource.paths.view(id)}>{cards.groups.get(id) ?? id.slice(0, 8)}</Link>
            </div>
          ))}
      {floating.map(({ id, floating_ip_address: address }) => (
        <span key={id} className={css.dim}>
          {t('instances.nic.floatingIp')}{' '}
          <Link to={floatingIpResource.paths.view(id)}>
            <Mono>{address}</Mono>
          </Link>
        </span>
      ))}
    </>
  )
}
