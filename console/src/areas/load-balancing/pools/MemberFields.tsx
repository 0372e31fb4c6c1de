import { useFieldArray } from 'react-hook-form'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { DEFAULT_WEIGHT, MAX_MEMBERS, MAX_WEIGHT } from '@mainstay/contract/load-balancing/members'
import { portKind, ports } from '@mainstay/contract/networking/ports'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, TextField } from '../../../patterns/form/form-fields'
import { useEntryFocus } from '../../../patterns/form/use-entry-focus'
import { useWatched } from '../../../patterns/form/use-watched'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { Banner } from '../../../ui/feedback/Banner'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon, InstanceIcon } from '../../../ui/icons'
import css from '../load-balancing.module.css'
import type { MemberForm } from './pool-form'

/** Form fields for pool members: virtual machines in the project, or any address reachable from the network. */
export function MemberFields({ at = '' }: { at?: string }) {
  const t = useT('loadBalancing')
  const { fields, append, remove } = useFieldArray({ name: `${at}members`, keyName: 'key' })
  const members = useWatched<readonly MemberForm[]>(`${at}members`)
  const { machines, isLoading } = useMachines()
  const offered = machines.filter(({ id }) => !members.some(({ address }) => address === id))
  const add = (address: string, name: string) =>
    append({ address, name, weight: DEFAULT_WEIGHT, enabled: true } satisfies MemberForm, { shouldFocus: false })
  const isFull = members.length >= MAX_MEMBERS
  const { place, toNew, toRest } = useEntryFocus(fields.length)
  return (
    <>
      <ComboBox
        label={t('members.machine')}
        help={t(machines.length === 0 && !isLoading ? 'members.noMachines' : 'members.machineHelp')}
        placeholder={t('members.find')}
        items={offered}
        value={null}
        isDisabled={isFull}
        isOptional
        onChange={(address) => {
          const found = machines.find(({ id }) => id === address)
          if (found) add(found.id, found.name)
        }}
      />
      {fields.length === 0 && <Banner tone="warn">{t('members.none')}</Banner>}
      <div className={css.fields} ref={place}>
        {fields.map(({ key }, index) => (
          <Member
            key={key}
            at={`${at}members.${index}.`}
            name={members[index]?.name ?? ''}
            number={index + 1}
            onRemove={() => {
              toRest()
              remove(index)
            }}
          />
        ))}
        <div>
          <Button
            icon={AddIcon}
            disabledBecause={isFull ? t('members.full', { most: MAX_MEMBERS }) : undefined}
            onPress={() => {
              toNew()
              add('', '')
            }}
          >
            {t('members.addAddress')}
          </Button>
        </div>
      </div>
    </>
  )
}

interface MemberProps {
  at: string
  name: string
  number: number
  onRemove: () => void
}

function Member({ at, name, number, onRemove }: MemberProps) {
  const t = useT('loadBalancing')
  const called = name === '' ? t('members.numbered', { number }) : name
  return (
    <section aria-label={called} className={css.entry}>
      <div className={css.member}>
        <TextField name={`${at}address`} label={name === '' ? t('members.address') : name} isMono />
        <NumberField name={`${at}weight`} label={t('members.weight')} minValue={0} maxValue={MAX_WEIGHT} />
        <IconButton icon={DeleteIcon} label={t('members.remove', { name: called })} onPress={onRemove} />
      </div>
      <Checkbox name={`${at}enabled`}>{t('members.enabled')}</Checkbox>
    </section>
  )
}

/** Virtual machines in the project, one entry per address. */
function useMachines() {
  const may = useMay()
  const { rows, isLoading } = useList(ports.list, portKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT },
    isEnabled: may(ports.list.needs),
  })
  const machines = rows
    .filter(({ device_owner, device_id }) => device_owner.startsWith('compute:') && device_id !== '')
    .flatMap(({ fixed_ips, device_name: name }) =>
      fixed_ips.map(({ ip_address: id }) => ({ id, name, label: `${name} ${id}`, icon: InstanceIcon })),
    )
  return { machines, isLoading }
}
