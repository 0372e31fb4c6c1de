import { useEffect, useRef, useState } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { queryClient } from '../../api/query-client'
import { useFeature } from '../../features/features'
import { availableLanguages, nextLanguage } from '../../i18n/available-languages'
import { currentLanguage, setLanguage } from '../../i18n/language'
import { throttleLeading } from '../../lib/throttle-leading'
import { isTyping } from '../../lib/typing'
import { addPages } from '../../nav/known-pages'
import { menuFor } from '../../nav/menu'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { mayNow } from '../../session/may'
import { sessionNow } from '../../session/session'
import { ShortcutHelp } from './ShortcutHelp'

/** Pages opened by g followed by a key: the visible menu entries that have a key. */
const places = () => menuFor(sessionNow()).flatMap(({ entries }) => entries.filter(({ key }) => key !== undefined))

/** Reloads all data on the page, throttled. */
const askAgain = throttleLeading(() => void queryClient.refetchQueries({ type: 'active' }))

/** Maximum time between g and the second key, in milliseconds. */
const chordMs = 1500

const isOverPage = () => document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null

/**
 * Ctrl+L selects the next language, Ctrl+Shift+L the previous one (S1§1). In text fields, the caller leaves these keys
 * to the browser.
 */
const isLanguageKey = ({ ctrlKey, altKey, metaKey, key }: KeyboardEvent) =>
  ctrlKey && !altKey && !metaKey && key.toLowerCase() === 'l'

/** Handles single-key shortcuts, except in fields, behind dialogs and for users who turned them off. */
export default function Shortcuts() {
  const isOn = useFeature('keyboard-shortcuts')
  const [isHelpOpen, setHelpOpen] = useState(false)
  const go = useAppNavigate()
  const list = useRouterState({ select: ({ location }) => location.pathname })
  const chordBegan = useRef(-chordMs)

  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent) => {
      const { key } = event
      if (isLanguageKey(event) && !isTyping() && availableLanguages().length > 1) {
        event.preventDefault()
        return void setLanguage(nextLanguage(currentLanguage(), event.shiftKey ? -1 : 1).id)
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping() || isOverPage()) return
      const isSecond = event.timeStamp - chordBegan.current < chordMs
      chordBegan.current = key === 'g' ? event.timeStamp : -chordMs
      const add = addPages().find(({ to, needs }) => to === `${list}/add` && mayNow(needs))?.to
      const place = isSecond ? places().find((it) => it.key === key) : undefined
      if (place) go(place.to)
      else if (key === '?') setHelpOpen(true)
      else if (key === 'c' && add !== undefined) go(add, { keepsSearch: true })
      else if (key === 'r') askAgain()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOn, go, list])

  return isHelpOpen && <ShortcutHelp places={places()} onClose={() => setHelpOpen(false)} />
}
