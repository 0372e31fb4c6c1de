import type { ReactElement, ReactNode } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Popover as AriaPopover } from 'react-aria-components/Popover'
import css from './Popover.module.css'

export interface PopoverProps {
  /** Accessible name. */
  label: string
  /** A button of the UI library. */
  trigger: ReactElement
  children: ReactNode | ((actions: { close: () => void }) => ReactNode)
  placement?: 'bottom start' | 'bottom end' | 'bottom' | 'top' | 'end top' | undefined
  isOpen?: boolean | undefined
  onOpenChange?: ((isOpen: boolean) => void) | undefined
  /** Removes the padding, for lists and tabs. */
  isFlush?: boolean | undefined
}

/**
 * A small panel anchored to a button, for example a filter, notifications or the project chooser. Esc closes it and
 * restores the focus.
 */
export function Popover(props: PopoverProps) {
  const { label, trigger, children, placement = 'bottom end', isOpen, onOpenChange, isFlush = false } = props
  return (
    <DialogTrigger {...(isOpen !== undefined && { isOpen })} {...(onOpenChange && { onOpenChange })}>
      {trigger}
      <AriaPopover className={css.popover ?? ''} placement={placement} offset={6}>
        <Dialog className={(isFlush ? css.flush : css.content) ?? ''} aria-label={label}>
          {children}
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  )
}
