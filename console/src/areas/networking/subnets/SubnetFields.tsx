import type { Ipv6Mode } from '@mainstay/contract/networking/subnets'
import { ipv6Modes } from '@mainstay/contract/networking/subnets'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { Checkbox, Select, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { Facts } from '../../../patterns/Facts'
import { useFormat } from '../../../i18n/use-format'
import { Mono } from '../../../ui/values/Mono'
import { rangeFacts, type SubnetForm } from './subnet-form'

interface SubnetPartProps {
  /** Name of the form field that holds the subnet. */
  at: string
  version: 4 | 6
}

export const modeKeys: Readonly<Record<Ipv6Mode, Key<'networking'>>> = {
  none: 'subnets.mode.none',
  slaac: 'subnets.mode.slaac',
  'dhcpv6-stateful': 'subnets.mode.stateful',
  'dhcpv6-stateless': 'subnets.mode.stateless',
}

/** Fields for gateway, DHCP, allocation pools and name servers. */
export function SubnetFields({ at, version }: SubnetPartProps) {
  const t = useT('networking')
  const hasGateway = useWatched<boolean>(`${at}.has_gateway`)
  return (
    <>
      <Checkbox name={`${at}.has_gateway`} help={t('subnets.hasGatewayHelp')}>
        {t('subnets.hasGateway')}
      </Checkbox>
      {hasGateway && (
        <TextField
          name={`${at}.gateway`}
          label={t('subnets.gateway')}
          placeholder={t('subnets.gatewayFirst')}
          isMono
          isOptional
        />
      )}
      <Checkbox name={`${at}.dhcp`} help={t(version === 4 ? 'subnets.dhcpHelp' : 'subnets.dhcpHelp6')}>
        {t('subnets.dhcp')}
      </Checkbox>
      <TextArea
        name={`${at}.pools`}
        label={t('subnets.pools')}
        help={t('subnets.poolsHelp')}
        placeholder={t('subnets.poolsWhole')}
        isOptional
        rows={2}
      />
      <TextField
        name={`${at}.dns`}
        label={t('subnets.dns')}
        help={t('subnets.dnsHelp')}
        placeholder={t('subnets.dnsOwn')}
        isMono
        isOptional
      />
    </>
  )
}

/** How guests obtain IPv6 addresses. */
export function ModeField({ at }: { at: string }) {
  const t = useT('networking')
  return (
    <Select
      name={`${at}.mode`}
      label={t('subnets.mode')}
      items={ipv6Modes.map((id) => ({ id, label: t(modeKeys[id]) }))}
    />
  )
}

/** Properties derived from the range, updated while the user edits it. */
export function RangeFactsTable({ at, version }: SubnetPartProps) {
  const t = useT('networking')
  const format = useFormat()
  const facts = rangeFacts(useWatched<SubnetForm>(at), version)
  if (!facts) return null
  const { subnet, machines, network, broadcast, netmask } = facts
  const count = format.number(Number(machines))
  return (
    <Facts
      rows={[
        [
          t('subnets.gateway'),
          subnet.gateway_ip === null ? t('subnets.none') : <Mono key="g">{subnet.gateway_ip}</Mono>,
        ],
        [
          t('subnets.forMachines'),
          <span key="m">
            {subnet.allocation_pools.map(({ start, end }) => (
              <span key={start}>
                <Mono>{t('plan.fromTo', { first: start, last: end })}</Mono>{' '}
              </span>
            ))}
            {version === 4 && t('subnets.count', { count: Number(machines), shown: count })}
          </span>,
        ],
        version === 4 && [
          t('subnets.notUsable'),
          <span key="n">
            {t(broadcast === null ? 'subnets.isNetwork' : 'subnets.isNetworkAndBroadcast', {
              network: <Mono key="network">{network}</Mono>,
              broadcast: <Mono key="broadcast">{broadcast ?? ''}</Mono>,
            })}
          </span>,
        ],
        netmask !== null && [t('subnets.netmask'), <Mono key="k">{netmask}</Mono>],
      ]}
    />
  )
}
