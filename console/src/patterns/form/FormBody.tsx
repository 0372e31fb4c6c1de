import type { ReactNode } from 'react'
import { FormProvider } from 'react-hook-form'
import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { FormSettingContext } from './form-setting'
import type { useForm } from './use-form'
import css from './form.module.css'

interface FormBodyProps {
  state: ReturnType<typeof useForm>
  id: string
  children: ReactNode
}

/** The fields of a form under each other, and what is wrong beyond them. */
export function FormBody({ state, id, children }: FormBodyProps) {
  const t = useT('patterns')
  const { form, element, submit, isBusy, faults, requestId } = state
  return (
    <FormProvider {...form}>
      <FormSettingContext value={{ isBusy }}>
        <form ref={element} id={id} className={css.form} onSubmit={submit} noValidate>
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
        </form>
      </FormSettingContext>
    </FormProvider>
  )
}
