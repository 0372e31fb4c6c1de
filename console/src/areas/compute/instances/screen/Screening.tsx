import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { problemText } from '../../../../api/problem-text'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import { ErrorNotice } from './ErrorNotice'
import { keptScaling, keepScaling } from './kept-choices'
import { PasteDialog } from './PasteDialog'
import { ScreenBar } from './ScreenBar'
import { ScreenMessage } from './ScreenMessage'
import { ScreenOver } from './ScreenOver'
import { StoppedMessage } from './StoppedMessage'
import { useScreen } from './use-screen'
import css from './ScreenPage.module.css'

/** Leaves the screen for the buttons: the same keys as in remote desktops, and on no keyboard a character. */
const isLeaving = ({ ctrlKey, altKey, key }: KeyboardEvent) => ctrlKey && altKey && key === 'Home'

/** The screen with its buttons, through all that can happen to it. */
export function Screening({ id }: { id: string }) {
  const t = useT('compute')
  const shell = useT('shell')
  const hintId = useId()
  const target = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLElement>(null)
  const [scaling, setScaling] = useState(keptScaling)
  const [isPasting, setPasting] = useState(false)
  const { data: instance, problem, reload } = useView(instances.view, { id }, { kind: instanceKind })
  const hasScreen = instance !== undefined && instanceCan('console', instance)
  const { state, screen, reconnect } = useScreen({ id, target, isWanted: hasScreen, scaling })
  const isConnected = hasScreen && state.of === 'connected'
  const name = instance?.name ?? ''

  useEffect(() => {
    if (name) document.title = `${name} - ${t('console.title')}`
  }, [name, t])

  // only now: what cannot be seen cannot have the focus
  useEffect(() => {
    if (isConnected) screen.current?.focus()
  }, [isConnected, screen])

  function leave(event: KeyboardEvent) {
    if (!isLeaving(event)) return
    event.preventDefault()
    event.stopPropagation()
    // they are let go here, where the guest no longer hears of it
    screen.current?.releaseModifiers()
    screen.current?.blur()
    bar.current?.querySelector('button')?.focus()
  }

  return (
    <>
      <ScreenBar
        ref={bar}
        instance={instance}
        screen={screen}
        isConnected={isConnected}
        scaling={scaling}
        onScaling={(next) => {
          setScaling(next)
          keepScaling(next)
        }}
        onPaste={() => setPasting(true)}
      />
      <ErrorNotice />
      <main className={css.stage}>
        {/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex -- all keys go to the guest from here */}
        <div
          ref={target}
          className={classes(css.screen, !isConnected && css.hidden)}
          role="application"
          aria-label={t('console.screenOf', { name })}
          aria-describedby={hintId}
          tabIndex={isConnected ? 0 : -1}
          onFocus={({ target: focused, currentTarget }) => focused === currentTarget && screen.current?.focus()}
          onKeyDownCapture={leave}
        />
        <VisuallyHidden id={hintId}>{t('console.leaveHint', { keys: 'Ctrl+Alt+Home' })}</VisuallyHidden>
        {/* oxlint-enable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
        {problem ? (
          <ScreenMessage title={t('console.failed')} text={problemText(problem, shell)} isAlert />
        ) : instance === undefined ? (
          <ScreenMessage title={t('console.connecting')} isBusy />
        ) : hasScreen ? (
          <ScreenOver
            state={state}
            onReconnect={() => {
              reload()
              reconnect()
            }}
          />
        ) : (
          <StoppedMessage instance={instance} />
        )}
      </main>
      {isPasting && (
        <PasteDialog
          screen={screen}
          onClose={() => {
            setPasting(false)
            requestAnimationFrame(() => screen.current?.focus())
          }}
        />
      )}
    </>
  )
}
