import { useEffect, useRef, useState } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { queryClient } from '../../api/query-client'
import { useFeature } from '../../features/features'
import { availableLanguages, nextLanguage } from '../../i18n/available-languages'
import { currentLanguage, setLanguage } from '../../i18n/language'
import { throttle } from '../../lib/throttle-leading'
import { isTyping } from '../../lib/typing'
import { addPages } from '../../nav/known-pages'
import { menuFor } from '../../nav/menu'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { mayNow } from '../../session/may'
import { sessionNow } from '../../session/session'
import { ShortcutHelp } from './ShortcutHelp'

/** Where g and then a key lead: entries of the menu that this person sees. */
const places = () => menuFor(sessionNow()).flatMap(({ entries }) => entries.filter(({ key }) => key !== undefined))

/** All that is shown, however often somebody presses. */
const askAgain = throttle(() => void queryClient.refetchQueries({ type: 'active' }))

/** Between g and the second key, milliseconds. */
const chordMs = 1500

const isOverPage = () => document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null

/** Ctrl+L, with Shift backwards (S1§1). In a field it stays the browser's. */
const isLanguageKey = ({ ctrlKey, altKey, metaKey, key }: KeyboardEvent) =>
  ctrlKey && !altKey && !metaKey && key.toLowerCase() === 'l'

/** Single keys that do something on a page: never in a field, never under a dialog, and not where somebody turned them off. */
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
