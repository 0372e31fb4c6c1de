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
  /** Cancel and the primary button: they stay at the bottom. */
  footer: ReactNode
  children: ReactNode
}

/** A form that is the whole page, over its full width: in a frame of somebody else's page. */
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
  /** The button: "Add SSH key". */
  verb: string
  /** Where closing and success lead; the list keeps its filters. */
  closeTo?: string | undefined
  /** After it was sent, in the place of closing: to show what came of it. */
  done?: ((reply: Reply) => void) | undefined
  /** In the place of `closeTo`, for a form without an address. */
  onClose?: ((isDone: boolean) => void) | undefined
  /** Why it cannot be sent now: said above the fields and at the button. */
  barredBecause?: string | undefined
  /** `none`: for what is not done by a call of this API. */
  code?: 'below' | 'none' | undefined
  children: ReactNode
  /** At the end side (the usual) or in the middle, for two or three fields. */
  place?: 'side' | 'middle' | undefined
  size?: 'small' | 'normal' | 'large' | undefined
}

/**
 * A form over a page. Owns what is the same everywhere: checking, the server's errors on their fields, the focus on the
 * first of them, busy, "Discard changes?".
 */
export function FormDialog<Schema extends z.ZodType<unknown, FieldValues>, Reply>(
  props: FormDialogProps<Schema, Reply>,
) {
  const { title, verb, closeTo, onClose, barredBecause, code, children, place = 'side', size } = props
  const t = useT('patterns')
  const go = useAppNavigate()
  const id = useId()
  const iframe = use(IframeContext)
  // what is drawn over a form in a frame is a dialog there too
  const end = closeTo === undefined ? null : iframe
  const leave = (isDone: boolean, id?: string) => {
    if (end) end(isDone ? 'done' : 'cancel', id)
    else if (closeTo === undefined) onClose?.(isDone)
    // Back does not lead into a form that was sent
    else go(closeTo, { keepsSearch: true, replace: isDone })
  }
  const router = useRouter()
  const [address] = useState(() => router.state.location.pathname)
  // what changes something begins with how that is by now
  const draftAt = !end && closeTo !== undefined && address.endsWith('/add') ? address : undefined
  const state = useForm({ ...props, draftAt, done: props.done ?? ((reply) => leave(true, idIn(reply))) })
  // with an address, leaving it is what asks
  const close = () =>
    closeTo === undefined || end ? void state.mayClose().then((may) => may && leave(false)) : leave(false)

  const footer = (
    <>
      <Button onPress={close} isDisabled={state.isBusy}>
        {t('cancel')}
      </Button>
      <Button variant="primary" type="submit" form={id} isBusy={state.isBusy} disabledBecause={barredBecause}>
        {verb}
      </Button>
    </>
  )
  const body = (
    <FormBody state={state} id={id} code={code}>
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
