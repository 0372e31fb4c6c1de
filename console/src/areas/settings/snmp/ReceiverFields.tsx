import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { receiverOf, snmp, TrapTest, type SnmpChange } from '@mainstay/contract/settings/snmp'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, TextField } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon } from '../../../ui/icons'
import css from '../settings.module.css'

interface ReceiverFieldsProps {
  /** Index of the receiver in the list. */
  at: number
  /** Maps the address and port of each saved receiver to whether its community can be read. */
  saved: ReadonlyMap<string, boolean>
  onRemove: () => void
}

/** A receiver of traps, which can be tested before it is saved. */
export function ReceiverFields({ at, saved, onRemove }: ReceiverFieldsProps) {
  const t = useT('settings')
  const shell = useT('shell')
  const { trigger, getValues, setError } = useFormContext()
  const tried = useCall(snmp.test)
  const [outcome, setOutcome] = useState<{ isGood: boolean; text: string }>()
  const name = `traps.${at}`
  const { ip, port } = useWatched<SnmpChange['traps'][number]>(name)
  const isReadable = saved.get(receiverOf({ ip, port }))

  async function test() {
    setOutcome(undefined)
    if (!(await trigger([`${name}.ip`, `${name}.port`, `${name}.community`]))) return
    const { enabled: _, ...receiver } = getValues(name) as SnmpChange['traps'][number]
    try {
      const body = TrapTest.parse(receiver)
      const { bytes } = await tried.run({ body })
      setOutcome({ isGood: true, text: t('snmp.tested', { ip: body.ip, bytes }) })
    } catch (thrown) {
      const problem = asProblem(thrown)
      for (const [field, [message]] of Object.entries(problem.fields))
        setError(`${name}.${field}`, { type: 'server', message: message ?? '' })
      setOutcome({ isGood: false, text: problemText(problem, shell) })
    }
  }

  const number = at + 1
  const kept = isReadable ? t('snmp.community.kept') : t('snmp.community.again')
  return (
    <section aria-label={t('snmp.receiver', { number })} className={css.receiver}>
      <div className={css.receiverFields}>
        <TextField name={`${name}.ip`} label={t('snmp.ip')} isMono />
        <NumberField name={`${name}.port`} label={t('snmp.port')} minValue={1} maxValue={65_535} />
        <PasswordField
          name={`${name}.community`}
          label={t('snmp.community')}
          autoComplete="off"
          help={isReadable === undefined ? undefined : kept}
        />
      </div>
      <div className={css.receiverFoot}>
        <Checkbox name={`${name}.enabled`}>{t('snmp.send')}</Checkbox>
        <Button onPress={() => void test()} isBusy={tried.isPending}>
          {t('snmp.test')}
        </Button>
        <IconButton icon={DeleteIcon} label={t('snmp.remove', { number })} onPress={onRemove} />
      </div>
      {outcome && <Banner tone={outcome.isGood ? 'ok' : 'bad'}>{outcome.text}</Banner>}
    </section>
  )
}
