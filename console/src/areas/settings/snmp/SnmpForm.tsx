import { useId, useState } from 'react'
import { useFieldArray } from 'react-hook-form'
import { MOST_TRAPS, receiverOf, snmp, SnmpChange, TRAP_PORT, type Snmp } from '@mainstay/contract/settings/snmp'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { FormBody } from '../../../patterns/form/FormBody'
import { Checkbox } from '../../../patterns/form/form-fields'
import { useEntryFocus } from '../../../patterns/form/use-entry-focus'
import { useForm } from '../../../patterns/form/use-form'
import { Button } from '../../../ui/Button'
import { AddIcon } from '../../../ui/icons'
import css from '../settings.module.css'
import { ReceiverFields } from './ReceiverFields'

interface SnmpFormProps {
  values: Snmp
  onSaved: (saved: Snmp) => void
}

/** SNMP settings with a test button for each receiver. */
export function SnmpForm({ values: { enabled, traps }, onSaved }: SnmpFormProps) {
  const t = useT('settings')
  const patterns = useT('patterns')
  const id = useId()
  const save = useCall(snmp.save, { refresh: [snmp.view] })
  const state = useForm({
    schema: SnmpChange,
    // the server never sends communities; an empty field keeps the stored one
    start: { enabled, traps: traps.map(({ has_community: _, ...trap }) => ({ ...trap, community: '' })) },
    send: (body) => save.run({ body }),
    done: onSaved,
  })
  const [saved] = useState(() => new Map(traps.map((trap) => [receiverOf(trap), trap.has_community])))
  return (
    <FormBody state={state} id={id} isWide>
      <Checkbox name="enabled" help={t('snmp.enabled.help')}>
        {t('snmp.enabled')}
      </Checkbox>
      <Receivers saved={saved} />
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {patterns('save')}
        </Button>
      </div>
    </FormBody>
  )
}

function Receivers({ saved }: { saved: ReadonlyMap<string, boolean> }) {
  const t = useT('settings')
  const { fields, append, remove } = useFieldArray({ name: 'traps', keyName: 'key' })
  const { place, toNew, toRest } = useEntryFocus(fields.length)
  return (
    <fieldset className={css.group}>
      <legend>{t('snmp.receivers')}</legend>
      {fields.length === 0 && <p className={css.intro}>{t('snmp.none')}</p>}
      <div className={css.group} ref={place}>
        {fields.map(({ key }, at) => (
          <ReceiverFields
            key={key}
            at={at}
            saved={saved}
            onRemove={() => {
              toRest()
              remove(at)
            }}
          />
        ))}
        <div>
          <Button
            icon={AddIcon}
            disabledBecause={fields.length >= MOST_TRAPS ? t('snmp.full', { most: MOST_TRAPS }) : undefined}
            onPress={() => {
              toNew()
              append({ ip: '', port: TRAP_PORT, community: '', enabled: true }, { shouldFocus: false })
            }}
          >
            {t('snmp.add')}
          </Button>
        </div>
        {fields.length > 0 && <small>{t('snmp.test.help')}</small>}
      </div>
    </fieldset>
  )
}
