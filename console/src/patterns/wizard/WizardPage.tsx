import { use, useId, type ReactNode } from 'react'
import { get, useFormState, useWatch, type FieldValues } from 'react-hook-form'
import type * as z from 'zod'
import { useT } from '../../i18n/use-t'
import { IframeContext, placeInIframe } from '../../nav/iframe'
import { Link } from '../../nav/Link'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { classes } from '../../lib/classes'
import { buttonClass } from '../../ui/button-class'
import { Button } from '../../ui/Button'
import { Drawer } from '../../ui/overlays/Drawer'
import { BadIcon } from '../../ui/icons'
import { FormBody } from '../form/FormBody'
import { useForm, type FormOptions } from '../form/use-form'
import { ShowCode } from '../twin/ShowCode'
import { Page } from '../Page'
import css from './WizardPage.module.css'

export interface WizardStep<Values> {
  /** Path segment of the step, such as `flavor`. */
  id: string
  label: string
  /** Short summary of the choice; empty if nothing has been chosen. */
  summary: (values: Values) => ReactNode
  /** Names of the fields in the step, whose errors are shown in the step's row. */
  fields: readonly string[]
  /** May be left empty. */
  isOptional?: boolean | undefined
  children: ReactNode
}

export interface WizardPageProps<Schema extends z.ZodType<unknown, FieldValues>> extends Pick<
  FormOptions<Schema>,
  'schema' | 'start' | 'send'
> {
  title: string
  verb: string
  closeTo: string
  /** Path of the wizard; steps are under it: `path/flavor`. */
  path: string
  /** The open step, from the URL: `useOptionalParam('step')`. */
  step: string | undefined
  steps: readonly WizardStep<z.input<Schema>>[]
  /** Fields on the page itself, above the steps. */
  children?: ReactNode
  /** Rarely used fields, below the steps. */
  more?: ReactNode
  /** Costs, shown next to the form, or below it on narrow screens. */
  aside?: ReactNode
  /** Why the form cannot be sent with the current values; shown on the button. */
  barred?: ((values: z.input<Schema>) => string | undefined) | undefined
}

/** A long form as one page that summarizes all choices. Each row opens its step in a drawer; Back closes it. */
export function WizardPage<Schema extends z.ZodType<unknown, FieldValues>>(props: WizardPageProps<Schema>) {
  const { title, verb, closeTo, path, step, steps, children, more, aside, barred } = props
  const t = useT('patterns')
  const go = useAppNavigate()
  const id = useId()
  const end = use(IframeContext)
  const within = (end && placeInIframe(path)) ?? path
  const state = useForm({
    ...props,
    within,
    draftAt: end ? undefined : path,
    done: () => go(closeTo, { replace: true }),
  })
  const cancel = () => (end ? void state.mayClose().then((may) => may && end('cancel')) : go(closeTo))
  const index = steps.findIndex((it) => it.id === step)
  const open = steps[index]
  const next = steps[index + 1]
  const before = steps[index - 1]
  const toPage = () => go(path, { keepsSearch: true })

  return (
    <Page title={title}>
      <div className={classes(css.wizard, end !== null && css.framed)}>
        <FormBody state={state} id={id} code="none">
          {children}
          <ol className={css.steps}>
            {steps.map((it) => (
              <StepRow key={it.id} step={it} to={`${path}/${it.id}`} />
            ))}
          </ol>
          {more}
          {aside && <div className={css.aside}>{aside}</div>}
          <ShowCode dryCalls={state.dryCalls} />
          <div className={css.foot}>
            <Button onPress={cancel} isDisabled={state.isBusy}>
              {t('cancel')}
            </Button>
            <Send verb={verb} isBusy={state.isBusy} barred={barred as Barred} />
          </div>
          {open && (
            <Drawer
              isOpen
              isModal
              size="large"
              title={open.label}
              onClose={toPage}
              footer={
                <>
                  {before && (
                    <Button onPress={() => go(`${path}/${before.id}`, { replace: true })}>{t('wizard.back')}</Button>
                  )}
                  {next ? (
                    <>
                      <Button onPress={toPage}>{t('wizard.done')}</Button>
                      <Button variant="primary" onPress={() => go(`${path}/${next.id}`, { replace: true })}>
                        {t('wizard.next', { step: next.label })}
                      </Button>
                    </>
                  ) : (
                    <Button variant="primary" onPress={toPage}>
                      {t('wizard.done')}
                    </Button>
                  )}
                </>
              }
            >
              <div className={css.step}>{open.children}</div>
            </Drawer>
          )}
        </FormBody>
      </div>
    </Page>
  )
}

type Barred = ((values: unknown) => string | undefined) | undefined

function Send({ verb, isBusy, barred }: { verb: string; isBusy: boolean; barred: Barred }) {
  const values: unknown = useWatch()
  return (
    <Button variant="primary" type="submit" isBusy={isBusy} disabledBecause={barred?.(values)}>
      {verb}
    </Button>
  )
}

function StepRow<Values>({ step, to }: { step: WizardStep<Values>; to: string }) {
  const t = useT('patterns')
  const values = useWatch() as Values
  const { errors } = useFormState()
  const summary = step.summary(values)
  const isChosen = summary !== null && summary !== undefined && summary !== false && summary !== ''
  const faults = step.fields.flatMap((name) => messagesOf(get(errors, name)))
  return (
    <li className={css.row} data-invalid={faults.length > 0 || undefined}>
      <span className={css.label}>{step.label}</span>
      <div className={css.summary}>
        {isChosen ? (
          summary
        ) : (
          <span className={css.missing}>{t(step.isOptional ? 'wizard.none' : 'wizard.missing')}</span>
        )}
        {faults.map((fault) => (
          <p key={fault} className={css.fault}>
            <BadIcon /> {fault}
          </p>
        ))}
      </div>
      <Link
        to={to}
        className={buttonClass({ size: 'small' })}
        aria-label={`${t(isChosen ? 'wizard.change' : 'wizard.choose')}: ${step.label}`}
      >
        {t(isChosen ? 'wizard.change' : 'wizard.choose')}
      </Link>
    </li>
  )
}

/** All error messages nested under a field, regardless of its structure. */
function messagesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return []
  const { message } = error as { message?: unknown }
  if (typeof message === 'string' && message !== '') return [message]
  return [...new Set(Object.entries(error).flatMap(([key, part]) => (key === 'ref' ? [] : messagesOf(part))))]
}
