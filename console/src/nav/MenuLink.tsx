import type { MouseEventHandler, ReactNode } from 'react'
import { useLinkProps } from '@tanstack/react-router'

interface MenuLinkProps {
  to: string
  children: ReactNode
  className?: string | undefined
  /** `page` for the current page, `true` for the group that contains it. */
  current: 'page' | 'true' | undefined
  'aria-label'?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-expanded'?: boolean | undefined
  'aria-controls'?: string | undefined
  'data-group'?: string | undefined
  /** Called before navigating; `preventDefault` cancels the navigation. */
  onClick?: MouseEventHandler | undefined
}

/** A menu link. The caller decides whether it is current, because the router would also mark its parent pages. */
export function MenuLink({ current, ...options }: MenuLinkProps) {
  const { 'data-status': _, ...props } = useLinkProps(options as never) as Record<string, unknown>
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- its content is in the props
  return <a {...props} aria-current={current} />
}
