import { useId, type ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import type * as z from 'zod'
import { useT } from '../../i18n/use-t'
import { useGo } from '../../nav/use-go'
import { Button } from '../../ui/Button'
import { Page } from '../Page'
import { FormBody } from './FormBody'
import { useForm, type FormOptions } from './use-form'
import css from './form.module.css'

export interface FormPageProps<Schema extends z.ZodType<unknown, FieldValues>> extends Pick<
  FormOptions<Schema>,
  'schema' | 'start' | 'send' | 'within'
> {
  title: string
  verb: string
  closeTo: string
  children: ReactNode
}

/** A form that is a page: for what is too long for a drawer. */
export function FormPage<Schema extends z.ZodType<unknown, FieldValues>>(props: FormPageProps<Schema>) {
  const { title, verb, closeTo, children } = props
  const t = useT('patterns')
  const go = useGo()
  const id = useId()
  const state = useForm({ ...props, done: () => go(closeTo) })
  return (
    <Page title={title}>
      <FormBody state={state} id={id}>
        {children}
        <div className={css.foot}>
          <Button onPress={() => go(closeTo)} isDisabled={state.isBusy}>
            {t('cancel')}
          </Button>
          <Button variant="primary" type="submit" isBusy={state.isBusy}>
            {verb}
          </Button>
        </div>
      </FormBody>
    </Page>
  )
}
