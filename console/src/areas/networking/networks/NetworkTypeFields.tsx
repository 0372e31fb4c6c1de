import type { PhysicalNetwork } from '@mainstay/contract/networking/network-service'
import { useT } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { NumberField, RadioCards, Select } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import type { NetworkWay } from './network-form'

interface NetworkTypeFieldsProps {
  ways: readonly NetworkWay[]
  physical: readonly PhysicalNetwork[]
}

const words: Readonly<Record<NetworkWay, readonly [Key<'networking'>, Key<'networking'>]>> = {
  private: ['networks.private', 'networks.privateHelp'],
  public: ['networks.external', 'networks.externalHelp'],
  vlan: ['networks.vlan', 'networks.vlanHelp'],
}

/** Type and infrastructure network for a new network. Shown only to operators. */
export function NetworkTypeFields({ ways, physical }: NetworkTypeFieldsProps) {
  const t = useT('networking')
  const way = useWatched<NetworkWay>('way')
  const chosen = useWatched<string | null>('physical')
  const endsHere = physical.some(({ id, host_only }) => id === chosen && host_only)
  return (
    <>
      <RadioCards
        name="way"
        label={t('networks.type')}
        items={ways.map((id) => ({ id, label: t(words[id][0]), description: t(words[id][1]) }))}
      />
      {way !== 'private' && (
        <Select
          name="physical"
          label={t('networks.physical')}
          {...(endsHere && { help: t('networks.hostOnly', { way }) })}
          items={physical.map(({ id, name, vlans, mtu }) => ({
            ...{ id, label: name, end: `MTU ${mtu}` },
            ...(way === 'vlan' && !vlans && { disabledBecause: t('networks.noVlans') }),
          }))}
        />
      )}
      {way === 'vlan' && <NumberField name="vlan_id" label={t('networks.vlanId')} minValue={1} maxValue={4094} />}
    </>
  )
}
