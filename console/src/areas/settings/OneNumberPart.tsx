import { useState } from 'react'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type * as z from 'zod'
import { problemText } from '../../api/problem-text'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { Facts } from '../../patterns/Facts'
import { FormBody } from '../../patterns/form/FormBody'
import { NumberField } from '../../patterns/form/form-fields'
import { useForm } from '../../patterns/form/use-form'
import { useMay } from '../../session/may'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import css from './settings.module.css'

type Values<Name extends string> = Record<Name, number>

interface OneNumberPartProps<Name extends string> {
  id: string
  calls: { view: Endpoint; save: Endpoint }
  schema: z.ZodType<Values<Name>, Values<Name>>
  name: Name
  most: number
  refresh?: readonly Endpoint[]
  texts: { intro: string; label: string; help: string; save: string; saved: string }
  /** Formats the value for users who cannot edit it. */
  shown: (value: number) => string
}

/** A settings page with a single number. */
export function OneNumberPart<Name extends string>(props: OneNumberPartProps<Name>) {
  const { calls, name, texts, shown } = props
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(calls.view, {})
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: Values<Name> }>()
  const values = saved?.values ?? (data as Values<Name> | undefined)
  const mayChange = may(calls.save.needs)
  return (
    <>
      <p className={css.intro}>{texts.intro}</p>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!values && !problem && <Skeleton width="320px" />}
      {values && !mayChange && (
        <>
          <Banner tone="busy">{t('settings.readOnly')}</Banner>
          <Facts rows={[[texts.label, shown(values[name])]]} />
        </>
      )}
      {values && mayChange && (
        <NumberForm
          {...props}
          key={saved?.count ?? 0}
          values={values}
          onSaved={(reply) => {
            setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
            toast(texts.saved)
          }}
        />
      )}
    </>
  )
}

interface NumberFormProps<Name extends string> extends OneNumberPartProps<Name> {
  values: Values<Name>
  onSaved: (values: Values<Name>) => void
}

function NumberForm<Name extends string>(props: NumberFormProps<Name>) {
  const { id, calls, schema, name, most, refresh, texts, values, onSaved } = props
  const save = useCall(calls.save, refresh ? { refresh } : {})
  const state = useForm({
    schema,
    start: values,
    send: (body) => save.run({ body } as never),
    done: (reply) => onSaved(reply as Values<Name>),
  })
  return (
    <FormBody state={state} id={id}>
      <fieldset className={css.group}>
        <NumberField name={name} label={texts.label} help={texts.help} minValue={0} maxValue={most} />
      </fieldset>
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {texts.save}
        </Button>
      </div>
    </FormBody>
  )
}
