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
  /** Esc, the cross, and a press outside unless `isFirm`. Ask "Discard changes?" here and close only after. */
  onClose: () => void
  children: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  /** 440, 640 or 960 px. */
  size?: 'small' | 'normal' | 'large' | undefined
  /** `alertdialog` when it interrupts, as a confirmation does. */
  role?: 'dialog' | 'alertdialog' | undefined
  /** A press outside does not close it: forms, confirmations. */
  isFirm?: boolean | undefined
  /** Hides the cross, where the footer has Cancel. */
  hasNoCross?: boolean | undefined
}

/** A dialog over the page. The focus goes in, stays in, and returns to where it was. */
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
