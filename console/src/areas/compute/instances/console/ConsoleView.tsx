import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { problemText } from '../../../../api/problem-text'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import { useHasConsoles } from '../use-engine-can'
import { ConsoleBar } from './ConsoleBar'
import { ConsoleMessage } from './ConsoleMessage'
import { ConsoleOverlay } from './ConsoleOverlay'
import { ErrorNotice } from './ErrorNotice'
import { StoppedMessage } from './StoppedMessage'
import { focusWithRetry } from './focus-with-retry'
import { useConsole, type ConsoleKind, type OpenConsole } from './use-console'
import css from './ConsolePage.module.css'

/** Passed to the toolbar buttons of a console type. */
export interface ConsoleTools<Console extends OpenConsole> {
  console: RefObject<Console | undefined>
  /** Instance name; empty while loading. */
  name: string
  isConnected: boolean
  /** Returns the keyboard focus to the guest after a button or dialog has taken it. */
  refocus: () => void
}

interface ConsoleViewProps<Console extends OpenConsole> {
  id: string
  kind: ConsoleKind<Console>
  /**
   * Embedded in a page that has its own title and main landmark. The console takes the focus only on user interaction.
   */
  isEmbedded?: boolean | undefined
  className?: string | undefined
  /** Buttons that are specific to the console type. */
  tools: (tools: ConsoleTools<Console>) => ReactNode
  onConnected?: (console: Console) => void
}

/**
 * Shortcut that moves the focus from the console to its toolbar. It is common in remote desktop clients and types no
 * character.
 */
const isLeaving = ({ ctrlKey, altKey, key }: KeyboardEvent) => ctrlKey && altKey && key === 'Home'

/** A console with its toolbar, in any connection state. */
export function ConsoleView<Console extends OpenConsole>(props: ConsoleViewProps<Console>) {
  const { id, kind, isEmbedded = false, className, tools, onConnected } = props
  const { protocol } = kind
  const t = useT('console')
  const shell = useT('shell')
  const hintId = useId()
  const target = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLElement>(null)
  const { data: instance, problem, reload } = useView(instances.view, { id }, { kind: instanceKind })
  const engineHas = useHasConsoles()
  const hasConsole = instance !== undefined && engineHas === true && instanceCan('console', instance)
  const { state, console, reconnect } = useConsole({ id, kind, target, isWanted: hasConsole })
  const isConnected = hasConsole && state.of === 'connected'
  const name = instance?.name ?? ''

  useEffect(() => {
    if (name && !isEmbedded) document.title = `${name} - ${t('console.title', { protocol })}`
  }, [name, protocol, isEmbedded, t])

  // wait until the element is visible: a hidden element cannot receive the focus
  useEffect(() => {
    if (!isConnected || !console.current || !target.current) return
    onConnected?.(console.current)
    if (!isEmbedded) return focusWithRetry(target.current, () => console.current?.focus())
  }, [isConnected, console, isEmbedded, onConnected])

  // a closing menu first returns the focus to its own button
  const refocus = () => requestAnimationFrame(() => console.current?.focus())

  /**
   * Moves the focus from the guest to the toolbar. In an embedded console, Enter moves it to the guest, as a click
   * does.
   */
  function handOver(event: KeyboardEvent) {
    const isEntering = isEmbedded && event.key === 'Enter' && event.target === event.currentTarget
    if (!isEntering && !isLeaving(event)) return
    event.preventDefault()
    event.stopPropagation()
    if (isEntering) return console.current?.focus()
    console.current?.blur()
    bar.current?.querySelector('button')?.focus()
  }

  const Stage = isEmbedded ? 'div' : 'main'
  return (
    <>
      <ConsoleBar
        ref={bar}
        instance={instance}
        protocol={protocol}
        isConnected={isConnected}
        isEmbedded={isEmbedded}
        refocus={refocus}
      >
        {tools({ console, name, isConnected, refocus })}
      </ConsoleBar>
      {!isEmbedded && <ErrorNotice />}
      <Stage className={css.stage}>
        {/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex -- it passes all keys to the guest */}
        <div
          ref={target}
          className={classes(css.console, className, !isConnected && css.hidden)}
          role="application"
          aria-label={t('console.of', { protocol, name })}
          aria-describedby={hintId}
          tabIndex={isConnected ? 0 : -1}
          onFocus={({ target: focused, currentTarget }) =>
            !isEmbedded && focused === currentTarget && console.current?.focus()
          }
          onKeyDownCapture={handOver}
        />
        <VisuallyHidden id={hintId}>
          {t(isEmbedded ? 'console.enterHint' : 'console.leaveHint', { protocol, keys: 'Ctrl+Alt+Home' })}
        </VisuallyHidden>
        {/* oxlint-enable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
        {problem ? (
          <ConsoleMessage title={t('console.failed', { protocol })} text={problemText(problem, shell)} isAlert />
        ) : engineHas === false ? (
          <ConsoleMessage title={t('console.none', { protocol })} text={t('console.noneText')} />
        ) : instance === undefined || engineHas === undefined ? (
          <ConsoleMessage title={t('console.connecting', { protocol })} isBusy />
        ) : hasConsole ? (
          <ConsoleOverlay
            state={state}
            protocol={protocol}
            takesFocus={!isEmbedded}
            onReconnect={() => {
              reload()
              reconnect()
            }}
          />
        ) : (
          <StoppedMessage instance={instance} protocol={protocol} isEmbedded={isEmbedded} />
        )}
      </Stage>
    </>
  )
}
