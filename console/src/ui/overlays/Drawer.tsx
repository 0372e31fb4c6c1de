import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { classes } from '../../lib/classes'
import { useIsNarrow } from '../../lib/use-media'
import { IconButton } from '../IconButton'
import { CloseIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './Drawer.module.css'

export type DrawerSize = 'small' | 'normal' | 'large' | 'wide'

export interface DrawerProps {
  title: ReactNode
  isOpen: boolean
  /** Called when the close button or Esc is pressed. */
  onClose: () => void
  children: ReactNode
  /** Shown next to the title: a status or an ID. */
  subtitle?: ReactNode
  /** Actions for the displayed object, at the end of the header before the close button. */
  actions?: ReactNode
  /** Fixed at the bottom: Cancel and the primary button of a form. */
  footer?: ReactNode
  /** Width of 480, 560 or 640 px, or up to 1160 px; fills the screen below 768 px. */
  size?: DrawerSize | undefined
  /** `start` is modal and does not cover the full width on a phone. */
  side?: 'start' | 'end' | undefined
  /** Makes the page behind it inert, as for a form. Details leave the list usable. Always modal on narrow screens. */
  isModal?: boolean | undefined
}

/** A panel at the edge of the page: at the end for details or a form, at the start for the menu on phones. */
export function Drawer({ isOpen, isModal = false, size = 'normal', side = 'end', ...rest }: DrawerProps) {
  const isNarrow = useIsNarrow()
  const { onClose } = rest
  if (!isModal && !isNarrow) return isOpen ? <Beside {...rest} size={size} /> : null
  return (
    <ModalOverlay
      className={css.backdrop ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isKeyboardDismissDisabled={false}
    >
      <Modal className={classes(css.panel, side === 'start' ? css.start : css[size])}>
        <AriaDialog className={css.content ?? ''}>
          <Content {...rest} heading={(title) => <Heading slot="title">{title}</Heading>} />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

type ContentProps = Omit<DrawerProps, 'isOpen' | 'isModal' | 'size' | 'side'>

/**
 * The non-modal variant: takes the focus on open, restores it on close, and handles Esc while it contains the focus.
 */
function Beside({ size, ...rest }: ContentProps & { size: DrawerSize }) {
  const panel = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const { onClose } = rest

  useEffect(() => {
    const before = document.activeElement
    const element = panel.current
    element?.focus({ preventScroll: true })
    return () => {
      const hadFocus = element?.contains(document.activeElement) || document.activeElement === document.body
      if (hadFocus && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])

  return (
    <dialog
      open
      ref={panel}
      className={classes(css.panel, css.beside, css.content, css[size])}
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.stopPropagation()
        onClose()
      }}
    >
      <Content {...rest} heading={(title) => <h2 id={titleId}>{title}</h2>} />
    </dialog>
  )
}

function Content(props: ContentProps & { heading: (title: ReactNode) => ReactNode }) {
  const text = useUiText()
  return (
    <>
      <header className={css.head}>
        <div className={css.titles}>
          {props.heading(props.title)}
          {props.subtitle && <div className={css.subtitle}>{props.subtitle}</div>}
        </div>
        <div className={css.actions}>
          {props.actions}
          <IconButton icon={CloseIcon} label={text('close')} onPress={props.onClose} hintPlacement="bottom" />
        </div>
      </header>
      <div className={css.body}>{props.children}</div>
      {props.footer && (
        <footer className={css.foot} data-in-corner>
          {props.footer}
        </footer>
      )}
    </>
  )
}
