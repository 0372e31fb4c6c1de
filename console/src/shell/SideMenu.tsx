import { useEffect, useRef, useState } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { useIsNarrow, useIsWide } from '../lib/use-media'
import { Button } from '../ui/Button'
import { PinIcon, UnpinIcon } from '../ui/icons'
import { MenuList } from './MenuList'
import css from './SideMenu.module.css'

const key = 'mainstay.menu'
type Choice = 'pinned' | 'narrow'

/** What the person chose; null before any choice. */
function readChoice(): Choice | null {
  try {
    const kept = localStorage.getItem(key)
    return kept === 'pinned' || kept === 'narrow' ? kept : null
  } catch {
    return null
  }
}

/**
 * 64 px of icons with their names under them; 240 px while it is pinned, which is the default in windows of 1280 px and more.
 * Below 768 px see NarrowMenu.
 */
export function SideMenu() {
  const t = useT('shell')
  const isNarrow = useIsNarrow()
  const isWide = useIsWide()
  const [choice, setChoice] = useState(readChoice)
  const isPinned = choice === null ? isWide : choice === 'pinned'
  const menu = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // a menu that is longer than the window shows where one is
  useEffect(() => {
    menu.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname, isPinned])
  if (isNarrow) return null
  const pin = () => {
    const chosen = isPinned ? 'narrow' : 'pinned'
    setChoice(chosen)
    try {
      localStorage.setItem(key, chosen)
    } catch {
      // the choice lasts as long as the page
    }
  }
  const words = t(isPinned ? 'menu.unpin' : 'menu.pin')
  return (
    <nav ref={menu} className={classes(css.menu, isPinned && css.pinned)} aria-label={t('menu.main')}>
      <MenuList />
      <div className={css.foot}>
        <Button
          variant="plain"
          className={css.pin}
          icon={isPinned ? UnpinIcon : PinIcon}
          aria-label={words}
          aria-pressed={isPinned}
          onPress={pin}
        >
          <span className={css.label}>{words}</span>
        </Button>
      </div>
    </nav>
  )
}
