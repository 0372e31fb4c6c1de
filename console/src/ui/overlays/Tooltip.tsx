import type { ReactElement, ReactNode } from 'react'
import { Focusable } from 'react-aria-components/Focusable'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import css from './Tooltip.module.css'

export interface TooltipProps {
  /** What it says. Never the only place for something that is needed. */
  text: ReactNode
  /** A button of this folder, or with `isPlain` any element that can have the focus (it then needs a role). */
  children: ReactElement
  isPlain?: boolean | undefined
  placement?: 'top' | 'bottom' | 'start' | 'end' | undefined
  /** A name is wanted at once, an explanation after half a second. */
  delayMs?: number | undefined
}

/** A short word beside something when it is hovered or has the focus. */
export function Tooltip({ text, children, isPlain = false, placement = 'top', delayMs = 500 }: TooltipProps) {
  return (
    <TooltipTrigger delay={delayMs} closeDelay={0}>
      {isPlain ? <Focusable>{children as ReactElement<never, string>}</Focusable> : children}
      <AriaTooltip className={css.tooltip ?? ''} placement={placement} offset={6}>
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  )
}
