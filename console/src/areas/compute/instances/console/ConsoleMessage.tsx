import type { ReactNode } from 'react'
import { Spinner } from '../../../../ui/feedback/Spinner'
import type { Icon } from '../../../../ui/icons'
import css from './ConsoleMessage.module.css'

interface ConsoleMessageProps {
  title: string
  text?: ReactNode
  action?: ReactNode
  icon?: Icon
  isBusy?: boolean
  isAlert?: boolean
}

/** Shown in place of the console: why it is unavailable, and what the user can do. */
export const ConsoleMessage = ({ title, text, action, icon: MessageIcon, isBusy, isAlert }: ConsoleMessageProps) => (
  <div className={css.message} role={isAlert ? 'alert' : 'status'}>
    {isBusy ? <Spinner size={24} /> : MessageIcon && <MessageIcon />}
    <h2>{title}</h2>
    {text && <div className={css.text}>{text}</div>}
    {action}
  </div>
)
