import type { MouseEventHandler, ReactNode } from 'react'
import { useLinkProps } from '@tanstack/react-router'

interface MenuLinkProps {
  to: string
  children: ReactNode
  className?: string | undefined
  /** `page`: the link of the page that is open; `true`: of the group that it is in. */
  current: 'page' | 'true' | undefined
  'aria-label'?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-expanded'?: boolean | undefined
  'aria-controls'?: string | undefined
  'data-group'?: string | undefined
  /** Called first: `preventDefault` keeps the link from going anywhere. */
  onClick?: MouseEventHandler | undefined
}

/** A link of the menu. Which of them is current is told by the tree: the router would mark every address above the page. */
export function MenuLink({ current, ...options }: MenuLinkProps) {
  const { 'data-status': _, ...props } = useLinkProps(options as never) as Record<string, unknown>
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- its content is among the properties
  return <a {...props} aria-current={current} />
}
