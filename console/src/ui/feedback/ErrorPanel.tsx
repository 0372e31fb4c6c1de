import type { ReactNode } from 'react'
import { Button } from '../Button'
import { CopyableCode } from '../values/CopyableCode'
import { BadIcon, RefreshIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './ErrorPanel.module.css'

export interface ErrorPanelProps {
  /** Describes the failure: "The instances could not be loaded." */
  title: string
  /** The reason from the server. */
  why?: ReactNode
  /** The suggested next step. */
  next?: ReactNode
  /** Request ID for support. */
  id?: string | undefined
  onRetry?: (() => void) | undefined
  isRetrying?: boolean | undefined
  /** Additional buttons after Retry. */
  actions?: ReactNode
}

/** Shown instead of content that failed to load. */
export function ErrorPanel({ title, why, next, id, onRetry, isRetrying, actions }: ErrorPanelProps) {
  const text = useUiText()
  return (
    <div className={css.panel} role="alert">
      <BadIcon />
      <div className={css.words}>
        <h3>{title}</h3>
        {why && <p>{why}</p>}
        {next && <p>{next}</p>}
        {id && <p className={css.id}>{text('errorId', { id: <CopyableCode key="id">{id}</CopyableCode> })}</p>}
        {(onRetry || actions) && (
          <div className={css.actions}>
            {onRetry && (
              <Button icon={RefreshIcon} onPress={onRetry} isBusy={isRetrying}>
                {text('retry')}
              </Button>
            )}
            {actions}
          </div>
        )}
      </div>
    </div>
  )
}
