import { useT } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { NumberField } from '../../../patterns/form/NumberField'
import { RadioCards } from '../../../patterns/form/RadioCards'
import { Select } from '../../../patterns/form/Select'
import { useWatched } from '../../../patterns/form/use-watched'
import type { NetworkWay } from './network-form'

interface WayFieldsProps {
  ways: readonly NetworkWay[]
  physical: readonly { id: string; name: string; vlans: boolean; mtu: number }[]
}

const words: Readonly<Record<NetworkWay, readonly [Key<'networking'>, Key<'networking'>]>> = {
  private: ['networks.private', 'networks.privateHelp'],
  public: ['networks.external', 'networks.externalHelp'],
  vlan: ['networks.vlan', 'networks.vlanHelp'],
}

/** What a network is made on, for operators. */
export function WayFields({ ways, physical }: WayFieldsProps) {
  const t = useT('networking')
  const way = useWatched<NetworkWay>('way')
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
