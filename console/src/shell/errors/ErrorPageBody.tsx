import { use, useEffect, useRef, type ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { Link } from '../../nav/Link'
import { paths } from '../../nav/paths'
import { isInFrame } from '../../session/embedding'
import { buttonClass } from '../../ui/button-class'
import type { Icon } from '../../ui/icons'
import { FramedContext } from '../framed'
import { UserMenu } from '../UserMenu'
import css from './ErrorPageBody.module.css'

interface ErrorPageBodyProps {
  icon: Icon
  title: string
  text: ReactNode
  actions?: ReactNode
}

/** The content of an error page. Its heading takes the focus, so that screen readers announce it. */
export function ErrorPageBody({ icon: PageIcon, title, text, actions }: ErrorPageBodyProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const isFramed = use(FramedContext)
  const Body = isFramed ? 'div' : 'main'
  return (
    <>
      {!isFramed && !isInFrame() && (
        <div className={css.person}>
          <UserMenu isSimple />
        </div>
      )}
      <Body className={classes(css.page, isFramed && css.framed)}>
        <PageIcon />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <div className={css.text}>{text}</div>
        {/* an embedded page has nowhere to navigate to */}
        {actions && !isInFrame() && <div className={css.actions}>{actions}</div>}
      </Body>
    </>
  )
}

export function GoHome() {
  const t = useT('shell')
  return (
    <Link to={paths.home()} className={buttonClass({ variant: 'primary' })}>
      {t('go.home')}
    </Link>
  )
}
