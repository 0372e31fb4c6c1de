import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { classes } from '../../lib/classes'
import { IconButton } from '../IconButton'
import { CloseIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './Dialog.module.css'

export interface DialogProps {
  title: string
  isOpen: boolean
  /**
   * Called on Esc, on the close button and, unless `isFirm`, on a press outside. May ask for confirmation before
   * closing the dialog.
   */
  onClose: () => void
  children: ReactNode
  /** Buttons, with the primary one last. */
  footer?: ReactNode
  /** Width of 440, 640 or 960 px. */
  size?: 'small' | 'normal' | 'large' | undefined
  /** Use `alertdialog` for interruptions such as confirmations. */
  role?: 'dialog' | 'alertdialog' | undefined
  /** Ignores presses outside, for forms and confirmations. */
  isFirm?: boolean | undefined
  /** Hides the close button if the footer has Cancel. */
  hasNoCross?: boolean | undefined
}

/** A modal dialog. Traps the focus and restores it on close. */
export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, children, footer, size = 'small', role = 'dialog', isFirm = false } = props
  const text = useUiText()
  return (
    <ModalOverlay
      className={css.backdrop ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isFirm}
    >
      <Modal className={classes(css.modal, css[size])}>
        <AriaDialog className={css.dialog ?? ''} role={role}>
          <header className={css.head}>
            <Heading className={css.title ?? ''} slot="title">
              {title}
            </Heading>
            {!props.hasNoCross && <IconButton icon={CloseIcon} label={text('close')} size="small" onPress={onClose} />}
          </header>
          <div className={css.body}>{children}</div>
          {footer && <footer className={css.foot}>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
