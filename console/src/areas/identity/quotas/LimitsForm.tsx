import { allQuotas, type QuotaName } from '@mainstay/contract/all-quotas'
import { useState } from 'react'
import { cancelled } from '../../../api/problem'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { Checkbox, NumberField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { SizeField } from '../../../patterns/form/SizeField'
import { useWatched } from '../../../patterns/form/use-watched'
import {
  limitsBelowUsage,
  bodyOf,
  changedLimits,
  limitsForm,
  startOf,
  type Amounts,
  type TypedLimits,
} from './limits-form'
import css from './LimitsForm.module.css'
import { quotaLabel, useQuotaFormat } from './quota-words'

interface LimitsFormProps {
  title: string
  names: readonly QuotaName[]
  /** Current limits and usage, as bytes or object counts. Usage keeps updating while the form is open. */
  amounts: Amounts
  /** Explains the effect of setting a limit below current usage. */
  belowNote: string
  /** Called with the changed limits. */
  send: (body: object) => Promise<unknown>
  closeTo: string
}

/** Edits limits next to current usage. A limit below current usage has to be confirmed. */
export function LimitsForm({ title, names, amounts, belowNote, send, closeTo }: LimitsFormProps) {
  const t = useT('identity')
  const format = useFormat()
  const say = useQuotaFormat()
  // keep the initial values, even if the limits change while the form is open
  const [{ start, schema }] = useState(() => ({ start: startOf(names, amounts), schema: limitsForm(names) }))

  async function sendChanged(typed: TypedLimits) {
    const changed = changedLimits(typed, start)
    const below = limitsBelowUsage(changed, amounts)
    if (below.length > 0) {
      const lines = below.map(([name, { limit, used }]) =>
        t('quotas.belowOne', { what: quotaLabel(name, t), used: say(name, used), limit: say(name, limit) }),
      )
      const isMeant = await confirm({
        title: t('quotas.belowTitle'),
        text: `${format.list(lines)}. ${belowNote}`,
        verb: t('quotas.set'),
      })
      if (!isMeant) throw cancelled()
    }
    if (changed.length > 0) await send(bodyOf(changed))
  }
  return (
    <FormDialog title={title} verb={t('quotas.set')} schema={schema} start={start} send={sendChanged} closeTo={closeTo}>
      {names.map((name) => (
        <Limit key={name} name={name} used={amounts[name]?.used ?? 0} />
      ))}
    </FormDialog>
  )
}

function Limit({ name, used }: { name: QuotaName; used: number }) {
  const t = useT('identity')
  const say = useQuotaFormat()
  const isUnlimited = useWatched<boolean>(`${name}.isUnlimited`)
  const label = quotaLabel(name, t)
  const Field = allQuotas[name].unit === 'things' ? NumberField : SizeField
  return (
    <div className={css.limit} role="group" aria-label={label}>
      {isUnlimited ? (
        <p className={css.none}>
          <span className={css.label}>{label}</span>
          <span className={css.used}>{t('quotas.used', { used: say(name, used) })}</span>
        </p>
      ) : (
        <Field name={`${name}.limit`} label={label} minValue={0} help={t('quotas.used', { used: say(name, used) })} />
      )}
      <Checkbox name={`${name}.isUnlimited`}>{t('quotas.unlimited')}</Checkbox>
    </div>
  )
}
