import type { ReactNode } from 'react'
import { Button } from '../Button'
import { CopyableCode } from '../values/CopyableCode'
import { BadIcon, RefreshIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './ErrorPanel.module.css'

export interface ErrorPanelProps {
  /** What failed: "The instances could not be loaded." */
  title: string
  /** Why, in the words of the server. */
  why?: ReactNode
  /** What to do next. */
  next?: ReactNode
  /** The id of the request, to give to support. */
  id?: string | undefined
  onRetry?: (() => void) | undefined
  isRetrying?: boolean | undefined
  /** More buttons, after Retry. */
  actions?: ReactNode
}

/** In the place of what could not be loaded. */
export function ErrorPanel({ title, why, next, id, onRetry, isRetrying, actions }: ErrorPanelProps) {
  const text = useUiText()
  return (
    <div className={css.panel} role="alert">
      <BadIcon />
      <div className={css.words}>
        <h3>{title}</h3>
        {why && <p>{why}</p>}
        {next && <p>{next}</p>}
        {id && (
          <p className={css.id}>
            {text('errorId')} <CopyableCode>{id}</CopyableCode>
          </p>
        )}
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
