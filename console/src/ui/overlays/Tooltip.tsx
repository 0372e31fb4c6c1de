import type { ReactElement, ReactNode } from 'react'
import { Focusable } from 'react-aria-components/Focusable'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import css from './Tooltip.module.css'

export interface TooltipProps {
  /** The text. Essential information must also be available elsewhere. */
  text: ReactNode
  /** A button of the UI library or, with `isPlain`, any focusable element with a role. */
  children: ReactElement
  isPlain?: boolean | undefined
  placement?: 'top' | 'bottom' | 'start' | 'end' | undefined
  /** Delay before it appears. Use 0 for a name; the default of half a second is for explanations. */
  delayMs?: number | undefined
}

/** Short text shown when an element is hovered or focused. */
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
