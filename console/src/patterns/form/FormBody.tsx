import type { SyntheticEvent, ReactNode } from 'react'
import { FormProvider } from 'react-hook-form'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { Banner } from '../../ui/feedback/Banner'
import { DraftOffer } from './DraftOffer'
import { ShowCode } from '../twin/ShowCode'
import { FormSettingContext } from './form-setting'
import type { useForm } from './use-form'
import css from './form.module.css'

interface FormBodyProps {
  state: ReturnType<typeof useForm>
  id: string
  children: ReactNode
  /** Where to show the request that the form makes: below the fields, or not at all. */
  code?: 'below' | 'none' | undefined
  /** Set while the form cannot be sent, not even with Enter. */
  isBarred?: boolean | undefined
  /** Uses the full page width, for content in columns. */
  isWide?: boolean | undefined
}

const stay = (event: SyntheticEvent) => event.preventDefault()

/** A form's fields, preceded by errors that do not belong to a field. */
export function FormBody({ state, id, children, code = 'below', isBarred = false, isWide = false }: FormBodyProps) {
  const t = useT('patterns')
  const { form, element, submit, isBusy, faults, requestId, draft, hidden } = state
  return (
    <FormProvider {...form}>
      <FormSettingContext value={{ isBusy, hidden }}>
        <form
          ref={element}
          id={id}
          className={classes(css.form, isWide && css.wide)}
          onSubmit={isBarred ? stay : submit}
          noValidate
        >
          {draft && <DraftOffer draft={draft} />}
          {faults && (
            <Banner tone="bad" title={faults[0]}>
              {faults.length > 1 && (
                <ul>
                  {faults.slice(1).map((fault) => (
                    <li key={fault}>{fault}</li>
                  ))}
                </ul>
              )}
              {requestId && <small>{t('form.requestId', { id: requestId })}</small>}
            </Banner>
          )}
          {children}
          {code === 'below' && <ShowCode dryCalls={state.dryCalls} />}
        </form>
      </FormSettingContext>
    </FormProvider>
  )
}
