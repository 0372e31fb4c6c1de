import type { FloatingIp, FloatingIpTarget } from '@mainstay/contract/networking/floating-ips'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

/** Status of a floating IP (product notes 03, C). An unassigned floating IP is shown as idle, not as faulty. */
export function floatingIpStatus({ status, port_id, fault }: FloatingIp, t: Translate<'networking'>): Status {
  if (status === 'ERROR') return { tone: 'bad', text: t('is.error') }
  if (port_id === null) return { tone: 'idle', text: t('floatingIps.notAssigned') }
  if (status === 'DOWN') return { tone: 'idle', text: t('is.down') }
  return { tone: fault ? 'warn' : 'ok', text: t('floatingIps.assigned') }
}

export const reasonKeys: Readonly<Record<NonNullable<FloatingIpTarget['reason']>, Key<'networking'>>> = {
  no_router: 'floatingIps.why.noRouter',
  host_network: 'floatingIps.why.hostNetwork',
  router_without_gateway: 'floatingIps.why.noGateway',
  other_external_network: 'floatingIps.why.otherNetwork',
  has_floating_ip: 'floatingIps.why.hasOne',
  no_ipv4_address: 'floatingIps.why.noAddress',
}
