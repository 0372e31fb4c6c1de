import { use, useId, useState, type ReactNode } from 'react'
import { useRouter } from '@tanstack/react-router'
import type { FieldValues } from 'react-hook-form'
import type * as z from 'zod'
import { useT } from '../../i18n/use-t'
import { IframeContext } from '../../nav/iframe'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { Drawer } from '../../ui/overlays/Drawer'
import { FormBody } from './FormBody'
import { useForm, type FormOptions } from './use-form'
import { Page } from '../Page'
import css from './FormDialog.module.css'

interface FormPageProps {
  title: string
  /** Cancel and the primary button, fixed at the bottom. */
  footer: ReactNode
  children: ReactNode
}

/** A form as a full page, when embedded in another web page. */
const FormPage = ({ title, footer, children }: FormPageProps) => (
  <Page title={title}>
    {children}
    <footer className={css.foot}>{footer}</footer>
  </Page>
)

export interface FormDialogProps<Schema extends z.ZodType<unknown, FieldValues>, Reply = unknown> extends Pick<
  FormOptions<Schema, Reply>,
  'schema' | 'start' | 'send'
> {
  title: string
  /** Button label: "Add SSH key". */
  verb: string
  /** Path to open on close and on success; the list keeps its filters. */
  closeTo?: string | undefined
  /** Called after success instead of closing, for example to show the result. */
  done?: ((reply: Reply) => void) | undefined
  /** Called instead of opening `closeTo`, for a form without a path. */
  onClose?: ((isDone: boolean) => void) | undefined
  /** Why the form cannot be sent now; shown above the fields and on the button. */
  barredBecause?: string | undefined
  /** Whether these values can be sent, for a button that stays disabled until a name is typed. Default: always. */
  isReady?: ((values: z.input<Schema>) => boolean) | undefined
  /** `danger` for a form that destroys something. */
  variant?: 'primary' | 'danger' | undefined
  /** Uses the full width of the dialog. */
  isWide?: boolean | undefined
  /** `none` for forms that do not call this API. */
  code?: 'below' | 'none' | undefined
  children: ReactNode
  /** In a side drawer (default), or in a centered dialog for two or three fields. */
  place?: 'side' | 'middle' | undefined
  size?: 'small' | 'normal' | 'large' | undefined
}

/**
 * A form over a page. Handles everything that forms share: validation, server errors on their fields, focus on the
 * first error, busy state, "Discard changes?".
 */
export function FormDialog<Schema extends z.ZodType<unknown, FieldValues>, Reply>(
  props: FormDialogProps<Schema, Reply>,
) {
  const { title, verb, closeTo, onClose, barredBecause, code, children, isReady, isWide, place = 'side', size } = props
  const t = useT('patterns')
  const go = useAppNavigate()
  const id = useId()
  const iframe = use(IframeContext)
  // dialogs opened over an embedded form stay dialogs
  const end = closeTo === undefined ? null : iframe
  const leave = (isDone: boolean, id?: string) => {
    if (end) end(isDone ? 'done' : 'cancel', id)
    else if (closeTo === undefined) onClose?.(isDone)
    // replaces the history entry, so that Back does not return to a sent form
    else go(closeTo, { keepsSearch: true, replace: isDone })
  }
  const router = useRouter()
  const [address] = useState(() => router.state.location.pathname)
  // only for new objects: edit forms always start with the current values
  const draftAt = !end && closeTo !== undefined && address.endsWith('/add') ? address : undefined
  const state = useForm({ ...props, draftAt, done: props.done ?? ((reply) => leave(true, idIn(reply))) })
  // for a form with a path, the navigation blocker asks for confirmation
  const close = () =>
    closeTo === undefined || end ? void state.mayClose().then((may) => may && leave(false)) : leave(false)

  const footer = (
    <>
      <Button onPress={close} isDisabled={state.isBusy}>
        {t('cancel')}
      </Button>
      <Button
        variant={props.variant ?? 'primary'}
        type="submit"
        form={id}
        isBusy={state.isBusy}
        isDisabled={isReady !== undefined && !isReady(state.form.watch() as z.input<Schema>)}
        disabledBecause={barredBecause}
      >
        {verb}
      </Button>
    </>
  )
  const body = (
    <FormBody state={state} id={id} code={code} isBarred={barredBecause !== undefined} isWide={isWide}>
      {barredBecause !== undefined && !state.isBusy && <Banner tone="warn">{barredBecause}</Banner>}
      {children}
    </FormBody>
  )
  if (end)
    return (
      <FormPage title={title} footer={footer}>
        {body}
      </FormPage>
    )
  return place === 'side' ? (
    <Drawer isOpen isModal title={title} onClose={close} footer={footer} size={size}>
      {body}
    </Drawer>
  ) : (
    <Dialog isOpen isFirm title={title} onClose={close} footer={footer} size={size}>
      {body}
    </Dialog>
  )
}

const idIn = (reply: unknown): string | undefined => {
  const id = (reply as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : undefined
}
