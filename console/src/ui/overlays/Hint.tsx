import type { ReactNode, RefObject } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import css from './Tooltip.module.css'

export interface HintProps {
  anchor: RefObject<Element | null>
  children: ReactNode
  placement?: 'top' | 'bottom' | 'start' | 'end' | undefined
}

/** A tooltip for an element, visible while rendered. In most cases, use `Tooltip` or a button’s `hint` instead. */
export const Hint = ({ anchor, children, placement = 'top' }: HintProps) => (
  <TooltipTrigger isOpen>
    <AriaTooltip triggerRef={anchor} className={css.tooltip ?? ''} placement={placement} offset={6}>
      {children}
    </AriaTooltip>
  </TooltipTrigger>
)
