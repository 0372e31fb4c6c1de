import { lazy, Suspense, useEffect, useState } from 'react'
import { useT } from '../i18n/use-t'
import { Button } from '../ui/Button'
import { SearchIcon } from '../ui/icons'
import { menuFor } from '../nav/menu'
import { sessionNow } from '../session/session'
import { holdTyping } from './hold-typing'
import css from './HeaderSearch.module.css'

const Palette = lazy(() => import('../palette/Palette'))

/** Opens the global search; Ctrl+K or Cmd+K does the same from anywhere (S1§1). */
export function HeaderSearch() {
  const t = useT('shell')
  // users who open it with the keyboard keep typing while it loads
  const [takeTyped, setOpened] = useState<() => string>()
  const isOpen = takeTyped !== undefined
  const open = () => {
    const held = holdTyping()
    setOpened(() => held)
  }
  useEffect(() => {
    const openByKeys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (!isOpen) open()
    }
    addEventListener('keydown', openByKeys)
    return () => removeEventListener('keydown', openByKeys)
  }, [isOpen])
  return (
    <>
      <Button variant="plain" icon={SearchIcon} className={css.button} aria-label={t('search')} onPress={open}>
        <span className={css.words}>{t('search.what')}</span>
        <kbd className={css.key}>Ctrl K</kbd>
      </Button>
      <Suspense fallback={null}>
        {takeTyped && (
          <Palette menu={menuFor(sessionNow())} takeTyped={takeTyped} onClose={() => setOpened(undefined)} />
        )}
      </Suspense>
    </>
  )
}
