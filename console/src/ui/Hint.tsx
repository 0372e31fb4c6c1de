import type { ReactNode, RefObject } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import css from './Tooltip.module.css'

/** The bubble of a tooltip beside an element, open as long as it is rendered. Most want `Tooltip`. */
export const Hint = ({ anchor, children }: { anchor: RefObject<Element | null>; children: ReactNode }) => (
  <TooltipTrigger isOpen>
    <AriaTooltip triggerRef={anchor} className={css.tooltip ?? ''} offset={6}>
      {children}
    </AriaTooltip>
  </TooltipTrigger>
)
