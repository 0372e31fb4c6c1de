import { useEffect, useRef, type ReactNode } from 'react'
import type { Icon } from '../../ui/icons'
import css from './ErrorPageBody.module.css'

interface ErrorPageBodyProps {
  icon: Icon
  title: string
  text: ReactNode
  actions?: ReactNode
  /** Inside the frame, which is the page's main part already. */
  isFramed?: boolean
}

/** A page that says why there is no page. Its heading takes the focus, so that it is read. */
export function ErrorPageBody({ icon: PageIcon, title, text, actions, isFramed }: ErrorPageBodyProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const Body = isFramed ? 'div' : 'main'
  return (
    <Body className={css.page}>
      <PageIcon />
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div className={css.text}>{text}</div>
      {actions && <div className={css.actions}>{actions}</div>}
    </Body>
  )
}
